// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The active parts of the emulation: agents, links, traps, and SMPs in flight between them and the
// attached subnet managers.
#pragma once

#include <bitset>
#include <deque>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "emulator/agent/mkey_guard.h"
#include "emulator/agent/sma.h"
#include "emulator/emulated_fabric.h"
#include "emulator/event_queue.h"
#include "emulator/gmps.h"
#include "emulator/links.h"
#include "emulator/model.h"
#include "emulator/notifications.h"
#include "emulator/packets.h"
#include "emulator/traps.h"

namespace weft::emulator {

class Network;

/// How a program is attached to an endport.
struct Attachment {
  bool is_sm = true;
  bool by_all_ports = false;  // sends and receives by all ports of the node
};

/// One attached subnet manager.
class Station final : public SmpTransport {
 public:
  Station(Network& network, EndportId endport, Place place, const Attachment& attachment)
      : network_(network), endport_(endport), place_(place), attachment_(attachment) {}

  Status send(const Smp& smp) override;
  std::optional<Smp> receive() override;
  void wait_until(TimeNs deadline) override;
  bool take_link_change() override;

 private:
  friend class Network;
  Place egress_place(const Smp& smp) const;

  Network& network_;
  EndportId endport_;
  Place place_;
  Attachment attachment_;
  std::deque<std::uint32_t> inbox_;  // packet slots
  std::bitset<256> links_up_;        // by port number, at the last take_link_change()
};

class Network {
 public:
  Network(EmulatedFabric& owner, const Fabric& fabric, const EmulatorOptions& options);

  Station& attach(EndportId where, const Attachment& attachment);
  void detach(EndportId where);

  Gmps& gmps() { return gmps_; }
  void send(const Gmp& gmp, const GmpStation& from) { gmps_.send(gmp, from, faults_, rng_); }
  void wait(const GmpStation& at, TimeNs deadline);

  void send(const Smp& smp, const Station& from);
  std::optional<Smp> receive(Station& at);
  /// Waits for an SMP. Also returns when a GMP is delivered, so that a caller that handles both can
  /// receive it.
  void wait(const Station& at, TimeNs deadline);
  void run_until(TimeNs time);

  void schedule(TimeNs time, EmulatedFabric::Action action);
  void switch_off(NodeId node);
  void switch_on(NodeId node);
  void set_behavior(NodeId node, const DeviceBehavior& quirks);
  void set_description(NodeId node, const std::string& text);
  void set_capability_mask(PortId port, std::uint32_t mask);
  std::optional<std::uint16_t> add_vport(PortId port, const VirtualIdentity& identity);
  bool remove_vport(PortId port, std::uint16_t index);
  std::optional<std::uint16_t> move_vport(PortId from, std::uint16_t index, PortId to);
  void set_vnode_description(PortId port, std::uint16_t index, const std::string& text);
  void set_filter(EmulatedFabric::Filter filter) { filter_ = std::move(filter); }

  VirtualClock& clock() { return clock_; }
  Model& model() { return model_; }
  const Model& model() const { return model_; }
  Links& links() { return links_; }
  const Notifications& notifications() const { return notifications_; }
  EmulatorCounters& counters() { return counters_; }
  FaultRates& faults() { return faults_; }
  std::size_t pending_events() const { return events_.size(); }

 private:
  struct Faults {
    bool lost = false;
    bool doubled = false;
    TimeNs late_by{};
  };

  void vport_state_changed(PortId port);
  void announce_managers(NodeId node);
  void set_is_sm(EndportId where, bool is_sm);
  void step();
  void launch(std::uint32_t slot, Place from, TimeNs time);
  void depart(std::uint32_t slot, Place from, const Walk& path, TimeNs time);
  Walk path_back(Packet& packet);
  Faults draw_faults(const Packet& packet);
  void arrive(std::uint32_t slot);
  TimeNs answer_time(const NodeModel& node) const;
  bool has_room(const NodeModel& node) const;
  bool path_is_intact(const Packet& packet) const;
  void serve(std::uint32_t slot);
  void reply(std::uint32_t slot);
  void deliver(std::uint32_t slot);
  Station* station_at(Place place);
  void drop(std::uint32_t slot, Drop why);

  EmulatedFabric& owner_;
  const EmulatorOptions options_;
  Model model_;
  VirtualClock clock_;
  EventQueue events_;
  EmulatorCounters counters_;
  Traps traps_;
  Notifications notifications_;
  Links links_;
  MkeyGuard mkeys_;
  Sma sma_;
  Gmps gmps_;
  PacketPool packets_;
  FaultRates faults_;
  Rng rng_;
  EmulatedFabric::Filter filter_;
  std::vector<EmulatedFabric::Action> actions_;
  std::vector<std::uint32_t> free_actions_;
  std::vector<std::unique_ptr<Station>> stations_;
};

}  // namespace weft::emulator
