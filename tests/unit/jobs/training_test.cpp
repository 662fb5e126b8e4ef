// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/training.h"

#include <gtest/gtest.h>

#include "unit/jobs/job_networks.h"

namespace weft::jobs {
namespace {

RunOutcome step(const std::string& keys) {
  return run_of(network_without_shared_links(), "training," + keys);
}
double step_seconds(const std::string& keys) { return seconds_of(step(keys).jobs[0].time); }

// With the schedule "one forward, one backward", m micro-batches on p stages take (m + p - 1) times
// the sum of the forward and backward times.
TEST(Training, PipelineTimeIncludesTheIdleTimeOfStages) {
  EXPECT_NEAR(step_seconds("pipeline=4,micro_batches=8,forward=1ms"), (8 + 4 - 1) * 3e-3, 1e-9);
  EXPECT_NEAR(step_seconds("pipeline=4,micro_batches=2,forward=1ms"), (2 + 4 - 1) * 3e-3, 1e-9);
  EXPECT_NEAR(step_seconds("pipeline=1,data=2,micro_batches=8,forward=1ms,backward=1ms"), 16e-3,
              1e-9);
}

TEST(Training, ComputationDoesNotWaitForSendsOfTheStage) {
  // A message takes 1 ms. The first stage computes for 2 ms. Its second message arrives after 3 ms.
  // The second stage computes for 1 ms more, and the gradient arrives after another 1 ms.
  EXPECT_NEAR(
      step_seconds("pipeline=2,micro_batches=2,forward=1ms,backward=0,pipeline_bytes=12500000"),
      5e-3, 1e-9);
}

TEST(Training, GradientsAreReducedInEachDataGroupAtOnce) {
  // All ranks are on one switch, so the groups share no channels.
  EXPECT_NEAR(step_seconds("tensor=2,data=8,gradient_bytes=16MiB,forward=0"),
              2.0 * 7 / 8 * (1 << 24) / kEdr, 1e-9);
}

TEST(Training, TensorGroupsInsideAServerNeedNoNetwork) {
  const std::string keys =
      "tensor=4,data=2,micro_batches=3,layers=5,tensor_bytes=1MiB,forward=1ms,server_hosts=4,"
      "local_rate=100GB/s";
  const RunOutcome outcome = step(keys);
  EXPECT_EQ(outcome.jobs[0].messages, 0U);
  // Two all-reduces in each layer and direction.
  const double reduce = 2.0 * 3 / 4 * (1 << 20) / 100e9;
  EXPECT_NEAR(seconds_of(outcome.jobs[0].time), 3 * (3e-3 + 5 * 4 * reduce), 1e-9);
}

TEST(Training, TensorGroupsAcrossServersUseTheNetwork) {
  const double reduce = 2.0 * 3 / 4 * (1 << 20) / kEdr;
  EXPECT_NEAR(step_seconds("tensor=4,micro_batches=2,layers=3,tensor_bytes=1MiB,forward=3ms"),
              2 * (9e-3 + 3 * 4 * reduce), 1e-9);
}

TEST(Training, ExpertsExchangeTwiceInEachLayerAndDirection) {
  const double exchange = 3.0 / 4 * (1 << 20) / kEdr;
  EXPECT_NEAR(step_seconds("data=8,expert=4,micro_batches=2,layers=3,expert_bytes=1MiB"),
              2 * 3 * 4 * exchange, 1e-9);
}

TEST(Training, PipelineWorkEqualsTheTrainingStepOfAPipeline) {
  const auto pipeline =
      run_of(network_without_shared_links(), "pipeline,ranks=4,micro_batches=6,bytes=1MiB");
  EXPECT_EQ(pipeline.jobs[0].messages, 2U * 3 * 6);
  EXPECT_EQ(pipeline.jobs[0].time,
            step("pipeline=4,micro_batches=6,pipeline_bytes=1MiB").jobs[0].time);
}

}  // namespace
}  // namespace weft::jobs
