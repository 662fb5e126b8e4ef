// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/qos/lanes.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "sm/qos/administered_lanes.h"

namespace weft {
namespace {

constexpr std::uint8_t kEvenWeight = 64;  // 4 KiB: one packet of the largest MTU
constexpr std::size_t kObstaclesNamed = 20;

bool is_second(modifier::VlArbBlock block) {
  return block == modifier::VlArbBlock::kLowSecond || block == modifier::VlArbBlock::kHighSecond;
}

/// Whether the SMA of a port has SL2VL tables; on switches the capability is that of port 0.
bool maps_sls(const Observed& observed, const Fabric& fabric, const Port& port) {
  const PortNum agent = fabric.is_switch(port.node) ? PortNum(0) : port.num;
  const PortInfo& info = observed.nodes[port.node.value()].ports[agent.value()];
  return (info.capability_mask & cap_mask::kSlMapping) != 0;
}

/// Whether all planned pairs of the switch have the same map.
bool is_uniform(const Fabric& fabric, const Sl2Vl& sl2vl, const LanePlan& plan, SwitchId sw) {
  if (sl2vl.uniform()) return true;
  const SlMap* first = nullptr;
  for (const Port& out : fabric.ports(sw)) {
    const bool port0 = out.num == PortNum(0);
    if (port0 ? plan.arbitration(fabric.port_id(out.node, out.num)) == nullptr
              : out.peer == kNoPort)
      continue;
    for (const Port& in : fabric.ports(sw)) {
      const SlMap& map = sl2vl.map(sw, in.num, out.num);
      if (first == nullptr) first = &map;
      if (map != *first) return false;
    }
  }
  return true;
}

}  // namespace

PortArbitration even_arbitration(unsigned vls, unsigned low_cap, unsigned high_cap) {
  PortArbitration arbitration;
  arbitration.low.resize(low_cap);
  arbitration.high.resize(high_cap);
  for (unsigned vl = 0; vl < vls; ++vl) {
    const VlWeight share{Vl(static_cast<std::uint8_t>(vl)), kEvenWeight};
    if (vl < low_cap) {
      arbitration.low[vl] = share;
    } else if (vl - low_cap < high_cap) {
      arbitration.high[vl - low_cap] = share;
    }
  }
  return arbitration;
}

unsigned vls_served(const PortArbitration& arbitration) {
  for (unsigned vl = 0;; ++vl) {
    const auto serves = [&](const VlWeight& entry) {
      return entry.vl.value() == vl && entry.weight > 0;
    };
    if (std::ranges::none_of(arbitration.low, serves) &&
        std::ranges::none_of(arbitration.high, serves))
      return vl;
  }
}

std::optional<VlArbTable> block_of(const PortArbitration& arbitration, modifier::VlArbBlock block) {
  const bool high = block >= modifier::VlArbBlock::kHighFirst;
  const std::vector<VlWeight>& entries = high ? arbitration.high : arbitration.low;
  const std::size_t first = is_second(block) ? VlArbTable::kEntries : 0;
  if (first >= entries.size()) return std::nullopt;
  VlArbTable table;
  std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(first),
              std::min(entries.size() - first, VlArbTable::kEntries), table.entries.begin());
  return table;
}

std::uint8_t operational_vls(const Observed& observed, const Fabric& fabric, PortId port,
                             VlLimit limit) {
  const Port& own = fabric.port(port);
  if (own.peer == kNoPort) return 0;
  const Port& peer = fabric.port(own.peer);
  const PortInfo& info = observed.nodes[own.node.value()].ports[own.num.value()];
  if (limit.live_links == LiveLinks::kWait && info.state >= PortState::kArmed &&
      info.operational_vls != 0)
    return info.operational_vls;
  return std::min({info.vl_cap, observed.nodes[peer.node.value()].ports[peer.num.value()].vl_cap,
                   limit.between(fabric.node(own.node).type, fabric.node(peer.node).type)});
}

bool has_lanes_at_port0(const Observed& observed, SwitchId sw) {
  const ObservedNode& node = observed.nodes[sw.value()];
  return node.switch_info.enhanced_port0 && data_vls_of_code(node.ports[0].vl_cap) > 1;
}

unsigned data_vls_at(const Observed& observed, const Fabric& fabric, PortId port, VlLimit limit) {
  const Port& own = fabric.port(port);
  const PortInfo& info = observed.nodes[own.node.value()].ports[own.num.value()];
  if (fabric.is_switch(own.node) && own.num == PortNum(0))
    return data_vls_of_code(info.operational_vls != 0 ? info.operational_vls : info.vl_cap);
  return data_vls_of_code(operational_vls(observed, fabric, port, limit));
}

