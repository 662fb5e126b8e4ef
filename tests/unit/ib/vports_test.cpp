// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtualization attributes, compared with bytes, and round trips of random bytes.
#include "ib/vendor/vports.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <initializer_list>
#include <span>

#include "ib/vendor/vports_unconfirmed.h"
#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

/// The given bytes, followed by zeros.
template <std::size_t kSize>
std::array<std::byte, kSize> bytes_of(std::initializer_list<unsigned> values) {
  std::array<std::byte, kSize> bytes{};
  std::size_t at = 0;
  for (const unsigned value : values) bytes[at++] = static_cast<std::byte>(value);
  return bytes;
}
constexpr auto smp_bytes = &bytes_of<kSmpDataSize>;

TEST(VportWire, VirtualizationInfoHasEachFieldAtItsBits) {
  const VirtualizationInfo info{0x0102, 0x0304, true, false, true, 0x06, 0x07};
  const SmpData data = smp_bytes({0x01, 0x02, 0x03, 0x04, 0xA0, 0x00, 0x06, 0x07});
  EXPECT_EQ(encode(info), data);
  EXPECT_EQ(decode_virtualization_info(data), info);
  VirtualizationInfo reregister;
  reregister.client_reregister = true;
  EXPECT_EQ(encode(reregister)[4], std::byte{0x40});
}

TEST(VportWire, VportInfoHasEachFieldAtItsBits) {
  VportInfo info;
  info.state = PortState::kActive;
  info.client_reregister = true;
  info.guid_cap_blocks = 0x02;
  info.capability_mask = 0x0304;
  info.pkey_violations = 0x0506;
  info.qkey_violations = 0x0708;
  info.lid = Lid(0x090A);
  info.lid_by_vport_index = 0x0B0C;
  info.port_guid = Guid(0x1112131415161718);
  info.profile = 0x2122232425262728;
  const SmpData data = smp_bytes({0x48, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A,
                                  0x0B, 0x0C, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
                                  0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28});
  EXPECT_EQ(encode(info), data);
  EXPECT_EQ(decode_vport_info(data), info);
  info = {};
  info.lid_required = true;
  EXPECT_EQ(encode(info)[0], std::byte{0x04});
}

TEST(VportWire, VnodeInfoHasEachFieldAtItsBits) {
  const VnodeInfo info{0x0102, PortNum(0x03), 0x04, Guid(0x1112131415161718)};
  const SmpData data =
      smp_bytes({0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18});
  EXPECT_EQ(encode(info), data);
  EXPECT_EQ(decode_vnode_info(data), info);
}

TEST(VportWire, StatesHaveTheEvenIndexInTheHighNibble) {
  VportStateBlock block;
  block.states[0] = PortState::kActive;
  block.states[1] = PortState::kDown;
  block.states[2] = PortState::kInit;
  block.states[127] = PortState::kActive;
  SmpData data = smp_bytes({0x41, 0x20});
  data[63] = std::byte{0x04};
  EXPECT_EQ(encode(block), data);
  EXPECT_EQ(decode_vport_state_block(data), block);
}

TEST(VportWire, OnlyInitAndActiveAreUp) {
  for (unsigned state = 0; state < 16; ++state)
    EXPECT_EQ(is_vport_up(static_cast<PortState>(state)), state == 2 || state == 4) << state;
}

TEST(VportWire, TrapsHaveTheTrapNumberInTheLastTwoBytes) {
  NoticeDetails details = bytes_of<kNoticeDetailsSize>(
      {0, 0, 0x01, 0x02, 0, 0x01, 0x03, 0x04, 0x00, 0x11, 0, 0, 0x05, 0x06});
  details[52] = std::byte{0x04};
  details[53] = std::byte{0x78};
  const TrapVportChange change{Lid(0x0102), true, 0x0304,
                               TrapVportChange::kNodeDescription | TrapVportChange::kHierarchy,
                               0x0506};
  EXPECT_EQ(encode(change), details);
  EXPECT_EQ(decode_trap_vport_change(details), change);

  Notice notice;
  notice.generic = false;
  notice.details = encode(TrapVportState{Lid(0x0708)});
  EXPECT_EQ(notice.details[2], std::byte{0x07});
  EXPECT_EQ(notice.details[3], std::byte{0x08});
  EXPECT_EQ(vendor_trap_number(notice), 1146);
  EXPECT_EQ(decode_trap_vport_state(notice.details).lid, Lid(0x0708));
  notice.generic = true;
  EXPECT_FALSE(vendor_trap_number(notice).has_value());
}

TEST(VportWire, TrapsAboutKeysHaveTheVportBeforeTheTrapNumber) {
  TrapVportBadKey trap;
  trap.bad_key.lid1 = Lid(0x0304);
  trap.bad_key.gid2.back() = std::byte{0x77};
  trap.vport_index = 0x0506;
  NoticeDetails details{};
  details[2] = std::byte{0x03};
  details[3] = std::byte{0x04};
  details[49] = std::byte{0x77};
  details[50] = std::byte{0x05};
  details[51] = std::byte{0x06};
  details[52] = std::byte{0x04};
  details[53] = std::byte{0xE9};
  EXPECT_EQ(encode(trap, VportTrap::kBadPkey), details);
  EXPECT_EQ(decode_trap_vport_bad_key(details), trap);
}

TEST(VportWire, IsAnnouncedByCapabilityMask2) {
  PortInfo info;
  info.capability_mask2 = 0x0004;
  EXPECT_FALSE(has_virtualization(info)) << "CapabilityMask does not announce CapabilityMask2";
  info.capability_mask = cap_mask::kCapabilityMask2;
  EXPECT_TRUE(has_virtualization(info));
  info.capability_mask2 = 0xFFFB;
  EXPECT_FALSE(has_virtualization(info));
}

TEST(VportWire, ModifiersAreReadBackUnchanged) {
  namespace unconfirmed = vports_unconfirmed;
  EXPECT_EQ(unconfirmed::vport_of_modifier(unconfirmed::vport_modifier(0x1234)), 0x1234);
  EXPECT_EQ(unconfirmed::block_of_state_modifier(unconfirmed::state_modifier(7)), 7);
  const auto table = unconfirmed::read_table_modifier(unconfirmed::table_modifier(0x1234, 3));
  EXPECT_EQ(table.index, 0x1234);
  EXPECT_EQ(table.block, 3);
}

RC_GTEST_PROP(VportWire, AnyAttributesAreReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  const auto info = decode_virtualization_info(data);
  RC_ASSERT(decode_virtualization_info(encode(info)) == info);
  const auto vport = decode_vport_info(data);
  RC_ASSERT(decode_vport_info(encode(vport)) == vport);
  const auto vnode = decode_vnode_info(data);
  RC_ASSERT(decode_vnode_info(encode(vnode)) == vnode);
  RC_ASSERT(encode(decode_vport_state_block(data)) == data);
}

RC_GTEST_PROP(VportWire, AnyTrapsAreReadBackUnchanged, ()) {
  const auto details = any_bytes<kNoticeDetailsSize>();
  const auto change = decode_trap_vport_change(details);
  RC_ASSERT(decode_trap_vport_change(encode(change)) == change);
  const auto state = decode_trap_vport_state(details);
  RC_ASSERT(decode_trap_vport_state(encode(state)) == state);
}

}  // namespace
}  // namespace weft
