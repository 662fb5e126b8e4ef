// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/partitions.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "ib/modifiers.h"
#include "sm/options.h"
#include "sm/partitions/held_pkeys.h"

namespace weft {
namespace {

/// A plan has 8 bits for the block number, far more than any device needs.
constexpr std::size_t kPkeyCapacityMax = 256 * PkeyTable::kEntries;
constexpr std::size_t kPkeysNamed = 8;

bool is_meant(MemberKind kind, const Fabric& fabric, EndportId endport, EndportId self) {
  const NodeType type = fabric.node(fabric.endport(endport).node).type;
  switch (kind) {
    case MemberKind::kAll:
      return true;
    case MemberKind::kAllCas:
      return type == NodeType::kCa;
    case MemberKind::kAllSwitches:
      return type == NodeType::kSwitch;
    case MemberKind::kAllRouters:
      return type == NodeType::kRouter;
    case MemberKind::kSelf:
      return endport == self;
    case MemberKind::kGuid:
    case MemberKind::kGroup:
      break;
  }
  return false;
}

void add_member(PortPartitions& port, std::uint16_t base, Membership membership, bool index0) {
  const auto at = std::ranges::lower_bound(port.members, base, {}, &PortMember::base);
  if (at != port.members.end() && at->base == base) {
    at->membership = membership;
  } else {
    port.members.insert(at, {base, membership});
  }
  if (index0) {
    port.index0 = base;
  } else if (port.index0 == base) {
    port.index0 = 0;
  }
}

bool is_full_member(const PortPartitions& port, std::uint16_t base) {
  const auto at = std::ranges::lower_bound(port.members, base, {}, &PortMember::base);
  return at != port.members.end() && at->base == base && at->membership != Membership::kLimited;
}

/// Members that are no port GUID: alias GUIDs, and GUIDs that no port has.
class OtherMembers {
 public:
  OtherMembers(const PartitionFile& file, const Fabric& fabric, const AliasGuids& aliases)
      : file_(file) {
    for (const auto& [port, guids] : aliases) {
      const auto endport = fabric.find_endport(port);
      if (!endport) continue;
      for (const Guid alias : guids)
        if (alias != Guid(0)) ports_.emplace(alias, *endport);
    }
  }

  void add(const FiledPartition& partition, const FiledMember& member) {
    const auto found = ports_.find(member.guid);
    if (found != ports_.end())
      last_[{found->first, partition.base}] = {found->second, member.membership};
    else
      absent_.push_back({&partition, &member});
  }
  void apply(std::vector<PortPartitions>& ports) const {
    for (const auto& [key, entry] : last_)
      add_alias(ports[entry.first.value()], key.second, entry.second);
  }
  /// A definition may name thousands of virtual functions that do not exist yet: one warning.
  void warn(std::vector<std::string>& warnings) const {
    constexpr std::size_t kNamed = 3;
    for (std::size_t i = 0, end = 0; i < absent_.size(); i = end) {
      while (end < absent_.size() && absent_[end].partition == absent_[i].partition) ++end;
      for (std::size_t k = i; k < end && k < i + kNamed; ++k)
        warnings.push_back(fmt::format("{}:{}: port GUID 0x{:016x} is not in this fabric",
                                       file_.path, absent_[k].member->line,
                                       absent_[k].member->guid.value()));
      if (end - i > kNamed)
        warnings.push_back(fmt::format("{}:{}: nor are {} more port GUIDs of the partition {}",
                                       file_.path, absent_[i].partition->line, end - i - kNamed,
                                       weft::quoted(absent_[i].partition->name)));
    }
  }

 private:
  struct Absent {
    const FiledPartition* partition;
    const FiledMember* member;
  };
  static void add_alias(PortPartitions& port, std::uint16_t base, Membership membership) {
    const auto at = std::ranges::lower_bound(port.members, base, {}, &PortMember::base);
    if (at == port.members.end() || at->base != base) {
      port.members.insert(at, {base, membership});
    } else {
      at->membership = std::max(at->membership, membership);
    }
  }

