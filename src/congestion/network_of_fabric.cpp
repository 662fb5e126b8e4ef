// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The channels of a node are its ports that are cabled to a node of the network, by number; a
// forwarding entry is a position among these channels.
#include <array>

#include "congestion/network_builder.h"
#include "fabric/aggregation.h"
#include "fabric/formats/dot/dot.h"
#include "fabric/servers.h"

namespace weft {
namespace {

constexpr std::uint8_t kNoPlace = RoutedNetwork::kNarrowNone;

bool is_network_host(const Fabric& fabric, const Endport& endport) {
  return endport.addressed() && !is_aggregation_node(fabric.node(endport.node));
}

class FabricNetwork {
 public:
  /// `sls` is used only with private tables.
  FabricNetwork(const Fabric& fabric, const Lfts& lfts, const ArTables* adaptive, const PathSl* sls)
      : fabric_(fabric), lfts_(lfts), adaptive_(adaptive), sls_(sls) {}

  Result<RoutedNetwork> build() {
    add_nodes();
    add_edges();
    std::uint32_t paths = 1;
    for (const EndportId id : hosts_)
      paths = std::max(paths, std::uint32_t{1} << fabric_.endport(id).lmc);
    if (auto status = builder_.lay_out("the fabric", paths); !status) return forward(status);
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      builder_.set_only(index_[fabric_.endport(hosts_[i]).port.value()], host_edge_[i]);
    if (has_private_tables()) select_tables();
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (adaptive_ != nullptr) add_groups(SwitchId(s));
      fill(SwitchId(s), paths);
    }
    set_servers();
    return builder_.take();
  }

 private:
  bool has_private_tables() const {
    return adaptive_ != nullptr && adaptive_->has_private_tables();
  }

  /// The table of each switch by the channel over which packets arrive, and by SL.
  void select_tables() {
    builder_.set_tables(adaptive_->table_count());
    for (const auto& [edge, sw, in] : arrivals_)
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl)
        builder_.set_table(edge, Sl(sl),
                           static_cast<std::uint8_t>(adaptive_->selection().table(sw, in, Sl(sl))));
  }

  void set_servers() {
    const auto servers = ports_by_server(fabric_, hosts_);
    if (servers.size() == hosts_.size()) return;
    std::vector<std::uint32_t> server(hosts_.size()), place(hosts_.size());
    for (std::uint32_t s = 0; s < servers.size(); ++s)
      for (std::uint32_t i = 0; i < servers[s].size(); ++i) {
        const Endport& port = fabric_.endport(hosts_[servers[s][i]]);
        const std::uint32_t host = builder_.host_of(index_[port.port.value()]);
        server[host] = s;
        place[host] = i;
      }
    builder_.set_servers(std::move(server), std::move(place));
  }

