// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::jobs {
namespace {

TEST(Schedule, ListsSuccessorsAndCountsPredecessors) {
  ScheduleBuilder builder;
  builder.begin_job({.name = "a"});
  const OpId last = builder.delay(3);
  const OpId first = builder.delay(1);
  const OpId second = builder.delay(2);
  builder.depend(last, first);
  builder.depend(last, second);
  builder.depend(second, first);
  builder.depend(second, kNoOp);
  const auto schedule = builder.finish();
  ASSERT_TRUE(schedule.has_value());
  EXPECT_THAT(schedule->successors_of(first), testing::ElementsAre(last, second));
  EXPECT_THAT(schedule->successors_of(last), testing::IsEmpty());
  EXPECT_EQ(schedule->ops[last].predecessors, 2U);
  EXPECT_EQ(schedule->jobs[0].end, 3U);
}

TEST(Schedule, NamesTheJobAndTheOpOfACycle) {
  ScheduleBuilder builder;
  builder.begin_job({.name = "a"});
  builder.delay(1);
  builder.begin_job({.name = "b"});
  builder.delay(1);
  const OpId x = builder.delay(1);
  const OpId y = builder.delay(1);
  builder.depend(x, y);
  builder.depend(y, x);
  const auto schedule = builder.finish();
  ASSERT_FALSE(schedule.has_value());
  EXPECT_EQ(schedule.error().message,
            "job b: 2 ops depend on each other in a cycle, the first is op 1");
}

TEST(Schedule, JoinAddsNoOpForASinglePredecessor) {
  ScheduleBuilder builder;
  builder.begin_job({});
  const OpId a = builder.delay(1);
  const OpId b = builder.delay(1);
  EXPECT_EQ(builder.join(std::vector{kNoOp, a, kNoOp}), a);
  EXPECT_EQ(builder.join(std::vector{kNoOp, kNoOp}), kNoOp);
  EXPECT_EQ(builder.join(std::vector{a, b}), 2U);
}

}  // namespace
}  // namespace weft::jobs
