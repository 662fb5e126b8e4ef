// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traps of agents to the subnet manager. A trap is sent to the MasterSMLID of the port and repeated
// until the SM represses it or the limit of repetitions is reached. A port without a LID or a
// MasterSMLID sends no traps. A new event replaces an older trap of the same kind that is not
// repressed. The new trap has a new transaction id, so that a TrapRepress for the old trap does not
// suppress it; the interval since the last transmission continues.
// Source: InfiniBand Architecture Specification, volume 1, chapters 13.4.9 and 14.2.5.1.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "emulator/event_queue.h"
#include "emulator/model.h"
#include "emulator/walk.h"
#include "ib/notice.h"

namespace weft::emulator {

class Traps {
 public:
  using Send = std::function<void(const Smp& smp, Place from)>;

  Traps(Model& model, EventQueue& events, const Clock& clock, Send send)
      : model_(model), events_(events), clock_(clock), send_(std::move(send)) {}

  /// Sends trap 128 of a switch.
  void link_state_changed(NodeId sw);
  /// Sends trap 144 of an agent's port; `change_flags` are those of TrapCapability.
  void local_change(PortId agent_port, bool other_local_changes, std::uint16_t change_flags);
  /// Sends trap 256 about an SMP with a wrong M_Key.
  void bad_mkey(PortId agent_port, const Smp& smp);
  /// Sends trap 1146 of a CA port with virtual ports.
  void vport_state_changed(PortId agent_port);
  /// Sends trap 1144 of a CA port with virtual ports.
  void vport_changed(PortId agent_port, std::uint16_t vport, std::uint16_t change_flags);

  /// Handles a TrapRepress received at the port.
  void repress(PortId agent_port, const Smp& smp);
  /// Handles a kTrapRepeat event.
  void repeat(std::uint32_t slot, std::uint32_t generation);
  /// Drops the pending traps of a node that was switched off.
  void forget(NodeId node);

 private:
  struct Slot {
    PortId port;
    Notice notice;
    std::uint64_t transaction_id = 0;
    unsigned left = 0;  // remaining transmissions, the first included
    std::uint32_t generation = 0;
    TimeNs last_sent{-1};
  };
  using Key = std::pair<PortId, std::uint16_t>;  // port and trap number; one pending trap for each

  void raise(PortId port, NoticeType type, TrapNumber number, const NoticeDetails& details);
  void raise(PortId port, const Notice& notice);
  void transmit(std::uint32_t slot);
  void release(std::map<Key, std::uint32_t>::iterator entry);
  TimeNs interval(PortId port) const;

  Model& model_;
  EventQueue& events_;
  const Clock& clock_;
  Send send_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::map<Key, std::uint32_t> open_;
  std::uint64_t next_transaction_ = 1;
};

}  // namespace weft::emulator
