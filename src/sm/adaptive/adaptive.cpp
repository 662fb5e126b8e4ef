// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/adaptive.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "ib/adaptive_unconfirmed.h"
#include "sm/adaptive/ar_blocks.h"
#include "sm/adaptive/ar_settings.h"
#include "sm/adaptive/private_blocks.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

bool holds(const std::vector<std::uint64_t>& digests, std::size_t block, const SmpData& data) {
  return block < digests.size() && digests[block] == ar_digest(data);
}

void remember(std::vector<std::uint64_t>& digests, std::size_t block, const SmpData& data) {
  if (digests.size() <= block) digests.resize(block + 1, 0);
  digests[block] = ar_digest(data);
}

void forget_block(std::vector<std::uint64_t>& digests, std::size_t block) {
  if (block < digests.size()) digests[block] = 0;
}

constexpr bool is_of_notifications(ArStep step) {
  return step >= ArStep::kDirections && step <= ArStep::kNotifyPorts;
}

constexpr bool is_table(ArStep step) { return index_of(step) < kArTables; }
constexpr bool is_setting(ArStep step) { return step == ArStep::kHashing || step == ArStep::kPfrn; }

AdaptiveRoutingInfo wanted_info(const ArHeld& held, const Routes& routes, SwitchId sw,
                                const ArConf& conf, Guid guid) {
  const ArTables& tables = *routes.adaptive;
  AdaptiveRoutingInfo info = configured(held, conf, guid);
  if (held.announces_pfrn())
    set_enabled(info, AdaptiveRoutingInfo::kPfrnEnabled, uses_pfrn(held, conf, routes, sw));
  const unsigned sub_groups = sub_groups_at(tables, sw);
  info.sub_groups_active = ar_unconfirmed::active_sub_groups(sub_groups);
  if (held.has_sub_group_weights())
    set_enabled(info, AdaptiveRoutingInfo::kWhbfEnabled, sub_groups > 1 && held.can_hash());
  info.group_top = group_top(tables, sw);
  info.rn_transmission = tables.notifications(sw) != nullptr && held.can_notify();
  info.global_groups = info.rn_transmission && !held.ignores_global_groups;
  return info;
}

std::string_view name(ArStep step) {
  if (is_table(step)) return ar_table_name(step);
  switch (step) {
    case ArStep::kCopies:
      return "ARGroupTableCopy";
    case ArStep::kOff:
      return "disabling adaptive routing";
    case ArStep::kPrivateOff:
      return "disabling private tables";
    case ArStep::kPrivateOn:
      return "enabling private tables";
    case ArStep::kOn:
      return "enabling adaptive routing";
    case ArStep::kForget:
      return "clearing notifications";
    default:
      return "reading AdaptiveRoutingInfo back";
  }
}

void append(const std::vector<ArOp>& ops, std::vector<ArOp>& to) {
  to.insert(to.end(), ops.begin(), ops.end());
}

/// The writes to a switch, by table.
struct TableWrites {
  std::array<std::vector<ArOp>, kArTables> blocks;
  GroupWrites groups;
  /// Whether the place or the selection of private tables changes, while no mode may be in use.
  bool moves_private_tables() const {
    return !blocks[index_of(ArStep::kPrivateDefinitions)].empty() ||
           !blocks[index_of(ArStep::kPrivateMaps)].empty() ||
           !blocks[index_of(ArStep::kPrivateInputs)].empty();
  }
  bool any() const {
    return std::ranges::any_of(blocks, [](const auto& ops) { return !ops.empty(); }) ||
           !groups.copies.empty();
  }
};

