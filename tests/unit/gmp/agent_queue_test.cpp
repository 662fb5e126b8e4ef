// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/agent_queue.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(AgentQueue, ReturnsTasksOfAgentsInTurnAndLimitsTasksOfOneAgent) {
  AgentQueue<char, int> queue;
  for (const int task : {1, 2, 3}) queue.push('a', task);
  queue.push('b', 10);
  EXPECT_EQ(queue.take(2), 1);
  EXPECT_EQ(queue.take(2), 10);
  EXPECT_EQ(queue.take(2), 2);
  EXPECT_EQ(queue.take(2), std::nullopt) << "two tasks of agent a are in progress";
  queue.finish('a');
  EXPECT_EQ(queue.take(2), 3);
  queue.finish('a');
  queue.finish('b');
  EXPECT_EQ(queue.take(2), std::nullopt);
}

TEST(AgentQueue, ReturnsFollowingTasksOfAnAgentFirst) {
  AgentQueue<char, int> queue;
  queue.push('a', 1);
  queue.push('a', 2);
  EXPECT_EQ(queue.take(1), 1);
  queue.finish('a');
  queue.push_front('a', 9);
  EXPECT_EQ(queue.take(1), 9);
  queue.finish('a');
  EXPECT_EQ(queue.take(1), 2);
}

TEST(AgentQueue, LimitOfZeroPermitsAnyNumberOfTasks) {
  AgentQueue<char, int> queue;
  for (int task = 0; task < 100; ++task) queue.push('a', task);
  for (int task = 0; task < 100; ++task) EXPECT_EQ(queue.take(0), task);
  queue.clear();
  queue.finish('a');  // the end of a task that was taken before clear()
  queue.push('a', 1);
  EXPECT_EQ(queue.take(1), 1);
}

}  // namespace
}  // namespace weft
