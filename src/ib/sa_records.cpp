// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/sa_records.h"

#include <algorithm>

namespace weft {

template <class Op, wire::Is<ClassPortInfo> T>
void layout(Op field, T& i) {
  field(0, 8, i.base_version);
  field(8, 8, i.class_version);
  field(16, 16, i.capability_mask);
  field(32, 27, i.capability_mask2);
  field(59, 5, i.response_time_value);
  wire::bytes(field, 64, i.redirect_gid);
  field(192, 8, i.redirect_tclass);
  field(200, 4, i.redirect_sl);
  field(204, 20, i.redirect_flow_label);
  field(224, 16, i.redirect_lid);
  field(240, 16, i.redirect_pkey);
  field(264, 24, i.redirect_qp);
  field(288, 32, i.redirect_qkey);
  wire::bytes(field, 320, i.trap_gid);
  field(448, 8, i.trap_tclass);
  field(456, 4, i.trap_sl);
  field(460, 20, i.trap_flow_label);
  field(480, 16, i.trap_lid);
  field(496, 16, i.trap_pkey);
  field(512, 8, i.trap_hop_limit);
  field(520, 24, i.trap_qp);
  field(544, 32, i.trap_qkey);
}

template <class Op, wire::Is<LinkRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.from);
  field(16, 8, r.from_port);
  field(24, 8, r.to_port);
  field(32, 16, r.to);
}

template <class Op, wire::Is<ServiceRecord> T>
void layout(Op field, T& r) {
  field(0, 64, r.id);
  wire::bytes(field, 64, r.gid);
  field(192, 16, r.pkey);
  field(224, 32, r.lease);
  wire::bytes(field, 256, r.key);
  wire::bytes(field, 384, r.name);
  wire::bytes(field, 896, r.data);
}

template <class Op, wire::Is<PathRecord> T>
void layout(Op field, T& r) {
  field(0, 64, r.service_id);
  wire::bytes(field, 64, r.dgid);
  wire::bytes(field, 192, r.sgid);
  field(320, 16, r.dlid);
  field(336, 16, r.slid);
  field(352, 1, r.raw_traffic);
  field(356, 20, r.flow_label);
  field(376, 8, r.hop_limit);
  field(384, 8, r.tclass);
  field(392, 1, r.reversible);
  field(393, 7, r.numb_path);
  field(400, 16, r.pkey);
  field(416, 12, r.qos_class);
  field(428, 4, r.sl);
  field(432, 2, r.mtu_selector);
  field(434, 6, r.mtu);
  field(440, 2, r.rate_selector);
  field(442, 6, r.rate);
  field(448, 2, r.life_selector);
  field(450, 6, r.life);
  field(456, 8, r.preference);
}

template <class Op, wire::Is<MultiPathRecord> T>
void layout(Op field, T& r) {
  field(0, 1, r.raw_traffic);
  field(4, 20, r.flow_label);
  field(24, 8, r.hop_limit);
  field(32, 8, r.tclass);
  field(40, 1, r.reversible);
  field(41, 7, r.numb_path);
  field(48, 16, r.pkey);
  field(64, 12, r.qos_class);
  field(76, 4, r.sl);
  field(80, 2, r.mtu_selector);
  field(82, 6, r.mtu);
  field(88, 2, r.rate_selector);
  field(90, 6, r.rate);
  field(96, 2, r.life_selector);
  field(98, 6, r.life);
  field(104, 8, r.service_id_high);
  field(112, 2, r.independence);
  field(120, 8, r.sgid_count);
  field(128, 8, r.dgid_count);
  field(136, 56, r.service_id_low);
}

template <class Op, wire::Is<McMemberRecord> T>
void layout(Op field, T& r) {
  wire::bytes(field, 0, r.mgid);
  wire::bytes(field, 128, r.port_gid);
  field(256, 32, r.qkey);
  field(288, 16, r.mlid);
  field(304, 2, r.mtu_selector);
  field(306, 6, r.mtu);
  field(312, 8, r.tclass);
  field(320, 16, r.pkey);
  field(336, 2, r.rate_selector);
  field(338, 6, r.rate);
  field(344, 2, r.life_selector);
  field(346, 6, r.life);
  field(352, 4, r.sl);
  field(356, 20, r.flow_label);
  field(376, 8, r.hop_limit);
  field(384, 4, r.scope);
  field(388, 4, r.join_state);
  field(392, 1, r.proxy_join);
}

template <class Op, wire::Is<InformInfo> T>
void layout(Op field, T& i) {
  wire::bytes(field, 0, i.gid);
  field(128, 16, i.lid_begin);
  field(144, 16, i.lid_end);
  field(176, 8, i.generic);
  field(184, 8, i.subscribe);
  field(192, 16, i.type);
  field(208, 16, i.trap);
  field(224, 24, i.qpn);
  field(251, 5, i.response_time_value);
  field(264, 24, i.producer);
}

