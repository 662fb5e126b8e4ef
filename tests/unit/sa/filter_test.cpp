#include "sa/filter.h"

#include <gtest/gtest.h>

#include "ib/sa_records.h"

namespace weft {
namespace {

TEST(Filter, MatchesEverythingWithAnEmptyMask) {
  const RecordFilter filter(components_of(SaAttribute::kNodeRecord), 0,
                            encode(NodeRecord{Lid(5), {}, {"x"}}));
  EXPECT_TRUE(filter.matches(encode(NodeRecord{Lid(7), {}, {"y"}})));
}

TEST(Filter, ComparesOnlyTheFieldOfEachBit) {
  PortInfoRecord wanted;
  wanted.info.mtu_cap = 4;
  wanted.info.lmc = 3;
  const RecordFilter mtu(components_of(SaAttribute::kPortInfoRecord), std::uint64_t{1} << 31,
                         encode(wanted));
  PortInfoRecord record;
  record.info.mtu_cap = 4;
  record.info.init_type_reply = 9;  // shares a byte
  EXPECT_TRUE(mtu.matches(encode(record)));
  record.info.mtu_cap = 5;
  EXPECT_FALSE(mtu.matches(encode(record)));
}

TEST(Filter, HasDisjointFieldsWithinTheirRecords) {
  struct Size {
    SaAttribute id;
    std::size_t bytes;
  };
  for (const Size& size : {Size{SaAttribute::kNodeRecord, NodeRecord::kSize},
                           {SaAttribute::kPortInfoRecord, PortInfoRecord::kSize},
                           {SaAttribute::kSlToVlRecord, SlToVlRecord::kSize},
                           {SaAttribute::kSwitchInfoRecord, SwitchInfoRecord::kSize},
                           {SaAttribute::kLftRecord, LftRecord::kSize},
                           {SaAttribute::kMftRecord, MftRecord::kSize},
                           {SaAttribute::kSmInfoRecord, SmInfoRecord::kSize},
                           {SaAttribute::kLinkRecord, LinkRecord::kSize},
                           {SaAttribute::kGuidInfoRecord, GuidInfoRecord::kSize},
                           {SaAttribute::kServiceRecord, ServiceRecord::kSize},
                           {SaAttribute::kPkeyTableRecord, PkeyTableRecord::kSize},
                           {SaAttribute::kVlArbRecord, VlArbRecord::kSize},
                           {SaAttribute::kMcMemberRecord, McMemberRecord::kSize},
                           {SaAttribute::kInformInfoRecord, InformInfoRecord::kSize}}) {
    std::vector<int> owner(size.bytes * 8, -1);
    for (const Component& component : components_of(size.id))
      for (unsigned i = 0; i < component.width; ++i) {
        ASSERT_LT(component.offset + i, owner.size());
        EXPECT_EQ(owner[component.offset + i], -1);
        owner[component.offset + i] = component.bit;
      }
  }
}

}  // namespace
}  // namespace weft
