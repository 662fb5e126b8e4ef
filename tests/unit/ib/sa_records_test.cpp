// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The reserved bits of the records of subnet administration, except SwitchInfoRecord and
// PortInfoRecord. If the offset or width of a field is wrong, the set of bits without a field
// changes. Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.
#include "ib/sa_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bytes.h"

namespace weft {
namespace {

template <class Record>
RecordBytes<Record> all_ones() {
  RecordBytes<Record> bytes;
  bytes.fill(std::byte{0xFF});
  return bytes;
}

/// Ranges of bits that are 0, such as "3-5 16-31".
template <std::size_t kSize>
std::string zero_bits(const std::array<std::byte, kSize>& bytes) {
  const auto is_zero = [&](std::size_t bit) {
    return (std::to_integer<unsigned>(bytes[bit / 8]) >> (7 - bit % 8) & 1) == 0;
  };
  std::string text;
  for (std::size_t bit = 0; bit < 8 * kSize; ++bit) {
    if (!is_zero(bit)) continue;
    std::size_t last = bit;
    while (last + 1 < 8 * kSize && is_zero(last + 1)) ++last;
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", bit, last);
    bit = last;
  }
  return text;
}

TEST(SaRecordBits, ExcludeOnlyReservedBits) {
  EXPECT_EQ(zero_bits(encode(decode_class_port_info(all_ones<ClassPortInfo>()))), "256-263");
  EXPECT_EQ(zero_bits(encode(decode_link_record(all_ones<LinkRecord>()))), "48-63");
  EXPECT_EQ(zero_bits(encode(decode_service_record(all_ones<ServiceRecord>()))), "208-223");
  EXPECT_EQ(zero_bits(encode(decode_path_record(all_ones<PathRecord>()))), "353-355 464-511");
  EXPECT_EQ(zero_bits(encode(decode_multi_path_record(all_ones<MultiPathRecord>()))),
            "1-3 114-119");
  EXPECT_EQ(zero_bits(encode(decode_mc_member_record(all_ones<McMemberRecord>()))), "393-447");
  EXPECT_EQ(zero_bits(encode(decode_inform_info(all_ones<InformInfo>()))),
            "160-182 184-190 248-250 256-263 288-319");
}

TEST(SaRecordBits, OfTablesExcludeOnlyReservedBits) {
  EXPECT_EQ(zero_bits(encode(decode_sl_to_vl_record(all_ones<SlToVlRecord>()))), "32-63");
  EXPECT_EQ(zero_bits(encode(decode_lft_record(all_ones<LftRecord>()))), "32-63");
  EXPECT_EQ(zero_bits(encode(decode_mft_record(all_ones<MftRecord>()))), "20-22 32-63");
  EXPECT_EQ(zero_bits(encode(decode_guid_info_record(all_ones<GuidInfoRecord>()))), "24-63");
  EXPECT_EQ(zero_bits(encode(decode_pkey_table_record(all_ones<PkeyTableRecord>()))), "40-63");
  EXPECT_EQ(zero_bits(encode(decode_inform_info_record(all_ones<InformInfoRecord>()))),
            "144-191 352-374 376-382 440-442 448-455 480-511");
  std::string arbitration = "32-63";
  for (unsigned entry = 0; entry < 32; ++entry) {
    const unsigned begin = 64 + 16 * entry;  // an entry: four reserved bits, VL, weight
    if (entry == 0)
      arbitration = fmt::format("32-{}", begin + 3);
    else
      arbitration += fmt::format(" {}-{}", begin, begin + 3);
  }
  EXPECT_EQ(zero_bits(encode(decode_vl_arb_record(all_ones<VlArbRecord>()))), arbitration);
}

TEST(SaRecordBits, OfAttributesExcludeOnlyReservedBits) {
  auto node = all_ones<NodeRecord>();
  node[6] = std::byte{1};  // a CA
  const auto node_record = decode_node_record(node);
  ASSERT_TRUE(node_record.has_value());
  EXPECT_EQ(zero_bits(encode(*node_record)), "16-31 48-54 864-895");
  auto sm = all_ones<SmInfoRecord>();
  sm[24] = std::byte{0xF3};  // priority 15, master
  const auto sm_record = decode_sm_info_record(sm);
  ASSERT_TRUE(sm_record.has_value());
  EXPECT_EQ(zero_bits(encode(*sm_record)), "16-31 196-197 200-255");
}

TEST(SaRecordBits, RecordsWithAnInvalidAttributeAreRefused) {
  auto node = all_ones<NodeRecord>();
  EXPECT_EQ(decode_node_record(node).error().code, Code::kBadField);
  EXPECT_EQ(decode_sm_info_record(all_ones<SmInfoRecord>()).error().code, Code::kBadField);
  EXPECT_EQ(decode_port_info_record(all_ones<PortInfoRecord>()).error().code, Code::kBadField);
}

TEST(SaRecordBits, IncludeTheWholeAttribute) {
  PortInfoRecord port;
  port.lid = Lid(0x0102);
  port.port = PortNum(3);
  SmpData data{};
  data.fill(std::byte{0xFF});
  make_port_info_valid(data);
  const auto info = decode_port_info(data);
  ASSERT_TRUE(info.has_value());
  port.info = *info;
  const auto bytes = encode(port);
  EXPECT_EQ(bytes[1], std::byte{2});
  EXPECT_EQ(bytes[2], std::byte{3});
  const SmpData attribute = encode(*info);
  EXPECT_TRUE(std::equal(attribute.begin(), attribute.end(), bytes.begin() + 4));
  EXPECT_EQ(*decode_port_info_record(bytes), port);
}

TEST(Gids, ContainAPrefixAndAGuid) {
  const Gid gid = make_gid(0x0102030405060708, Guid(0x090A0B0C0D0E0F10));
  for (std::size_t i = 0; i < gid.size(); ++i) EXPECT_EQ(gid[i], static_cast<std::byte>(i + 1));
  EXPECT_EQ(prefix_of(gid), 0x0102030405060708u);
  EXPECT_EQ(guid_of(gid), Guid(0x090A0B0C0D0E0F10));
  EXPECT_FALSE(is_multicast(gid));
  EXPECT_TRUE(is_multicast(make_gid(0xFF00'0000'0000'0000, Guid(1))));
  EXPECT_FALSE(is_multicast(make_gid(kLinkLocalPrefix, Guid(1))));
}

}  // namespace
}  // namespace weft
