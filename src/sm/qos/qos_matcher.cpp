// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/qos/qos_matcher.h"

#include <algorithm>

#include "base/text.h"
#include "sm/partitions/partitions.h"

namespace weft {
namespace {

bool has_type(const QosPortGroup& group, NodeType type) {
  return group.all || (group.cas && type == NodeType::kCa) ||
         (group.switches && type == NodeType::kSwitch) ||
         (group.routers && type == NodeType::kRouter);
}

bool is_named(const QosPortGroup& group, const Node& node, PortNum port) {
  if (group.port_names.empty()) return false;
  const std::string name = fmt::format("{}/P{}", trim(node.description), port.value());
  return std::ranges::find(group.port_names, name) != group.port_names.end();
}

/// P_Keys of the partitions in a group.
std::vector<std::uint16_t> named_partitions(const QosPolicy& policy, const QosPortGroup& group,
                                            const PartitionFile& file,
                                            std::vector<std::string>& warnings) {
  std::vector<std::uint16_t> bases;
  for (const std::string& name : group.partitions) {
    const auto found = std::ranges::find(file.partitions, name, &FiledPartition::name);
    if (found != file.partitions.end())
      bases.push_back(found->base);
    else
      warnings.push_back(fmt::format("{}:{}: port-group {}: no partition {}", policy.path,
                                     group.line, weft::quoted(group.name), weft::quoted(name)));
  }
  return bases;
}

}  // namespace

QosMatcher::QosMatcher(QosPolicy policy, const Fabric& fabric, EndportId self,
                       const PartitionFile& partitions, std::vector<std::string>& warnings)
    : policy_(std::move(policy)), members_(policy_.groups.size()) {
  if (policy_.groups.empty()) return;
  std::vector<std::string> reported_elsewhere;
  const auto held = resolve_partitions(partitions, fabric, self, reported_elsewhere);
  for (std::size_t g = 0; g < policy_.groups.size(); ++g) {
    const QosPortGroup& group = policy_.groups[g];
    const auto bases = named_partitions(policy_, group, partitions, warnings);
    for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) {
      const EndportId id(e);
      const Port& port = fabric.port(fabric.endport(id).port);
      const Node& node = fabric.node(port.node);
      const bool in_partition = std::ranges::any_of(held[e].members, [&](const PortMember& member) {
        return contains(group.pkeys, member.base) ||
               std::ranges::find(bases, member.base) != bases.end();
      });
      if (in_partition || has_type(group, node.type) || (group.self && id == self) ||
          is_named(group, node, port.num))
        members_[g].push_back(port.guid);
    }
    std::ranges::sort(members_[g]);
    if (members_[g].empty() && group.port_guids.empty())
      warnings.push_back(fmt::format("{}:{}: port-group {} has no port of this fabric",
                                     policy_.path, group.line, weft::quoted(group.name)));
  }
}

bool QosMatcher::is_member(std::uint32_t group, Guid port) const {
  return std::ranges::binary_search(members_[group], port) ||
         contains(policy_.groups[group].port_guids, port.value());
}

bool QosMatcher::matches(const QosMatchRule& rule, const QosQuery& query) const {
  const auto in_groups = [&](const std::vector<std::uint32_t>& groups, Guid port) {
    return groups.empty() ||
           std::ranges::any_of(groups, [&](std::uint32_t group) { return is_member(group, port); });
  };
  const auto has = [](const NumberRanges& wanted, const std::optional<std::uint64_t>& given) {
    return wanted.empty() || (given && contains(wanted, *given));
  };
  std::optional<std::uint64_t> pkey, qos_class;
  if (query.pkey) pkey = query.pkey->value() & kPkeyBaseMask;
  if (query.qos_class) qos_class = *query.qos_class;
  return in_groups(rule.sources, query.source) && in_groups(rule.destinations, query.destination) &&
         has(rule.source_guids, query.source.value()) &&
         has(rule.destination_guids, query.destination.value()) && has(rule.pkeys, pkey) &&
         has(rule.qos_classes, qos_class) && has(rule.service_ids, query.service_id);
}

const QosLevel* QosMatcher::match(const QosQuery& query) const {
  if (!policy_.exists()) return nullptr;
  const auto rule = std::ranges::find_if(
      policy_.rules, [&](const QosMatchRule& each) { return matches(each, query); });
  return &policy_.levels[rule == policy_.rules.end() ? policy_.default_level : rule->level];
}

bool allows(const QosLevel& level, Pkey pkey) {
  return level.pkeys.empty() || contains(level.pkeys, pkey.value() & kPkeyBaseMask);
}

}  // namespace weft
