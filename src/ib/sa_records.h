// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GIDs, and the records of subnet administration in host order. Sizes are those on the wire,
// multiples of 8, because the attribute offset counts in units of 8 bytes; unused bytes at the end
// of a record are 0.
// Source: InfiniBand Architecture Specification, volume 1, chapters 13.4.8 and 15.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "ib/ids.h"
#include "ib/node_info.h"
#include "ib/notice.h"
#include "ib/port_info.h"
#include "ib/records/record_layout.h"
#include "ib/sm_info.h"
#include "ib/switch_info.h"
#include "ib/tables.h"

namespace weft {

/// Prefix of link-local GIDs, which are valid on every subnet in addition to GIDs with the prefix
/// of the subnet. Source: InfiniBand Architecture Specification, volume 1, chapter 4.1.1.
inline constexpr std::uint64_t kLinkLocalPrefix = 0xFE80'0000'0000'0000;

/// A GID: 64 bits of prefix, then the 64 bits of the GUID.
Gid make_gid(std::uint64_t prefix, Guid guid);
std::uint64_t prefix_of(const Gid& gid);
Guid guid_of(const Gid& gid);
constexpr bool is_multicast(const Gid& gid) { return gid[0] == std::byte{0xFF}; }

struct ClassPortInfo {
  static constexpr std::size_t kSize = 72;
  std::uint8_t base_version = 1;
  std::uint8_t class_version = 1;
  std::uint16_t capability_mask = 0;
  std::uint32_t capability_mask2 = 0;    // 27 bits
  std::uint8_t response_time_value = 0;  // 4.096 us * 2^n
  Gid redirect_gid{};
  std::uint8_t redirect_tclass = 0;
  Sl redirect_sl;
  std::uint32_t redirect_flow_label = 0;
  Lid redirect_lid;
  Pkey redirect_pkey;
  std::uint32_t redirect_qp = 0;  // 24 bits
  std::uint32_t redirect_qkey = 0;
  Gid trap_gid{};
  std::uint8_t trap_tclass = 0;
  Sl trap_sl;
  std::uint32_t trap_flow_label = 0;
  Lid trap_lid;
  Pkey trap_pkey;
  std::uint8_t trap_hop_limit = 0;
  std::uint32_t trap_qp = 0;  // 24 bits
  std::uint32_t trap_qkey = 0;
  bool operator==(const ClassPortInfo&) const = default;
};

struct NodeRecord {
  static constexpr std::size_t kSize = 112;
  Lid lid;
  NodeInfo info;
  NodeDescription description;
  bool operator==(const NodeRecord&) const = default;
};

struct PortInfoRecord {
  static constexpr std::size_t kSize = 72;
  static constexpr std::uint8_t kExtendedSpeeds = 0x80;  // bit of `options`
  Lid lid;
  PortNum port;
  std::uint8_t options = 0;
  PortInfo info;
  bool operator==(const PortInfoRecord&) const = default;
};

struct SlToVlRecord {
  static constexpr std::size_t kSize = 16;
  Lid lid;
  PortNum in;
  PortNum out;
  SlToVlTable table;
  bool operator==(const SlToVlRecord&) const = default;
};

struct SwitchInfoRecord {
  static constexpr std::size_t kSize = 24;
  Lid lid;
  SwitchInfo info;
  bool operator==(const SwitchInfoRecord&) const = default;
};

struct LftRecord {
  static constexpr std::size_t kSize = 72;
  Lid lid;
  std::uint16_t block = 0;
  LinearForwardingTable table;
  bool operator==(const LftRecord&) const = default;
};

struct MftRecord {
  static constexpr std::size_t kSize = 72;
  Lid lid;
  std::uint8_t position = 0;  // 4 bits
  std::uint16_t block = 0;    // 9 bits
  MulticastForwardingTable table;
  bool operator==(const MftRecord&) const = default;
};

struct SmInfoRecord {
  static constexpr std::size_t kSize = 32;
  Lid lid;
  SmInfo info;
  bool operator==(const SmInfoRecord&) const = default;
};

struct LinkRecord {
  static constexpr std::size_t kSize = 8;
  Lid from;
  PortNum from_port;
  PortNum to_port;
  Lid to;
  bool operator==(const LinkRecord&) const = default;
};

struct GuidInfoRecord {
  static constexpr std::size_t kSize = 72;
  Lid lid;
  std::uint8_t block = 0;
  GuidInfo table;
  bool operator==(const GuidInfoRecord&) const = default;
};

struct ServiceRecord {
  static constexpr std::size_t kSize = 176;
  std::uint64_t id = 0;
  Gid gid{};
  Pkey pkey;
  std::uint32_t lease = 0;  // seconds
  std::array<std::byte, 16> key{};
  std::array<std::byte, 64> name{};
  std::array<std::byte, 64> data{};  // values of 8, 16, 32 and 64 bits, as on the wire
  bool operator==(const ServiceRecord&) const = default;
};

struct PkeyTableRecord {
  static constexpr std::size_t kSize = 72;
  Lid lid;
  std::uint16_t block = 0;
  PortNum port;
  PkeyTable table;
  bool operator==(const PkeyTableRecord&) const = default;
};

struct VlArbRecord {
  static constexpr std::size_t kSize = 72;
  Lid lid;
  PortNum port;
  std::uint8_t block = 0;
  VlArbTable table;
  bool operator==(const VlArbRecord&) const = default;
};

/// How a request limits an MTU, rate or packet lifetime.
enum class Selector : std::uint8_t { kGreater = 0, kLess = 1, kExactly = 2, kBest = 3 };

struct PathRecord {
  static constexpr std::size_t kSize = 64;
  std::uint64_t service_id = 0;
  Gid dgid{};
  Gid sgid{};
  Lid dlid;
  Lid slid;
  bool raw_traffic = false;
  std::uint32_t flow_label = 0;  // 20 bits
  std::uint8_t hop_limit = 0;
  std::uint8_t tclass = 0;
  bool reversible = false;
  std::uint8_t numb_path = 0;  // 7 bits
  Pkey pkey;
  std::uint16_t qos_class = 0;  // 12 bits
  Sl sl;
  Selector mtu_selector{};
  std::uint8_t mtu = 0;  // 6 bits; values of Mtu
  Selector rate_selector{};
  std::uint8_t rate = 0;  // 6 bits; codes of ib/rates.h
  Selector life_selector{};
  std::uint8_t life = 0;  // 6 bits; 4.096 us * 2^n
  std::uint8_t preference = 0;
  bool operator==(const PathRecord&) const = default;
};

/// The fixed part of a MultiPathRecord; the GIDs follow, source GIDs first.
struct MultiPathRecord {
  static constexpr std::size_t kSize = 24;
  bool raw_traffic = false;
  std::uint32_t flow_label = 0;  // 20 bits
  std::uint8_t hop_limit = 0;
  std::uint8_t tclass = 0;
  bool reversible = false;
  std::uint8_t numb_path = 0;  // 7 bits
  Pkey pkey;
  std::uint16_t qos_class = 0;  // 12 bits
  Sl sl;
  Selector mtu_selector{};
  std::uint8_t mtu = 0;
  Selector rate_selector{};
  std::uint8_t rate = 0;
  Selector life_selector{};
  std::uint8_t life = 0;
  std::uint8_t service_id_high = 0;  // the highest 8 bits
  std::uint8_t independence = 0;     // 2 bits
  std::uint8_t sgid_count = 0;
  std::uint8_t dgid_count = 0;
  std::uint64_t service_id_low = 0;  // 56 bits
  bool operator==(const MultiPathRecord&) const = default;
};

struct McMemberRecord {
  static constexpr std::size_t kSize = 56;
  Gid mgid{};
  Gid port_gid{};
  std::uint32_t qkey = 0;
  Lid mlid;
  Selector mtu_selector{};
  std::uint8_t mtu = 0;
  std::uint8_t tclass = 0;
  Pkey pkey;
  Selector rate_selector{};
  std::uint8_t rate = 0;
  Selector life_selector{};
  std::uint8_t life = 0;
  Sl sl;
  std::uint32_t flow_label = 0;  // 20 bits
  std::uint8_t hop_limit = 0;
  std::uint8_t scope = 0;       // 4 bits
  std::uint8_t join_state = 0;  // 4 bits: 1 full, 2 non-member, 4 send only, 8 send only full
  bool proxy_join = false;
  bool operator==(const McMemberRecord&) const = default;
};

struct InformInfo {
  static constexpr std::size_t kSize = 40;
  Gid gid{};
  Lid lid_begin;
  Lid lid_end;
  bool generic = false;
  bool subscribe = false;
  std::uint16_t type = 0;                // a NoticeType, or 0xFFFF for all
  std::uint16_t trap = 0;                // trap number if generic, else device id
  std::uint32_t qpn = 0;                 // 24 bits
  std::uint8_t response_time_value = 0;  // 5 bits
  std::uint32_t producer = 0;            // 24 bits: Producer if generic, else the vendor id
  bool operator==(const InformInfo&) const = default;
};

struct InformInfoRecord {
  static constexpr std::size_t kSize = 64;
  Gid subscriber{};
  std::uint16_t number = 0;
  InformInfo info;
  bool operator==(const InformInfoRecord&) const = default;
};

RecordBytes<ClassPortInfo> encode(const ClassPortInfo& info);
RecordBytes<NodeRecord> encode(const NodeRecord& record);
RecordBytes<PortInfoRecord> encode(const PortInfoRecord& record);
RecordBytes<SlToVlRecord> encode(const SlToVlRecord& record);
RecordBytes<SwitchInfoRecord> encode(const SwitchInfoRecord& record);
RecordBytes<LftRecord> encode(const LftRecord& record);
RecordBytes<MftRecord> encode(const MftRecord& record);
RecordBytes<SmInfoRecord> encode(const SmInfoRecord& record);
RecordBytes<LinkRecord> encode(const LinkRecord& record);
RecordBytes<GuidInfoRecord> encode(const GuidInfoRecord& record);
RecordBytes<ServiceRecord> encode(const ServiceRecord& record);
RecordBytes<PkeyTableRecord> encode(const PkeyTableRecord& record);
RecordBytes<VlArbRecord> encode(const VlArbRecord& record);
RecordBytes<PathRecord> encode(const PathRecord& record);
RecordBytes<MultiPathRecord> encode(const MultiPathRecord& record);
RecordBytes<McMemberRecord> encode(const McMemberRecord& record);
RecordBytes<InformInfo> encode(const InformInfo& info);
RecordBytes<InformInfoRecord> encode(const InformInfoRecord& record);

/// Decoders of records with NodeInfo, PortInfo or SMInfo fail as the decoders of these attributes
/// do; the other decoders never fail.
Result<NodeRecord> decode_node_record(RecordView<NodeRecord> bytes);
Result<PortInfoRecord> decode_port_info_record(RecordView<PortInfoRecord> bytes);
Result<SmInfoRecord> decode_sm_info_record(RecordView<SmInfoRecord> bytes);
ClassPortInfo decode_class_port_info(RecordView<ClassPortInfo> bytes);
SlToVlRecord decode_sl_to_vl_record(RecordView<SlToVlRecord> bytes);
SwitchInfoRecord decode_switch_info_record(RecordView<SwitchInfoRecord> bytes);
LftRecord decode_lft_record(RecordView<LftRecord> bytes);
MftRecord decode_mft_record(RecordView<MftRecord> bytes);
LinkRecord decode_link_record(RecordView<LinkRecord> bytes);
GuidInfoRecord decode_guid_info_record(RecordView<GuidInfoRecord> bytes);
ServiceRecord decode_service_record(RecordView<ServiceRecord> bytes);
PkeyTableRecord decode_pkey_table_record(RecordView<PkeyTableRecord> bytes);
VlArbRecord decode_vl_arb_record(RecordView<VlArbRecord> bytes);
PathRecord decode_path_record(RecordView<PathRecord> bytes);
MultiPathRecord decode_multi_path_record(RecordView<MultiPathRecord> bytes);
McMemberRecord decode_mc_member_record(RecordView<McMemberRecord> bytes);
InformInfo decode_inform_info(RecordView<InformInfo> bytes);
InformInfoRecord decode_inform_info_record(RecordView<InformInfoRecord> bytes);

}  // namespace weft
