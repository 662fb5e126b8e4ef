#include "sm/adaptive.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "ib/adaptive_unconfirmed.h"
#include "sm/directed.h"

namespace weft {
namespace {

constexpr std::size_t kEntryBlock = ArLftBlock::kEntries;

/// FNV-1a, never 0.
std::uint64_t digest(const SmpData& data) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::byte byte : data)
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3;
  return hash == 0 ? 1 : hash;
}

bool holds(const std::vector<std::uint64_t>& digests, std::size_t block, const SmpData& data) {
  return block < digests.size() && digests[block] == digest(data);
}

void remember(std::vector<std::uint64_t>& digests, std::size_t block, const SmpData& data) {
  if (digests.size() <= block) digests.resize(block + 1, 0);
  digests[block] = digest(data);
}

std::size_t group_blocks(const ArTables& tables, SwitchId sw) {
  const std::size_t groups = tables.groups(sw).size();
  return groups == 0
             ? 0
             : std::size_t{ar_unconfirmed::block_of_group(static_cast<std::uint16_t>(groups - 1))} +
                   1;
}

SmpData group_block(const ArTables& tables, SwitchId sw, std::size_t block) {
  ArGroupBlock data;
  const auto groups = tables.groups(sw);
  for (std::size_t g = 0; g < ArGroupBlock::kGroups; ++g)
    if (const std::size_t group = block * ArGroupBlock::kGroups + g; group < groups.size())
      data.groups[g] = groups[group];
  return encode(data);
}

std::size_t entry_blocks(const ArTables& tables) { return tables.top().value() / kEntryBlock + 1u; }

SmpData entry_block(const Routes& routes, SwitchId sw, std::size_t block) {
  ArLftBlock data;
  for (std::size_t i = 0; i < kEntryBlock; ++i) {
    const Lid lid(static_cast<std::uint16_t>(block * kEntryBlock + i));
    const ArEntry entry = routes.adaptive->entry(sw, lid);
    data.entries[i].state = static_cast<std::uint8_t>(entry.state);
    data.entries[i].default_port = routes.lfts.port(sw, lid);
    data.entries[i].group = entry.group;
  }
  return encode(data);
}

AdaptiveRoutingInfo wanted_info(const ArHeld& held, const ArTables& tables, SwitchId sw,
                                std::uint32_t ageing_time_us) {
  AdaptiveRoutingInfo info = held.info;
  info.enabled = true;
  info.no_fallback = false;  // who writes a plain table gets what he wrote
  info.group_top = static_cast<std::uint16_t>(tables.groups(sw).size() - 1);
  info.sub_groups_active = 0;
  info.ageing_time_us = ageing_time_us;
  return info;
}

std::string_view name(ArStep step) {
  switch (step) {
    case ArStep::kOff:
      return "switching adaptive routing off";
    case ArStep::kGroups:
      return "ARGroupTable";
    case ArStep::kEntries:
      return "ARLinearForwardingTableSX";
    case ArStep::kOn:
      return "switching adaptive routing on";
    case ArStep::kReadBack:
      return "reading AdaptiveRoutingInfo back";
  }
  return "?";
}

}  // namespace

bool ArHeld::can_choose() const {
  return answers && info.group_capacity > 0 && info.version >= ar_unconfirmed::kVersionMin;
}

std::size_t ArKnowledge::count_on() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      switches_, [](const auto& entry) { return entry.second.info.enabled; }));
}

void ArKnowledge::distrust(const Observed& observed, const HeldTables& held) {
  std::erase_if(switches_, [&](const auto& entry) {
    return !observed.fabric.find_node(entry.first) || held.find(entry.first) == nullptr;
  });
}

bool ArKnowledge::is_worth_asking(const NodeInfo& node) const {
  return node.type == NodeType::kSwitch && ar_unconfirmed::may_know(node.device_id) &&
         !silent_.contains(kind(node));
}

void ArKnowledge::was_silent(const NodeInfo& node) {
  if (!has_answered(node)) silent_.insert(kind(node));
}

std::vector<std::uint16_t> group_capacities(const Fabric& fabric, const ArKnowledge& known,
                                            const ArConf& conf) {
  std::vector<std::uint16_t> capacities(fabric.switch_count(), 0);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(SwitchId(s)).node_guid;
    const ArHeld* held = known.find(guid);
    if (held != nullptr && held->can_choose() && conf.enabled_at(guid))
      capacities[s] = held->info.group_capacity;
  }
  return capacities;
}

ArReading::ArReading(const Observed& observed, ArKnowledge& known)
    : observed_(observed), known_(known) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    const ArHeld* held = known.find(node(s).node_guid);
    // Whoever writes a plain table ends adaptive routing there: who answers is asked each time.
    if (known.is_worth_asking(node(s)) && (held == nullptr || held->answers)) wanted_.push_back(s);
  }
}

