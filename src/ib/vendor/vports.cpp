// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/vports.h"

#include "ib/vendor/vports_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

constexpr unsigned kTrapNumberAt = 52 * 8;  // bit offset in the details

template <class Op, class Info>
void layout_virtualization(Op field, Info& info) {
  field(0, 16, info.vport_cap);
  field(16, 16, info.vport_top);
  field(32, 1, info.enabled);
  field(33, 1, info.client_reregister);
  field(34, 1, info.state_change);
  field(48, 8, info.revision);
  field(56, 8, info.capability_mask);
}

template <class Op, class Info>
void layout_vport(Op field, Info& info) {
  field(0, 4, info.state);
  field(4, 1, info.client_reregister);
  field(5, 1, info.lid_required);
  field(8, 8, info.guid_cap_blocks);
  field(16, 16, info.capability_mask);
  field(32, 16, info.pkey_violations);
  field(48, 16, info.qkey_violations);
  field(64, 16, info.lid);
  field(80, 16, info.lid_by_vport_index);
  field(96, 64, info.port_guid);
  field(160, 64, info.profile);
}

template <class Op, class Info>
void layout_vnode(Op field, Info& info) {
  field(0, 16, info.partition_cap);
  field(16, 8, info.local_port);
  field(24, 8, info.port_count);
  field(32, 64, info.node_guid);
}

template <class Op, class Block>
void layout_states(Op field, Block& block) {
  for (unsigned i = 0; i < VportStateBlock::kVports; ++i) field(4 * i, 4, block.states[i]);
}

template <class Op, class Trap>
void layout_vport_change(Op field, Trap& trap) {
  field(16, 16, trap.lid);
  field(47, 1, trap.other_local_changes);
  field(48, 16, trap.capability_mask);
  field(64, 16, trap.change_flags);
  field(96, 16, trap.vport_index);
}

NoticeDetails with_trap_number(NoticeDetails details, VportTrap number) {
  wire::write_bits(details.data(), kTrapNumberAt, 16, static_cast<std::uint16_t>(number));
  return details;
}

}  // namespace

SmpData encode(const VirtualizationInfo& info) {
  SmpData data{};
  layout_virtualization(wire::FieldWriter(data.data()), info);
  return data;
}

VirtualizationInfo decode_virtualization_info(std::span<const std::byte, kSmpDataSize> data) {
  VirtualizationInfo info;
  layout_virtualization(wire::FieldReader(data.data()), info);
  return info;
}

SmpData encode(const VportInfo& info) {
  SmpData data{};
  layout_vport(wire::FieldWriter(data.data()), info);
  return data;
}

VportInfo decode_vport_info(std::span<const std::byte, kSmpDataSize> data) {
  VportInfo info;
  layout_vport(wire::FieldReader(data.data()), info);
  return info;
}

SmpData encode(const VnodeInfo& info) {
  SmpData data{};
  layout_vnode(wire::FieldWriter(data.data()), info);
  return data;
}

VnodeInfo decode_vnode_info(std::span<const std::byte, kSmpDataSize> data) {
  VnodeInfo info;
  layout_vnode(wire::FieldReader(data.data()), info);
  return info;
}

SmpData encode(const VportStateBlock& block) {
  SmpData data{};
  layout_states(wire::FieldWriter(data.data()), block);
  return data;
}

VportStateBlock decode_vport_state_block(std::span<const std::byte, kSmpDataSize> data) {
  VportStateBlock block;
  layout_states(wire::FieldReader(data.data()), block);
  return block;
}

std::optional<std::uint16_t> vendor_trap_number(const Notice& notice) {
  if (notice.generic) return std::nullopt;
  return static_cast<std::uint16_t>(wire::read_bits(notice.details.data(), kTrapNumberAt, 16));
}

NoticeDetails encode(const TrapVportChange& trap) {
  NoticeDetails details{};
  layout_vport_change(wire::FieldWriter(details.data()), trap);
  return with_trap_number(details, VportTrap::kVportChange);
}

NoticeDetails encode(const TrapVportState& trap) {
  NoticeDetails details{};
  wire::FieldWriter field(details.data());
  field(16, 16, trap.lid);
  return with_trap_number(details, VportTrap::kVportStateChange);
}

NoticeDetails encode(const TrapVportBadKey& trap, VportTrap number) {
  NoticeDetails details = encode(trap.bad_key);
  wire::write_bits(details.data(), 8 * vports_unconfirmed::kVportOfBadKeyAt, 16, trap.vport_index);
  return with_trap_number(details, number);
}

TrapVportBadKey decode_trap_vport_bad_key(const NoticeDetails& details) {
  return {decode_trap_bad_key(details),
          static_cast<std::uint16_t>(
              wire::read_bits(details.data(), 8 * vports_unconfirmed::kVportOfBadKeyAt, 16))};
}

TrapVportChange decode_trap_vport_change(const NoticeDetails& details) {
  TrapVportChange trap;
  layout_vport_change(wire::FieldReader(details.data()), trap);
  return trap;
}

TrapVportState decode_trap_vport_state(const NoticeDetails& details) {
  TrapVportState trap;
  wire::FieldReader field(details.data());
  field(16, 16, trap.lid);
  return trap;
}

}  // namespace weft