NodeLaneTables lane_tables(const Observed& observed, const Fabric& fabric, const Routes& routes,
                           const LanePlan& plan, NodeId node) {
  NodeLaneTables tables;
  const bool at_switch = fabric.is_switch(node);
  const SwitchId sw(node.value());
  const bool at_once = plan.is_at_once() && at_switch &&
                       observed.nodes[node.value()].switch_info.optimized_sl2vl != 0 &&
                       is_uniform(fabric, routes.sl2vl, plan, sw);
  for (const Port& out : fabric.ports(node)) {
    const PortId id = fabric.port_id(node, out.num);
    const PortArbitration* arbitration = plan.arbitration(id);
    if (arbitration == nullptr) continue;
    for (std::uint16_t block = 1; block <= 4; ++block)
      if (block_of(*arbitration, static_cast<modifier::VlArbBlock>(block)))
        tables.arbitration.push_back(static_cast<std::uint16_t>(block << 8 | out.num.value()));
    if (!maps_sls(observed, fabric, out)) continue;
    if (!at_switch) {
      tables.sl2vl.push_back(out.num.value());
    } else if (at_once) {
      if (tables.sl2vl.empty()) tables.sl2vl.push_back(kEveryPair);
    } else {
      for (const Port& in : fabric.ports(node))
        tables.sl2vl.push_back(static_cast<std::uint16_t>(in.num.value() << 8 | out.num.value()));
    }
  }
  return tables;
}

std::vector<std::uint16_t> every_pair(const Fabric& fabric, const LanePlan& plan, NodeId node) {
  std::vector<std::uint16_t> pairs;
  for (const Port& out : fabric.ports(node)) {
    if (plan.arbitration(fabric.port_id(node, out.num)) == nullptr) continue;
    for (const Port& in : fabric.ports(node))
      pairs.push_back(static_cast<std::uint16_t>(in.num.value() << 8 | out.num.value()));
  }
  return pairs;
}

std::uint32_t map_modifier(const Fabric& fabric, NodeId node, std::uint16_t pair) {
  if (!fabric.is_switch(node)) return 0;
  if (pair == kEveryPair) return modifier::kSlToVlEveryPair;
  return modifier::sl_to_vl(PortNum(static_cast<std::uint8_t>(pair >> 8)), port_of(pair));
}

std::uint32_t arbitration_modifier(const Fabric& fabric, NodeId node, std::uint16_t index) {
  return modifier::vl_arb(static_cast<modifier::VlArbBlock>(index >> 8),
                          fabric.is_switch(node) ? port_of(index) : PortNum(0));
}

const SlMap& planned_map(const Fabric& fabric, const Routes& routes, const LanePlan& plan,
                         NodeId node, std::uint16_t pair) {
  if (!fabric.is_switch(node)) {
    const SlMap* own = plan.end_map(fabric.port_id(node, port_of(pair)));
    return own != nullptr ? *own : routes.sl2vl.common();
  }
  const SwitchId sw(node.value());
  if (pair != kEveryPair)
    return routes.sl2vl.map(sw, PortNum(static_cast<std::uint8_t>(pair >> 8)),
                            PortNum(static_cast<std::uint8_t>(pair)));
  for (const Port& out : fabric.ports(sw))  // any output port has the map
    if (out.num != PortNum(0) && out.peer != kNoPort)
      return routes.sl2vl.map(sw, PortNum(0), out.num);
  return routes.sl2vl.common();
}

/// Builds a LanePlan, as its friend class.
class LanePlanner {
 public:
  LanePlanner(const Observed& observed, const Fabric& fabric, const Routes& routes, VlLimit limit,
              const QosOptions& qos, bool at_once)
      : observed_(observed), fabric_(fabric), routes_(routes), limit_(limit) {
    plan_.at_once_ = at_once;
    if (qos.enabled) keys_.emplace(observed, fabric, routes, qos, limit);
  }

  LanePlan plan() && {
    plan_.index_.resize(fabric_.port_count());
    for (std::uint32_t p = 0; p < fabric_.port_count(); ++p) plan_port(PortId(p));
    plan_.needed_ = needed();
    plan_.set_ = needed() || keys_ || is_cheap();
    if (!plan_.set_) plan_.index_.clear();
    if (obstacles_ > kObstaclesNamed)
      plan_.obstacles_.push_back(
          fmt::format("{} more ports do not support the VLs that the routes use",
                      obstacles_ - kObstaclesNamed));
    if (keys_) plan_.notes_ = keys_->notes();
    return std::move(plan_);
  }

