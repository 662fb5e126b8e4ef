// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/notice.h"

#include <cstring>

#include "ib/wire.h"

namespace weft {
namespace {

using wire::bytes;

constexpr std::size_t kDetailsOffset = 10;

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, Notice>
void layout(Op field, T& n) {
  field(0, 1, n.generic);
  field(1, 7, n.type);
  field(8, 24, n.producer);
  field(32, 16, n.trap);
  field(48, 16, n.issuer_lid);
  field(64, 1, n.toggle);
  field(65, 15, n.count);
}

// From here on, offsets are relative to the details.
template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapGid>
void layout(Op field, T& t) { bytes(field, 48, t.gid); }

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapLinkState>
void layout(Op field, T& t) { field(0, 16, t.lid); }

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapPortError>
void layout(Op field, T& t) {
  field(16, 16, t.lid);
  field(32, 8, t.port);
}

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapCapability>
void layout(Op field, T& t) {
  field(16, 16, t.lid);
  field(47, 1, t.other_local_changes);
  field(48, 32, t.capability_mask);
  field(80, 16, t.change_flags);
  field(96, 16, t.capability_mask2);
}

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapSystemGuid>
void layout(Op field, T& t) {
  field(16, 16, t.lid);
  field(48, 64, t.system_guid);
}

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapBadMkey>
void layout(Op field, T& t) {
  field(16, 16, t.lid);
  field(32, 16, t.dr_slid);
  field(48, 8, t.method);
  field(64, 16, t.attribute);
  field(80, 32, t.modifier);
  field(112, 64, t.mkey);
  field(184, 1, t.directed);
  field(185, 1, t.path_truncated);
  field(186, 6, t.hop_count);
  bytes(field, 192, t.return_path);
}

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapBadKey>
void layout(Op field, T& t) {
  field(16, 16, t.lid1);
  field(32, 16, t.lid2);
  field(48, 32, t.key);
  field(80, 4, t.sl);
  field(88, 24, t.qp1);
  field(120, 24, t.qp2);
  bytes(field, 144, t.gid1);
  bytes(field, 272, t.gid2);
}

template <class Op, class T>
requires std::is_same_v<std::remove_const_t<T>, TrapBadPkeySwitchPort>
void layout(Op field, T& t) {
  field(0, 16, t.data_valid);
  field(16, 16, t.lid1);
  field(32, 16, t.lid2);
  field(48, 16, t.pkey);
  field(64, 4, t.sl);
  field(72, 24, t.qp1);
  field(104, 24, t.qp2);
  bytes(field, 128, t.gid1);
  bytes(field, 256, t.gid2);
  field(384, 16, t.switch_lid);
  field(400, 8, t.port);
}

template <class T>
NoticeDetails encode_details(const T& trap) {
  NoticeDetails details{};
  layout(wire::FieldWriter(details.data()), trap);
  return details;
}

template <class T>
T decode_details(const NoticeDetails& details) {
  T trap;
  layout(wire::FieldReader(details.data()), trap);
  return trap;
}

}  // namespace

SmpData encode(const Notice& notice) {
  SmpData data{};
  layout(wire::FieldWriter(data.data()), notice);
  std::memcpy(data.data() + kDetailsOffset, notice.details.data(), kNoticeDetailsSize);
  return data;
}

Result<Notice> decode_notice(std::span<const std::byte, kSmpDataSize> data) {
  Notice notice;
  layout(wire::FieldReader(data.data()), notice);
  std::memcpy(notice.details.data(), data.data() + kDetailsOffset, kNoticeDetailsSize);
  return notice;
}

NoticeDetails encode(const TrapGid& trap) { return encode_details(trap); }
NoticeDetails encode(const TrapLinkState& trap) { return encode_details(trap); }
NoticeDetails encode(const TrapPortError& trap) { return encode_details(trap); }
NoticeDetails encode(const TrapCapability& trap) { return encode_details(trap); }
NoticeDetails encode(const TrapSystemGuid& trap) { return encode_details(trap); }
NoticeDetails encode(const TrapBadMkey& trap) { return encode_details(trap); }
NoticeDetails encode(const TrapBadKey& trap) { return encode_details(trap); }
NoticeDetails encode(const TrapBadPkeySwitchPort& trap) { return encode_details(trap); }

TrapGid decode_trap_gid(const NoticeDetails& details) { return decode_details<TrapGid>(details); }
TrapLinkState decode_trap_link_state(const NoticeDetails& details) {
  return decode_details<TrapLinkState>(details);
}
TrapPortError decode_trap_port_error(const NoticeDetails& details) {
  return decode_details<TrapPortError>(details);
}
TrapCapability decode_trap_capability(const NoticeDetails& details) {
  return decode_details<TrapCapability>(details);
}
TrapSystemGuid decode_trap_system_guid(const NoticeDetails& details) {
  return decode_details<TrapSystemGuid>(details);
}
TrapBadMkey decode_trap_bad_mkey(const NoticeDetails& details) {
  return decode_details<TrapBadMkey>(details);
}
TrapBadKey decode_trap_bad_key(const NoticeDetails& details) {
  return decode_details<TrapBadKey>(details);
}
TrapBadPkeySwitchPort decode_trap_bad_pkey_switch_port(const NoticeDetails& details) {
  return decode_details<TrapBadPkeySwitchPort>(details);
}

}  // namespace weft