TableWrites table_writes(const Desired& desired, SwitchId sw, const ArHeld& held,
                         const ArConf& conf, bool notifies) {
  const ArTables& tables = *desired.routes.adaptive;
  TableWrites writes;
  const auto differs = [&](ArStep table) {
    std::vector<bool> blocks(ar_blocks(tables, sw, table));
    for (std::size_t block = 0; block < blocks.size(); ++block)
      blocks[block] =
          !holds(held.tables[index_of(table)], block, ar_block(desired.routes, sw, table, block));
    return blocks;
  };
  const Guid guid = desired.fabric.node(sw).node_guid;
  const auto layout = wanted_layout(desired.routes, sw, held);
  for (std::size_t t = 0; t < kArTables; ++t) {
    const auto table = static_cast<ArStep>(t);
    if (is_setting(table)) {
      const auto wanted = ar_setting(table, held, conf, guid, desired.routes, sw);
      if (wanted && !holds(held.tables[t], 0, *wanted))
        writes.blocks[t].push_back({table, sw.value(), 0});
      continue;
    }
    if (is_of_private_tables(table)) {
      if (!layout) continue;
      for (const std::uint16_t block :
           private_blocks(tables, desired.fabric.node(sw).port_count, table))
        if (!holds(held.tables[t], block, private_block(desired.routes, sw, *layout, table, block)))
          writes.blocks[t].push_back({table, sw.value(), block});
      continue;
    }
    if (!notifies && is_of_notifications(table)) continue;
    const std::vector<bool> blocks = differs(table);
    if (table == ArStep::kGroups) {
      const bool may_copy =
          held.info.group_copy > 0 && conf.group_copy && sub_groups_at(tables, sw) == 1;
      writes.groups = plan_group_writes(tables, sw, blocks, may_copy);
      for (const std::uint16_t block : writes.groups.blocks)
        writes.blocks[t].push_back({table, sw.value(), block});
      continue;
    }
    for (std::size_t block = 0; block < blocks.size(); ++block)
      if (blocks[block])
        writes.blocks[t].push_back({table, sw.value(), static_cast<std::uint16_t>(block)});
  }
  return writes;
}

/// Whether the routes have AR entries of a switch, possibly only in its private tables.
bool has_entries(const ArTables& tables, SwitchId sw) {
  return tables.is_set(sw) || (tables.has_private_tables() && tables.selection().is_set(sw));
}

ArHeld without_tables(ArHeld held) {
  held.forget_tables();
  return held;
}

}  // namespace

ArPlan plan_adaptive(const Desired& desired, const ArMemory& known, const ArConf& conf,
                     bool tables_change, bool discovered) {
  const Fabric& fabric = desired.fabric;
  const auto& tables = desired.routes.adaptive;
  ArPlan plan;
  std::vector<ArOp> copies, private_off, private_on, on, back, forget;
  std::array<std::vector<ArOp>, kArTables> blocks;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    const Guid guid = fabric.node(sw).node_guid;
    const ArHeld* held = known.find(guid);
    if (held == nullptr || !held->answers) continue;
    const bool wanted =
        tables && has_entries(*tables, sw) && held->is_ar_capable() && conf.enabled_at(guid);
    AdaptiveRoutingInfo info;
    bool differs = false, regroups = false;
    const auto layout = wanted ? wanted_layout(desired.routes, sw, *held) : std::nullopt;
    const unsigned mode = layout ? layout->mode : 0u;
    const unsigned held_mode = held->private_info ? held->private_info->mode_in_use : 0u;
    bool changes_mode = held_mode != mode;
    if (wanted) {
      info = wanted_info(*held, desired.routes, sw, conf, guid);
      // The number of sub-groups is set before the tables, because it changes the size and the
      // layout of the group table.
      regroups = held->info.sub_groups_active != info.sub_groups_active;
      TableWrites writes = table_writes(desired, sw, regroups ? without_tables(*held) : *held, conf,
                                        info.rn_transmission);
      changes_mode = changes_mode || (mode != 0 && writes.moves_private_tables());
      differs = writes.any() || info != held->info || changes_mode;
      for (std::size_t t = 0; t < kArTables; ++t) append(writes.blocks[t], blocks[t]);
      for (std::size_t i = 0; i < writes.groups.copies.size(); ++i)
        copies.push_back({ArStep::kCopies, s, static_cast<std::uint16_t>(i)});
      if (!writes.groups.copies.empty()) plan.copies.emplace(s, std::move(writes.groups));
    }
    const bool goes_off = held->info.enabled && (tables_change || !wanted || differs);
    if (changes_mode && held_mode != 0) private_off.push_back({ArStep::kPrivateOff, s, 0});
    if (changes_mode && mode != 0) private_on.push_back({ArStep::kPrivateOn, s, 0});
    if (goes_off || regroups) plan.before.push_back({ArStep::kOff, s, 0});
    if (wanted && (goes_off || !held->info.enabled)) {
      on.push_back({ArStep::kOn, s, 0});
      back.push_back({ArStep::kReadBack, s, 0});
    } else if (wanted && discovered && info.rn_transmission && held->may_have_frns) {
      forget.push_back({ArStep::kForget, s, 0});
    }
  }
  for (std::size_t t = 0; t < kArTables; ++t) {
    append(blocks[t], plan.after);
    if (static_cast<ArStep>(t) == ArStep::kGroups) append(copies, plan.after);
  }
  append(private_off, plan.before);
  for (const auto* part : {&private_on, &on, &back, &forget}) append(*part, plan.after);
  return plan;
}

