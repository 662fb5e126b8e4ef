// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/torus_2qos.h"

#include <algorithm>

#include "base/parallel.h"
#include "routing/tables/destinations.h"
#include "routing/torus_2qos/dependencies.h"
#include "routing/torus_2qos/lanes.h"
#include "routing/torus_2qos/paths.h"

namespace weft {
namespace {

/// A LID, its output port at the last switch, and a number that selects among parallel cables.
struct Arrival {
  Lid lid;
  PortNum exit;
  std::uint32_t number;
};

/// LIDs by the place at which packets leave the torus.
struct Arrivals {
  std::vector<std::uint32_t> begin{0};
  std::vector<Arrival> list;

  std::span<const Arrival> at(Place place) const {
    const std::uint32_t* const from = begin.data() + place;
    return {list.data() + from[0], list.data() + from[1]};
  }
};

/// The LIDs of a place are ordered by port: first the ports of port_order, then the other ports by
/// number, port 0 last.
Arrivals make_arrivals(const Fabric& fabric, const Torus& torus, const TorusConfig& config) {
  std::array<unsigned, 256> position{};
  for (unsigned port = 0; port < position.size(); ++port) {
    const auto found =
        std::ranges::find(config.port_order, static_cast<std::uint8_t>(port), &PortNum::value);
    position[port] = found != config.port_order.end()
                         ? static_cast<unsigned>(found - config.port_order.begin())
                         : 256 + (port == 0 ? 256 : port);
  }
  Arrivals result;
  for (Place place = 0; place < torus.grid().size(); ++place) {
    if (const SwitchId sw = torus.switch_at(place); sw != kNoSwitch) {
      std::vector<EndportId> endports(fabric.endports_at(sw).begin(), fabric.endports_at(sw).end());
      endports.push_back(Fabric::endport_of(sw));
      std::ranges::stable_sort(
          endports, {}, [&](EndportId id) { return position[fabric.endport(id).sw_port.value()]; });
      std::uint32_t number = place;  // so that switches with one host also alternate between cables
      for (const EndportId id : endports) {
        const Endport& endport = fabric.endport(id);
        for (unsigned i = 0; i < lid_count(endport); ++i)
          result.list.push_back({lid_at(endport, i), endport.sw_port, number++});
      }
    }
    result.begin.push_back(static_cast<std::uint32_t>(result.list.size()));
  }
  return result;
}

Status check_group_sizes(const Fabric& fabric, const Torus& torus, const TorusConfig& config) {
  const auto check = [&](std::size_t ports, SwitchId sw, const auto& describe_ports) -> Status {
    if (ports <= config.portgroup_max_ports) return {};
    return fail(Code::kUnroutable, "{} has {} {}, and portgroup_max_ports of {} is {}",
                describe(fabric.node(sw)), ports, describe_ports(), config.path,
                config.portgroup_max_ports);
  };
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    if (auto status = check(fabric.endports_at(sw).size() + 1, sw,
                            [] { return "ports for hosts, port 0 included"; });
        !status)
      return status;
    for (unsigned d = 0; d < kTorusDimensions; ++d)
      for (const Direction direction : {kUp, kDown})
        if (auto status = check(torus.cables(torus.place_of(sw), d, direction).size(), sw,
                                [&] {
                                  return fmt::format("cables {} in {}",
                                                     direction == kUp ? "up" : "down",
                                                     torus.grid().name(d));
                                });
            !status)
          return status;
  }
  return {};
}

Result<Lfts> make_lfts(const Fabric& fabric, const Torus& torus, const Arrivals& arrivals,
                       unsigned threads) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  std::vector<Place> unreached(fabric.switch_count(), kNoPlace);
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    const Place here = torus.place_of(sw);
    const Paths paths(torus, here);
    std::array<std::array<std::span<const PortNum>, 2>, kTorusDimensions> cables_toward;
    for (unsigned d = 0; d < kTorusDimensions; ++d)
      for (const Direction direction : {kUp, kDown})
        cables_toward[d][direction] = torus.cables(here, d, direction);
    std::uint8_t* const entries = lfts.row(sw).data();  // no bounds check needed for these LIDs
    torus.grid().for_each_place([&](Place to, const Coordinates& there) {
      const auto list = arrivals.at(to);
      if (list.empty()) return;
      if (to == here) {
        for (const Arrival& arrival : list) entries[arrival.lid.value()] = arrival.exit.value();
        return;
      }
      const auto hop = paths.next(to, there);
      if (!hop) {
        unreached[s] = to;
        return;
      }
      const auto& cables = cables_toward[hop->dimension][hop->direction];
      if (cables.size() == 1) {
        const std::uint8_t port = cables.front().value();
        for (const Arrival& arrival : list) entries[arrival.lid.value()] = port;
        return;
      }
      for (const Arrival& arrival : list)
        entries[arrival.lid.value()] = cables[arrival.number % cables.size()].value();
    });
  });
  for (std::uint32_t s = 0; s < unreached.size(); ++s)
    if (unreached[s] != kNoPlace)
      return fail(Code::kUnroutable, "torus-2QoS has no path from {} to {}",
                  describe(fabric.node(SwitchId(s))), torus.grid().describe(unreached[s]));
  return lfts;
}

