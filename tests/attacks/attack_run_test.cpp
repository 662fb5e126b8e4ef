// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A few seeds of random attacks; `make attack` runs new seeds.
#include "attack_run.h"

#include <gtest/gtest.h>

namespace weft::attacks {
namespace {

class RandomAttacks : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomAttacks, NeitherStopTheServiceNorDiscloseKeys) {
  const AttackOutcome outcome = run_attacks(GetParam());
  EXPECT_EQ(outcome.failure, "") << "attack --seed " << GetParam() << ": " << outcome.setting;
  EXPECT_GT(outcome.mads, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seed, RandomAttacks, ::testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace weft::attacks
