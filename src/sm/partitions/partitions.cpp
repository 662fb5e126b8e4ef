// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/partitions.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/files/warnings.h"
#include "base/text.h"
#include "fabric/port_guids.h"
#include "ib/modifiers.h"
#include "sm/options.h"
#include "sm/partitions/held_pkeys.h"

namespace weft {
namespace {

/// The plan has 8 bits for the block number, which is more than any device needs.
constexpr std::size_t kPkeyCapacityMax = 256 * PkeyTable::kEntries;
constexpr std::size_t kPkeysNamed = 8;

bool includes_endport(MemberKind kind, const Fabric& fabric, EndportId endport, EndportId self) {
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

/// Members without a port of this GUID: alias GUIDs, and GUIDs that no port has.
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
  /// Names at most kNamed GUIDs of each definition, because a definition may contain thousands of
  /// virtual functions that do not exist yet.
  void warn(std::vector<std::string>& warnings) const {
    constexpr std::size_t kNamed = 3;
    Warnings found;
    for (std::size_t i = 0, end = 0; i < absent_.size(); i = end) {
      while (end < absent_.size() && absent_[end].partition == absent_[i].partition) ++end;
      for (std::size_t k = i; k < end && k < i + kNamed; ++k)
        found.add(fmt::format("{}:{}: port GUID 0x{:016x} is not in this fabric", file_.path,
                              absent_[k].member->line, absent_[k].member->guid.value()));
      if (end - i > kNamed)
        found.add(
            fmt::format("{}:{}: {} more port GUIDs of the partition {} are not in this fabric",
                        file_.path, absent_[i].partition->line, end - i - kNamed,
                        weft::quoted(absent_[i].partition->name)));
    }
    found.append_to(warnings);
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
/// Whether a keyword includes virtual ports.
bool includes_vports(MemberKind kind) {
  return kind == MemberKind::kAll || kind == MemberKind::kAllCas;
}

/// Adds the P_Keys of a virtual port to those of its CA port.
void merge(const PortPartitions& vport, PortPartitions& host) {
  for (const PortMember& member : vport.members) {
    const auto at = std::ranges::lower_bound(host.members, member.base, {}, &PortMember::base);
    if (at == host.members.end() || at->base != member.base) {
      host.members.insert(at, member);
    } else if (at->membership != member.membership) {
      at->membership = Membership::kBoth;
    }
  }
}

std::string list(std::span<const Pkey> pkeys) {
  std::string text;
  for (const Pkey pkey : pkeys.first(std::min(pkeys.size(), kPkeysNamed)))
    text += fmt::format("{}0x{:04x}", text.empty() ? "" : ", ", pkey.value());
  if (pkeys.size() > kPkeysNamed) text += fmt::format(" and {} more", pkeys.size() - kPkeysNamed);
  return text;
}

}  // namespace

std::optional<bool> includes_port(MemberKind kind, Guid port, const Fabric& fabric, EndportId self,
                                  const Vports& vports) {
  if (kind == MemberKind::kAll) return true;
  const auto endport = fabric.find_endport(port);
  if (!endport && vports.find(port) != nullptr) return includes_vports(kind);
  if (!endport) return std::nullopt;
  return includes_endport(kind, fabric, *endport, self);
}

std::vector<PortPartitions> resolve_partitions(const PartitionFile& file, const Fabric& fabric,
                                               EndportId self, std::vector<std::string>& warnings,
                                               const AliasGuids& aliases,
                                               std::span<const Guid> vports) {
  std::vector<PortPartitions> ports(fabric.endport_count() + vports.size());
  OtherMembers others(file, fabric, aliases);
  for (const FiledPartition& partition : file.partitions) {
    for (const FiledMember& member : partition.members) {
      const auto add = [&](std::size_t port) {
        add_member(ports[port], partition.base, member.membership, partition.index0);
      };
      if (member.kind == MemberKind::kGuid) {
        const auto vport = std::ranges::lower_bound(vports, member.guid);
        const auto endports = find_endports(fabric, member.guid);
        for (const EndportId endport : endports) add(endport.value());
        if (!endports.empty()) continue;
        if (vport != vports.end() && *vport == member.guid) {
          add(fabric.endport_count() + static_cast<std::size_t>(vport - vports.begin()));
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
        if (includes_endport(member.kind, fabric, EndportId(i), self)) add(i);
      for (std::size_t i = 0; includes_vports(member.kind) && i < vports.size(); ++i)
        add(fabric.endport_count() + i);
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

  /// `partitions` and `held` must outlive this object.
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
      plan_.shortages_.push_back(
          fmt::format("{}: P_Key table with {} entries is full: no entry for {}",
                      describe(fabric_, port), capacity, list(layout.left_out)));
    }
    set(port, std::move(layout.table));
  }

  /// Plans a switch port; its endport is already planned.
  void filter(PortId port, PortId endport) {
    std::vector<Pkey> table = filter_table(plan_.table(endport));
    const std::size_t capacity = pkey_capacity(observed_, fabric_, port);
    if (table.size() > capacity) {
      plan_.shortages_.push_back(fmt::format(
          "{}: the filter has {} entries, and for the table of {} it needs {}: partitions are not "
          "enforced at this port",
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

  /// Plans a virtual port, or the physical function of a CA port.
  void vport(Guid guid, const Vport& vport, const PortPartitions& partitions) {
    plan_.vports_[guid] = own_kind(partitions, vport, fmt::format("vport 0x{:016x}", guid.value()));
  }
  void physical_function(PortId port, const Vport& vport, const PortPartitions& partitions) {
    plan_.own_[port] =
        own_kind(partitions, vport, "the physical function of " + describe(fabric_, port));
  }

  PkeyPlan result() && { return std::move(plan_); }

 private:
  /// The last endport with a table that has entries for all its P_Keys.
  struct Endport {
    PortId port = kNoPort;
    const PortPartitions* partitions = nullptr;
    std::span<const Pkey> held;
    std::size_t capacity = 0;
  };
  /// Whether the endport has the same input as last_, so that its table is the same. This is the
  /// case for most endports.
  bool is_as_last(const PortPartitions& partitions, std::span<const Pkey> held,
                  std::size_t capacity) const {
    return last_.partitions != nullptr && capacity == last_.capacity &&
           partitions == *last_.partitions && std::ranges::equal(held, last_.held);
  }
  std::uint32_t kind_of(std::vector<Pkey> table) {
    const auto [known, is_new] =
        kinds_.try_emplace(std::move(table), static_cast<std::uint32_t>(kinds_.size() + 1));
    if (is_new) plan_.kinds_.push_back(known->first);
    return known->second;
  }
  void set(PortId port, std::vector<Pkey> table) {
    plan_.index_[port.value()] = kind_of(std::move(table));
  }
  /// Index of the table of one vport. If the previous vport had the same P_Keys to be set and the
  /// same known table, of the same size, its table is used.
  std::uint32_t own_kind(const PortPartitions& partitions, const Vport& vport,
                         const std::string& name) {
    if (last_vport_.kind != 0 && *last_vport_.partitions == partitions &&
        last_vport_.held == vport.pkeys && last_vport_.blocks == vport_pkey_blocks(vport))
      return last_vport_.kind;
    std::vector<Pkey> held;
    for (const PkeyTable& block : vport.pkeys)
      held.insert(held.end(), block.pkeys.begin(), block.pkeys.end());
    PkeyLayout layout =
        lay_out_pkeys(partitions, held, vport_pkey_blocks(vport) * PkeyTable::kEntries,
                      options_.allow_both_pkeys, options_.keep_pkey_indexes);
    if (!layout.left_out.empty())
      plan_.shortages_.push_back(
          fmt::format("{}: P_Key table with {} entries is full: no entry for {}", name,
                      vport_pkey_blocks(vport) * PkeyTable::kEntries, list(layout.left_out)));
    const bool fits = layout.left_out.empty();
    const std::uint32_t kind = kind_of(std::move(layout.table));
    last_vport_ = {fits ? kind : 0, &partitions, vport.pkeys, vport_pkey_blocks(vport)};
    return kind;
  }

  const Observed& observed_;
  const Fabric& fabric_;
  const SmOptions& options_;
  std::map<std::vector<Pkey>, std::uint32_t> kinds_;
  Endport last_;
  struct {
    std::uint32_t kind = 0;  // 0: none
    const PortPartitions* partitions = nullptr;
    std::vector<PkeyTable> held{};
    std::size_t blocks = 0;  // of the table
  } last_vport_;
  PkeyPlan plan_;
};

namespace {

/// Plans the P_Keys of virtual ports, and adds them to those of their CA ports in `partitions`,
/// which has elements for endports, then for `guids`.
void plan_vports(const Observed& observed, const Fabric& fabric, std::span<const Guid> guids,
                 std::vector<PortPartitions>& partitions, PkeyPlanner& planner) {
  const std::size_t endports = fabric.endport_count();
  for (const auto& [guid, host] : observed.vports.hosts())
    if (const auto endport = fabric.find_endport(guid))
      if (const Vport* const own = host->at(0); own != nullptr)
        planner.physical_function(fabric.endport(*endport).port, *own,
                                  partitions[endport->value()]);
  for (std::size_t i = 0; i < guids.size(); ++i)
    planner.vport(guids[i], *observed.vports.find(guids[i]), partitions[endports + i]);
  // This merge is last, because the physical function has none of these P_Keys.
  for (std::size_t i = 0; i < guids.size(); ++i) {
    for (const EndportId host : find_endports(fabric, observed.vports.owners().at(guids[i]).host))
      merge(partitions[endports + i], partitions[host.value()]);
  }
}

}  // namespace

PkeyPlan plan_pkeys(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                    const HeldPkeys& held, const AliasGuids& aliases,
                    std::vector<std::string>& warnings, const PartitionFile* instead) {
  const std::vector<Guid> vports = observed.vports.guids();
  std::vector<PortPartitions> partitions =
      resolve_partitions(instead != nullptr ? *instead : options.partitions, fabric,
                         observed.self_endport, warnings, aliases, vports);
  PkeyPlanner planner(observed, fabric, options);
  plan_vports(observed, fabric, vports, partitions, planner);
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