ArProgramming::ArProgramming(const std::vector<ArOp>& ops, const ArPlan& plan,
                             const Observed& observed, const Desired& desired, ArMemory& known,
                             const ArConf& conf, const Clock& clock, ArReport& report)
    : plan_(plan),
      observed_(observed),
      desired_(desired),
      known_(known),
      conf_(conf),
      clock_(clock),
      report_(report) {
  for (const ArOp& op : ops) add(op);
  // The content of copied blocks is unknown until all copies are confirmed.
  for (const ArOp& op : ops)
    if (op.step == ArStep::kCopies)
      for (const std::uint16_t block : plan_.copies.at(op.sw).copied)
        forget_block(held_groups(op.sw), block);
}

std::vector<std::uint64_t>& ArProgramming::held_groups(std::uint32_t sw) {
  const Guid guid = desired_.fabric.node(SwitchId(sw)).node_guid;
  return known_.at(guid).tables[index_of(ArStep::kGroups)];
}

/// Adds a request to the round of its step. A round begins when the previous round has ended.
void ArProgramming::add(const ArOp& op) {
  if (rounds_.empty() || rounds_.back().back().step != op.step) rounds_.emplace_back();
  rounds_.back().push_back(op);
}

void ArProgramming::fill(const ArOp& op, Smp& smp) const {
  const SwitchId sw(op.sw);
  const Guid guid = desired_.fabric.node(sw).node_guid;
  const ArHeld& held = *known_.find(guid);
  const DirectedPath& path = observed_.nodes[op.sw].path();
  const auto set = [&](AttributeId attribute, std::uint32_t modifier, const SmpData& data) {
    fill_directed_request(smp, Method::kSet, attribute, modifier, path);
    smp.data = data;
  };
  if (is_of_private_tables(op.step))
    return set(ar_attribute(op.step), ar_modifier(op.step, op.block),
               private_block(desired_.routes, sw,
                             wanted_layout(desired_.routes, sw, held).value_or(PrivateLayout{}),
                             op.step, op.block));
  if (is_table(op.step))
    return set(ar_attribute(op.step), ar_modifier(op.step, op.block),
               is_setting(op.step)
                   ? ar_setting(op.step, held, conf_, guid, desired_.routes, sw).value_or(SmpData{})
                   : ar_block(desired_.routes, sw, op.step, op.block));
  if (op.step == ArStep::kCopies) {
    const GroupCopy& copy = plan_.copies.at(op.sw).copies[op.block];
    set(kArGroupTableCopy, ar_unconfirmed::group_copy_modifier(copy.source),
        encode(copy_block(copy)));
  } else if (op.step == ArStep::kReadBack) {
    fill_directed_request(smp, Method::kGet, kAdaptiveRoutingInfo, 0, path);
  } else if (op.step == ArStep::kPrivateOff) {
    set(kPrivateLftInfo, 0, private_mode(held, 0));
  } else if (op.step == ArStep::kPrivateOn) {
    const auto layout = wanted_layout(desired_.routes, sw, held);
    set(kPrivateLftInfo, 0, private_mode(held, layout ? layout->mode : std::uint8_t{0}));
  } else if (op.step == ArStep::kOff) {
    AdaptiveRoutingInfo info = held.info;
    info.enabled = false;
    const auto& tables = desired_.routes.adaptive;
    info.sub_groups_active =
        ar_unconfirmed::active_sub_groups(tables ? sub_groups_at(*tables, sw) : 1);
    set(kAdaptiveRoutingInfo, 0, held.encoded(info));
  } else {
    set(kAdaptiveRoutingInfo, 0, held.encoded(wanted_info(held, desired_.routes, sw, conf_, guid)));
  }
}

