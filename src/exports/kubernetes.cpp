// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/kubernetes.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "base/letters.h"

namespace weft {
namespace {

constexpr std::size_t kLabelValueMax = 63;
constexpr std::size_t kDnsNameMax = 253;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3;
  }
  return hash;
}

/// Converts a text to the name of an object: a DNS name in lower case.
std::string dns_name(std::string_view text) {
  std::string name = lower(text);
  for (char& c : name)
    if (!is_alphanumeric(c) && c != '.') c = '-';
  while (!name.empty() && !is_alphanumeric(name.back())) name.pop_back();
  while (!name.empty() && !is_alphanumeric(name.front())) name.erase(0, 1);
  if (name.empty() || name.size() > kDnsNameMax) return fmt::format("x{:x}", fnv1a(text));
  return name;
}

/// Gives units and groups unique object names; of equal names, all but the first get a hash.
class ObjectNames {
 public:
  explicit ObjectNames(const HostGroups& groups) {
    std::set<std::string> taken;
    const auto add = [&](const std::string& text) {
      std::string name = dns_name(text);
      if (!taken.insert(name).second) name += fmt::format("-{:x}", fnv1a(text));
      taken.insert(name);
      return name;
    };
    for (const HostUnit& unit : groups.units) units.push_back(add(unit.name));
    for (const HostGroup& group : groups.groups) all_groups.push_back(add(group.name));
  }
  std::vector<std::string> units, all_groups;
};

unsigned levels_of(const HostGroups& groups) {
  unsigned levels = 0;
  for (const HostGroup& group : groups.groups) levels = std::max(levels, group.level);
  return levels;
}

/// The name of the unit, then one name for each level: that of the unit's group at the level or, if
/// there is none, at the next higher level; above the outermost group, the name of that group.
std::vector<std::string> tiers_of(const HostGroups& groups, const HostUnit& unit, unsigned levels) {
  std::vector<std::string> tiers{unit.name};
  std::uint32_t at = unit.parent;
  for (unsigned level = 1; level <= levels; ++level) {
    while (at != kNoGroup && groups.groups[at].level < level &&
           groups.groups[at].parent != kNoGroup)
      at = groups.groups[at].parent;
    tiers.push_back(at == kNoGroup ? unit.name : groups.groups[at].name);
  }
  return tiers;
}

std::string labels_text(const HostGroups& groups, std::string_view prefix) {
  std::string text;
  const unsigned levels = levels_of(groups);
  for (const HostUnit& unit : groups.units) {
    const auto tiers = tiers_of(groups, unit, levels);
    for (const std::string& host : unit.hosts) {
      text += fmt::format("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: \"{}\"\n  labels:\n",
                          dns_name(host));
      for (std::size_t tier = 0; tier < tiers.size(); ++tier)
        text += fmt::format("    {}/tier-{}: \"{}\"\n", prefix, tier, label_value(tiers[tier]));
    }
  }
  return text;
}

std::string kueue_text(const HostGroups& groups, std::string_view prefix) {
  std::string text =
      "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: \"fabric\"\n"
      "spec:\n  levels:\n";
  for (unsigned tier = levels_of(groups) + 1; tier-- > 0;)
    text += fmt::format("    - nodeLabel: \"{}/tier-{}\"\n", prefix, tier);
  return text + "    - nodeLabel: \"kubernetes.io/hostname\"\n";
}

std::string hyper_node(const std::string& name, unsigned tier, const char* type,
                       const std::vector<std::string>& members) {
  std::string text = fmt::format(
      "---\napiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata:\n"
      "  name: \"{}\"\n  labels:\n    volcano.sh/network-topology-source: \"weft\"\n"
      "spec:\n  tier: {}\n  members:\n",
      name, tier);
  for (const std::string& member : members)
    text += fmt::format(
        "    - type: {}\n      selector:\n        exactMatch:\n          name: \"{}\"\n", type,
        member);
  return text;
}

std::string volcano_text(const HostGroups& groups) {
  const ObjectNames names(groups);
  std::string text;
  for (std::size_t u = 0; u < groups.units.size(); ++u) {
    std::vector<std::string> hosts;
    for (const std::string& host : groups.units[u].hosts) hosts.push_back(dns_name(host));
    text += hyper_node(names.units[u], 1, "Node", hosts);
  }
  for (std::size_t g = 0; g < groups.groups.size(); ++g) {
    const HostGroup& group = groups.groups[g];
    std::vector<std::string> members;
    for (const std::uint32_t unit : group.units) members.push_back(names.units[unit]);
    for (const std::uint32_t inside : group.groups) members.push_back(names.all_groups[inside]);
    text += hyper_node(names.all_groups[g], group.level + 1, "HyperNode", members);
  }
  return text;
}

}  // namespace

std::string label_value(std::string_view text) {
  const bool is_valid = !text.empty() && text.size() <= kLabelValueMax &&
                        is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
                        std::ranges::all_of(text, [](char c) {
                          return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
                        });
  return is_valid ? std::string(text) : fmt::format("x{:x}", fnv1a(text));
}

bool is_label_prefix(std::string_view text) {
  return text.size() <= kDnsNameMax && !text.empty() && dns_name(text) == text &&
         text.find("..") == std::string_view::npos;
}

std::string kubernetes_objects(const HostGroups& groups, std::string_view prefix,
                               KubernetesObjects objects) {
  std::string text;
  if (objects.labels) text += labels_text(groups, prefix);
  if (objects.kueue) text += kueue_text(groups, prefix);
  if (objects.volcano) text += volcano_text(groups);
  return text;
}

}  // namespace weft
