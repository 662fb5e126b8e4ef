// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/apply.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "ib/modifiers.h"
#include "sm/discovery/busy.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr unsigned kPhaseShift = 56;
constexpr unsigned kStepShift = 54;

Phase phase_of(std::uint64_t cookie) { return static_cast<Phase>(cookie >> kPhaseShift); }
std::size_t index_of(std::uint64_t cookie) {
  return cookie & ((std::uint64_t{1} << kStepShift) - 1);
}

std::string subject(Phase phase, const Op& op) {
  switch (phase) {
    case Phase::kSwitches:
      return "SwitchInfo";
    case Phase::kTables:
      return fmt::format("table block {}", op.index);
    case Phase::kMulticastCut:
    case Phase::kMulticast:
      return fmt::format("multicast table block {} position {}", mft_block_of(op.index),
                         mft_position_of(op.index));
    case Phase::kPkeys:
      return fmt::format("P_Keys of port {}", port_of(op).value());
    case Phase::kGuids:
      return fmt::format("GUIDs of port {}", port_of(op).value());
    case Phase::kSl2VlAtOnce:
      return "SL2VL of all pairs at once";
    case Phase::kSl2VlCheck:
    case Phase::kSl2Vl:
      return fmt::format("SL2VL of port {}", op.index & 0xFF);
    case Phase::kVlArb:
      return fmt::format("VL arbitration of port {}", op.index & 0xFF);
    default:
      return fmt::format("port {} ({})", op.index, name(phase));
  }
}

std::string_view cost_of_refusal(Phase phase) {
  if (phase == Phase::kGuids) return "its virtual functions have no alias GUIDs";
  if (phase == Phase::kSl2VlAtOnce || phase == Phase::kSl2VlCheck)
    return "each pair is written separately";
  if (phase == Phase::kReregister) return "ClientReregister is sent again in the next sweep";
  return phase == Phase::kFdr10 ? "the link keeps its speed" : "the routes do not need it";
}

}  // namespace

Applying::Applying(const Plan& plan, Observed& observed, HeldTables& held, KnownKeys& keys,
                   const Desired& desired, const SmOptions& options)
    : plan_(plan),
      observed_(observed),
      held_(held),
      keys_(keys),
      desired_(desired),
      options_(options),
      health_(desired.fabric.node_count(), Health::kGood) {}

bool Applying::next(Smp& request, std::uint64_t& cookie) {
  if (!again_.empty()) {
    cookie = again_.front();
    again_.pop_front();
    fill_again(request, cookie);
    return true;
  }
  while (phase_ < kPhaseCount) {
    const auto phase = static_cast<Phase>(phase_);
    const std::vector<Op>& ops = plan_[phase];
    while (at_ < barrier() && is_pointless(phase, ops[at_])) ++at_;
    if (at_ < barrier()) {
      fill(request, phase, at_);
      cookie = std::uint64_t{phase_} << kPhaseShift | at_;
      ++at_;
      ++on_wire_;
      return true;
    }
    if (on_wire_ > 0) return false;
    if (at_ < ops.size()) {
      ++round_;
      continue;
    }
    ++phase_;
    at_ = 0;
    round_ = 0;
  }
  return false;
}

/// The op at which SMPs wait for all outstanding ones.
std::size_t Applying::barrier() const {
  const auto phase = static_cast<Phase>(phase_);
  const bool in_rounds = phase == Phase::kTables || phase == Phase::kTakeDown;
  const auto& ends = phase == Phase::kTables ? plan_.table_rounds.ends : plan_.take_down_ends;
  return in_rounds && round_ < ends.size() ? ends[round_] : plan_[phase].size();
}

