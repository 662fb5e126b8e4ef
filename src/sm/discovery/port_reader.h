// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handles the answers to requests for PortInfo: stores the attributes of the port, confirms the
// M_Key of its SMA, and adds queries for SwitchInfo, for further speeds, and for the neighbor.
#pragma once

#include "ib/port_info.h"
#include "sm/discovery/discovery_state.h"
#include "sm/discovery/key_trial.h"
#include "sm/discovery/node_reader.h"
#include "sm/discovery/speed_reader.h"

namespace weft {

class PortReader {
 public:
  /// All references must outlive this object.
  PortReader(DiscoveryState& state, KeyTrial& keys, NodeReader& nodes, SpeedReader& speeds)
      : state_(state), keys_(keys), nodes_(nodes), speeds_(speeds) {}

  void on_port_info(const DiscoveryQuery& query, const Smp& answer);
  void on_no_port_info(const DiscoveryQuery& query, const QueryFailure& why);

 private:
  bool is_not_discovered(const DiscoveryQuery& query) const;
  bool is_as_before(const DiscoveryQuery& query, const PortInfo& before) const;
  void on_invalid_port_info(const DiscoveryQuery& query, const std::string& why);
  void query_neighbor(const DiscoveryQuery& query, const PortInfo& before);

  DiscoveryState& state_;
  KeyTrial& keys_;
  NodeReader& nodes_;
  SpeedReader& speeds_;
};

}  // namespace weft