bool ArReading::next(Smp& request, std::uint64_t& cookie) {
  for (std::size_t waiting = wanted_.size(); waiting > 0; --waiting) {
    const std::uint32_t sw = wanted_.front();
    wanted_.pop_front();
    if (!known_.is_worth_asking(node(sw))) continue;  // its kind was silent meanwhile
    const auto kind = ArKnowledge::kind(node(sw));
    if (!known_.has_answered(node(sw)) && !probing_.insert(kind).second) {
      wanted_.push_back(sw);  // somebody is being asked for all of them
      continue;
    }
    request = directed_request(Method::kGet, kAdaptiveRoutingInfo, 0, observed_.nodes[sw].path(),
                               Mkey(0));
    cookie = sw;
    return true;
  }
  return false;
}

void ArReading::answered(std::uint64_t cookie, const Smp& answer) {
  const NodeInfo& info = node(static_cast<std::uint32_t>(cookie));
  known_.answered(info);
  probing_.erase(ArKnowledge::kind(info));
  ArHeld& held = known_.at(info.node_guid);
  const bool was_on = held.info.enabled;
  held.answers = answer.status == mad_status::kGood;
  held.info = held.answers ? decode_adaptive_routing_info(answer.data) : AdaptiveRoutingInfo{};
  // Somebody else was here: what its tables hold is not known.
  if (was_on != held.info.enabled) {
    held.groups.clear();
    held.entries.clear();
  }
}

void ArReading::failed(std::uint64_t cookie, const Error&) {
  const NodeInfo& info = node(static_cast<std::uint32_t>(cookie));
  known_.was_silent(info);
  probing_.erase(ArKnowledge::kind(info));
}

ArPlan plan_adaptive(const Desired& desired, const ArKnowledge& known, const ArConf& conf,
                     bool tables_change) {
  const Fabric& fabric = desired.fabric;
  const auto& tables = desired.routes.adaptive;
  std::vector<ArOp> off, groups, entries, on, back;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    const Guid guid = fabric.node(sw).node_guid;
    const ArHeld* held = known.find(guid);
    if (held == nullptr || !held->answers) continue;
    const bool wanted = tables && tables->is_set(sw) && held->can_choose() && conf.enabled_at(guid);
    bool differs = false;
    if (wanted) {
      for (std::size_t block = 0; block < group_blocks(*tables, sw); ++block)
        if (!holds(held->groups, block, group_block(*tables, sw, block)))
          groups.push_back({ArStep::kGroups, s, static_cast<std::uint16_t>(block)});
      for (std::size_t block = 0; block < entry_blocks(*tables); ++block)
        if (!holds(held->entries, block, entry_block(desired.routes, sw, block)))
          entries.push_back({ArStep::kEntries, s, static_cast<std::uint16_t>(block)});
      differs = (!groups.empty() && groups.back().sw == s) ||
                (!entries.empty() && entries.back().sw == s) ||
                wanted_info(*held, *tables, sw, conf.ageing_time_at(guid)) != held->info;
    }
    const bool goes_off = held->info.enabled && (tables_change || !wanted || differs);
    if (goes_off) off.push_back({ArStep::kOff, s, 0});
    if (wanted && (goes_off || !held->info.enabled)) {
      on.push_back({ArStep::kOn, s, 0});
      back.push_back({ArStep::kReadBack, s, 0});
    }
  }
  ArPlan plan;
  plan.before = std::move(off);
  for (auto* part : {&groups, &entries, &on, &back})
    plan.after.insert(plan.after.end(), part->begin(), part->end());
  return plan;
}

ArProgramming::ArProgramming(std::vector<ArOp> ops, const Observed& observed,
                             const Desired& desired, ArKnowledge& known, const ArConf& conf,
                             const Clock& clock, ArReport& report)
    : ops_(std::move(ops)),
      observed_(observed),
      desired_(desired),
      known_(known),
      conf_(conf),
      clock_(clock),
      report_(report) {}

bool ArProgramming::next(Smp& request, std::uint64_t& cookie) {
  while (at_ < ops_.size() && bad_.contains(ops_[at_].sw)) ++at_;
  if (at_ == ops_.size()) return false;
  // A step begins when the one before is over.
  if (on_wire_ > 0 && ops_[at_].step != step_) return false;
  step_ = ops_[at_].step;
  fill(request, ops_[at_]);
  cookie = at_++;
  ++on_wire_;
  return true;
}

