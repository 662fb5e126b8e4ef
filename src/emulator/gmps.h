// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GMPs between the endports of the emulation: routed by the switches' forwarding tables over ACTIVE
// links, and dropped if there is no route. Programs are attached to an endport for a management
// class; agents of the nodes respond to requests of the performance and congestion control classes,
// and of classes 0x0A and 0x0C.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/rng.h"
#include "emulator/class_key_agents.h"
#include "emulator/congestion_agents.h"
#include "emulator/counters.h"
#include "emulator/event_queue.h"
#include "emulator/model.h"
#include "emulator/performance_agents.h"
#include "emulator/walk.h"
#include "ib/gmp_transport.h"

namespace weft::emulator {

class Network;
class Gmps;

/// The transport of one attached program.
class GmpStation final : public GmpTransport {
 public:
  GmpStation(Network& network, EndportId endport, MgmtClass mgmt_class, Place place,
             bool by_all_ports)
      : network_(network),
        endport_(endport),
        mgmt_class_(mgmt_class),
        place_(place),
        by_all_ports_(by_all_ports) {}

  Status send(const Gmp& gmp) override;
  std::optional<Gmp> receive() override;
  void wait_until(TimeNs deadline) override;
  void wake() override {}  // there is one thread

 private:
  friend class Gmps;
  friend class Network;
  Network& network_;
  EndportId endport_;
  MgmtClass mgmt_class_;
  Place place_;
  bool by_all_ports_;  // sends and receives by all ports of the node
  std::deque<Gmp> inbox_;
};

class Gmps {
 public:
  Gmps(Model& model, EventQueue& events, const Clock& clock, EmulatorCounters& counters)
      : model_(model),
        events_(events),
        clock_(clock),
        counters_(counters),
        performance_(model),
        congestion_(model),
        class_keys_(model, clock) {}

  GmpStation& attach(Network& network, EndportId where, MgmtClass mgmt_class, bool by_all_ports);
  void detach(EndportId where, MgmtClass mgmt_class);

  void send(const Gmp& gmp, const GmpStation& from, const FaultRates& faults, Rng& rng);
  void arrive(std::uint32_t slot);
  /// Resets the agents of a node that loses its power.
  void reset(NodeId node) {
    congestion_.reset(node);
    class_keys_.reset(node);
  }
  CongestionAgents& congestion() { return congestion_; }
  ClassKeyAgents& class_keys() { return class_keys_; }
  PerformanceAgents& performance() { return performance_; }
  /// Whether a GMP was delivered since the last call.
  bool take_arrived() { return std::exchange(arrived_, false); }

 private:
  struct Packet {
    Gmp gmp;  // as received, except dlid
    Lid dlid;
    Place from;
  };
  Walk walk_of(const Packet& packet) const;
  void launch(const Packet& packet, TimeNs time);
  GmpStation* station_at(Place place, MgmtClass mgmt_class);
  /// False if no agent responds to the packet.
  bool answer(const Packet& packet, Place at);
  bool answer_by_class(Gmp& gmp, Place at);

  Model& model_;
  EventQueue& events_;
  const Clock& clock_;
  EmulatorCounters& counters_;
  PerformanceAgents performance_;
  CongestionAgents congestion_;
  ClassKeyAgents class_keys_;
  /// By node, port (0 on switches) and class.
  std::map<std::tuple<NodeId, PortNum, MgmtClass>, std::unique_ptr<GmpStation>> stations_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_;
  bool arrived_ = false;
};

}  // namespace weft::emulator
