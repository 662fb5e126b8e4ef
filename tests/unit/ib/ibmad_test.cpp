// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SMPs and the fields of NodeInfo, PortInfo, SwitchInfo, SMInfo, Notice, GUIDInfo and
// ExtendedPortInfo, compared with libibmad, the library of the diagnostic tools: libibmad reads the
// fields that Weft encoded, and Weft decodes the fields that libibmad set.
#include <gtest/gtest.h>
#include <infiniband/mad.h>

#include <cstring>
#include <vector>

#include "bytes.h"
#include "ib/extended_port_info.h"
#include "ib/node_info.h"
#include "ib/notice.h"
#include "ib/port_info.h"
#include "ib/sm_info.h"
#include "ib/switch_info.h"
#include "ib/tables.h"
#include "ib/wire.h"
#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

template <class Info>
struct Field {
  MAD_FIELDS id;
  unsigned width;
  std::uint64_t (*get)(const Info&);
};
#define FIELD(Info, id, width, member)                               \
  Field<Info> {                                                      \
    id, width, [](const Info& x) { return wire::to_bits(x.member); } \
  }

void set(void* data, MAD_FIELDS id, unsigned width, std::uint64_t value) {
  if (width == 64)
    mad_set_field64(data, 0, id, value);
  else
    mad_set_field(data, 0, id, static_cast<std::uint32_t>(value));
}
std::uint64_t get(SmpData& data, MAD_FIELDS id, unsigned width) {
  return width == 64 ? mad_get_field64(data.data(), 0, id) : mad_get_field(data.data(), 0, id);
}

/// Encodes random attributes and reads all fields with libibmad. Then sets each field by libibmad
/// to a random value and decodes the attribute; values that Weft rejects are not compared. `repair`
/// makes random bytes a valid attribute.
template <class Info, class Decode, class Repair = void (*)(SmpData&)>
void expect_equal_fields(const std::vector<Field<Info>>& fields, Decode decode,
                         Repair repair = leave_unchanged) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    SmpData data = random_bytes(rng);
    repair(data);
    const auto whole = decode(data);
    ASSERT_TRUE(whole) << whole.error().message;
    SmpData encoded = encode(*whole);
    for (const auto& field : fields) {
      EXPECT_EQ(get(encoded, field.id, field.width), field.get(*whole)) << mad_field_name(field.id);
      SmpData changed = data;
      const std::uint64_t value = rng.next() & wire::mask(field.width);
      set(changed.data(), field.id, field.width, value);
      const auto info = decode(changed);
      if (info) {
        EXPECT_EQ(field.get(*info), value) << mad_field_name(field.id);
      }
    }
  }
}

TEST(AgainstIbmad, ExtendedPortInfoHasTheSameFields) {
  using Info = ExtendedPortInfo;
  expect_equal_fields<Info>(
      {FIELD(Info, IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F, 8, state_change_enable),
       FIELD(Info, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F, 8, link_speed_supported),
       FIELD(Info, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, 8, link_speed_enabled),
       FIELD(Info, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, 8, link_speed_active)},
      decode_extended_port_info);
  EXPECT_EQ(static_cast<int>(AttributeId::kMlnxExtendedPortInfo), IB_ATTR_MLNX_EXT_PORT_INFO);
}

TEST(AgainstIbmad, NodeInfoHasTheSameFields) {
  expect_equal_fields<NodeInfo>(
      {FIELD(NodeInfo, IB_NODE_BASE_VERS_F, 8, base_version),
       FIELD(NodeInfo, IB_NODE_CLASS_VERS_F, 8, class_version),
       FIELD(NodeInfo, IB_NODE_TYPE_F, 8, type), FIELD(NodeInfo, IB_NODE_NPORTS_F, 8, port_count),
       FIELD(NodeInfo, IB_NODE_SYSTEM_GUID_F, 64, system_guid),
       FIELD(NodeInfo, IB_NODE_GUID_F, 64, node_guid),
       FIELD(NodeInfo, IB_NODE_PORT_GUID_F, 64, port_guid),
       FIELD(NodeInfo, IB_NODE_PARTITION_CAP_F, 16, partition_cap),
       FIELD(NodeInfo, IB_NODE_DEVID_F, 16, device_id),
       FIELD(NodeInfo, IB_NODE_REVISION_F, 32, revision),
       FIELD(NodeInfo, IB_NODE_LOCAL_PORT_F, 8, local_port),
       FIELD(NodeInfo, IB_NODE_VENDORID_F, 24, vendor_id)},
      decode_node_info, make_node_type_valid);
}

