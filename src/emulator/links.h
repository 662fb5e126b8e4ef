// The physical side of cables: links that train, break, and are switched off by command; and the
// port states that follow. Both ends of a link are always up or down together.
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

  /// All links that can be up are in INIT at once: the state in which a fabric is met.
  void bring_up_all();
  /// The links of a node that was switched on come up at once.
  void bring_up(NodeId node);

  void cut(PortId port);
  void restore(PortId port);
  /// All links of a node break, or start to train.
  void node_off(NodeId node);
  void node_on(NodeId node);

  /// What an agent was told by SubnSet(PortInfo). The port's own switch does not report it.
  void command_down(PortId port);
  void command_phys(PortId port, PhysState phys);

  /// An error of the link itself: both ends report it, and train anew.
  void fail(PortId port);

  /// A kTraining event is due.
  void training_done(PortId port, std::uint32_t generation);

  /// Counts breaks and repairs: who looked at a path before may look again.
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