void ArProgramming::fill(Smp& request, const ArOp& op) const {
  const SwitchId sw(op.sw);
  const Guid guid = desired_.fabric.node(sw).node_guid;
  const ArHeld& held = *known_.find(guid);
  const DirectedPath& path = observed_.nodes[op.sw].path();
  const auto set = [&](AttributeId attribute, std::uint32_t modifier, const SmpData& data) {
    request = directed_request(Method::kSet, attribute, modifier, path, Mkey(0));
    request.data = data;
  };
  switch (op.step) {
    case ArStep::kOff: {
      AdaptiveRoutingInfo info = held.info;
      info.enabled = false;
      return set(kAdaptiveRoutingInfo, 0, encode(info));
    }
    case ArStep::kGroups:
      return set(kArGroupTable, ar_unconfirmed::group_table_modifier(op.block),
                 group_block(*desired_.routes.adaptive, sw, op.block));
    case ArStep::kEntries:
      return set(kArForwardingTable, ar_unconfirmed::forwarding_table_modifier(op.block),
                 entry_block(desired_.routes, sw, op.block));
    case ArStep::kOn:
      return set(
          kAdaptiveRoutingInfo, 0,
          encode(wanted_info(held, *desired_.routes.adaptive, sw, conf_.ageing_time_at(guid))));
    case ArStep::kReadBack:
      request = directed_request(Method::kGet, kAdaptiveRoutingInfo, 0, path, Mkey(0));
      return;
  }
}

void ArProgramming::answered(std::uint64_t cookie, const Smp& answer) {
  --on_wire_;
  const ArOp op = ops_[cookie];
  if (answer.status != mad_status::kGood) return note(op, status_text(answer.status));
  Smp sent;
  fill(sent, op);
  const Guid guid = desired_.fabric.node(SwitchId(op.sw)).node_guid;
  ArHeld& held = known_.at(guid);
  const auto differs = [&] { return answer.data != sent.data; };
  switch (op.step) {
    case ArStep::kGroups:
      if (differs()) return note(op, "holds something else than it was sent");
      remember(held.groups, op.block, sent.data);
      ++report_.groups;
      return;
    case ArStep::kEntries:
      if (differs()) return note(op, "holds something else than it was sent");
      remember(held.entries, op.block, sent.data);
      ++report_.entries;
      return;
    case ArStep::kOff:
      held.info = decode_adaptive_routing_info(answer.data);
      if (held.info.enabled) note(op, "goes on choosing");
      return;
    case ArStep::kOn:
    case ArStep::kReadBack:
      held.info = decode_adaptive_routing_info(answer.data);
      if (!held.info.enabled) return note(op, "does not choose");
      if (op.step == ArStep::kReadBack &&
          held.info.group_top + std::size_t{1} !=
              desired_.routes.adaptive->groups(SwitchId(op.sw)).size())
        note(op, "uses other groups");
      return;
  }
}

/// What a switch that gave no answer holds is not known: all of it is asked for and written anew.
void ArProgramming::failed(std::uint64_t cookie, const Error& why) {
  --on_wire_;
  const ArOp op = ops_[cookie];
  ArHeld& held = known_.at(desired_.fabric.node(SwitchId(op.sw)).node_guid);
  held.groups.clear();
  held.entries.clear();
  note(op, why.message);
}

void ArProgramming::note(const ArOp& op, const std::string& why) {
  bad_.insert(op.sw);
  ++report_.errors;
  if (report_.failures.size() < kArFailuresNamed)
    report_.failures.push_back(fmt::format("{}: {}: {}: it forwards by its plain table",
                                           describe(desired_.fabric.node(SwitchId(op.sw))),
                                           name(op.step), why));
  if (report_.ended || conf_.error_window_s == 0) return;
  const TimeNs now = clock_.now();
  errors_.push_back(now);
  while (now - errors_.front() > std::chrono::seconds(conf_.error_window_s)) errors_.pop_front();
  if (errors_.size() > conf_.max_errors) end_cycle();
}

/// Whoever chooses, or may have been told to, is switched off; who fails in that is left alone.
void ArProgramming::end_cycle() {
  report_.ended = true;
  ops_.resize(at_);
  for (std::uint32_t s = 0; s < desired_.fabric.switch_count(); ++s) {
    const ArHeld* held = known_.find(desired_.fabric.node(SwitchId(s)).node_guid);
    const bool may_choose =
        held != nullptr && held->answers &&
        (held->info.enabled || std::ranges::find(ops_, ArOp{ArStep::kOn, s, 0}) != ops_.end());
    if (may_choose && !bad_.contains(s)) ops_.push_back({ArStep::kOff, s, 0});
  }
}

Status log_adaptive(const ArConf& conf, const ArReport& report) {
  if (conf.log_file.empty()) return {};
  std::error_code error;
  const auto size = std::filesystem::file_size(conf.log_file, error);
  const bool anew =
      !error && conf.log_size_mb != 0 && size >= std::uint64_t{conf.log_size_mb} << 20;
  std::ofstream file(conf.log_file, anew ? std::ios::trunc : std::ios::app);
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  file << fmt::format(
      "{} {} switches choose; written: {} blocks of groups, {} of entries; {} errors{}\n", now,
      report.on, report.groups, report.entries, report.errors,
      report.ended ? ", too many: plain tables rule" : "");
  for (const std::string& failure : report.failures) file << now << ' ' << failure << '\n';
  file.flush();
  if (!file) return fail(Code::kEnvironment, "LOG_FILE {}: cannot be written", conf.log_file);
  return {};
}

}  // namespace weft
