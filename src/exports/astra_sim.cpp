// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/astra_sim.h"

#include <fmt/format.h>

#include <algorithm>

#include "fabric/link_rates.h"
#include "routing/shapes/grid.h"

namespace weft {
namespace {

constexpr double kBitsOfGigabyte = 8.0 * (1u << 30);

/// The sizes of a torus in which every dimension is a ring, largest dimension last; empty for other
/// fabrics. Two dimensions of size two are one ring of four.
std::vector<std::uint32_t> torus_sizes(const Fabric& fabric) {
  const auto mesh = find_mesh(fabric);
  if (!mesh) return {};
  const Grid grid = make_grid(fabric, *mesh, Trunks(fabric));
  std::vector<std::uint32_t> sizes;
  for (const Grid::Line& line : grid.dimensions) {
    if (!line.closed && line.size != 2) return {};
    sizes.push_back(line.size);
  }
  std::ranges::sort(sizes);
  const auto twos = static_cast<std::size_t>(std::ranges::count(sizes, 2u));
  sizes.erase(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(twos / 2 * 2));
  sizes.insert(sizes.end(), twos / 2, 4);
  std::ranges::sort(sizes);
  return sizes;
}

bool is_full_graph(const Fabric& fabric) {
  const Trunks trunks(fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (trunks.degree(s) + 1 != fabric.switch_count()) return false;
  return fabric.switch_count() > 1;
}

/// Rate of the slowest port of all hosts, in Gbit/s.
double slowest_gbps(const RoutedFabric& input) {
  std::uint32_t rate = 0xFFFFFFFF;
  for (const HostPort& port : ports_of_hosts(input))
    rate = std::min(rate, link_rate(input.fabric.port(input.fabric.endport(port.endport).port)));
  return rate / 10.0;
}

std::string list_of(const std::vector<AstraDimension>& dimensions, const auto& text) {
  std::string list;
  for (const AstraDimension& dimension : dimensions)
    list += (list.empty() ? "" : ", ") + text(dimension);
  return "[" + list + "]";
}

/// The dimensions of a fabric in which each switch has one host; empty for other fabrics.
std::vector<AstraDimension> switch_dimensions(const RoutedFabric& input, const Ns3Options& options,
                                              double gbps) {
  const Fabric& fabric = input.fabric;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (fabric.endports_at(SwitchId(s)).size() != 1) return {};
  if (is_full_graph(fabric))
    return {{"FullyConnected", fabric.switch_count(), gbps, 3 * options.delay_ns}};
  std::vector<AstraDimension> rings;
  for (const std::uint32_t size : torus_sizes(fabric))
    rings.push_back({"Ring", size, gbps, 3 * options.delay_ns});
  return rings;
}

}  // namespace

Result<std::vector<AstraDimension>> astra_dimensions(const RoutedFabric& input,
                                                     const Ns3Options& options) {
  const auto per_host = ports_per_host(input, "astra-sim");
  if (!per_host) return forward(per_host);
  const auto hosts = static_cast<std::uint32_t>(input.hosts.size());
  const double gbps = slowest_gbps(input);
  std::vector<AstraDimension> dimensions;
  if (*per_host > 1) {
    dimensions.push_back({"Switch", *per_host, options.nvlink_gbps, kNvlinkDelayNs});
  } else {
    dimensions = switch_dimensions(input, options, gbps);
    if (!dimensions.empty()) return dimensions;
  }
  if (hosts > 1) dimensions.push_back({"Switch", hosts, gbps, 2 * options.delay_ns});
  if (dimensions.empty())
    return fail(Code::kBadInput, "astra-sim: found one host with one port, expected two NPUs");
  return dimensions;
}

std::string astra_network(const std::vector<AstraDimension>& dimensions) {
  std::string text = "topology: " + list_of(dimensions, [](const auto& d) { return d.topology; });
  text += "\nnpus_count: " +
          list_of(dimensions, [](const auto& d) { return fmt::format("{}", d.npus); });
  text += "\nbandwidth: " + list_of(dimensions, [](const auto& d) {
            return fmt::format("{:.4f}", d.gbps * 1e9 / kBitsOfGigabyte);
          });
  text += "\nlatency: " +
          list_of(dimensions, [](const auto& d) { return fmt::format("{:.1f}", d.delay_ns); });
  return text + "\n";
}

std::string astra_logical(const std::vector<AstraDimension>& dimensions) {
  return "{\"logical-dims\": " +
         list_of(dimensions, [](const auto& d) { return fmt::format("\"{}\"", d.npus); }) + "}\n";
}

}  // namespace weft