/// The entries of a block after this write. Until it is answered, held_ has the previous entries.
std::array<std::uint8_t, kLftBlock> Applying::table_block(std::size_t at) const {
  const Op& op = plan_[Phase::kTables][at];
  const SwitchId sw(op.node);
  std::array<std::uint8_t, kLftBlock> block{};
  std::ranges::copy(desired_.routes.lfts.block(sw, op.index), block.begin());
  const auto& parts = plan_.table_rounds.parts;
  const auto part = std::ranges::lower_bound(parts, at, {}, &TablePart::op);
  if (part == parts.end() || part->op != at) return block;
  const HeldTable* table = held_.find(desired_.fabric.node(sw).node_guid);
  const bool known = table != nullptr && table->knows(op.index);
  for (std::size_t i = 0; i < kLftBlock; ++i)
    if ((part->lids >> i & 1) == 0) block[i] = known ? table->block(op.index)[i] : kNoRoute.value();
  return block;
}

/// Writes of later rounds depend on earlier ones: after a failure they would be unsafe for the same
/// LIDs. The next sweep repeats them.
bool Applying::is_stuck(Phase phase, const Op& op) const {
  return phase == Phase::kTables && op.index < stuck_from_.size() &&
         stuck_from_[op.index] <= round_;
}

void Applying::get_stuck(Phase phase, const Op& op) {
  if (phase != Phase::kTables) return;
  if (op.index >= stuck_from_.size())
    stuck_from_.resize(op.index + std::size_t{1}, ~std::size_t{0});
  stuck_from_[op.index] = std::min(stuck_from_[op.index], round_ + 1);
}

bool Applying::is_pointless(Phase phase, const Op& op) {
  const bool silent = health_[op.node] == Health::kSilent;
  if (silent || is_stuck(phase, op)) {
    if (silent) get_stuck(phase, op);
    ++report_.skipped;
    return true;
  }
  if (phase == Phase::kSl2VlCheck) return refuses_at_once_.contains(op.node);
  if (phase == Phase::kSl2Vl) return holds_map(op);
  if (phase != Phase::kArm && phase != Phase::kActivate) return false;
  if (!leads_to_nowhere(op)) return false;
  ++report_.held_back;
  return true;
}

/// Written together with all other pairs of the switch.
bool Applying::holds_map(const Op& op) const {
  const NodeId node(op.node);
  const HeldLanes* lanes = held_.find_lanes(desired_.fabric.node(node).node_guid);
  return lanes != nullptr &&
         lanes->holds_map(op.index, planned_map(desired_.fabric, desired_.routes, desired_.lanes,
                                                node, op.index));
}

/// No data through a switch with unverified tables.
bool Applying::leads_to_nowhere(const Op& op) const {
  const auto unfit = [&](NodeId node) { return health_[node.value()] >= Health::kNoTables; };
  const Fabric& fabric = desired_.fabric;
  const PortId port = fabric.port_id(NodeId(op.node), PortNum(static_cast<std::uint8_t>(op.index)));
  const PortId peer = fabric.port(port).peer;
  return unfit(NodeId(op.node)) || (peer != kNoPort && unfit(fabric.port(peer).node));
}

void Applying::fill(Smp& request, Phase phase, std::size_t at) {
  const Op& op = plan_[phase][at];
  const ObservedNode& node = observed_.nodes[op.node];
  if (phase == Phase::kTables) {
    request = directed_request(Method::kSet, AttributeId::kLinearForwardingTable,
                               modifier::linear_forwarding_table(op.index), node.path());
    const auto block = table_block(at);
    std::memcpy(request.data.data(), block.data(), block.size());
    return;
  }
  if (phase >= Phase::kSl2VlAtOnce && phase <= Phase::kVlArb) return fill_lanes(request, phase, op);
  if (phase == Phase::kMulticastCut || phase == Phase::kMulticast) {
    request = directed_request(
        Method::kSet, AttributeId::kMulticastForwardingTable,
        modifier::multicast_forwarding_table(mft_block_of(op.index), mft_position_of(op.index)),
        node.path());
    request.data = encode(multicast_block(phase, op));
    return;
  }
  if (phase == Phase::kPkeys) return fill_pkeys(request, op);
  if (phase == Phase::kGuids) return fill_guids(request, op);
  if (phase == Phase::kFdr10) return fill_fdr10(request, op);
  if (phase == Phase::kSwitches) {
    request = directed_request(Method::kSet, AttributeId::kSwitchInfo, 0, node.path());
    request.data = encode(desired_switch(observed_, desired_, options_, SwitchId(op.node)));
    return;
  }
  fill_port(request, phase, op);
}

