// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/filter.h"

#include <gtest/gtest.h>

#include "ib/sa_records.h"
#include "sa/attributes.h"

namespace weft {
namespace {

TEST(Filter, MatchesEverythingWithAnEmptyMask) {
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
  record.info.init_type_reply = 9;  // shares a byte
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

}  // namespace
}  // namespace weft
