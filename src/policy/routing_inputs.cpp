// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/routing_inputs.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "fabric/port_guids.h"
#include "policy/chain_inputs.h"
#include "routing/shapes/degraded_links.h"

namespace weft {
namespace {

/// This file is read if it exists, even if it is not configured.
constexpr std::string_view kTorusConfigDefault = "/etc/opensm/torus-2QoS.conf";

/// The switches of a root GUID: the switch with this GUID, or the switches cabled to the CA or
/// router with this GUID.
std::vector<SwitchId> switches_of(const Fabric& fabric, Guid guid) {
  std::vector<SwitchId> found;
  const auto add = [&](const Endport& endport) {
    if (endport.sw != kNoSwitch && std::ranges::find(found, endport.sw) == found.end())
      found.push_back(endport.sw);
  };
  if (const auto node = fabric.find_node(guid)) {
    for (const Endport& endport : fabric.endports())
      if (endport.node == *node) add(endport);
  } else {
    for (const EndportId endport : find_endports(fabric, guid)) add(fabric.endport(endport));
  }
  return found;
}

enum class GroupPorts { kAll, kHosts, kSwitches };

/// Replaces each line with a port group by one line for each switch GUID and each CA or router port
/// GUID of the group in this fabric, limited to switches or to other ports by `meant`.
template <class Filed>
std::vector<Filed> expand(const std::vector<Filed>& lines, GroupPorts meant,
                          const RoutingInputs& inputs, const Fabric& fabric,
                          std::vector<std::string>& warnings) {
  std::vector<Filed> result;
  for (const Filed& line : lines) {
    if (line.group.empty()) {
      result.push_back(line);
      continue;
    }
    bool any = false;
    for (const EndportId id : endports_of_group(inputs.port_groups, line.group, fabric)) {
      const Endport& endport = fabric.endport(id);
      const bool is_switch = fabric.is_switch(endport.node);
      if (meant != GroupPorts::kAll && is_switch != (meant == GroupPorts::kSwitches)) continue;
      Filed one = line;
      one.group.clear();
      one.guid = is_switch ? fabric.node(endport.node).node_guid : fabric.port(endport.port).guid;
      result.push_back(std::move(one));
      any = true;
    }
    if (!any)
      warnings.push_back(fmt::format("{}: group {} has no {} of this fabric", line.place,
                                     quoted(line.group),
                                     meant == GroupPorts::kAll     ? "port"
                                     : meant == GroupPorts::kHosts ? "CA or router port"
                                                                   : "switch"));
  }
  return result;
}

/// The CA and router ports of a list, without duplicates, in the order of ids. Other GUIDs cause
/// warnings.
std::vector<EndportId> ca_ports(const Fabric& fabric, const std::vector<FiledGuid>& guids,
                                std::vector<std::string>& warnings) {
  std::vector<EndportId> found;
  for (const FiledGuid& port : guids) {
    const auto endports = find_endports(fabric, port.guid);
    if (!endports.empty() && !fabric.is_switch(fabric.endport(endports[0]).node)) {
      found.insert(found.end(), endports.begin(), endports.end());
    } else {
      warnings.push_back(fmt::format("{}: GUID 0x{:016x} is no CA or router port of this fabric",
                                     port.place, port.guid.value()));
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

Result<std::vector<FiledGuid>> read_guid_file(const std::string& path,
                                              std::vector<std::string>& warnings) {
  std::vector<FiledGuid> guids;
  const Status status =
      for_each_line(path, [&](const LineReader& at, std::string_view line) -> Status {
        const std::string_view text = trim(line.substr(0, line.find('#')));
        if (text.empty()) return {};
        std::string place = fmt::format("{}:{}", path, at.line_number());
        if (const auto group = group_named(text)) {
          guids.push_back({Guid(0), std::move(place), std::string(*group)});
          return {};
        }
        const auto guid = parse_number<std::uint64_t>(text, 16);
        if (!guid || *guid == 0) {
          warnings.push_back(fmt::format(
              "{}: found {}, expected a GUID in hex: the line is dropped", place, quoted(text)));
        } else {
          guids.push_back({Guid(*guid), std::move(place)});
        }
        return {};
      });
  if (!status) return forward(status);
  return guids;
}

Status check_groups(const RoutingInputs& inputs) {
  std::string all;
  const auto check = [&](const auto& lines) {
    for (const auto& line : lines)
      if (!line.group.empty() && !inputs.port_groups.has(line.group))
        all += fmt::format("{}{}: {}", all.empty() ? "" : "\n", line.place,
                           inputs.port_groups.missing_text(line.group));
  };
  check(inputs.roots);
  check(inputs.order);
  check(inputs.compute_nodes);
  check(inputs.io_nodes);
  check(inputs.ignored);
  check(inputs.node_weights);
  check(inputs.switch_ids);
  if (all.empty()) return {};
  return fail(Code::kBadInput, "{}", all);
}

std::vector<Option> given(const RoutingInputs& inputs) {
  const RoutingOptions& plain = inputs.plain;
  const RoutingOptions standard;
  std::vector<Option> result;
  const auto add = [&](bool is_given, Option option) {
    if (is_given) result.push_back(option);
  };
  add(!inputs.roots.empty(), Option::kRoots);
  add(plain.connect_roots, Option::kConnectRoots);
  add(!inputs.order.empty(), Option::kOrder);
  add(inputs.order_not_scattered, Option::kNoScatter);
  add(!inputs.compute_nodes.empty(), Option::kComputeNodes);
  add(!inputs.io_nodes.empty(), Option::kIoNodes);
  add(!inputs.node_weights.empty() || !inputs.measured_weights.empty(), Option::kNodeWeights);
  add(!inputs.ignored.empty(), Option::kIgnored);
  add(!inputs.hop_weights.empty(), Option::kHopWeights);
  add(inputs.avoid_throttled_links, Option::kAvoidDegradedLinks);
  add(!inputs.port_orders.empty(), Option::kPortOrder);
  add(!inputs.switch_ids.empty(), Option::kSwitchIds);
  add(plain.port_shifting, Option::kPortShifting);
  add(plain.scatter_ports != standard.scatter_ports, Option::kScatterPorts);
  add(plain.balance == Balance::kLocal, Option::kLocalBalance);
  add(inputs.lid_matrix.has_value(), Option::kLidMatrix);
  add(inputs.lfts.has_value(), Option::kLfts);
  add(plain.torus && plain.torus->path != kTorusConfigDefault, Option::kTorusConfig);
  add(!inputs.chain.empty(), Option::kChain);
  return result;
}

RoutingOptions resolve(const RoutingInputs& inputs, const Fabric& fabric,
                       std::vector<std::string>& warnings, const std::vector<bool>* degraded) {
  RoutingOptions options = resolve_one(inputs, fabric, warnings, degraded);
  options.chain = resolve_chain(inputs, fabric, warnings, degraded);
  return options;
}

RoutingOptions resolve_one(const RoutingInputs& inputs, const Fabric& fabric,
                           std::vector<std::string>& warnings, const std::vector<bool>* degraded) {
  const auto all_of = [&](const auto& lines, GroupPorts meant) {
    return expand(lines, meant, inputs, fabric, warnings);
  };
  RoutingOptions options = inputs.plain;
  for (const FiledGuid& root : all_of(inputs.roots, GroupPorts::kAll)) {
    const auto switches = switches_of(fabric, root.guid);
    if (switches.empty())
      warnings.push_back(
          fmt::format("{}: root GUID 0x{:016x} is no switch of this fabric and no CA "
                      "or router cabled to one",
                      root.place, root.guid.value()));
    options.roots.insert(options.roots.end(), switches.begin(), switches.end());
  }
  std::ranges::sort(options.roots);
  options.roots.erase(std::unique(options.roots.begin(), options.roots.end()), options.roots.end());
  for (const FiledGuid& port : all_of(inputs.order, GroupPorts::kAll)) {
    const auto endports = find_endports(fabric, port.guid);
    options.order.insert(options.order.end(), endports.begin(), endports.end());
    if (endports.empty()) {
      warnings.push_back(fmt::format("{}: port GUID 0x{:016x} is not in this fabric", port.place,
                                     port.guid.value()));
    }
  }
  options.compute_nodes =
      ca_ports(fabric, all_of(inputs.compute_nodes, GroupPorts::kHosts), warnings);
  options.io_nodes = ca_ports(fabric, all_of(inputs.io_nodes, GroupPorts::kHosts), warnings);
  if (inputs.order_not_scattered) {
    options.not_scattered = options.order;
    std::ranges::sort(options.not_scattered);
  }
  options.ignored = resolve_ignored(all_of(inputs.ignored, GroupPorts::kAll), fabric, warnings);
  options.hop_weights = resolve_weights(inputs.hop_weights, fabric, warnings);
  if (inputs.avoid_throttled_links)
    add_degraded_weights(degraded != nullptr ? *degraded : guess_degraded_links(fabric),
                         options.hop_weights);
  options.node_weights =
      resolve_node_weights(all_of(inputs.node_weights, GroupPorts::kHosts), fabric, warnings);
  apply(inputs.measured_weights, fabric, options);
  options.port_rank = resolve_port_orders(inputs.port_orders, fabric, warnings);
  options.switch_rank =
      resolve_switch_ids(all_of(inputs.switch_ids, GroupPorts::kSwitches), fabric, warnings);
  if (inputs.lfts) options.lfts = match_lfts(*inputs.lfts, fabric, warnings);
  if (inputs.lid_matrix)
    options.lid_matrix = match_lid_matrix(*inputs.lid_matrix, fabric, warnings);
  options.groups = resolve_groups(inputs.groups, fabric, warnings);
  if (inputs.adaptive) {
    options.adaptive = routing_part(*inputs.adaptive);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      options.adaptive->group_capacity.push_back(
          inputs.adaptive->enabled_at(fabric.node(SwitchId(s)).node_guid)
              ? std::uint16_t{kArGroupsMax}
              : std::uint16_t{0});
    if (inputs.adaptive->df_plus)
      warnings.emplace_back(
          "AR_ALGORITHM: DF_PLUS applies to dfp and ar_dfp only: any other engine uses its default "
          "AR groups");
  }
  if (inputs.asymmetric_flow != AsymmetricFlow::kOff) {
    if (!options.adaptive) options.adaptive = AdaptiveOptions{.only_ar_engines = true};
    options.adaptive->asymmetric = inputs.asymmetric_flow;
  }
  return options;
}

}  // namespace weft
