// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The next hops of minhop toward every switch, and the balanced tables and AR groups of the next
// hops that remain after an engine has removed some of them.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/adaptive/choice_dags.h"
#include "routing/adaptive/engines.h"
#include "routing/adaptive/group_tables.h"
#include "routing/balance/spread.h"
#include "routing/minhop.h"
#include "routing/tables/destinations.h"

namespace weft {

class MinhopChoices {
 public:
  /// Begins with all next hops. The arguments must outlive this object.
  MinhopChoices(const Fabric& fabric, const WithGroups<MinhopOptions>& options);

  const Trunks& trunks() const { return trunks_; }
  const std::vector<Destination>& order() const { return order_; }
  ChoiceDags& dags() { return dags_; }
  const ChoiceDags& dags() const { return dags_; }
  /// The trunk of a channel.
  std::uint32_t trunk_of(ChannelId channel) const { return trunk_of_[channel.value()]; }

  /// Tables over the next hops that all tables keep, balanced like the tables of minhop. Each
  /// switch must have at least one such next hop toward every switch that is reachable from the
  /// switch.
  Lfts tables() const;
  /// Adds groups of the kept next hops, or LAG groups if the options request LAG. The first
  /// `tables` tables of the next hops become forwarding tables: packets with an SL use the table
  /// that equals the SL modulo `tables`. A switch with the same next hops in all of them has one.
  void add_groups(unsigned tables, Routes& routes);

 private:
  void make_kept_dag(SwitchId to, HopDag& dag) const;
  void select_tables(unsigned tables, Routes& routes) const;
  WantedGroups wanted_at(SwitchId sw) const;
  PortMask ports(SwitchId sw, SwitchId to) const;

  const Fabric& fabric_;
  const WithGroups<MinhopOptions>& options_;
  const Trunks trunks_;
  std::vector<std::uint32_t> trunk_of_;  // by channel
  const std::vector<Destination> order_;
  const DagMaker make_dag_;
  ChoiceDags dags_;
};

}  // namespace weft