const DirectedPath& Applying::port_path(const Op& op) const {
  return observed_.nodes[op.node].path(PortNum(static_cast<std::uint8_t>(op.index)));
}

void Applying::fill_fdr10(Smp& request, const Op& op) const {
  const PortNum port = port_of(op);
  const auto wanted = wanted_extended(observed_.nodes[op.node], port, options_.fdr10);
  CHECK(wanted.has_value());
  request = directed_request(Method::kSet, AttributeId::kMlnxExtendedPortInfo, port.value(),
                             port_path(op));
  request.data = encode(*wanted);
}

void Applying::fill_port(Smp& request, Phase phase, const Op& op) {
  const PortNum port(static_cast<std::uint8_t>(op.index));
  request = directed_request(Method::kSet, AttributeId::kPortInfo,
                             observed_.nodes[op.node].port_info_modifier(port), port_path(op));
  PortInfo info = desired_port(observed_, desired_, options_, NodeId(op.node), port);
  if (phase == Phase::kArm) info.state = PortState::kArmed;
  if (phase == Phase::kActivate) info.state = PortState::kActive;
  if (phase == Phase::kTakeDown) info.state = PortState::kDown;
  if (phase == Phase::kKeys) {
    set_key(info, options_);
    keys_.announce(port_path(op), info.mkey);
  } else if (options_.m_key == Mkey(0)) {
    // A corrupted key must not be set on a port without a key, which accepts every Set. Key 0 needs
    // no file.
    set_key(info, options_);
  } else if (const Mkey carried = keys_.key_for(request, 1);
             info.mkey != Mkey(0) && info.mkey != carried) {
    // The key read is corrupted; setting it would lock the port with an unknown key. The key that
    // the Set carries is right, or the port refuses the Set.
    info.mkey = carried;
    if (carried == options_.m_key) set_key(info, options_);
  }
  info.client_reregister = asks_to_reregister(phase, op);
  request.data = encode(info);
}

Applying::Step Applying::step_of(std::uint64_t cookie) {
  return static_cast<Step>(cookie >> kStepShift & 3);
}

/// The op stays on the wire until its last step.
void Applying::send_later(std::uint64_t cookie, Step step) {
  const std::uint64_t bits = std::uint64_t{3} << kStepShift;
  again_.push_back((cookie & ~bits) | static_cast<std::uint64_t>(step) << kStepShift);
}

void Applying::fill_again(Smp& request, std::uint64_t cookie) {
  const Op& op = op_of(cookie);
  const std::uint32_t plain = modifier::port_info(PortNum(static_cast<std::uint8_t>(op.index)));
  if (step_of(cookie) == Step::kReadState) {
    request = directed_request(Method::kGet, AttributeId::kPortInfo, plain, port_path(op));
    return;
  }
  fill_port(request, phase_of(cookie), op);
  request.modifier = plain;
}

/// Whether another step may succeed after status 0x1C.
bool Applying::is_worth_another_step(std::uint64_t cookie) {
  const Phase phase = phase_of(cookie);
  const bool moves = phase == Phase::kArm || phase == Phase::kActivate;
  const bool sets = phase == Phase::kPorts || phase == Phase::kKeys ||
                    phase == Phase::kReregister || phase == Phase::kTakeDown;
  if (!moves && !sets) return false;
  const Step step = step_of(cookie);
  if (step == Step::kFirst && moves) {
    send_later(cookie, Step::kReadState);
    return true;
  }
  const Op& op = op_of(cookie);
  const PortNum port(static_cast<std::uint8_t>(op.index));
  if (step == Step::kPlain || !observed_.nodes[op.node].takes_extended_speeds(port)) return false;
  send_later(cookie, Step::kPlain);
  return true;
}

