// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/links.h"

#include <algorithm>
#include <array>

namespace weft::emulator {
namespace {

struct Trained {
  LinkWidth width;
  LinkSpeed speed;
};

/// The best width and speed that both ends enable, limited to those of the cable in the fabric
/// file.
std::optional<Trained> negotiate(const PortModel& port, const PortModel& peer, const Port& cable) {
  constexpr std::array kWidestFirst{LinkWidth::k12x, LinkWidth::k8x, LinkWidth::k4x, LinkWidth::k2x,
                                    LinkWidth::k1x};
  const PortInfo& a = port.info;
  const PortInfo& b = peer.info;
  const unsigned widths = a.link_width_enabled & b.link_width_enabled;
  const auto width = std::ranges::find_if(kWidestFirst, [&](LinkWidth w) {
    return lanes(w) <= lanes(cable.width) && (widths & static_cast<unsigned>(w)) != 0;
  });
  const SpeedBits carried = speeds_up_to(cable.speed);
  const auto common = [](unsigned x, unsigned y, unsigned z) {
    return static_cast<std::uint8_t>(x & y & z);
  };
  auto speed =
      fastest_speed({common(a.link_speed_enabled, b.link_speed_enabled, carried.basic),
                     common(a.link_speed_ext_enabled, b.link_speed_ext_enabled, carried.ext),
                     common(a.link_speed_ext2_enabled, b.link_speed_ext2_enabled, carried.ext2)});
  if (width == kWidestFirst.end() || !speed) return std::nullopt;
  const bool fdr10 =
      (port.extended.link_speed_enabled & peer.extended.link_speed_enabled & kFdr10Bit) != 0;
  if (speed == LinkSpeed::kQdr && fdr10 && cable.speed >= LinkSpeed::kFdr10)
    speed = LinkSpeed::kFdr10;
  return Trained{*width, *speed};
}

bool is_off(const PortInfo& info) {
  return info.phys_state == PhysState::kDisabled || info.phys_state == PhysState::kSleep;
}

}  // namespace

void Links::bring_up_all() {
  for (std::uint32_t p = 0; p < model_.port_count(); ++p) {
    const PortId peer = model_.wire(PortId(p)).peer;
    if (peer != kNoPort && p <= peer.value() && can_train(PortId(p))) {
      come_up(PortId(p));
      if (peer != PortId(p)) come_up(peer);
    }
  }
}

void Links::bring_up(NodeId node) {
  for (unsigned num = 1; num <= model_.node(node).port_count; ++num) {
    const PortId id = model_.port_id(node, PortNum(static_cast<std::uint8_t>(num)));
    if (can_train(id)) training_done(id, model_.port(id).link_generation);
  }
}

bool Links::can_train(PortId id) const {
  const PortId peer = model_.wire(id).peer;
  if (peer == kNoPort || model_.port(id).cut) return false;
  const Fabric& fabric = model_.fabric();
  return model_.node(fabric.port(id).node).alive && model_.node(fabric.port(peer).node).alive &&
         !is_off(model_.port(id).info) && !is_off(model_.port(peer).info) &&
         model_.wire(id).state == PortState::kDown &&
         negotiate(model_.port(id), model_.port(peer), fabric.port(id)).has_value();
}

void Links::start_training(PortId id) {
  if (!can_train(id)) return;
  const PortId end = std::min(id, model_.wire(id).peer);
  events_.push(clock_.now() + model_.options().training_time, EventKind::kTraining, end.value(),
               ++model_.port(end).link_generation);
}

void Links::training_done(PortId id, std::uint32_t generation) {
  if (model_.port(id).link_generation != generation) return;
  if (model_.wire(id).state > PortState::kDown) return train_again(id);
  if (!can_train(id)) return;
  ++epoch_;
  const PortId peer = model_.wire(id).peer;
  if (++model_.port(id).trainings == 1 && (trains_twice(id) || trains_twice(peer)))
    events_.push(clock_.now() + model_.options().training_time, EventKind::kTraining, id.value(),
                 generation);
  come_up(id);
  if (peer != id) come_up(peer);
  report_change(id);
  if (peer != id) report_change(peer);
}

bool Links::trains_twice(PortId id) const {
  return model_.node(model_.fabric().port(id).node).quirks.trains_twice;
}

void Links::train_again(PortId id) {
  fail(id);
  model_.port(id).trainings = 1;
}

bool Links::come_up(PortId id) {
  PortModel& port = model_.port(id);
  const auto trained = negotiate(port, model_.port(model_.wire(id).peer), model_.fabric().port(id));
  if (!trained) return false;
  PortInfo& info = port.info;
  port.extended.link_speed_active =
      trained->speed == LinkSpeed::kFdr10 ? kFdr10Bit : std::uint8_t{0};
  const SpeedBits speed = active_speed_bits(trained->speed);
  info.link_width_active = static_cast<std::uint8_t>(trained->width);
  info.link_speed_active = speed.basic;
  info.link_speed_ext_active = speed.ext;
  info.link_speed_ext2_active = speed.ext2;
  model_.set_state(id, PortState::kInit, PhysState::kLinkUp);
  return true;
}

void Links::go_down(PortId id, bool report) {
  const PortInfo& info = model_.port(id).info;
  const bool was_up = info.state > PortState::kDown;
  if (!is_off(info))
    model_.set_state(
        id, PortState::kDown,
        info.link_down_default == PhysState::kSleep ? PhysState::kSleep : PhysState::kPolling);
  else
    model_.set_state(id, PortState::kDown, info.phys_state);
  if (was_up && report) report_change(id);
}

void Links::break_link(PortId id, bool by_command) {
  const PortId peer = model_.wire(id).peer;
  if (peer == kNoPort) return;
  ++model_.port(std::min(id, peer)).link_generation;
  model_.port(std::min(id, peer)).trainings = 0;
  ++epoch_;
  const bool was_up = model_.wire(id).state > PortState::kDown;
  go_down(id, !by_command);
  if (peer != id) go_down(peer, true);
  if (!was_up) return;
  notifications_.port_down(id);
  if (peer != id) notifications_.port_down(peer);
}

void Links::report_change(PortId id) {
  const NodeId node = model_.fabric().port(id).node;
  NodeModel& owner = model_.node(node);
  if (!owner.is_switch || !owner.alive) return;
  owner.switch_info.port_state_change = true;
  traps_.link_state_changed(node);
}

void Links::cut(PortId id) {
  const PortId peer = model_.wire(id).peer;
  if (peer == kNoPort || model_.port(id).cut) return;
  model_.port(id).cut = model_.port(peer).cut = true;
  break_link(id, false);
}

void Links::restore(PortId id) {
  const PortId peer = model_.wire(id).peer;
  if (peer == kNoPort || !model_.port(id).cut) return;
  model_.port(id).cut = model_.port(peer).cut = false;
  start_training(id);
}

void Links::node_off(NodeId node) {
  for (unsigned num = 1; num <= model_.node(node).port_count; ++num)
    break_link(model_.port_id(node, PortNum(static_cast<std::uint8_t>(num))), false);
}

void Links::node_on(NodeId node) {
  for (unsigned num = 1; num <= model_.node(node).port_count; ++num)
    start_training(model_.port_id(node, PortNum(static_cast<std::uint8_t>(num))));
}

void Links::command_down(PortId id) {
  break_link(id, true);
  start_training(id);
}

void Links::fail(PortId id) {
  break_link(id, false);
  start_training(id);
}

void Links::command_phys(PortId id, PhysState phys) {
  if (phys == PhysState::kPolling && model_.wire(id).state > PortState::kDown) {
    command_down(id);
    return;
  }
  model_.set_state(id, model_.wire(id).state, phys);
  if (phys != PhysState::kPolling) {
    break_link(id, true);
    model_.set_state(id, PortState::kDown, phys);
  }
  start_training(id);
}

}  // namespace weft::emulator
