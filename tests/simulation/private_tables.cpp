// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "private_tables.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "emulator/feature_support.h"
#include "ib/adaptive_unconfirmed.h"
#include "routing/engine.h"
#include "routing/parts/parts.h"
#include "sm/adaptive/private_layout.h"

namespace weft::simulation {
namespace {

using emulator::AdaptiveModel;

SwitchId real_switch(const EmulatedFabric& emulated, const Fabric& known, SwitchId sw) {
  return SwitchId(emulated.fabric().find_node(known.node(sw).node_guid)->value());
}

/// The first difference between table `number` of a switch and table `published` of the routes;
/// empty if there is none.
std::string find_table_difference(const AdaptiveModel& model, unsigned number, const Routes& routes,
                                  SwitchId sw, unsigned published) {
  for (unsigned l = 1; l <= routes.lfts.top().value(); ++l) {
    const Lid lid(static_cast<std::uint16_t>(l));
    const PortMask* const group = routes.adaptive->table(published).group_of(sw, lid);
    const std::uint16_t held = model.group_number(lid, number);
    if ((held != AdaptiveModel::kNoGroup) != (group != nullptr))
      return fmt::format("LID {} has {}", l, group == nullptr ? "a group" : "no group");
    if (group != nullptr && model.ports(held) != *group)
      return fmt::format("LID {} has a group of other ports", l);
    const ArLftEntry* const entry = model.entry(lid, number);
    if (entry != nullptr && entry->default_port != routes.lfts.port(sw, lid))
      return fmt::format("LID {} has default port {}", l, entry->default_port.value());
    if (model.plft.in_use() && lid > model.plft.tops[number])
      return fmt::format("LID {} is above the top of the table", l);
  }
  return {};
}

}  // namespace

std::string find_differing_ports(const EmulatedFabric& emulated, const Fabric& known,
                                 const Routes& routes) {
  for (std::uint32_t s = 0; routes.adaptive && s < known.switch_count(); ++s) {
    const SwitchId sw(s);
    const AdaptiveModel& model = emulated.adaptive(real_switch(emulated, known, sw));
    if (!model.info.enabled) continue;
    std::set<std::pair<unsigned, unsigned>> compared;
    for (unsigned in = 0; in <= known.node(sw).port_count; ++in)
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
        const PortNum port(static_cast<std::uint8_t>(in));
        const unsigned number = model.plft.table(port, Sl(sl));
        const unsigned published = routes.adaptive->has_private_tables()
                                       ? routes.adaptive->selection().table(sw, port, Sl(sl))
                                       : 0;
        if (!compared.emplace(number, published).second) continue;
        const std::string other = find_table_difference(model, number, routes, sw, published);
        if (!other.empty())
          return fmt::format("{}: packets with SL {} from port {} use table {}, published {}: {}",
                             describe(known.node(sw)), sl, in, number, published, other);
      }
  }
  return {};
}

std::string find_differing_use_of_tables(const EmulatedFabric& emulated,
                                         const EmulatorOptions& options, const Fabric& known) {
  AdaptiveOptions capabilities;
  for (std::uint32_t s = 0; s < known.switch_count(); ++s) {
    const SwitchId real = real_switch(emulated, known, SwitchId(s));
    const AdaptiveModel& model = emulated.adaptive(real);
    const bool has_groups = model.support == AdaptiveSupport::kFull;
    const bool has_tables =
        has_groups &&
        device_has(emulated.fabric(), Fabric::node_of(real), options.devices,
                   DeviceFeature::kPrivateLfts) &&
        feature_support(emulator::Feature::kPrivateLfts, options.private_lfts,
                        Fabric::node_of(real)) == emulator::FeatureSupport::kFull;
    capabilities.group_capacity.push_back(
        has_groups ? ar_unconfirmed::usable_groups(model.sub_groups_max) : std::uint16_t{0});
    capabilities.forwarding_tables.push_back(static_cast<std::uint8_t>(
        has_tables ? forwarding_tables_that_fit(model.plft.info, known.lid_top()) : 1u));
  }
  const auto routes = run_engine_by_parts(*find_engine("dfp2"), known,
                                          {.threads = 1, .adaptive = std::move(capabilities)});
  if (!routes) return "dfp2 fails: " + routes.error().message;
  const auto& tables = routes->adaptive;
  for (std::uint32_t s = 0; s < known.switch_count(); ++s) {
    const AdaptiveModel& model = emulated.adaptive(real_switch(emulated, known, SwitchId(s)));
    const bool expected =
        tables && tables->has_private_tables() && tables->selection().is_set(SwitchId(s));
    if (expected != (model.info.enabled && model.plft.in_use()))
      return fmt::format("{} {} private tables", describe(known.node(SwitchId(s))),
                         expected ? "does not use its" : "uses");
  }
  return {};
}

}  // namespace weft::simulation