namespace {

// Records that contain an attribute of subnet management: offset and size of the attribute.
constexpr std::size_t kNodeInfoAt = 4, kNodeInfoSize = 40, kDescriptionAt = 44;
constexpr std::size_t kAttributeAt = 4;  // for PortInfo, SwitchInfo, SMInfo
constexpr std::size_t kBlockAt = 8;      // for records of table blocks
constexpr std::size_t kSwitchInfoSize = 20, kSmInfoSize = 24, kSlToVlSize = 8;
constexpr std::size_t kInformInfoAt = 24, kInformInfoSize = 36;

}  // namespace

template <class Op, wire::Is<NodeRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
}
template <class Op, wire::Is<PortInfoRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
  field(16, 8, r.port);
  field(24, 8, r.options);
}
template <class Op, wire::Is<SlToVlRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
  field(16, 8, r.in);
  field(24, 8, r.out);
}
template <class Op, wire::Is<SwitchInfoRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
}
template <class Op, wire::Is<LftRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
  field(16, 16, r.block);
}
template <class Op, wire::Is<MftRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
  field(16, 4, r.position);
  field(23, 9, r.block);
}
template <class Op, wire::Is<SmInfoRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
}
template <class Op, wire::Is<GuidInfoRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
  field(16, 8, r.block);
}
template <class Op, wire::Is<PkeyTableRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
  field(16, 16, r.block);
  field(32, 8, r.port);
}
template <class Op, wire::Is<VlArbRecord> T>
void layout(Op field, T& r) {
  field(0, 16, r.lid);
  field(16, 8, r.port);
  field(24, 8, r.block);
}
template <class Op, wire::Is<InformInfoRecord> T>
void layout(Op field, T& r) {
  wire::bytes(field, 0, r.subscriber);
  field(128, 16, r.number);
}

Gid make_gid(std::uint64_t prefix, Guid guid) {
  Gid gid{};
  wire::write_bits(gid.data(), 0, 64, prefix);
  wire::write_bits(gid.data(), 64, 64, guid.value());
  return gid;
}
std::uint64_t prefix_of(const Gid& gid) { return wire::read_bits(gid.data(), 0, 64); }
Guid guid_of(const Gid& gid) { return Guid(wire::read_bits(gid.data(), 64, 64)); }

RecordBytes<ClassPortInfo> encode(const ClassPortInfo& info) { return wire::encode_record(info); }
RecordBytes<LinkRecord> encode(const LinkRecord& record) { return wire::encode_record(record); }
RecordBytes<ServiceRecord> encode(const ServiceRecord& record) {
  return wire::encode_record(record);
}
RecordBytes<PathRecord> encode(const PathRecord& record) { return wire::encode_record(record); }
RecordBytes<MultiPathRecord> encode(const MultiPathRecord& record) {
  return wire::encode_record(record);
}
RecordBytes<McMemberRecord> encode(const McMemberRecord& record) {
  return wire::encode_record(record);
}
RecordBytes<InformInfo> encode(const InformInfo& info) { return wire::encode_record(info); }

RecordBytes<NodeRecord> encode(const NodeRecord& record) {
  auto bytes = wire::encode_record(record, kNodeInfoAt, encode(record.info), kNodeInfoSize);
  std::ranges::copy(encode(record.description), bytes.begin() + kDescriptionAt);
  return bytes;
}
RecordBytes<PortInfoRecord> encode(const PortInfoRecord& record) {
  return wire::encode_record(record, kAttributeAt, encode(record.info), kSmpDataSize);
}
RecordBytes<SlToVlRecord> encode(const SlToVlRecord& record) {
  return wire::encode_record(record, kBlockAt, encode(record.table), kSlToVlSize);
}
RecordBytes<SwitchInfoRecord> encode(const SwitchInfoRecord& record) {
  return wire::encode_record(record, kAttributeAt, encode(record.info), kSwitchInfoSize);
}
RecordBytes<LftRecord> encode(const LftRecord& record) {
  return wire::encode_record(record, kBlockAt, encode(record.table), kSmpDataSize);
}
RecordBytes<MftRecord> encode(const MftRecord& record) {
  return wire::encode_record(record, kBlockAt, encode(record.table), kSmpDataSize);
}
RecordBytes<SmInfoRecord> encode(const SmInfoRecord& record) {
  return wire::encode_record(record, kAttributeAt, encode(record.info), kSmInfoSize);
}
RecordBytes<GuidInfoRecord> encode(const GuidInfoRecord& record) {
  return wire::encode_record(record, kBlockAt, encode(record.table), kSmpDataSize);
}
RecordBytes<PkeyTableRecord> encode(const PkeyTableRecord& record) {
  return wire::encode_record(record, kBlockAt, encode(record.table), kSmpDataSize);
}
RecordBytes<VlArbRecord> encode(const VlArbRecord& record) {
  return wire::encode_record(record, kBlockAt, encode(record.table), kSmpDataSize);
}
RecordBytes<InformInfoRecord> encode(const InformInfoRecord& record) {
  return wire::encode_record(record, kInformInfoAt, encode(record.info), kInformInfoSize);
}

