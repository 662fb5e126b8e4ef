// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/page_data.h"

#include <cmath>
#include <map>

#include "base/printable.h"
#include "report/layout_json.h"
#include "report/palette.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }

/// Rounds bandwidths and means to six decimals to keep the text short.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json switches_json(const Fabric& fabric) {
  Json json{{"name", Json::array()},
            {"guid", Json::array()},
            {"lid", Json::array()},
            {"ports", Json::array()}};
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Node& node = fabric.node(SwitchId(s));
    json["name"].push_back(node.description);
    json["guid"].push_back(hex(node.node_guid));
    json["lid"].push_back(fabric.endport(Fabric::endport_of(SwitchId(s))).lid.value());
    json["ports"].push_back(node.port_count);
  }
  return json;
}

/// The ports of Fabric::hosts(), in the order of host_lids().
Json hosts_json(const Fabric& fabric) {
  Json name = Json::array();
  Json guid = Json::array();
  Json lid = Json::array();
  Json lmc = Json::array();
  Json at = Json::array();
  Json port = Json::array();
  Json own = Json::array();
  for (const EndportId e : fabric.hosts()) {
    const Endport& host = fabric.endport(e);
    name.push_back(fabric.node(host.node).description);
    guid.push_back(hex(fabric.port(host.port).guid));
    lid.push_back(host.lid.value());
    lmc.push_back(host.lmc);
    at.push_back(host.sw.value());
    port.push_back(host.sw_port.value());
    own.push_back(fabric.port(host.port).num.value());
  }
  return {{"name", std::move(name)},   {"guid", std::move(guid)}, {"lid", std::move(lid)},
          {"lmc", std::move(lmc)},     {"sw", std::move(at)},     {"port", std::move(port)},
          {"own_port", std::move(own)}};
}

std::string rate_of(const Fabric& fabric, const Channel& channel) {
  const Port& port = fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
  return fmt::format("{}{}", name(port.width), name(port.speed));
}

Json cables_json(const Fabric& fabric, const std::vector<ChannelId>& cables, const Layout& layout) {
  Json a = Json::array();
  Json a_port = Json::array();
  Json b = Json::array();
  Json b_port = Json::array();
  Json rate = Json::array();
  Json bows = Json::array();
  std::map<std::string, std::size_t> number;
  Json rates = Json::array();
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const Channel& channel = fabric.channel(cables[i]);
    a.push_back(channel.from.value());
    a_port.push_back(channel.from_port.value());
    b.push_back(channel.to.value());
    b_port.push_back(channel.to_port.value());
    const std::string text = rate_of(fabric, channel);
    const auto [at, fresh] = number.try_emplace(text, number.size());
    if (fresh) rates.push_back(text);
    rate.push_back(at->second);
    if (closes_ring(layout, channel.from.value(), channel.to.value())) bows.push_back(i);
  }
  return {{"a", std::move(a)},           {"a_port", std::move(a_port)}, {"b", std::move(b)},
          {"b_port", std::move(b_port)}, {"rate", std::move(rate)},     {"rates", std::move(rates)},
          {"bows", std::move(bows)}};
}

/// For each cable, the value of the channel and the value of its reverse channel.
Json by_direction(const Fabric& fabric, const std::vector<ChannelId>& cables,
                  const std::vector<std::uint64_t>& by_channel) {
  Json json = Json::array();
  for (const ChannelId cable : cables) {
    json.push_back(by_channel[cable.value()]);
    json.push_back(by_channel[fabric.channel(cable).reverse.value()]);
  }
  return json;
}

Json cycle_json(const std::vector<CycleHop>& cycle,
                const std::vector<std::uint32_t>& direction_of_channel) {
  Json json = Json::array();
  for (const CycleHop& hop : cycle)
    json.push_back({{"cable", direction_of_channel[hop.channel.value()] / 2},
                    {"back", direction_of_channel[hop.channel.value()] % 2 == 1},
                    {"vl", hop.vl.value()}});
  return json;
}

Json verdict_json(const Verdict& verdict, const std::vector<std::uint32_t>& direction_of_channel) {
  return {{"ok", verdict.ok()},
          {"pairs", verdict.ca_to_ca.pairs},
          {"unreachable", verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived},
          {"loops", verdict.loops},
          {"credit_loops", verdict.has_credit_loop() ? 1 : 0},
          {"dependencies", verdict.dependencies},
          {"credit_loop", cycle_json(verdict.credit_loop, direction_of_channel)}};
}

Json quality_json(const Quality& quality) {
  return {{"hops_max", quality.hops_max},
          {"hops_mean", rounded(quality.hops_mean)},
          {"nonminimal", quality.nonminimal},
          {"link_load_max", quality.link_load_max},
          {"link_load_mean", rounded(quality.link_load_mean)},
          {"link_load_sd", rounded(quality.link_load_sd)},
          {"ebb", rounded(quality.ebb)},
          {"ebb_error", rounded(quality.ebb_error)},
          {"alltoall", rounded(quality.alltoall)}};
}

Json lanes_json(const Usage& usage) {
  Json json = Json::array();
  for (std::size_t vl = 0; vl < usage.lanes.size(); ++vl)
    if (usage.lanes[vl].hops > 0)
      json.push_back({{"vl", vl},
                      {"paths", usage.lanes[vl].paths},
                      {"hops", usage.lanes[vl].hops},
                      {"load_max", usage.lanes[vl].load_max}});
  return json;
}