/// A line for each missing switch and cable of the torus. If more than max_changes are missing: the
/// first max_changes lines, and a line with the number of all missing switches and cables.
std::vector<std::string> notes_on_missing(const Fabric& fabric, const Torus& torus,
                                          const TorusConfig& config) {
  std::vector<std::string> notes = torus.missing(fabric);
  for (std::string& note : notes) note.insert(0, "the torus is incomplete: ");
  const std::size_t all = notes.size();
  if (all <= config.max_changes) return notes;
  notes.resize(config.max_changes);
  notes.push_back(
      fmt::format("the torus lacks {} switches and cables, not all of which are listed: "
                  "max_changes of {} is {}",
                  all, config.path, config.max_changes));
  return notes;
}

/// The least number of data VLs of a cable between switches, at most `most`. Less than kLanesForQos
/// if a cable to a host has too few data VLs for two levels of QoS.
unsigned lanes_of_cables(const Fabric& fabric, unsigned most) {
  unsigned lanes = most;
  for (std::uint32_t id = 0; id < fabric.port_count(); ++id) {
    const Port& port = fabric.port(PortId(id));
    if (port.peer == kNoPort) continue;
    const bool between_switches =
        fabric.is_switch(port.node) && fabric.is_switch(fabric.port(port.peer).node);
    if (between_switches) lanes = std::min<unsigned>(lanes, port.data_vls);
    if (!between_switches && port.data_vls < kHostLanesForQos)
      lanes = std::min(lanes, kLanesForQos - 1);
  }
  return lanes;
}

}  // namespace

Torus2QosOptions Torus2QosOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads, .vls_max = all.vls_max, .torus = pointer_to(all.torus)};
}

Result<Routes> route_torus_2qos(const Fabric& fabric, const Torus2QosOptions& options) {
  if (!options.torus)
    return fail(Code::kUsage, "torus-2QoS has no configuration: give --torus_config FILE, or {}",
                kTorusConfigFile);
  const TorusConfig& config = *options.torus;
  const TorusGrid grid(config);
  auto placement = place_switches(fabric, config, grid);
  if (!placement) return forward(placement);
  Torus torus(fabric, grid, std::move(*placement));
  if (const auto status = check_group_sizes(fabric, torus, config); !status) return forward(status);
  if (const auto status = torus.check_rings(fabric); !status) return forward(status);
  if (torus.missing_switches().size() > 1)
    if (const auto status = select_order(fabric, config, torus); !status) return forward(status);

  const unsigned threads =
      threads_worth(std::uint64_t{fabric.switch_count()} * fabric.endport_count(), options.threads);
  auto lanes = assign_lanes(fabric, torus, lanes_of_cables(fabric, options.vls_max), threads);
  if (!lanes) return forward(lanes);
  auto lfts = make_lfts(fabric, torus, make_arrivals(fabric, torus, config), threads);
  if (!lfts) return forward(lfts);
  Routes routes;
  routes.engine = "torus-2QoS";
  routes.lfts = std::move(*lfts);
  routes.path_sl = std::move(lanes->path_sl);
  routes.sl2vl = std::move(lanes->sl2vl);
  routes.vls = lanes->vls;
  routes.vls_needed = lanes->vls_needed;
  routes.notes = notes_on_missing(fabric, torus, config);
  if (const TorusGrid& used = torus.grid(); used.configured(0) != 0 || used.configured(1) != 1)
    routes.notes.push_back(
        fmt::format("paths use the dimensions in the order {}, {}, {}: in the order x, y, z the "
                    "detours around the missing switches could deadlock",
                    used.name(0), used.name(1), used.name(2)));
  if (routes.vls < kLanesForQos)
    routes.notes.push_back(fmt::format(
        "torus-2QoS uses {} virtual lanes, for one level of QoS: two levels need {} virtual lanes "
        "between switches and {} to hosts",
        routes.vls, kLanesForQos, kHostLanesForQos));
  return routes;
}

}  // namespace weft
