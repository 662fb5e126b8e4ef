#include "sm/apply.h"

#include <cstring>

#include "ib/modifiers.h"
#include "sm/directed.h"

namespace weft {
namespace {

constexpr unsigned kPhaseShift = 56;

Phase phase_of(std::uint64_t cookie) { return static_cast<Phase>(cookie >> kPhaseShift); }

}  // namespace

Applying::Applying(const Plan& plan, Observed& observed, HeldTables& held, const Desired& desired,
                   const SmOptions& options)
    : plan_(plan), observed_(observed), held_(held), desired_(desired), options_(options) {}

bool Applying::next(Smp& request, std::uint64_t& cookie) {
  while (phase_ < kPhaseCount && at_ == plan_.phases[phase_].size()) {
    if (on_wire_ > 0) return false;
    ++phase_;
    at_ = 0;
  }
  if (phase_ == kPhaseCount) return false;
  const auto phase = static_cast<Phase>(phase_);
  fill(request, phase, plan_.phases[phase_][at_]);
  cookie = std::uint64_t{phase_} << kPhaseShift | at_;
  ++at_;
  ++on_wire_;
  return true;
}

void Applying::fill(Smp& request, Phase phase, const Op& op) const {
  const DirectedPath& path = observed_.nodes[op.node].path;
  const Mkey mkey(0);
  if (phase == Phase::kTables) {
    request = directed_request(Method::kSet, AttributeId::kLinearForwardingTable,
                               modifier::linear_forwarding_table(op.index), path, mkey);
    const auto block = desired_.routes.lfts.block(SwitchId(op.node), op.index);
    std::memcpy(request.data.data(), block.data(), block.size());
    return;
  }
  if (phase == Phase::kSwitches) {
    request = directed_request(Method::kSet, AttributeId::kSwitchInfo, 0, path, mkey);
    request.data = encode(desired_switch(observed_, desired_, options_, SwitchId(op.node)));
    return;
  }
  const PortNum port(static_cast<std::uint8_t>(op.index));
  request = directed_request(Method::kSet, AttributeId::kPortInfo, modifier::port_info(port, true),
                             path, mkey);
  PortInfo info = desired_port(observed_, desired_, options_, NodeId(op.node), port);
  if (phase == Phase::kArm) info.state = PortState::kArmed;
  if (phase == Phase::kActivate) info.state = PortState::kActive;
  if (phase != Phase::kPorts) info.client_reregister = false;  // asked once
  request.data = encode(info);
}

const Op& Applying::op_of(std::uint64_t cookie) const {
  const std::uint64_t index = cookie & ((std::uint64_t{1} << kPhaseShift) - 1);
  return plan_[phase_of(cookie)][index];
}

void Applying::answered(std::uint64_t cookie, const Smp& answer) {
  if (answer.status != mad_status::kGood) {
    count_failure(cookie, fmt::format("answers with status 0x{:04x}", answer.status));
    return;
  }
  --on_wire_;
  ++report_.done[static_cast<std::size_t>(phase_of(cookie))];
  on_answer(phase_of(cookie), op_of(cookie), answer);
}

void Applying::on_answer(Phase phase, const Op& op, const Smp& answer) {
  if (phase == Phase::kTables) {
    const SwitchId sw(op.node);
    held_.remember(desired_.fabric.node(sw).node_guid, op.index,
                   desired_.routes.lfts.block(sw, op.index));
  } else if (phase == Phase::kSwitches) {
    held_.expect_top(desired_.fabric.node(SwitchId(op.node)).node_guid,
                     desired_.routes.lfts.top().value());
    observed_.nodes[op.node].switch_info = *decode_switch_info(answer.data);
  } else if (const auto info = decode_port_info(answer.data)) {
    observed_.nodes[op.node].ports[op.index] = *info;
  }
}

void Applying::failed(std::uint64_t cookie, const Smp&) {
  count_failure(cookie, "does not answer");
}

void Applying::count_failure(std::uint64_t cookie, const std::string& why) {
  --on_wire_;
  const Phase phase = phase_of(cookie);
  const Op& op = op_of(cookie);
  const Node& node = desired_.fabric.node(NodeId(op.node));
  if (phase == Phase::kTables) held_.forget(node.node_guid, op.index);
  if (phase == Phase::kSwitches) held_.forget(node.node_guid);
  ++report_.failed;
  if (report_.failures.size() < kFailuresNamed)
    report_.failures.push_back(fmt::format("{} {} {}: {}", describe(node),
                                           phase == Phase::kTables ? "table block" : "port",
                                           op.index, why));
}

}  // namespace weft
