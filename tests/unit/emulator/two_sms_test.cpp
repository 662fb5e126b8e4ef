// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two subnet managers on one fabric: SMInfo, and the receiver of each SMP.
#include <gtest/gtest.h>

#include "ib/sm_info.h"
#include "unit/emulator/client.h"

namespace weft {
namespace {

class TwoSms : public Routed {
 protected:
  Client other{emulated, kH1};
};

TEST_F(TwoSms, IsSmIsSetAtTheEndportsOfBothSms) {
  EXPECT_TRUE(sm.port_info({}, 1).capability_mask & cap_mask::kIsSm);
  EXPECT_TRUE(sm.port_info({1, 2, 2}, 1).capability_mask & cap_mask::kIsSm);
  EXPECT_FALSE(sm.port_info({1}, 0).capability_mask & cap_mask::kIsSm);
}

TEST_F(TwoSms, SmInfoReachesTheAttachedSm) {
  emulated.run_for(std::chrono::milliseconds(1));
  sm.take_unsolicited();  // removes the trap about the new SM
  const Smp request = directed(Method::kGet, AttributeId::kSmInfo, 0, {1, 2, 2});
  ASSERT_TRUE(sm.transport().send(request));
  emulated.run_for(std::chrono::milliseconds(1));
  auto requests = other.take_unsolicited();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].hop_pointer, 4);
  Smp answer = requests[0];
  answer.method = Method::kGetResp;
  answer.returning = true;
  const SmInfo info{Guid(5), SmKey(0), 1, 3, SmState::kMaster};
  answer.data = encode(info);
  ASSERT_TRUE(other.transport().send(answer));
  emulated.run_for(std::chrono::milliseconds(1));
  const auto received = sm.take_unsolicited();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].hop_pointer, 0);
  EXPECT_EQ(*decode_sm_info(received[0].data), info);
}

TEST_F(TwoSms, SmInfoByLidReachesTheAttachedSm) {
  ASSERT_TRUE(sm.transport().send(by_lid(Method::kGet, AttributeId::kSmInfo, 0, Lid(4))));
  emulated.run_for(std::chrono::milliseconds(1));
  const auto requests = other.take_unsolicited();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].slid, Lid(3));
}

TEST_F(TwoSms, SmInfoIsUnsupportedAtANodeWithoutAnSm) {
  const auto answer = sm.get(AttributeId::kSmInfo, 0, {1});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, mad_status::kMethodAttributeUnsupported);
}

TEST_F(TwoSms, ResponsesReachOnlyTheRequestingSm) {
  EXPECT_TRUE(other.get(AttributeId::kNodeInfo, 0, {1}));
  EXPECT_TRUE(sm.get(AttributeId::kNodeInfo, 0, {1}));
  EXPECT_TRUE(other.take_unsolicited().empty());
}

TEST_F(TwoSms, DetachingAnSmClearsIsSm) {
  const EndportId switch0{0};
  {
    Client third_sm(emulated, switch0);
    EXPECT_TRUE(third_sm.get(AttributeId::kNodeInfo, 0, {}));
    EXPECT_TRUE(third_sm.get(AttributeId::kNodeInfo, 0, {2}));
    ASSERT_TRUE(third_sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, {2})));
  }
  EXPECT_TRUE(emulated.port_info(port(kS0, 0)).capability_mask & cap_mask::kIsSm);
  emulated.detach(switch0);
  emulated.run_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(emulated.port_info(port(kS0, 0)).capability_mask & cap_mask::kIsSm);
  EXPECT_EQ(emulated.counters().drops(Drop::kNoReceiver), 1u);
}

}  // namespace
}  // namespace weft
