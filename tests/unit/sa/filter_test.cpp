// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "ib/sa_records.h"
#include "sa/attributes.h"

namespace weft {
namespace {

TEST(Filter, MatchesAllRecordsWithAnEmptyMask) {
  const RecordFilter filter(sa::components_of(SaAttribute::kNodeRecord), 0,
                            encode(NodeRecord{Lid(5), {}, {"x"}}));
  EXPECT_TRUE(filter.matches(encode(NodeRecord{Lid(7), {}, {"y"}})));
}

TEST(Filter, ComparesOnlyTheFieldOfEachBit) {
  PortInfoRecord wanted;
  wanted.info.mtu_cap = 4;
  wanted.info.lmc = 3;
  const RecordFilter mtu(sa::components_of(SaAttribute::kPortInfoRecord), std::uint64_t{1} << 31,
                         encode(wanted));
  PortInfoRecord record;
  record.info.mtu_cap = 4;
  record.info.init_type_reply = 9;  // shares a byte with another field
  EXPECT_TRUE(mtu.matches(encode(record)));
  record.info.mtu_cap = 5;
  EXPECT_FALSE(mtu.matches(encode(record)));
}

TEST(Filter, HasDisjointFieldsWithinTheirRecords) {
  for (const sa::Attribute& attribute : sa::attributes()) {
    std::vector<int> owner(attribute.record_size * 8, -1);
    for (const Component& component : attribute.components)
      for (unsigned i = 0; i < component.width; ++i) {
        ASSERT_LT(component.offset + i, owner.size()) << attribute.name;
        EXPECT_EQ(owner[component.offset + i], -1) << attribute.name;
        owner[component.offset + i] = component.bit;
      }
  }
}

/// `expected` lists the fields without a component bit: reserved fields, the attribute that the
/// record contains, and fields that the handler compares.
TEST(Filter, HasAFieldOfTheRecordForEachBitInOrder) {
  using Gaps = std::vector<std::pair<unsigned, unsigned>>;  // offset and width in bits
  const std::map<SaAttribute, Gaps> expected{
      {SaAttribute::kGuidInfoRecord, {}},
      {SaAttribute::kInformInfoRecord, {{480, 32}}},
      {SaAttribute::kLftRecord, {{32, 544}}},
      {SaAttribute::kLinkRecord, {{48, 16}}},
      {SaAttribute::kMcMemberRecord, {{128, 128}, {304, 8}, {320, 32}, {388, 60}}},
      {SaAttribute::kMftRecord, {{64, 512}}},
      {SaAttribute::kNodeRecord, {{16, 16}, {864, 32}}},
      {SaAttribute::kPkeyTableRecord, {{40, 536}}},
      {SaAttribute::kPortInfoRecord,
       {{24, 8},
        {192, 32},
        {306, 3},
        {441, 2},
        {448, 3},
        {480, 8},
        {512, 16},
        {536, 3},
        {544, 32}}},
      {SaAttribute::kServiceRecord, {}},
      {SaAttribute::kSlToVlRecord, {{32, 96}}},
      {SaAttribute::kSmInfoRecord, {{16, 16}, {96, 96}, {200, 56}}},
      {SaAttribute::kSwitchInfoRecord, {{16, 176}}},
      {SaAttribute::kVlArbRecord, {{32, 544}}}};
  for (const sa::Attribute& attribute : sa::attributes()) {
    SCOPED_TRACE(attribute.name);
    unsigned bit = 0, end = 0;
    Gaps gaps;
    for (const Component& component : attribute.components) {
      EXPECT_EQ(component.bit, bit++);
      if (component.width == 0) continue;
      if (component.offset > end) gaps.emplace_back(end, component.offset - end);
      end = std::max(end, unsigned{component.offset} + component.width);
    }
    if (attribute.components.empty()) continue;
    const auto size = static_cast<unsigned>(attribute.record_size * 8);
    if (size > end) gaps.emplace_back(end, size - end);
    ASSERT_TRUE(expected.contains(attribute.id));
    EXPECT_EQ(gaps, expected.at(attribute.id));
  }
}

}  // namespace
}  // namespace weft