TEST(AgainstIbmad, PortInfoHasTheSameFields) {
  const std::vector<Field<PortInfo>> fields{
      FIELD(PortInfo, IB_PORT_MKEY_F, 64, mkey),
      FIELD(PortInfo, IB_PORT_GID_PREFIX_F, 64, gid_prefix),
      FIELD(PortInfo, IB_PORT_LID_F, 16, lid),
      FIELD(PortInfo, IB_PORT_SMLID_F, 16, master_sm_lid),
      FIELD(PortInfo, IB_PORT_CAPMASK_F, 32, capability_mask),
      FIELD(PortInfo, IB_PORT_DIAG_F, 16, diag_code),
      FIELD(PortInfo, IB_PORT_MKEY_LEASE_F, 16, mkey_lease_period_s),
      FIELD(PortInfo, IB_PORT_LOCAL_PORT_F, 8, local_port),
      FIELD(PortInfo, IB_PORT_LINK_WIDTH_ENABLED_F, 8, link_width_enabled),
      FIELD(PortInfo, IB_PORT_LINK_WIDTH_SUPPORTED_F, 8, link_width_supported),
      FIELD(PortInfo, IB_PORT_LINK_WIDTH_ACTIVE_F, 8, link_width_active),
      FIELD(PortInfo, IB_PORT_LINK_SPEED_SUPPORTED_F, 4, link_speed_supported),
      FIELD(PortInfo, IB_PORT_STATE_F, 4, state),
      FIELD(PortInfo, IB_PORT_PHYS_STATE_F, 4, phys_state),
      FIELD(PortInfo, IB_PORT_LINK_DOWN_DEF_F, 4, link_down_default),
      FIELD(PortInfo, IB_PORT_MKEY_PROT_BITS_F, 2, mkey_protect),
      FIELD(PortInfo, IB_PORT_LMC_F, 3, lmc),
      FIELD(PortInfo, IB_PORT_LINK_SPEED_ACTIVE_F, 4, link_speed_active),
      FIELD(PortInfo, IB_PORT_LINK_SPEED_ENABLED_F, 4, link_speed_enabled),
      FIELD(PortInfo, IB_PORT_NEIGHBOR_MTU_F, 4, neighbor_mtu),
      FIELD(PortInfo, IB_PORT_SMSL_F, 4, master_sm_sl),
      FIELD(PortInfo, IB_PORT_VL_CAP_F, 4, vl_cap),
      FIELD(PortInfo, IB_PORT_INIT_TYPE_F, 4, init_type),
      FIELD(PortInfo, IB_PORT_VL_HIGH_LIMIT_F, 8, vl_high_limit),
      FIELD(PortInfo, IB_PORT_VL_ARBITRATION_HIGH_CAP_F, 8, vl_arb_high_cap),
      FIELD(PortInfo, IB_PORT_VL_ARBITRATION_LOW_CAP_F, 8, vl_arb_low_cap),
      FIELD(PortInfo, IB_PORT_INIT_TYPE_REPLY_F, 4, init_type_reply),
      FIELD(PortInfo, IB_PORT_MTU_CAP_F, 4, mtu_cap),
      FIELD(PortInfo, IB_PORT_VL_STALL_COUNT_F, 3, vl_stall_count),
      FIELD(PortInfo, IB_PORT_HOQ_LIFE_F, 5, hoq_life),
      FIELD(PortInfo, IB_PORT_OPER_VLS_F, 4, operational_vls),
      FIELD(PortInfo, IB_PORT_PART_EN_INB_F, 1, partition_enforcement_inbound),
      FIELD(PortInfo, IB_PORT_PART_EN_OUTB_F, 1, partition_enforcement_outbound),
      FIELD(PortInfo, IB_PORT_FILTER_RAW_INB_F, 1, filter_raw_inbound),
      FIELD(PortInfo, IB_PORT_FILTER_RAW_OUTB_F, 1, filter_raw_outbound),
      FIELD(PortInfo, IB_PORT_MKEY_VIOL_F, 16, mkey_violations),
      FIELD(PortInfo, IB_PORT_PKEY_VIOL_F, 16, pkey_violations),
      FIELD(PortInfo, IB_PORT_QKEY_VIOL_F, 16, qkey_violations),
      FIELD(PortInfo, IB_PORT_GUID_CAP_F, 8, guid_cap),
      FIELD(PortInfo, IB_PORT_CLIENT_REREG_F, 1, client_reregister),
      FIELD(PortInfo, IB_PORT_MCAST_PKEY_SUPR_ENAB_F, 2, mcast_pkey_trap_suppression),
      FIELD(PortInfo, IB_PORT_SUBN_TIMEOUT_F, 5, subnet_timeout),
      FIELD(PortInfo, IB_PORT_RESP_TIME_VAL_F, 5, response_time_value),
      FIELD(PortInfo, IB_PORT_LOCAL_PHYS_ERR_F, 4, local_phy_errors),
      FIELD(PortInfo, IB_PORT_OVERRUN_ERR_F, 4, overrun_errors),
      FIELD(PortInfo, IB_PORT_MAX_CREDIT_HINT_F, 16, max_credit_hint),
      FIELD(PortInfo, IB_PORT_LINK_ROUND_TRIP_F, 24, link_round_trip_latency),
      FIELD(PortInfo, IB_PORT_CAPMASK2_F, 16, capability_mask2),
      FIELD(PortInfo, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, 4, link_speed_ext_active),
      FIELD(PortInfo, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, 4, link_speed_ext_supported),
      FIELD(PortInfo, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 5, link_speed_ext_enabled)};
  // The test covers all PortInfo fields of the library.
  const int count =
      (IB_PORT_LAST_F - IB_PORT_FIRST_F) + (IB_PORT_LINK_SPEED_EXT_LAST_F - IB_PORT_CAPMASK2_F);
  EXPECT_EQ(static_cast<int>(fields.size()), count);
  expect_equal_fields<PortInfo>(fields, decode_port_info, make_port_info_valid);
}