/// All different maps, and for each switch a packed square of indices of maps, row by input port
/// and column by output port (0 to the number of ports). Without squares all ports use the first
/// map. Null if there are more than 256 maps.
Json sl2vl_json(const Fabric& fabric, const Sl2Vl& sl2vl) {
  std::map<SlMap, std::uint8_t> number{{sl2vl.common(), 0}};
  Json maps = Json::array({sl2vl.common()});
  Json squares = Json::array();
  if (!sl2vl.uniform()) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const unsigned ports = fabric.node(SwitchId(s)).port_count + 1u;
      std::vector<std::uint8_t> square;
      for (unsigned in = 0; in < ports; ++in)
        for (unsigned out = 0; out < ports; ++out) {
          const SlMap& map = sl2vl.map(SwitchId(s), PortNum(static_cast<std::uint8_t>(in)),
                                       PortNum(static_cast<std::uint8_t>(out)));
          const auto [at, fresh] =
              number.try_emplace(map, static_cast<std::uint8_t>(number.size()));
          if (fresh) maps.push_back(map);
          if (number.size() > 256) return nullptr;
          square.push_back(at->second);
        }
      squares.push_back(pack(square));
    }
  }
  return {{"maps", std::move(maps)}, {"squares", std::move(squares)}};
}

Json statistics_json(const std::vector<double>& values) {
  const Statistics s = statistics(values);
  return {{"mean", rounded(s.mean)},
          {"least", rounded(s.least)},
          {"most", rounded(s.most)},
          {"error99", rounded(s.error99)}};
}

Json traffic_json(const Fabric& fabric, const std::vector<ChannelId>& cables,
                  const Traffic& traffic) {
  return {{"pattern", traffic.pattern},
          {"runs", traffic.bandwidths.size()},
          {"bandwidth", statistics_json(traffic.bandwidths)},
          {"bins", bandwidth_bins(traffic.bandwidths)},
          {"delay", traffic.delays.empty() ? Json() : statistics_json(traffic.delays)},
          {"dropped", traffic.dropped},
          {"flows", by_direction(fabric, cables, traffic.flows)}};
}

Json run_json(const Fabric& fabric, const std::vector<ChannelId>& cables,
              const std::vector<std::uint32_t>& direction_of_channel, const ReportRun& run) {
  Json json{{"name", run.name}, {"served", run.has_routes()}};
  if (!run.has_routes()) {
    json["reason"] = run.reason;
    return json;
  }
  json["vls"] = run.vls;
  json["vls_needed"] = run.vls_needed;
  json["notes"] = run.notes;
  json["verify"] = run.verified ? verdict_json(run.verdict, direction_of_channel) : Json();
  json["quality"] = quality_json(run.quality);
  json["lanes"] = lanes_json(run.usage);
  json["load"] = by_direction(fabric, cables, run.usage.load);
  json["traffic"] = Json::array();
  for (const Traffic& traffic : run.traffic)
    json["traffic"].push_back(traffic_json(fabric, cables, traffic));
  json["sl2vl"] = sl2vl_json(fabric, run.sl2vl);
  json["tables"] = {{"too_large", run.tables.too_large},
                    {"with_sl", run.tables.with_sl},
                    {"lids", kPackedLids},
                    {"chunks", run.tables.chunks}};
  return json;
}

Json what_if_json(const Report& report, const std::vector<std::uint32_t>& direction_of_channel) {
  Json rows = Json::array();
  for (const WhatIfRow& row : report.what_if) {
    Json cables = Json::array();
    for (const ChannelId channel : row.channels)
      cables.push_back(direction_of_channel[channel.value()] / 2);
    rows.push_back({{"name", row.name},
                    {"cables", std::move(cables)},
                    {"routed", row.routed},
                    {"pairs_cut", row.pairs_cut},
                    {"pairs_lost", row.pairs_lost},
                    {"ebb_left", rounded(row.ebb_left)},
                    {"blocks", row.blocks},
                    {"vls", row.vls},
                    {"seconds", row.seconds}});
  }
  return {{"engine", report.what_if_of}, {"rows", std::move(rows)}};
}

}  // namespace

nlohmann::ordered_json page_data(const Report& report, const Layout& layout) {
  const Fabric& fabric = report.fabric;
  const auto cables = fabric.cables();
  // By channel: its index in by_direction(), which is 2 * cable, + 1 for the reverse channel.
  std::vector<std::uint32_t> direction_of_channel(fabric.channel_count());
  for (std::uint32_t i = 0; i < cables.size(); ++i) {
    direction_of_channel[cables[i].value()] = 2 * i;
    direction_of_channel[fabric.channel(cables[i]).reverse.value()] = 2 * i + 1;
  }
  Json runs = Json::array();
  for (const ReportRun& run : report.runs)
    runs.push_back(run_json(fabric, cables, direction_of_channel, run));
  return {{"program", report.program},
          {"title", report.title},
          {"input", report.input},
          {"fabric",
           {{"switches", fabric.switch_count()},
            {"cas", fabric.ca_count()},
            {"ports", fabric.port_count() - fabric.node_count()},
            {"links", fabric.link_count()}}},
          {"palette", {{"runs", kRunColours}}},
          {"layout", layout_json(layout)},
          {"switches", switches_json(fabric)},
          {"hosts", hosts_json(fabric)},
          {"cables", cables_json(fabric, cables, layout)},
          {"runs", std::move(runs)},
          {"what_if", what_if_json(report, direction_of_channel)}};
}

std::string to_text(const nlohmann::ordered_json& json) {
  return printable_json(
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace weft