/// State of a port that refused a state change. Data from the other end moves an ARMED port to
/// ACTIVE, and so does a Set without a received answer.
void Applying::on_state(std::uint64_t cookie, const Smp& answer) {
  const Phase phase = phase_of(cookie);
  const Op& op = op_of(cookie);
  const auto info = decode_port_info(answer.data);
  const bool is_read = answer.status == mad_status::kGood && info.has_value();
  const PortState wanted = phase == Phase::kArm ? PortState::kArmed : PortState::kActive;
  if (is_read && info->state >= wanted) {
    PortInfo& seen = observed_.nodes[op.node].ports[op.index];
    seen.state = info->state;
    seen.phys_state = info->phys_state;
    --on_wire_;
    ++report_.done[static_cast<std::size_t>(phase)];
    return;
  }
  if (is_worth_another_step(cookie)) return;
  count_failure(
      cookie,
      status_text(mad_status::kInvalidField) +
          (is_read ? fmt::format(", its PortState is {}", static_cast<unsigned>(info->state))
                   : std::string()),
      Failure::kRefused);
}

bool Applying::asks_to_reregister(Phase phase, const Op& op) const {
  return phase == Phase::kReregister ||
         (phase == Phase::kPorts &&
          observed_.nodes[op.node].ports[op.index].state != PortState::kActive &&
          owes_reregistration(desired_, NodeId(op.node), port_of(op)));
}

void Applying::on_port(Phase phase, const Op& op, const PortInfo& info) {
  if (asks_to_reregister(phase, op))
    reregistered_.push_back(desired_.fabric.port_id(NodeId(op.node), port_of(op)));
  observed_.nodes[op.node].ports[op.index] = info;
  if (phase == Phase::kTakeDown) note_taken_down(op);
  if (phase != Phase::kKeys) return;
  const PortId id =
      desired_.fabric.port_id(NodeId(op.node), PortNum(static_cast<std::uint8_t>(op.index)));
  keys_.settle(port_path(op));
  keys_.learn(desired_.fabric.port(id).guid, port_path(op), options_.m_key);
}

void Applying::fill_lanes(Smp& request, Phase phase, const Op& op) const {
  const NodeId node(op.node);
  const DirectedPath& path = observed_.nodes[op.node].path(port_of(op.index));
  if (phase == Phase::kVlArb) {
    request = directed_request(Method::kSet, AttributeId::kVlArbitrationTable,
                               arbitration_modifier(desired_.fabric, node, op.index), path);
    request.data = encode(planned_arbitration(desired_, node, op.index));
    return;
  }
  const bool reads = phase == Phase::kSl2VlCheck;
  request = directed_request(reads ? Method::kGet : Method::kSet, AttributeId::kSlToVlTable,
                             map_modifier(desired_.fabric, node, op.index), path);
  if (reads) return;
  SlToVlTable table;
  std::ranges::transform(
      planned_map(desired_.fabric, desired_.routes, desired_.lanes, node, op.index),
      table.vls.begin(), [](std::uint8_t vl) { return Vl(vl); });
  request.data = encode(table);
}

MulticastForwardingTable Applying::multicast_block(Phase phase, const Op& op) const {
  const SwitchId sw(op.node);
  const auto wanted = mft_wanted(desired_.routes.mfts, sw, op.index);
  if (phase == Phase::kMulticast) return wanted;
  const HeldTable* table = held_.find(desired_.fabric.node(sw).node_guid);
  return mft_cut(table == nullptr ? nullptr : table->multicast(op.index), wanted);
}

void Applying::fill_pkeys(Smp& request, const Op& op) const {
  const PortNum port = port_of(op);
  const PortId id = desired_.fabric.port_id(NodeId(op.node), port);
  request = directed_request(Method::kSet, AttributeId::kPkeyTable,
                             pkey_modifier(desired_.fabric, id, block_of(op)),
                             observed_.nodes[op.node].path(port));
  request.data = encode(desired_.pkeys.block(id, block_of(op)));
}

