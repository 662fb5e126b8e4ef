// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests that wait for the windows of their devices: order, and drafts.
#include "sm/discovery/held_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void add(HeldRequests& held, HeldRequests::Queue& queue, std::uint64_t cookie) {
  HeldRequest& draft = held.draft();
  draft.cookie = cookie;
  draft.request.modifier = static_cast<std::uint32_t>(cookie);
  held.push(queue);
}

TEST(HeldRequests, KeepTheOrderOfEachQueue) {
  HeldRequests held;
  HeldRequests::Queue one, other;
  for (std::uint64_t i = 0; i < 6; ++i) add(held, i % 2 == 0 ? one : other, i);
  EXPECT_EQ(held.size(), 6u);
  EXPECT_EQ(held.front(one).cookie, 0u);
  held.pop(one);
  add(held, one, 6);  // reuses the memory of the request that was removed
  EXPECT_EQ(held.front(one).request.modifier, 2u);
  EXPECT_THAT(held.take_all(one), ElementsAre(2, 4, 6));
  EXPECT_THAT(held.take_all(other), ElementsAre(1, 3, 5));
  EXPECT_EQ(held.size(), 0u);
  EXPECT_TRUE(one.empty());
  EXPECT_THAT(held.take_all(one), IsEmpty());
}

TEST(HeldRequests, ADraftBelongsToNoQueue) {
  HeldRequests held;
  HeldRequests::Queue queue;
  add(held, queue, 7);
  held.pop(queue);
  held.draft().cookie = 8;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(held.size(), 0u);
}

}  // namespace
}  // namespace weft