TEST(AgainstIbmad, SwitchInfoHasTheSameFields) {
  const std::vector<Field<SwitchInfo>> fields{
      FIELD(SwitchInfo, IB_SW_LINEAR_FDB_CAP_F, 16, linear_fdb_cap),
      FIELD(SwitchInfo, IB_SW_RANDOM_FDB_CAP_F, 16, random_fdb_cap),
      FIELD(SwitchInfo, IB_SW_MCAST_FDB_CAP_F, 16, multicast_fdb_cap),
      FIELD(SwitchInfo, IB_SW_LINEAR_FDB_TOP_F, 16, linear_fdb_top),
      FIELD(SwitchInfo, IB_SW_DEF_PORT_F, 8, default_port),
      FIELD(SwitchInfo, IB_SW_DEF_MCAST_PRIM_F, 8, default_multicast_primary_port),
      FIELD(SwitchInfo, IB_SW_DEF_MCAST_NOT_PRIM_F, 8, default_multicast_not_primary_port),
      FIELD(SwitchInfo, IB_SW_LIFE_TIME_F, 5, life_time_value),
      FIELD(SwitchInfo, IB_SW_STATE_CHANGE_F, 1, port_state_change),
      FIELD(SwitchInfo, IB_SW_OPT_SLTOVL_MAPPING_F, 2, optimized_sl2vl),
      FIELD(SwitchInfo, IB_SW_LIDS_PER_PORT_F, 16, lids_per_port),
      FIELD(SwitchInfo, IB_SW_PARTITION_ENFORCE_CAP_F, 16, partition_enforcement_cap),
      FIELD(SwitchInfo, IB_SW_PARTITION_ENF_INB_F, 1, inbound_enforcement_cap),
      FIELD(SwitchInfo, IB_SW_PARTITION_ENF_OUTB_F, 1, outbound_enforcement_cap),
      FIELD(SwitchInfo, IB_SW_FILTER_RAW_INB_F, 1, filter_raw_inbound_cap),
      FIELD(SwitchInfo, IB_SW_FILTER_RAW_OUTB_F, 1, filter_raw_outbound_cap),
      FIELD(SwitchInfo, IB_SW_ENHANCED_PORT0_F, 1, enhanced_port0),
      FIELD(SwitchInfo, IB_SW_MCAST_FDB_TOP_F, 16, multicast_fdb_top)};
  EXPECT_EQ(static_cast<int>(fields.size()), IB_SW_LAST_F - IB_SW_FIRST_F);
  expect_equal_fields<SwitchInfo>(fields, decode_switch_info);
}

TEST(AgainstIbmad, SmInfoHasTheSameFields) {
  expect_equal_fields<SmInfo>(
      {FIELD(SmInfo, IB_SMINFO_GUID_F, 64, guid), FIELD(SmInfo, IB_SMINFO_KEY_F, 64, key),
       FIELD(SmInfo, IB_SMINFO_ACT_F, 32, activity_count),
       FIELD(SmInfo, IB_SMINFO_PRIO_F, 4, priority), FIELD(SmInfo, IB_SMINFO_STATE_F, 4, state)},
      decode_sm_info, make_sm_state_valid);
}

