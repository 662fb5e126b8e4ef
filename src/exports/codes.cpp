// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/codes.h"

#include <fmt/format.h>

#include <algorithm>

#include "routing/shapes/levels.h"

namespace weft {
namespace {

constexpr std::uint64_t kTerminals = std::uint64_t{64} << 32;

bool is_switch_guid(std::uint64_t guid) { return guid >> 32 >= 1 && guid >> 32 < 64; }

/// The fabric's GUIDs if every switch and host port has one in the format of CODES; else empty.
CodesGuids own_guids(const RoutedFabric& input) {
  CodesGuids guids;
  for (std::uint32_t s = 0; s < input.fabric.switch_count(); ++s) {
    const std::uint64_t guid = input.fabric.node(SwitchId(s)).node_guid.value();
    if (!is_switch_guid(guid)) return {};
    guids.switches.push_back(guid);
  }
  for (const HostPort& port : ports_of_hosts(input)) {
    const Node& node = input.fabric.node(input.fabric.endport(port.endport).node);
    if (node.node_guid.value() >> 32 != 64 || node.port_count != 1) return {};
    guids.terminals.push_back(node.node_guid.value());
  }
  return guids;
}

}  // namespace

Result<CodesGuids> codes_guids(const RoutedFabric& input) {
  if (input.routes == nullptr)
    return fail(Code::kUsage, "codes: found no routes, expected -R or --lfts");
  if (input.hosts.empty()) return fail(Code::kBadInput, "codes: the fabric has no hosts");
  const PathTally tally = tally_paths(input);
  if (tally.without > 0)
    return fail(Code::kUnroutable,
                "codes: {} of {} pairs of ports have no path: CODES requires a path for each pair",
                tally.without, tally.pairs);
  if (CodesGuids guids = own_guids(input); !guids.switches.empty()) return guids;
  const auto levels =
      ftree::level_switches(input.fabric, {}, ftree::find_compute_nodes(input.fabric));
  if (!levels)
    return fail(Code::kUnroutable, "codes: the model of CODES requires a fat tree: {}",
                levels.error().message);
  CodesGuids guids;
  std::vector<std::uint64_t> next(ftree::kRanksMax, 0);
  for (std::uint32_t s = 0; s < input.fabric.switch_count(); ++s) {
    const auto level = static_cast<std::size_t>(std::max((*levels)[s], 0));
    guids.switches.push_back(((level + 1) << 32) + next.at(level)++);
  }
  for (std::size_t i = 0; i < ports_of_hosts(input).size(); ++i)
    guids.terminals.push_back(kTerminals + i);
  return guids;
}

std::string codes_file_name(std::uint64_t guid) { return fmt::format("0x{:016x}.lft", guid); }

std::string codes_table(const RoutedFabric& input, const CodesGuids& guids, SwitchId sw) {
  const auto ports = ports_of_hosts(input);
  std::string text = fmt::format("# {}: terminal and port\n", input.switches[sw.value()]);
  for (std::size_t i = 0; i < ports.size(); ++i)
    text += fmt::format(
        "0x{:016x} {}\n", guids.terminals[i],
        input.routes->lfts.port(sw, input.fabric.endport(ports[i].endport).lid).value());
  return text;
}

std::string codes_names(const RoutedFabric& input, const CodesGuids& guids) {
  std::string text;
  for (std::uint32_t s = 0; s < input.fabric.switch_count(); ++s)
    text += fmt::format("0x{:016x} {}\n", guids.switches[s], input.switches[s]);
  const auto ports = ports_of_hosts(input);
  for (std::size_t i = 0; i < ports.size(); ++i)
    text += fmt::format("0x{:016x} {} port {}\n", guids.terminals[i],
                        input.hosts[ports[i].host].name, i);
  return text;
}

}  // namespace weft