GuidInfo Applying::guids(const Op& op) const {
  const PortId id = desired_.fabric.port_id(NodeId(op.node), port_of(op));
  const Guid guid = desired_.fabric.port(id).guid;
  return guid_block(guid, desired_.aliases.at(guid), block_of(op));
}

void Applying::fill_guids(Smp& request, const Op& op) const {
  request = directed_request(Method::kSet, AttributeId::kGuidInfo,
                             static_cast<std::uint32_t>(block_of(op)),
                             observed_.nodes[op.node].path(port_of(op)));
  request.data = encode(guids(op));
}

void Applying::remember_guids(const Op& op) {
  const PortId id = desired_.fabric.port_id(NodeId(op.node), port_of(op));
  held_.aliases().remember(desired_.fabric.port(id).guid, block_of(op), guids(op));
}

const Op& Applying::op_of(std::uint64_t cookie) const {
  return plan_[phase_of(cookie)][index_of(cookie)];
}

void Applying::answered(std::uint64_t cookie, const Smp& answer) {
  if (step_of(cookie) == Step::kReadState) return on_state(cookie, answer);
  if (answer.status == mad_status::kInvalidField && is_worth_another_step(cookie)) return;
  if (answer.status != mad_status::kGood)
    return count_failure(cookie, status_text(answer.status),
                         is_busy(answer) ? Failure::kBusy : Failure::kRefused);
  if (step_of(cookie) == Step::kPlain)
    observed_.nodes[op_of(cookie).node].refuses_extended_speeds = true;
  --on_wire_;
  ++report_.done[static_cast<std::size_t>(phase_of(cookie))];
  on_answer(phase_of(cookie), index_of(cookie), answer);
}

void Applying::on_answer(Phase phase, std::size_t at, const Smp& answer) {
  const Op& op = plan_[phase][at];
  if (phase == Phase::kTables) {
    const auto block = table_block(at);
    held_.at(desired_.fabric.node(SwitchId(op.node)).node_guid).remember(op.index, block);
  } else if (phase == Phase::kPkeys) {
    const PortId id = desired_.fabric.port_id(NodeId(op.node), port_of(op));
    held_.pkeys().remember(desired_.fabric.node(NodeId(op.node)).node_guid, port_of(op),
                           block_of(op), desired_.pkeys.block(id, block_of(op)));
  } else if (phase == Phase::kGuids) {
    remember_guids(op);
  } else if (phase == Phase::kSl2VlAtOnce) {
    return;  // the table read back decides
  } else if (phase == Phase::kSl2VlCheck) {
    on_read_back(op, answer);
  } else if (phase == Phase::kSl2Vl || phase == Phase::kVlArb) {
    const NodeId node(op.node);
    const Node& owner = desired_.fabric.node(node);
    HeldLanes& lanes = held_.lanes_at(owner.node_guid, owner.port_count);
    if (phase == Phase::kSl2Vl)
      lanes.remember_map(
          op.index, planned_map(desired_.fabric, desired_.routes, desired_.lanes, node, op.index));
    else
      lanes.remember_arbitration(op.index, planned_arbitration(desired_, node, op.index));
  } else if (phase == Phase::kMulticastCut || phase == Phase::kMulticast) {
    held_.at(desired_.fabric.node(SwitchId(op.node)).node_guid)
        .remember_multicast(op.index, multicast_block(phase, op));
  } else if (phase == Phase::kSwitches) {
    const SwitchInfo info = *decode_switch_info(answer.data);
    held_.at(desired_.fabric.node(SwitchId(op.node)).node_guid).set_top(info.linear_fdb_top);
    observed_.nodes[op.node].switch_info = info;
  } else if (phase == Phase::kFdr10) {
    observed_.nodes[op.node].extended[op.index] = *decode_extended_port_info(answer.data);
  } else if (const auto info = decode_port_info(answer.data)) {
    on_port(phase, op, *info);
  }
}

