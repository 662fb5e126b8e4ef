// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <array>
#include <bitset>
#include <optional>

#include "base/check.h"
#include "routing/multicast.h"
#include "routing/parts/parts.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

using UsedSls = std::bitset<kSlCount>;

/// Calls body(whole switch, part switch, LID, endport of the part) for each entry of a part.
template <class Body>
void for_each_entry(const FabricPart& part, const Body& body) {
  for (std::uint32_t s = 0; s < part.switches.size(); ++s)
    for (const Endport& to : part.fabric.endports())
      for (unsigned offset = 0; to.addressed() && offset < lid_count(to); ++offset)
        body(part.switches[s], SwitchId(s), lid_at(to, offset), to);
}

/// The SLs of the whole fabric. LIDs of different parts differ, so if each part has one SL for each
/// LID, the whole fabric has, too. Sets `used` to the SLs that each part uses.
PathSl join_sls(const Fabric& whole, std::span<const FabricPart> parts,
                std::span<const Routes> routes, std::vector<UsedSls>& used) {
  const auto is_a = [&](PathSl::Kind kind) {
    return [kind](const Routes& one) {
      return one.path_sl.kind() == kind || one.path_sl.kind() == PathSl::Kind::kUniform;
    };
  };
  used.assign(parts.size(), UsedSls(1));
  if (std::ranges::all_of(routes, is_a(PathSl::Kind::kUniform))) return {};
  const std::size_t stride = std::size_t{whole.lid_top().value()} + 1;
  const bool one_a_lid = std::ranges::all_of(routes, is_a(PathSl::Kind::kByDestination));
  std::vector<std::uint8_t> table(one_a_lid ? stride : whole.switch_count() * stride, 0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for_each_entry(parts[i], [&](SwitchId from, SwitchId at, Lid lid, const Endport& to) {
      const Sl sl = routes[i].path_sl.sl(at, to.sw, lid);
      table[(one_a_lid ? 0 : from.value() * stride) + lid.value()] = sl.value();
      used[i].set(sl.value());
    });
  return one_a_lid
             ? PathSl::by_destination(std::move(table))
             : PathSl::by_switch_and_lid(whole.switch_count(), whole.lid_top(), std::move(table));
}

/// An SL2VL map for the packets of every part, since a host has only one map. Returns nullopt if no
/// such map exists.
std::optional<SlMap> map_for_all(std::span<const Routes> routes, const std::vector<UsedSls>& used) {
  const auto widest = std::ranges::max_element(routes, {}, &Routes::vls);
  const SlMap& map = widest->sl2vl.common();
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (!routes[i].sl2vl.uniform()) return std::nullopt;
    for (std::size_t sl = 0; sl < map.size(); ++sl)
      if (used[i].test(sl) && map[sl] != routes[i].sl2vl.common()[sl]) return std::nullopt;
  }
  return map;
}

Sl2Vl join_maps(std::span<const FabricPart> parts, std::span<const Routes> routes,
                const std::vector<UsedSls>& used) {
  if (const auto map = map_for_all(routes, used)) return Sl2Vl(*map);
  const auto widest = std::ranges::max_element(routes, {}, &Routes::vls);
  Sl2Vl result(widest->sl2vl.common());
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::uint32_t s = 0; s < parts[i].switches.size(); ++s) {
      const auto ports = parts[i].fabric.ports(SwitchId(s));
      for (const Port& in : ports)
        for (const Port& out : ports)
          if (const SlMap& map = routes[i].sl2vl.map(SwitchId(s), in.num, out.num);
              map != result.common())
            result.set(parts[i].switches[s], in.num, out.num, map);
    }
  return result;
}

void join_private_tables(const FabricPart& part, const ArTables& own, ArTables& tables) {
  while (tables.table_count() < own.table_count()) tables.add_private_table();
  for (unsigned number = 1; number < own.table_count(); ++number) {
    ArTables& table = tables.private_table(number);
    for (std::uint32_t s = 0; s < part.switches.size(); ++s)
      for (const PortMask& group : own.table(number).groups(SwitchId(s)))
        table.add_group(part.switches[s], group);
    for_each_entry(part, [&](SwitchId from, SwitchId at, Lid lid, const Endport&) {
      if (const ArEntry entry = own.table(number).entry(at, lid); entry.state != ArState::kStatic)
        table.set(from, lid, entry);
    });
  }
  for (std::uint32_t s = 0; own.has_private_tables() && s < part.switches.size(); ++s) {
    const auto& ports = own.selection().ports(SwitchId(s));
    for (std::size_t port = 0; port < ports.size(); ++port)
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl)
        tables.select_table(part.switches[s], PortNum(static_cast<std::uint8_t>(port)), Sl(sl),
                            ports[port][sl]);
  }
}

