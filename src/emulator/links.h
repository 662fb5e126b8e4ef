// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The physical layer of cables: links that train, fail, and are disabled by Sets; and the resulting
// port states. Both ends of a link are always up or down together.
// Source: InfiniBand Architecture Specification, volume 1, chapter 7.2, and volume 2, chapter 5.
#pragma once

#include "emulator/event_queue.h"
#include "emulator/model.h"
#include "emulator/notifications.h"
#include "emulator/traps.h"

namespace weft::emulator {

class Links {
 public:
  Links(Model& model, EventQueue& events, const Clock& clock, Traps& traps,
        Notifications& notifications)
      : model_(model),
        events_(events),
        clock_(clock),
        traps_(traps),
        notifications_(notifications) {}

  /// Sets all links that can be up to INIT at once: the initial state of a fabric.
  void bring_up_all();
  /// Sets the links of a node that was switched on to INIT at once.
  void bring_up(NodeId node);

  void cut(PortId port);
  void restore(PortId port);
  /// Takes down all links of a node, or starts their training.
  void node_off(NodeId node);
  void node_on(NodeId node);

  /// Handles PortState Down in a SubnSet(PortInfo). The switch of the port does not report the
  /// change.
  void command_down(PortId port);
  void command_phys(PortId port, PhysState phys);

  /// Causes a link error: both ends report the change of their state and retrain.
  void fail(PortId port);

  /// Handles a kTraining event.
  void training_done(PortId port, std::uint32_t generation);

  /// Counts link changes: a path that was checked at an earlier epoch must be checked again.
  std::uint32_t epoch() const { return epoch_; }

 private:
  bool can_train(PortId port) const;
  void start_training(PortId port);
  bool trains_twice(PortId port) const;
  void train_again(PortId port);
  void break_link(PortId port, bool by_command);
  void go_down(PortId port, bool report);
  bool come_up(PortId port);
  void report_change(PortId port);

  Model& model_;
  EventQueue& events_;
  const Clock& clock_;
  Traps& traps_;
  Notifications& notifications_;
  std::uint32_t epoch_ = 0;
};

}  // namespace weft::emulator