TEST(AgainstIbmad, NoticeHasTheSameFields) {
  expect_equal_fields<Notice>(
      {FIELD(Notice, IB_NOTICE_IS_GENERIC_F, 1, generic), FIELD(Notice, IB_NOTICE_TYPE_F, 7, type),
       FIELD(Notice, IB_NOTICE_PRODUCER_F, 24, producer),
       FIELD(Notice, IB_NOTICE_TRAP_NUMBER_F, 16, trap),
       FIELD(Notice, IB_NOTICE_ISSUER_LID_F, 16, issuer_lid),
       FIELD(Notice, IB_NOTICE_TOGGLE_F, 1, toggle), FIELD(Notice, IB_NOTICE_COUNT_F, 15, count)},
      decode_notice);
  Notice notice;
  notice.details = encode(TrapLinkState{Lid(0x1234)});
  SmpData data = encode(notice);
  EXPECT_EQ(mad_get_field(data.data(), 0, IB_NOTICE_DATA_LID_F), 0x1234u);
  notice.details = encode(TrapCapability{Lid(0x4321), false, 0x01020304, 0, 0});
  data = encode(notice);
  EXPECT_EQ(mad_get_field(data.data(), 0, IB_NOTICE_DATA_144_LID_F), 0x4321u);
  EXPECT_EQ(mad_get_field(data.data(), 0, IB_NOTICE_DATA_144_CAPMASK_F), 0x01020304u);
}

TEST(AgainstIbmad, GuidInfoHasTheSameFields) {
  expect_equal_fields<GuidInfo>(
      {FIELD(GuidInfo, IB_GI_GUID0_F, 64, guids[0]), FIELD(GuidInfo, IB_GI_GUID1_F, 64, guids[1]),
       FIELD(GuidInfo, IB_GI_GUID2_F, 64, guids[2]), FIELD(GuidInfo, IB_GI_GUID3_F, 64, guids[3]),
       FIELD(GuidInfo, IB_GI_GUID4_F, 64, guids[4]), FIELD(GuidInfo, IB_GI_GUID5_F, 64, guids[5]),
       FIELD(GuidInfo, IB_GI_GUID6_F, 64, guids[6]), FIELD(GuidInfo, IB_GI_GUID7_F, 64, guids[7])},
      decode_guid_info);
}

TEST(AgainstIbmad, SmpsHaveTheSameBytes) {
  Rng rng(2);
  for (int round = 0; round < 200; ++round) {
    Smp smp;
    smp.mgmt_class = MgmtClass::kSmpDirected;
    smp.method = static_cast<Method>(rng.below(256));
    smp.status = static_cast<std::uint16_t>(rng.below(0x8000));
    smp.returning = rng.chance(0.5);
    smp.hop_count = static_cast<std::uint8_t>(rng.below(64));
    smp.hop_pointer = static_cast<std::uint8_t>(rng.below(smp.hop_count + 2u));
    smp.transaction_id = rng.next();
    smp.attribute = static_cast<AttributeId>(rng.below(0x10000));
    smp.modifier = static_cast<std::uint32_t>(rng.next());
    smp.mkey = Mkey(rng.next());
    smp.dr_slid = Lid(static_cast<std::uint16_t>(rng.next()));
    smp.dr_dlid = Lid(static_cast<std::uint16_t>(rng.next()));
    smp.data = random_bytes(rng);
    for (auto& hop : smp.initial_path) hop = static_cast<std::uint8_t>(rng.next());
    for (auto& hop : smp.return_path) hop = static_cast<std::uint8_t>(rng.next());

    std::array<std::byte, kMadSize> bytes{};
    std::byte* mad = bytes.data();
    set(mad, IB_MAD_BASEVER_F, 8, 1);
    set(mad, IB_MAD_MGMTCLASS_F, 8, IB_SMI_DIRECT_CLASS);
    set(mad, IB_MAD_CLASSVER_F, 8, 1);
    set(mad, IB_MAD_METHOD_F, 7, wire::to_bits(smp.method) & 0x7F);
    set(mad, IB_MAD_RESPONSE_F, 1, wire::to_bits(smp.method) >> 7);
    set(mad, IB_DRSMP_STATUS_F, 15, smp.status);
    set(mad, IB_DRSMP_DIRECTION_F, 1, smp.returning);
    set(mad, IB_DRSMP_HOPCNT_F, 8, smp.hop_count);
    set(mad, IB_DRSMP_HOPPTR_F, 8, smp.hop_pointer);
    set(mad, IB_MAD_TRID_F, 64, smp.transaction_id);
    set(mad, IB_MAD_ATTRID_F, 16, wire::to_bits(smp.attribute));
    set(mad, IB_MAD_ATTRMOD_F, 32, smp.modifier);
    set(mad, IB_MAD_MKEY_F, 64, smp.mkey.value());
    set(mad, IB_DRSMP_DRSLID_F, 16, smp.dr_slid.value());
    set(mad, IB_DRSMP_DRDLID_F, 16, smp.dr_dlid.value());
    std::memcpy(mad + IB_SMP_DATA_OFFS, smp.data.data(), IB_SMP_DATA_SIZE);
    mad_set_array(mad, 0, IB_DRSMP_PATH_F, smp.initial_path.data());
    mad_set_array(mad, 0, IB_DRSMP_RPATH_F, smp.return_path.data());
    EXPECT_EQ(encode(smp), bytes);
    const auto decoded = decode_smp(bytes);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, smp);
  }
}

}  // namespace
}  // namespace weft