unsigned ArProgramming::on_answer(const ProgramRequest& request, const Smp& answer) {
  const ArOp op = op_of(request);
  if (is_setting(op.step) && answer.status != mad_status::kGood) {
    note_refusal(op, answer);
    return 0;
  }
  const std::string why =
      answer.status == mad_status::kGood ? confirm(op, answer) : status_text(answer.status);
  if (!why.empty()) note(op, why);
  return 0;
}

/// Handles an answer with good status. Returns the reason if the answer is an error, else an empty
/// text.
std::string ArProgramming::confirm(const ArOp& op, const Smp& answer) {
  Smp sent;
  fill(op, sent);
  const Guid guid = desired_.fabric.node(SwitchId(op.sw)).node_guid;
  ArHeld& held = known_.at(guid);
  if (is_setting(op.step)) {
    if (confirms_setting(op.step, sent.data, answer.data))
      remember(held.tables[index_of(op.step)], op.block, sent.data);
    else
      note_refusal(op, answer);
    return {};
  }
  if (is_table(op.step)) {
    if (answer.data != sent.data) return "answer differs from the request";
    remember(held.tables[index_of(op.step)], op.block, sent.data);
    ++(op.step == ArStep::kGroups      ? report_.groups
       : op.step == ArStep::kEntries   ? report_.entries
       : is_of_private_tables(op.step) ? report_.private_blocks
       : op.step == ArStep::kWeights   ? report_.weights
                                       : report_.notifications);
    return {};
  }
  if (op.step == ArStep::kCopies) {
    if (answer.data != sent.data) return "answer differs from the request";
    confirm_copy(op);
    return {};
  }
  if (op.step == ArStep::kPrivateOff || op.step == ArStep::kPrivateOn) {
    held.private_info = decode_private_lft_info(answer.data);
    return answer.data == sent.data ? "" : "the mode of private tables is unchanged";
  }
  const std::uint8_t sub_groups = held.info.sub_groups_active;
  held.store_info(answer.data);
  if (held.info.sub_groups_active != sub_groups) held.forget_tables();
  if (op.step == ArStep::kOff &&
      held.info.sub_groups_active != decode_adaptive_routing_info(sent.data).sub_groups_active)
    return "the number of sub-groups is unchanged";
  if (op.step == ArStep::kOn && !held.info.global_groups &&
      decode_adaptive_routing_info(sent.data).global_groups)
    held.ignores_global_groups = true;
  if (op.step == ArStep::kOff) return held.info.enabled ? "adaptive routing stays on" : "";
  if (!held.info.enabled) return "adaptive routing stays off";
  if (op.step != ArStep::kReadBack) held.may_have_frns = false;
  if (op.step == ArStep::kReadBack &&
      held.info.group_top != group_top(*desired_.routes.adaptive, SwitchId(op.sw)))
    return fmt::format("the highest group number is {}, expected {}", held.info.group_top,
                       group_top(*desired_.routes.adaptive, SwitchId(op.sw)));
  return {};
}

/// Counts a confirmed copy. After the last copy of a switch, the copied blocks have the desired
/// content.
void ArProgramming::confirm_copy(const ArOp& op) {
  ++report_.copies;
  const GroupWrites& writes = plan_.copies.at(op.sw);
  if (++copied_[op.sw] < writes.copies.size()) return;
  for (const std::uint16_t block : writes.copied)
    remember(held_groups(op.sw), block,
             ar_block(desired_.routes, SwitchId(op.sw), ArStep::kGroups, block));
}

/// Marks the tables of the switch as unknown after a missing answer. The next sweep reads the
/// settings and writes the tables again.
void ArProgramming::on_failure(const ProgramRequest& request, const Error& why) {
  const ArOp op = op_of(request);
  known_.at(desired_.fabric.node(SwitchId(op.sw)).node_guid).forget_tables();
  note(op, why.message);
}

