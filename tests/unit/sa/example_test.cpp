// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An example of a test of `sa`: on a managed subnet with its SA, a client on the last host sends
// requests through the network.
//
//   cmake --build --preset release --target sa_tests
//   build/release/bin/sa_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "support/sa_subnet.h"

namespace weft {
namespace {

TEST(Example, ATableHasARecordForEachEndport) {
  SaSubnet subnet(fabric_of("fattree2:k=4"));
  subnet.start();
  const Gmp request = subnet.client->request(sa_method::kGetTable, SaAttribute::kNodeRecord);
  const auto reply = subnet.client->query(request);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, mad_status::kGood);
  ASSERT_EQ(reply->count(), subnet.snapshot().fabric.endport_count());
  // Each record is decoded separately. The first record is of the lowest GUID, a switch.
  EXPECT_EQ(decode_node_record(reply->at<NodeRecord>(0))->info.type, NodeType::kSwitch);
}

}  // namespace
}  // namespace weft