std::optional<ArTables> join_groups(const Fabric& whole, std::span<const FabricPart> parts,
                                    std::span<const Routes> routes) {
  if (std::ranges::none_of(routes, [](const Routes& one) { return one.adaptive.has_value(); }))
    return std::nullopt;
  ArTables tables(whole.switch_count(), whole.lid_top());
  std::vector<SwitchNotifications> notifications(whole.switch_count());
  bool notifies = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!routes[i].adaptive) continue;
    const ArTables& own = *routes[i].adaptive;
    for (std::uint32_t s = 0; s < parts[i].switches.size(); ++s) {
      for (const PortMask& group : own.groups(SwitchId(s)))
        tables.add_group(parts[i].switches[s], group);
      if (const auto divided = own.divisions(SwitchId(s)); !divided.empty())
        tables.divide(parts[i].switches[s], {divided.begin(), divided.end()});
      if (const auto* of_part = own.notifications(SwitchId(s))) {
        notifications[parts[i].switches[s].value()] = *of_part;
        notifies = true;
      }
    }
    for_each_entry(parts[i], [&](SwitchId from, SwitchId at, Lid lid, const Endport&) {
      if (const ArEntry entry = own.entry(at, lid); entry.state != ArState::kStatic)
        tables.set(from, lid, entry);
    });
    join_private_tables(parts[i], own, tables);
  }
  if (notifies) tables.set_notifications(std::move(notifications));
  return tables;
}

std::string engine_names(std::span<const FabricPart> parts, std::span<const Routes> routes) {
  std::vector<std::string> names;
  for (const bool single : {false, true}) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if ((parts[i].fabric.switch_count() == 1) == single &&
          std::ranges::find(names, routes[i].engine) == names.end())
        names.push_back(routes[i].engine);
    if (!names.empty()) break;
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "+") + name;
  return text;
}

}  // namespace

Routes join_routes(const Fabric& whole, std::span<const FabricPart> parts,
                   std::span<const Routes> routes) {
  CHECK(parts.size() == routes.size() && !parts.empty());
  Routes result;
  result.engine = engine_names(parts, routes);
  result.lfts = Lfts(whole.switch_count(), whole.lid_top());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for_each_entry(parts[i], [&](SwitchId from, SwitchId at, Lid lid, const Endport&) {
      result.lfts.set(from, lid, routes[i].lfts.port(at, lid));
    });
    result.vls = std::max(result.vls, routes[i].vls);
    result.vls_needed = std::max(result.vls_needed, routes[i].vls_needed);
    for (const EndportId id : routes[i].ca_order)
      result.ca_order.push_back(id == kNoEndport ? id : parts[i].endports[id.value()]);
    for (const std::string& note : routes[i].notes)
      result.notes.push_back(fmt::format("{}: {}", describe(parts[i], i), note));
  }
  std::vector<UsedSls> used;
  result.path_sl = join_sls(whole, parts, routes, used);
  result.sl2vl = join_maps(parts, routes, used);
  result.adaptive = join_groups(whole, parts, routes);
  return result;
}

Result<Routes> run_engine_by_parts(const Engine& engine, const Fabric& whole,
                                   const RoutingOptions& options) {
  const auto parts = split_into_parts(whole);
  std::vector<Routes> routes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Fabric& fabric = parts[i].fabric;
    const RoutingOptions own = options_of_part(whole, parts[i], options);
    auto one = run_engine(engine, fabric, own);
    if (!one && fabric.switch_count() == 1) one = run_engine(*find_engine("minhop"), fabric, own);
    if (!one) return fail(one.error().code, "{}: {}", describe(parts[i], i), one.error().message);
    routes.push_back(std::move(*one));
  }
  Routes result = join_routes(whole, parts, routes);
  auto plan = plan_multicast(whole, result, options, options.groups);
  if (!plan) return forward(plan);
  add_multicast(std::move(*plan), result);
  return result;
}

}  // namespace weft