void ArProgramming::note(const ArOp& op, const std::string& why) {
  failed_.insert(op.sw);
  ++report_.errors;
  const Node& node = desired_.fabric.node(SwitchId(op.sw));
  if (report_.failures.size() < kArFailuresNamed)
    report_.failures.push_back(fmt::format("{}: {}: {}: {}", describe(node), name(op.step), why,
                                           known_.at(node.node_guid).info.enabled
                                               ? "adaptive routing may stay enabled"
                                               : "the switch uses its linear forwarding table"));
  if (report_.ended || conf_.error_window_s == 0) return;
  const TimeNs now = clock_.now();
  errors_.push_back(now);
  while (now - errors_.front() > std::chrono::seconds(conf_.error_window_s)) errors_.pop_front();
  if (errors_.size() > conf_.max_errors) skip_rest();
}

/// Disables HBF or pFRN at a switch that refused the setting or stored other values. Adaptive
/// routing will be enabled without it.
void ArProgramming::note_refusal(const ArOp& op, const Smp& answer) {
  Smp sent;
  fill(op, sent);
  const SwitchId sw(op.sw);
  const Node& node = desired_.fabric.node(sw);
  refuse_setting(op.step, sent.data, known_.at(node.node_guid));
  const bool is_hashing = op.step == ArStep::kHashing;
  if (is_hashing && sub_groups_at(*desired_.routes.adaptive, sw) > 1)
    report_.is_division_refused = true;
  ++report_.refused;
  if (report_.refusals.size() < kArFailuresNamed)
    report_.refusals.push_back(fmt::format(
        "{}: {}: {}: {} is disabled at this switch", describe(node), name(op.step),
        answer.status == mad_status::kGood ? setting_difference(op.step, sent.data, answer.data)
                                           : status_text(answer.status),
        is_hashing ? "hash-based forwarding" : "pFRN"));
}

/// Skips the rest of the plan, and disables adaptive routing on switches where it is or may be
/// enabled. Switches with an earlier error get no more SMPs.
void ArProgramming::skip_rest() {
  report_.ended = true;
  rounds_.resize(round() + 1);
  rounds_.back().resize(position());
  const auto is_turned_on = [&](std::uint32_t sw) {
    const ArOp on{ArStep::kOn, sw, 0};
    return std::ranges::any_of(
        rounds_, [&](const auto& ops) { return std::ranges::find(ops, on) != ops.end(); });
  };
  std::vector<ArOp> off;
  for (std::uint32_t s = 0; s < desired_.fabric.switch_count(); ++s) {
    const ArHeld* held = known_.find(desired_.fabric.node(SwitchId(s)).node_guid);
    const bool may_be_enabled =
        held != nullptr && held->answers && (held->info.enabled || is_turned_on(s));
    if (may_be_enabled && !failed_.contains(s)) off.push_back({ArStep::kOff, s, 0});
  }
  for (const ArOp& op : off) add(op);
}

Status log_adaptive(const ArConf& conf, const ArReport& report) {
  if (conf.log_file.empty()) return {};
  std::error_code error;
  const auto size = std::filesystem::file_size(conf.log_file, error);
  const bool truncate =
      !error && conf.log_size_mb != 0 && size >= std::uint64_t{conf.log_size_mb} << 20;
  std::ofstream file(conf.log_file, truncate ? std::ios::trunc : std::ios::app);
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  file << fmt::format(
      "{} {} switches with adaptive routing, {} with fault notification; written: {} blocks of "
      "groups, {} of entries, {} of "
      "notifications, {} of weights, {} of private tables, {} copies of groups; {} errors{}\n",
      now, report.on, report.notifying, report.groups, report.entries, report.notifications,
      report.weights, report.private_blocks, report.copies, report.errors,
      report.ended ? ", too many: plain tables only" : "");
  for (const std::string& failure : report.failures) file << now << ' ' << failure << '\n';
  file.flush();
  if (!file) return fail(Code::kEnvironment, "LOG_FILE {}: cannot be written", conf.log_file);
  return {};
}

}  // namespace weft