  void add_nodes() {
    index_.assign(fabric_.port_count(), RoutedNetwork::kNone);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const Node& node = fabric_.node(SwitchId(s));
      builder_.add_node({dot_name(node), node.description, node.node_guid}, false);
    }
    NodeId last(0xFFFFFFFF);
    for (std::uint32_t e = fabric_.switch_count(); e < fabric_.endport_count(); ++e) {
      const Endport& endport = fabric_.endport(EndportId(e));
      const Node& node = fabric_.node(endport.node);
      std::string name = dot_name(node);
      if (endport.node == last) name += fmt::format(":{}", fabric_.port(endport.port).num.value());
      last = endport.node;
      if (!is_network_host(fabric_, endport)) continue;
      index_[endport.port.value()] =
          builder_.add_node({std::move(name), node.description, node.node_guid}, true);
      hosts_.push_back(EndportId(e));
    }
  }

  /// The node of a port in this network, or kNone.
  std::uint32_t owner(PortId port) const {
    const NodeId node = fabric_.port(port).node;
    return fabric_.is_switch(node) ? node.value() : index_[port.value()];
  }

  std::uint32_t add_edge(std::uint32_t tail, std::uint32_t head, const Port& from) {
    const PortNum to = fabric_.port(from.peer).num;
    const std::uint32_t edge = builder_.add_edge(
        tail, head, data_rate_100mbit(from.width, from.speed), from.num.value(), to.value());
    if (head < fabric_.switch_count()) arrivals_.push_back({edge, SwitchId(head), to});
    return edge;
  }

  void add_edges() {
    place_.assign(fabric_.switch_count(), {});
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      place_[s].fill(kNoPlace);
      std::uint8_t place = 0;
      for (const Port& port : fabric_.ports(SwitchId(s))) {
        if (port.peer == kNoPort) continue;
        const std::uint32_t head = owner(port.peer);
        if (head == RoutedNetwork::kNone || head == s) continue;
        add_edge(s, head, port);
        place_[s][port.num.value()] = place++;
      }
    }
    for (const EndportId id : hosts_) {
      const Endport& endport = fabric_.endport(id);
      host_edge_.push_back(
          add_edge(index_[endport.port.value()], endport.sw.value(), fabric_.port(endport.port)));
    }
  }

  void add_groups(SwitchId sw) {
    std::vector<std::vector<std::uint32_t>> groups, shares;
    const bool has_shares = !adaptive_->divisions(sw).empty();
    for (unsigned table = 0; table < adaptive_->table_count(); ++table) {
      const auto all = adaptive_->table(table).groups(sw);
      const auto divisions = adaptive_->table(table).divisions(sw);
      for (std::size_t g = 0; g < all.size(); ++g) {
        groups.emplace_back();
        if (has_shares) shares.emplace_back();
        for_each_port(all[g], [&](PortNum port) {
          const std::uint8_t place = place_[sw.value()][port.value()];
          if (place == kNoPlace) return;
          groups.back().push_back(place);
          if (has_shares)
            shares.back().push_back(divisions.empty() ? 1 : share_of(all[g], divisions[g], port));
        });
      }
    }
    builder_.add_groups(sw.value(), groups, shares);
  }

  /// The share of a port: the weight of a sub-group is divided equally among its ports.
  static std::uint32_t share_of(const PortMask& ports, const GroupDivision& division,
                                PortNum port) {
    if (division.second.none()) return 1;
    const auto of_second = static_cast<std::uint32_t>(division.second.count());
    const auto of_first = static_cast<std::uint32_t>(ports.count()) - of_second;
    return division.second.test(port.value()) ? division.second_weight * of_first
                                              : division.first_weight * of_second;
  }

  void fill(SwitchId sw, std::uint32_t paths) {
    const std::array<std::uint8_t, 256>& place = place_[sw.value()];
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
      const Endport& to = fabric_.endport(hosts_[h]);
      for (std::uint32_t path = 0; path < paths; ++path) {
        const auto bit = path & ((1u << to.lmc) - 1);
        const Lid lid(static_cast<std::uint16_t>(to.lid.value() + bit));
        const PortNum port = lfts_.port(sw, lid);
        if (place[port.value()] != kNoPlace)
          builder_.set_place(sw.value(), h * paths + path, place[port.value()]);
        if (adaptive_ != nullptr) set_choices(sw, lid, h * paths + path);
        if (has_private_tables() && sls_ != nullptr && sls_->kind() != PathSl::Kind::kUniform)
          builder_.set_sl(sw.value(), h * paths + path, sls_->sl(sw, to.sw, lid));
      }
    }
  }

  /// The groups of all tables of a switch are numbered one after the other.
  void set_choices(SwitchId sw, Lid lid, std::uint32_t destination_path) {
    std::size_t first = 0;
    for (unsigned table = 0; table < adaptive_->table_count(); ++table) {
      const ArEntry entry = adaptive_->table(table).entry(sw, lid);
      if (entry.state != ArState::kStatic)
        builder_.set_choice(sw.value(), destination_path,
                            static_cast<std::uint16_t>(first + entry.group), table);
      first += adaptive_->table(table).groups(sw).size();
    }
  }

  /// An edge to a switch, with the input port.
  struct Arrival {
    std::uint32_t edge;
    SwitchId sw;
    PortNum in;
  };

  const Fabric& fabric_;
  const Lfts& lfts_;
  const ArTables* adaptive_;
  const PathSl* sls_;
  NetworkBuilder builder_;
  std::vector<Arrival> arrivals_;
  std::vector<EndportId> hosts_;
  std::vector<std::uint32_t> host_edge_;
  std::vector<std::uint32_t> index_;                  // by port, of hosts
  std::vector<std::array<std::uint8_t, 256>> place_;  // by switch and port
};

}  // namespace

std::vector<std::uint32_t> channels_by_port(const Fabric& fabric, const RoutedNetwork& network) {
  std::vector<std::uint32_t> channels(fabric.port_count(), RoutedNetwork::kNone);
  const auto take = [&](NodeId node, std::uint32_t of) {
    for (std::uint32_t i = 0; i < network.channels_from(of).size(); ++i) {
      const PortNum port(network.channels_from(of)[i].from_port);
      channels[fabric.port_id(node, port).value()] = network.first_channel(of) + i;
    }
  };
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) take(NodeId(s), s);
  std::uint32_t host = 0;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e) {
    const Endport& endport = fabric.endport(EndportId(e));
    if (is_network_host(fabric, endport)) take(endport.node, network.node_of_host(host++));
  }
  return channels;
}

Result<RoutedNetwork> network_of(const Fabric& fabric, const Lfts& lfts, const ArTables* adaptive) {
  return FabricNetwork(fabric, lfts, adaptive, nullptr).build();
}

Result<RoutedNetwork> network_of(const Fabric& fabric, const Routes& routes) {
  const ArTables* const adaptive = routes.adaptive ? &*routes.adaptive : nullptr;
  return FabricNetwork(fabric, routes.lfts, adaptive, &routes.path_sl).build();
}

}  // namespace weft