Result<NodeRecord> decode_node_record(RecordView<NodeRecord> bytes) {
  auto record = wire::decode_record<NodeRecord>(bytes);
  auto info = decode_node_info(wire::embedded_attribute(bytes, kNodeInfoAt, kNodeInfoSize));
  if (!info) return forward(info);
  record.info = *info;
  record.description =
      *decode_node_description(wire::embedded_attribute(bytes, kDescriptionAt, kSmpDataSize));
  return record;
}
Result<PortInfoRecord> decode_port_info_record(RecordView<PortInfoRecord> bytes) {
  auto record = wire::decode_record<PortInfoRecord>(bytes);
  auto info = decode_port_info(wire::embedded_attribute(bytes, kAttributeAt, kSmpDataSize));
  if (!info) return forward(info);
  record.info = *info;
  return record;
}
Result<SmInfoRecord> decode_sm_info_record(RecordView<SmInfoRecord> bytes) {
  auto record = wire::decode_record<SmInfoRecord>(bytes);
  auto info = decode_sm_info(wire::embedded_attribute(bytes, kAttributeAt, kSmInfoSize));
  if (!info) return forward(info);
  record.info = *info;
  return record;
}

ClassPortInfo decode_class_port_info(RecordView<ClassPortInfo> bytes) {
  return wire::decode_record<ClassPortInfo>(bytes);
}
LinkRecord decode_link_record(RecordView<LinkRecord> bytes) {
  return wire::decode_record<LinkRecord>(bytes);
}
ServiceRecord decode_service_record(RecordView<ServiceRecord> bytes) {
  return wire::decode_record<ServiceRecord>(bytes);
}
PathRecord decode_path_record(RecordView<PathRecord> bytes) {
  return wire::decode_record<PathRecord>(bytes);
}
MultiPathRecord decode_multi_path_record(RecordView<MultiPathRecord> bytes) {
  return wire::decode_record<MultiPathRecord>(bytes);
}
McMemberRecord decode_mc_member_record(RecordView<McMemberRecord> bytes) {
  return wire::decode_record<McMemberRecord>(bytes);
}
InformInfo decode_inform_info(RecordView<InformInfo> bytes) {
  return wire::decode_record<InformInfo>(bytes);
}

SlToVlRecord decode_sl_to_vl_record(RecordView<SlToVlRecord> bytes) {
  auto record = wire::decode_record<SlToVlRecord>(bytes);
  record.table = *decode_sl_to_vl_table(wire::embedded_attribute(bytes, kBlockAt, kSlToVlSize));
  return record;
}
SwitchInfoRecord decode_switch_info_record(RecordView<SwitchInfoRecord> bytes) {
  auto record = wire::decode_record<SwitchInfoRecord>(bytes);
  record.info = *decode_switch_info(wire::embedded_attribute(bytes, kAttributeAt, kSwitchInfoSize));
  return record;
}
LftRecord decode_lft_record(RecordView<LftRecord> bytes) {
  auto record = wire::decode_record<LftRecord>(bytes);
  record.table =
      *decode_linear_forwarding_table(wire::embedded_attribute(bytes, kBlockAt, kSmpDataSize));
  return record;
}
MftRecord decode_mft_record(RecordView<MftRecord> bytes) {
  auto record = wire::decode_record<MftRecord>(bytes);
  record.table =
      *decode_multicast_forwarding_table(wire::embedded_attribute(bytes, kBlockAt, kSmpDataSize));
  return record;
}
GuidInfoRecord decode_guid_info_record(RecordView<GuidInfoRecord> bytes) {
  auto record = wire::decode_record<GuidInfoRecord>(bytes);
  record.table = *decode_guid_info(wire::embedded_attribute(bytes, kBlockAt, kSmpDataSize));
  return record;
}
PkeyTableRecord decode_pkey_table_record(RecordView<PkeyTableRecord> bytes) {
  auto record = wire::decode_record<PkeyTableRecord>(bytes);
  record.table = *decode_pkey_table(wire::embedded_attribute(bytes, kBlockAt, kSmpDataSize));
  return record;
}
VlArbRecord decode_vl_arb_record(RecordView<VlArbRecord> bytes) {
  auto record = wire::decode_record<VlArbRecord>(bytes);
  record.table = *decode_vl_arb_table(wire::embedded_attribute(bytes, kBlockAt, kSmpDataSize));
  return record;
}
InformInfoRecord decode_inform_info_record(RecordView<InformInfoRecord> bytes) {
  auto record = wire::decode_record<InformInfoRecord>(bytes);
  const SmpData info = wire::embedded_attribute(bytes, kInformInfoAt, kInformInfoSize);
  record.info = decode_inform_info(std::span(info).first<InformInfo::kSize>());
  return record;
}

}  // namespace weft
