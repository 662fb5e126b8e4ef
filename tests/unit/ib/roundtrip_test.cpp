// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Properties of the decoders of SMPs, of the attributes of the specification and of the details of
// traps: any bytes decode or fail without a crash, and a decoded value encodes to bytes that decode
// to an equal value.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bytes.h"
#include "ib/extended_port_info.h"
#include "ib/node_info.h"
#include "ib/notice.h"
#include "ib/port_info.h"
#include "ib/sm_info.h"
#include "ib/switch_info.h"
#include "ib/tables.h"
#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

template <class Decode, class Repair = void (*)(SmpData&)>
void check_attribute(Decode decode, Repair repair = leave_unchanged) {
  SmpData data = any_bytes<kSmpDataSize>();
  if (*rc::gen::arbitrary<bool>()) repair(data);
  const auto first = decode(data);
  if (!first) {
    RC_ASSERT(first.error().code == Code::kBadField);
    return;
  }
  const auto second = decode(encode(*first));
  RC_ASSERT(second.has_value());
  RC_ASSERT(*second == *first);
}

RC_GTEST_PROP(RoundTrip, NodeInfoIsReadBackUnchanged, ()) {
  check_attribute(decode_node_info, make_node_type_valid);
}
RC_GTEST_PROP(RoundTrip, NodeDescriptionIsReadBackUnchanged, ()) {
  check_attribute(decode_node_description);
}
RC_GTEST_PROP(RoundTrip, PortInfoIsReadBackUnchanged, ()) {
  check_attribute(decode_port_info, make_port_info_valid);
}
RC_GTEST_PROP(RoundTrip, ExtendedPortInfoIsReadBackUnchanged, ()) {
  check_attribute(decode_extended_port_info);
}
RC_GTEST_PROP(RoundTrip, SwitchInfoIsReadBackUnchanged, ()) { check_attribute(decode_switch_info); }
RC_GTEST_PROP(RoundTrip, GuidInfoIsReadBackUnchanged, ()) { check_attribute(decode_guid_info); }
RC_GTEST_PROP(RoundTrip, PkeyTableIsReadBackUnchanged, ()) { check_attribute(decode_pkey_table); }
RC_GTEST_PROP(RoundTrip, SlToVlTableIsReadBackUnchanged, ()) {
  check_attribute(decode_sl_to_vl_table);
}
RC_GTEST_PROP(RoundTrip, VlArbTableIsReadBackUnchanged, ()) {
  check_attribute(decode_vl_arb_table);
}
RC_GTEST_PROP(RoundTrip, LinearForwardingTableIsReadBackUnchanged, ()) {
  check_attribute(decode_linear_forwarding_table);
}
RC_GTEST_PROP(RoundTrip, MulticastForwardingTableIsReadBackUnchanged, ()) {
  check_attribute(decode_multicast_forwarding_table);
}
RC_GTEST_PROP(RoundTrip, SmInfoIsReadBackUnchanged, ()) {
  check_attribute(decode_sm_info, make_sm_state_valid);
}
RC_GTEST_PROP(RoundTrip, NoticeIsReadBackUnchanged, ()) { check_attribute(decode_notice); }

template <class Decode>
void check_details(Decode decode) {
  const auto first = decode(any_bytes<kNoticeDetailsSize>());
  RC_ASSERT(decode(encode(first)) == first);
}

RC_GTEST_PROP(RoundTrip, TrapDetailsAreReadBackUnchanged, ()) {
  check_details(decode_trap_gid);
  check_details(decode_trap_link_state);
  check_details(decode_trap_port_error);
  check_details(decode_trap_capability);
  check_details(decode_trap_system_guid);
  check_details(decode_trap_bad_mkey);
  check_details(decode_trap_bad_key);
  check_details(decode_trap_bad_pkey_switch_port);
}

RC_GTEST_PROP(RoundTrip, SmpIsReadBackUnchanged, ()) {
  auto bytes = any_bytes<kMadSize>();
  bytes[0] = std::byte{1};
  bytes[1] = *rc::gen::element(std::byte{0x81}, std::byte{0x01}, std::byte{0x04});
  bytes[2] = std::byte{1};
  if (*rc::gen::arbitrary<bool>()) bytes[6] = std::byte{0};
  if (*rc::gen::arbitrary<bool>()) bytes[7] &= std::byte{0x3f};
  const auto first = decode_smp(bytes);
  if (!first) {
    RC_ASSERT(first.error().code == Code::kBadField);
    return;
  }
  const auto second = decode_smp(encode(*first));
  RC_ASSERT(second.has_value());
  RC_ASSERT(*second == *first);
}

// All bits of PortInfo except the reserved bits are the same after decoding and encoding.
RC_GTEST_PROP(RoundTrip, PortInfoKeepsEveryDefinedBit, ()) {
  SmpData data = any_bytes<kSmpDataSize>();
  make_port_info_valid(data);
  const auto info = decode_port_info(data);
  RC_ASSERT(info.has_value());
  data[34] &= std::byte{0xC7};
  data[52] &= std::byte{0x1F};
  data[56] &= std::byte{0x7F};
  data[63] &= std::byte{0x1F};
  RC_ASSERT(encode(*info) == data);
}

}  // namespace
}  // namespace weft