 private:
  /// Whether the routes need the tables. Maps that differ only because of the administrator's keys
  /// are not needed.
  bool needed() const {
    return routes_.vls > 1 || (!routes_.sl2vl.uniform() && !(keys_ && keys_->maps_are_used()));
  }

  void plan_port(PortId id) {
    const Port& port = fabric_.port(id);
    const PortInfo& info = observed_.nodes[port.node.value()].ports[port.num.value()];
    const unsigned vls = data_vls_at(observed_, fabric_, id, limit_);
    if (fabric_.is_switch(port.node) && port.num == PortNum(0)) {
      if (keys_ && has_lanes_at_port0(observed_, SwitchId(port.node.value())))
        remember(id, keys_->arbitration(port, info, vls));
      return;
    }
    if (!is_up(port)) return;
    if (needed() && vls < routes_.vls)
      return obstacle(id, fmt::format("operates {} data VL{}", vls, vls == 1 ? "" : "s"));
    if ((keys_ ? data_vls_of_code(info.vl_cap) : vls) < 2) return;
    if (needed() && !maps_sls(observed_, fabric_, port))
      return obstacle(id, "cannot map service levels to VLs");
    if (keys_ && !fabric_.is_switch(port.node)) remember_map(id, keys_->end_map(port, vls));
    if (keys_) return remember(id, keys_->arbitration(port, info, vls));
    const Kind kind{vls, info.vl_arb_low_cap, info.vl_arb_high_cap};
    if (last_ && last_->first == kind) {
      plan_.index_[id.value()] = last_->second;
      return;
    }
    PortArbitration arbitration = even_arbitration(vls, info.vl_arb_low_cap, info.vl_arb_high_cap);
    const unsigned served = vls_served(arbitration);
    remember(id, std::move(arbitration));
    if (served >= routes_.vls) {
      last_ = {kind, plan_.index_[id.value()]};
    } else {
      obstacle(id, fmt::format("has {} and {} entries for arbitration between VLs, which serve {}",
                               info.vl_arb_low_cap, info.vl_arb_high_cap, served));
    }
  }

  /// Whether the port is cabled and both ends have answered.
  bool is_up(const Port& port) const {
    const auto answered = [&](const Port& end) {
      return observed_.nodes[end.node.value()].answered[end.num.value()];
    };
    return port.peer != kNoPort && answered(port) && answered(fabric_.port(port.peer));
  }

  void remember(PortId id, PortArbitration arbitration) {
    const auto known = std::ranges::find(plan_.kinds_, arbitration);
    plan_.index_[id.value()] = static_cast<std::uint16_t>(known - plan_.kinds_.begin() + 1);
    if (known == plan_.kinds_.end()) plan_.kinds_.push_back(std::move(arbitration));
  }

  void remember_map(PortId id, const SlMap& map) {
    if (map == routes_.sl2vl.common()) return;
    plan_.map_index_.resize(fabric_.port_count());
    const auto known = std::ranges::find(plan_.maps_, map);
    plan_.map_index_[id.value()] = static_cast<std::uint16_t>(known - plan_.maps_.begin() + 1);
    if (known == plan_.maps_.end()) plan_.maps_.push_back(map);
  }

  void obstacle(PortId id, const std::string& what) {
    if (++obstacles_ <= kObstaclesNamed)
      plan_.obstacles_.push_back(fmt::format("{} {}, and the routes of '{}' use {} VLs",
                                             describe(fabric_, id), what, routes_.engine,
                                             routes_.vls));
  }

  bool is_cheap() const {
    std::size_t tables = 0;
    for (std::uint32_t n = 0; n < fabric_.node_count() && tables <= kIdleLaneTablesMax; ++n) {
      const NodeLaneTables of_node = lane_tables(observed_, fabric_, routes_, plan_, NodeId(n));
      tables += of_node.sl2vl.size() + of_node.arbitration.size();
    }
    return tables <= kIdleLaneTablesMax;
  }

  const Observed& observed_;
  const Fabric& fabric_;
  const Routes& routes_;
  const VlLimit limit_;
  std::optional<AdministeredPorts> keys_;
  LanePlan plan_;
  std::size_t obstacles_ = 0;
  /// Number of VLs, and capacities of both tables of a port.
  using Kind = std::tuple<unsigned, std::uint8_t, std::uint8_t>;
  std::optional<std::pair<Kind, std::uint16_t>> last_;  // last Kind without obstacle, and its index
};

LanePlan plan_lanes(const Observed& observed, const Fabric& fabric, const Routes& routes,
                    VlLimit limit, const QosOptions& qos, bool at_once) {
  return LanePlanner(observed, fabric, routes, limit, qos, at_once).plan();
}

}  // namespace weft
