// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/traps.h"

#include <algorithm>

#include "ib/vendor/vports.h"

namespace weft::emulator {
namespace {

constexpr unsigned kSubnetTimeoutMax = 20;  // limit of emulated timeouts: about 4 s
constexpr std::uint32_t kVendor = 0x0002C9;

std::uint16_t number_of(const Notice& notice) {
  return vendor_trap_number(notice).value_or(notice.trap);
}

}  // namespace

void Traps::link_state_changed(NodeId sw) {
  const PortId port = model_.port_id(sw, PortNum(0));
  raise(port, NoticeType::kUrgent, TrapNumber::kLinkStateChange,
        encode(TrapLinkState{model_.port(port).info.lid}));
}

void Traps::local_change(PortId port, bool other_local_changes, std::uint16_t change_flags) {
  const PortInfo& info = model_.port(port).info;
  TrapCapability trap;
  trap.lid = info.lid;
  trap.other_local_changes = other_local_changes;
  trap.capability_mask = info.capability_mask;
  trap.change_flags = change_flags;
  trap.capability_mask2 = info.capability_mask2;
  raise(port, NoticeType::kInformational, TrapNumber::kCapabilityChange, encode(trap));
}

void Traps::bad_mkey(PortId port, const Smp& smp) {
  TrapBadMkey trap;
  trap.lid = model_.port(port).info.lid;
  trap.method = smp.method;
  trap.attribute = smp.attribute;
  trap.modifier = smp.modifier;
  trap.mkey = smp.mkey;
  if (smp.mgmt_class == MgmtClass::kSmpDirected) {
    trap.directed = true;
    trap.dr_slid = smp.dr_slid;
    trap.hop_count = smp.hop_count;
    trap.path_truncated = smp.hop_count > trap.return_path.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(smp.hop_count, trap.return_path.size()); ++i)
      trap.return_path[i] = smp.return_path[i + 1];
  }
  raise(port, NoticeType::kSecurity, TrapNumber::kBadMkey, encode(trap));
}

void Traps::vport_state_changed(PortId port) {
  Notice notice;
  notice.generic = false;
  notice.type = NoticeType::kInformational;
  notice.producer = kVendor;
  notice.trap = model_.device_id(model_.fabric().port(port).node);
  notice.details = encode(TrapVportState{model_.port(port).info.lid});
  raise(port, notice);
}

void Traps::vport_changed(PortId port, std::uint16_t vport, std::uint16_t change_flags) {
  TrapVportChange trap;
  trap.lid = model_.port(port).info.lid;
  trap.other_local_changes = true;
  trap.change_flags = change_flags;
  trap.vport_index = vport;
  Notice notice;
  notice.generic = false;
  notice.type = NoticeType::kInformational;
  notice.producer = kVendor;
  notice.trap = model_.device_id(model_.fabric().port(port).node);
  notice.details = encode(trap);
  raise(port, notice);
}

void Traps::raise(PortId port, NoticeType type, TrapNumber number, const NoticeDetails& details) {
  Notice notice;
  notice.type = type;
  notice.producer = static_cast<std::uint32_t>(
      model_.fabric().is_switch(model_.fabric().port(port).node) ? Producer::kSwitch
                                                                 : Producer::kCa);
  notice.trap = static_cast<std::uint16_t>(number);
  notice.details = details;
  raise(port, notice);
}

void Traps::raise(PortId port, const Notice& notice) {
  const PortInfo& info = model_.port(port).info;
  if (info.master_sm_lid == kLidNone || info.lid == kLidNone) return;  // no SM or no LID yet
  const Key key{port, number_of(notice)};
  const auto [entry, is_new] = open_.try_emplace(key, 0);
  if (is_new) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    entry->second = free_.back();
    free_.pop_back();
    slots_[entry->second].port = port;
    slots_[entry->second].last_sent = TimeNs{-1};
  }
  Slot& slot = slots_[entry->second];
  slot.notice = notice;
  slot.notice.issuer_lid = info.lid;
  slot.transaction_id = next_transaction_++;
  slot.left = model_.options().trap_repeats_max + 1;
  ++slot.generation;
  const TimeNs earliest =
      slot.last_sent < TimeNs{0} ? clock_.now() : slot.last_sent + interval(port);
  if (earliest <= clock_.now())
    transmit(entry->second);
  else
    events_.push(earliest, EventKind::kTrapRepeat, entry->second, slot.generation);
}

TimeNs Traps::interval(PortId port) const {
  const unsigned exponent =
      std::min<unsigned>(model_.port(port).info.subnet_timeout, kSubnetTimeoutMax);
  return std::max(model_.options().trap_interval, TimeNs{std::int64_t{4096} << exponent});
}

void Traps::transmit(std::uint32_t index) {
  Slot& slot = slots_[index];
  const PortInfo& info = model_.port(slot.port).info;
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  smp.method = Method::kTrap;
  smp.attribute = AttributeId::kNotice;
  smp.transaction_id = slot.transaction_id;
  smp.slid = info.lid;
  smp.dlid = info.master_sm_lid;
  smp.data = encode(slot.notice);
  slot.last_sent = clock_.now();
  --slot.left;
  events_.push(clock_.now() + interval(slot.port), EventKind::kTrapRepeat, index, slot.generation);
  const Port& port = model_.fabric().port(slot.port);
  send_(smp, {port.node, port.num});
}

void Traps::repeat(std::uint32_t index, std::uint32_t generation) {
  const Slot& slot = slots_[index];
  if (slot.generation != generation) return;
  if (slot.left > 0)
    transmit(index);
  else
    release(open_.find({slot.port, number_of(slot.notice)}));
}

void Traps::repress(PortId port, const Smp& smp) {
  const auto notice = decode_notice(smp.data);
  if (!notice) return;
  const auto entry = open_.find({port, number_of(*notice)});
  if (entry != open_.end() && slots_[entry->second].transaction_id == smp.transaction_id)
    release(entry);
}

void Traps::forget(NodeId node) {
  const auto& fabric = model_.fabric();
  for (auto entry = open_.begin(); entry != open_.end();) {
    const auto next = std::next(entry);
    if (fabric.port(entry->first.first).node == node) release(entry);
    entry = next;
  }
}

void Traps::release(std::map<Key, std::uint32_t>::iterator entry) {
  ++slots_[entry->second].generation;
  free_.push_back(entry->second);
  open_.erase(entry);
}

}  // namespace weft::emulator