void Applying::on_read_back(const Op& op, const Smp& answer) {
  const NodeId node(op.node);
  const Node& owner = desired_.fabric.node(node);
  const SlMap& wanted =
      planned_map(desired_.fabric, desired_.routes, desired_.lanes, node, op.index);
  const SlToVlTable table = *decode_sl_to_vl_table(answer.data);
  if (std::ranges::equal(table.vls, wanted, {}, [](Vl vl) { return vl.value(); }))
    held_.lanes_at(owner.node_guid, owner.port_count).remember_map(kEveryPair, wanted);
  else
    refuse(Phase::kSl2VlCheck, op, "differs from the table written");
}

void Applying::refuse(Phase phase, const Op& op, const std::string& why) {
  const bool unsaid = phase >= Phase::kSl2VlAtOnce && phase <= Phase::kSl2Vl &&
                      options_.qos.suppress_sl2vl_mad_status_errors;
  if (report_.lanes_refused++ < kFailuresNamed && !unsaid)
    report_.refusals.push_back(fmt::format("{}: {} {}: {}",
                                           describe(desired_.fabric.node(NodeId(op.node))),
                                           subject(phase, op), why, cost_of_refusal(phase)));
}

void Applying::failed(std::uint64_t cookie, const Error& why) {
  count_failure(cookie, why.message, Failure::kSilent);
}

/// A device may refuse SL2VL and arbitration tables that the routes do not need, alias GUIDs,
/// FDR10, and ClientReregister, which stays due.
bool Applying::is_tolerable(Phase phase) const {
  return phase == Phase::kGuids || phase == Phase::kFdr10 || phase == Phase::kReregister ||
         phase == Phase::kTakeDown || phase == Phase::kSl2VlAtOnce || phase == Phase::kSl2VlCheck ||
         ((phase == Phase::kSl2Vl || phase == Phase::kVlArb) && !desired_.lanes.is_needed());
}

/// Why a node that answers Gets may refuse Sets.
std::string Applying::hidden_key_of(const Op& op) const {
  for (const PortInfo& info : observed_.nodes[op.node].ports)
    if (hides_key(info)) return "; " + unlock_advice(info);
  return {};
}

void Applying::count_failure(std::uint64_t cookie, const std::string& why, Failure how) {
  --on_wire_;
  const Phase phase = phase_of(cookie);
  const Op& op = op_of(cookie);
  get_stuck(phase, op);
  if (phase == Phase::kKeys) keys_.settle(port_path(op));
  // The link of a retraining port may go down before the answer is sent; the next sweep checks it.
  const bool retrains = phase == Phase::kFdr10 || phase == Phase::kTakeDown;
  if ((how == Failure::kRefused || retrains) && is_tolerable(phase)) {
    if (phase == Phase::kGuids) remember_guids(op);  // avoids another refusal
    if (phase == Phase::kSl2VlAtOnce) refuses_at_once_.insert(op.node);
    if (phase == Phase::kTakeDown)
      note_taken_down(op);  // possibly; the next sweep checks it
    else
      refuse(phase, op, why);
    return;
  }
  ++report_.failed;
  const bool silent = how == Failure::kSilent;
  if (how == Failure::kRefused) ++report_.refused;
  Health& health = health_[op.node];
  if (health == Health::kGood) {
    report_.failed_nodes.push_back(NodeId(op.node));
    if (report_.failures.size() < kFailuresNamed)
      report_.failures.push_back(
          fmt::format("{}: {} {}{}", describe(desired_.fabric.node(NodeId(op.node))),
                      subject(phase, op), why, silent ? hidden_key_of(op) : ""));
  }
  const bool tables = phase >= Phase::kSwitches && phase <= Phase::kVlArb;
  health = std::max(health, silent   ? Health::kSilent
                            : tables ? Health::kNoTables
                                     : Health::kFailed);
}

}  // namespace weft
