// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The functions of the election: every state with every event, the comparison of managers, and the
// result of each election.
#include "sm/election/election.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace weft {
namespace {

using enum SmState;

constexpr std::array kStates{kNotActive, kDiscovering, kStandby, kMaster};

TEST(Election, ChangesStatesAsSpecifiedForEveryEvent) {
  const std::map<std::pair<SmState, SmEvent>, SmState> legal{
      {{kNotActive, SmEvent::kStandby}, kStandby},
      {{kDiscovering, SmEvent::kNoHigherRank}, kMaster},
      {{kDiscovering, SmEvent::kHigherRank}, kStandby},
      {{kStandby, SmEvent::kMasterSilent}, kDiscovering},
      {{kStandby, SmEvent::kDiscover}, kDiscovering},
      {{kStandby, SmEvent::kHandover}, kMaster},
      {{kStandby, SmEvent::kDisable}, kNotActive},
      {{kStandby, SmEvent::kAcknowledge}, kStandby},
      {{kMaster, SmEvent::kNoHigherRank}, kMaster},
      {{kMaster, SmEvent::kHigherRank}, kMaster},
      {{kMaster, SmEvent::kHandover}, kMaster},
      {{kMaster, SmEvent::kAcknowledge}, kStandby},
  };
  std::size_t moves = 0;
  for (const SmState state : kStates)
    for (std::size_t e = 0; e < kSmEventCount; ++e) {
      const auto event = static_cast<SmEvent>(e);
      const auto wanted = legal.find({state, event});
      const auto next = next_state(state, event);
      EXPECT_EQ(next.has_value(), wanted != legal.end()) << name(state) << " event " << e;
      if (!next || wanted == legal.end()) continue;
      EXPECT_EQ(*next, wanted->second) << name(state) << " event " << e;
      ++moves;
    }
  EXPECT_EQ(moves, legal.size());
}

TEST(Election, CommandsHaveTheNumbersOfTheSpecification) {
  EXPECT_EQ(event_of(0), std::nullopt);
  EXPECT_EQ(event_of(1), SmEvent::kHandover);
  EXPECT_EQ(event_of(2), SmEvent::kAcknowledge);
  EXPECT_EQ(event_of(3), SmEvent::kDisable);
  EXPECT_EQ(event_of(4), SmEvent::kStandby);
  EXPECT_EQ(event_of(5), SmEvent::kDiscover);
  EXPECT_EQ(event_of(6), std::nullopt);
  EXPECT_EQ(event_of(0x01000000), std::nullopt);
}

TEST(Election, ComparesPriorityThenGuidThenLid) {
  const Contender low{1, Guid(5), Lid(9), kStandby};
  EXPECT_TRUE(outranks({2, Guid(9), Lid(9), kStandby}, low));
  EXPECT_FALSE(outranks({0, Guid(1), Lid(1), kMaster}, low));
  EXPECT_TRUE(outranks({1, Guid(4), Lid(9), kStandby}, low));
  EXPECT_FALSE(outranks({1, Guid(6), Lid(1), kMaster}, low));
  EXPECT_TRUE(outranks({1, Guid(5), Lid(8), kStandby}, low));
  EXPECT_FALSE(outranks({1, Guid(5), kLidNone, kStandby}, low));
  EXPECT_TRUE(outranks(low, {1, Guid(5), kLidNone, kStandby}));
  EXPECT_FALSE(outranks(low, low));
}

TEST(Election, RankIsATotalOrder) {
  std::vector<Contender> all;
  for (unsigned priority : {0u, 7u, 15u})
    for (unsigned guid : {1u, 2u})
      for (unsigned lid : {0u, 1u, 2u})
        all.push_back({static_cast<std::uint8_t>(priority), Guid(guid),
                       Lid(static_cast<std::uint16_t>(lid)), kStandby});
  for (const Contender& a : all)
    for (const Contender& b : all) {
      EXPECT_EQ(outranks(a, b) || outranks(b, a), !(a == b));
      EXPECT_FALSE(outranks(a, b) && outranks(b, a));
      for (const Contender& c : all) {
        if (outranks(a, b) && outranks(b, c)) {
          EXPECT_TRUE(outranks(a, c));
        }
      }
    }
}

/// There is one other manager, of higher or of lower priority.
TEST(Election, DecidesForEachStateOfOneOtherManager) {
  using enum Standing;
  struct Case {
    SmState self, other;
    Standing if_better, if_worse;
  };
  for (const Case& c : {Case{kDiscovering, kNotActive, kBeMaster, kBeMaster},
                        Case{kDiscovering, kDiscovering, kFollow, kBeMaster},
                        Case{kDiscovering, kStandby, kFollow, kBeMaster},
                        Case{kDiscovering, kMaster, kFollow, kFollow},
                        Case{kMaster, kNotActive, kBeMaster, kBeMaster},
                        Case{kMaster, kDiscovering, kBeMaster, kBeMaster},
                        Case{kMaster, kStandby, kHandOver, kBeMaster},
                        Case{kMaster, kMaster, kHandOver, kAwaitHandover}}) {
    const Contender self{5, Guid(50), Lid(5), c.self};
    const std::vector<Contender> higher{{6, Guid(60), Lid(6), c.other}};
    const std::vector<Contender> worse{{5, Guid(60), Lid(6), c.other}};
    EXPECT_EQ(elect(self, higher).standing, c.if_better) << name(c.self) << name(c.other);
    EXPECT_EQ(elect(self, worse).standing, c.if_worse) << name(c.self) << name(c.other);
    EXPECT_EQ(elect(self, {}).standing, kBeMaster);
  }
}

TEST(Election, SelectsOneOfSeveralManagers) {
  using enum Standing;
  const Contender self{5, Guid(50), Lid(5), kDiscovering};
  const Contender master_low{0, Guid(9), Lid(9), kMaster};
  const Contender master_high{9, Guid(9), Lid(8), kMaster};
  const Contender standby_higher{12, Guid(1), Lid(7), kStandby};
  const Contender standby_high{7, Guid(2), Lid(6), kStandby};
  const Contender not_active{15, Guid(3), Lid(4), kNotActive};
  EXPECT_EQ(elect(self, std::vector{standby_higher, master_low}), (ElectionResult{kFollow, 1}));
  EXPECT_EQ(elect(self, std::vector{standby_high, not_active, standby_higher}),
            (ElectionResult{kFollow, 2}));
  Contender leading = self;
  leading.state = kMaster;
  EXPECT_EQ(elect(leading, std::vector{standby_high, standby_higher}),
            (ElectionResult{kHandOver, 1}));
  EXPECT_EQ(elect(leading, std::vector{standby_higher, master_high}),
            (ElectionResult{kHandOver, 1}));
  EXPECT_EQ(elect(leading, std::vector{master_low, standby_high}), (ElectionResult{kHandOver, 1}));
  EXPECT_EQ(elect(leading, std::vector{not_active, master_low}),
            (ElectionResult{kAwaitHandover, 1}));
}

/// For all priorities and states: of two masters exactly one sends a HANDOVER, and of two
/// DISCOVERING managers exactly one becomes master.
TEST(Election, NeverElectsTwoMasters) {
  for (unsigned p = 0; p < 3; ++p)
    for (unsigned q = 0; q < 3; ++q)
      for (const SmState state : {kDiscovering, kMaster}) {
        const Contender a{static_cast<std::uint8_t>(p), Guid(1), Lid(1), state};
        const Contender b{static_cast<std::uint8_t>(q), Guid(2), Lid(2), state};
        const auto of_a = elect(a, std::vector{b}).standing;
        const auto of_b = elect(b, std::vector{a}).standing;
        const auto is_lower = [](Standing s) {
          return s == Standing::kFollow || s == Standing::kHandOver;
        };
        EXPECT_NE(is_lower(of_a), is_lower(of_b));
      }
}

}  // namespace
}  // namespace weft
