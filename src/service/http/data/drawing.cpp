// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/drawing.h"

#include <fmt/format.h>

#include <map>

#include "report/layout.h"
#include "report/layout_json.h"
#include "report/usage.h"
#include "service/http/data/nodes.h"

namespace weft::http_data {
namespace {

Json switches_json(const Fabric& fabric, const SwitchGraph& graph) {
  Json guid = Json::array(), name = Json::array(), lid = Json::array(), ports = Json::array();
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Node& node = fabric.node(SwitchId(s));
    guid.push_back(hex(node.node_guid));
    name.push_back(node.description);
    lid.push_back(fabric.endport(Fabric::endport_of(SwitchId(s))).lid.value());
    ports.push_back(node.port_count);
  }
  return {{"guid", std::move(guid)},
          {"name", std::move(name)},
          {"lid", std::move(lid)},
          {"ports", std::move(ports)},
          {"hosts", graph.hosts}};
}

/// Assigns consecutive numbers to distinct texts.
class Words {
 public:
  std::size_t number(std::string text) {
    const auto [at, fresh] = numbers_.try_emplace(std::move(text), numbers_.size());
    if (fresh) list_.push_back(at->first);
    return at->second;
  }
  Json take() { return std::move(list_); }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json list_ = Json::array();
};

/// JSON of the links. Each link is listed once: the channel from a to b has a lower id than the
/// channel from b to a.
Json cables_json(const Snapshot& snapshot, const Layout& layout) {
  const Fabric& fabric = snapshot.fabric;
  const Usage usage = count_usage(fabric, snapshot.routes, 1);
  Json a = Json::array(), a_port = Json::array(), b = Json::array(), b_port = Json::array();
  Json there = Json::array(), back = Json::array(), rate = Json::array(), state = Json::array();
  Json bows = Json::array();
  Words rates, states;
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    if (c > channel.reverse.value()) continue;
    const Port& port =
        fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
    if (closes_ring(layout, channel.from.value(), channel.to.value())) bows.push_back(a.size());
    a.push_back(channel.from.value());
    a_port.push_back(channel.from_port.value());
    b.push_back(channel.to.value());
    b_port.push_back(channel.to_port.value());
    there.push_back(usage.load[c]);
    back.push_back(usage.load[channel.reverse.value()]);
    rate.push_back(rates.number(fmt::format("{}{}", name(port.width), name(port.speed))));
    state.push_back(states.number(std::string(state_of(snapshot, port))));
  }
  return {{"a", std::move(a)},           {"a_port", std::move(a_port)}, {"b", std::move(b)},
          {"b_port", std::move(b_port)}, {"there", std::move(there)},   {"back", std::move(back)},
          {"rate", std::move(rate)},     {"rates", rates.take()},       {"state", std::move(state)},
          {"states", states.take()},     {"bows", std::move(bows)}};
}

}  // namespace

Json drawing(const Snapshot& snapshot) {
  const SwitchGraph graph = make_switch_graph(snapshot.fabric);
  const Layout layout = lay_out(graph);
  return {{"sweep", snapshot.sweep},
          {"engine", snapshot.routes.engine},
          {"layout", layout_json(layout)},
          {"switches", switches_json(snapshot.fabric, graph)},
          {"cables", cables_json(snapshot, layout)}};
}

}  // namespace weft::http_data