  const PartitionFile& file_;
  std::unordered_map<Guid, EndportId> ports_;  // by alias GUID
  std::map<std::pair<Guid, std::uint16_t>, std::pair<EndportId, Membership>> last_;
  std::vector<Absent> absent_;  // in file order
};

std::string list(std::span<const Pkey> pkeys) {
  std::string text;
  for (const Pkey pkey : pkeys.first(std::min(pkeys.size(), kPkeysNamed)))
    text += fmt::format("{}0x{:04x}", text.empty() ? "" : ", ", pkey.value());
  if (pkeys.size() > kPkeysNamed) text += fmt::format(" and {} more", pkeys.size() - kPkeysNamed);
  return text;
}

}  // namespace

std::optional<bool> means_port(MemberKind kind, Guid port, const Fabric& fabric, EndportId self) {
  if (kind == MemberKind::kAll) return true;
  const auto endport = fabric.find_endport(port);
  if (!endport) return std::nullopt;
  return is_meant(kind, fabric, *endport, self);
}

std::vector<PortPartitions> resolve_partitions(const PartitionFile& file, const Fabric& fabric,
                                               EndportId self, std::vector<std::string>& warnings,
                                               const AliasGuids& aliases) {
  std::vector<PortPartitions> ports(fabric.endport_count());
  OtherMembers others(file, fabric, aliases);
  for (const FiledPartition& partition : file.partitions) {
    for (const FiledMember& member : partition.members) {
      const auto add = [&](std::uint32_t endport) {
        add_member(ports[endport], partition.base, member.membership, partition.index0);
      };
      if (member.kind == MemberKind::kGuid) {
        if (const auto endport = fabric.find_endport(member.guid)) {
          add(endport->value());
        } else {
          others.add(partition, member);
        }
        continue;
      }
      if (member.kind == MemberKind::kGroup) {
        for (const EndportId id : endports_of_group(file.port_groups, member.group, fabric))
          add(id.value());
        continue;
      }
      for (std::uint32_t i = 0; i < fabric.endport_count(); ++i)
        if (is_meant(member.kind, fabric, EndportId(i), self)) add(i);
    }
  }
  others.apply(ports);
  others.warn(warnings);
  if (self != kNoEndport && !is_full_member(ports[self.value()], kDefaultPkeyBase))
    warnings.push_back(fmt::format(
        "{}: {}, the subnet manager's port, is a limited member of the default partition: other "
        "limited members cannot reach it",
        file.path, describe(fabric, fabric.endport(self).port)));
  return ports;
}

std::size_t pkey_capacity(const Observed& observed, const Fabric& fabric, PortId id) {
  const Port& port = fabric.port(id);
  const ObservedNode& node = observed.nodes[port.node.value()];
  const bool external = fabric.is_switch(port.node) && port.num != PortNum(0);
  const std::size_t capacity =
      external ? node.switch_info.partition_enforcement_cap : node.info.partition_cap;
  return std::min(capacity, kPkeyCapacityMax);
}

EndportId filtered_endport(const Fabric& fabric, PortId id) {
  const Port& port = fabric.port(id);
  if (!fabric.is_switch(port.node) || port.num == PortNum(0) || port.peer == kNoPort)
    return kNoEndport;
  return fabric.is_switch(fabric.port(port.peer).node) ? kNoEndport : fabric.endport_at(port.peer);
}

PartEnforce part_enforce(const SmOptions& options) {
  return options.no_partition_enforcement ? PartEnforce::kOff : options.part_enforce;
}

bool has_planned_pkeys(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                       PortId port) {
  if (fabric.endport_at(port) != kNoEndport) return true;
  return part_enforce(options) != PartEnforce::kOff &&
         filtered_endport(fabric, port) != kNoEndport && pkey_capacity(observed, fabric, port) > 0;
}

std::uint32_t pkey_modifier(const Fabric& fabric, PortId id, std::size_t block) {
  const Port& port = fabric.port(id);
  return modifier::pkey_table(static_cast<std::uint16_t>(block),
                              fabric.is_switch(port.node) ? port.num : PortNum(0));
}

PkeyTable PkeyPlan::block(PortId port, std::size_t block) const {
  PkeyTable result;
  const std::span<const Pkey> all = table(port);
  const std::size_t begin = std::min(block * PkeyTable::kEntries, all.size());
  const std::size_t count = std::min(all.size() - begin, PkeyTable::kEntries);
  std::ranges::copy(all.subspan(begin, count), result.pkeys.begin());
  return result;
}

class PkeyPlanner {
 public:
  PkeyPlanner(const Observed& observed, const Fabric& fabric, const SmOptions& options)
      : observed_(observed), fabric_(fabric), options_(options) {
    plan_.index_.resize(fabric.port_count());
    plan_.bits_.resize(fabric.port_count());
  }

  /// `partitions` and `held` must outlive this.
  void endport(PortId port, const PortPartitions& partitions, std::span<const Pkey> held) {
    const std::size_t capacity = pkey_capacity(observed_, fabric_, port);
    if (is_as_last(partitions, held, capacity)) {
      plan_.index_[port.value()] = plan_.index_[last_.port.value()];
      return;
    }
    PkeyLayout layout = lay_out_pkeys(partitions, held, capacity, options_.allow_both_pkeys,
                                      options_.keep_pkey_indexes);
    if (layout.left_out.empty()) {
      last_ = {port, &partitions, held, capacity};
    } else {
      plan_.shortages_.push_back(fmt::format("{} holds {} P_Keys: no room for {}",
                                             describe(fabric_, port), capacity,
                                             list(layout.left_out)));
    }
    set(port, std::move(layout.table));
  }

  /// A switch port; its endport is already planned.
  void filter(PortId port, PortId endport) {
    std::vector<Pkey> table = filter_table(plan_.table(endport));
    const std::size_t capacity = pkey_capacity(observed_, fabric_, port);
    if (table.size() > capacity) {
      plan_.shortages_.push_back(
          fmt::format("{} can filter for {} P_Keys, and {} holds {}: partitions are not enforced "
                      "there",
                      describe(fabric_, port), capacity, describe(fabric_, endport), table.size()));
      return;
    }
    set(port, std::move(table));
    const SwitchInfo& info = observed_.nodes[fabric_.port(port).node.value()].switch_info;
    const PartEnforce wanted = part_enforce(options_);
    if (wanted != PartEnforce::kOut && info.inbound_enforcement_cap)
      plan_.bits_[port.value()] |= PkeyPlan::kInbound;
    if (wanted != PartEnforce::kIn && info.outbound_enforcement_cap)
      plan_.bits_[port.value()] |= PkeyPlan::kOutbound;
  }

  PkeyPlan result() && { return std::move(plan_); }

 private:
  /// An endport with room for all its P_Keys.
  struct Endport {
    PortId port = kNoPort;
    const PortPartitions* partitions = nullptr;
    std::span<const Pkey> held;
    std::size_t capacity = 0;
  };
  /// Most endports are like the one before them: the same table results.
  bool is_as_last(const PortPartitions& partitions, std::span<const Pkey> held,
                  std::size_t capacity) const {
    return last_.partitions != nullptr && capacity == last_.capacity &&
           partitions == *last_.partitions && std::ranges::equal(held, last_.held);
  }
  void set(PortId port, std::vector<Pkey> table) {
    const auto [known, is_new] =
        kinds_.try_emplace(std::move(table), static_cast<std::uint32_t>(kinds_.size() + 1));
    if (is_new) plan_.kinds_.push_back(known->first);
    plan_.index_[port.value()] = known->second;
  }

  const Observed& observed_;
  const Fabric& fabric_;
  const SmOptions& options_;
  std::map<std::vector<Pkey>, std::uint32_t> kinds_;
  Endport last_;
  PkeyPlan plan_;
};

PkeyPlan plan_pkeys(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                    const HeldPkeys& held, const AliasGuids& aliases,
                    std::vector<std::string>& warnings, const PartitionFile* instead) {
  const std::vector<PortPartitions> partitions =
      resolve_partitions(instead != nullptr ? *instead : options.partitions, fabric,
                         observed.self_endport, warnings, aliases);
  PkeyPlanner planner(observed, fabric, options);
  for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) {
    const PortId id = fabric.endport(EndportId(i)).port;
    const Port& port = fabric.port(id);
    planner.endport(id, partitions[i], held.of(fabric.node(port.node).node_guid).entries(port.num));
  }
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const EndportId endport = filtered_endport(fabric, PortId(p));
    if (endport != kNoEndport && has_planned_pkeys(observed, fabric, options, PortId(p)))
      planner.filter(PortId(p), fabric.endport(endport).port);
  }
  PkeyPlan plan = std::move(planner).result();
  warnings.insert(warnings.end(), plan.shortages().begin(), plan.shortages().end());
  return plan;
}

}  // namespace weft
