// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `ib`: an attribute is encoded and compared with bytes, which are written
// as in the table of the specification; then the bytes are decoded.
//
//   cmake --build --preset release --target ib_tests
//   build/release/bin/ib_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "ib/node_info.h"
#include "unit/ib/bytes.h"

namespace weft {
namespace {

TEST(Example, NodeInfoHasTheBytesOfTheSpecification) {
  NodeInfo info;
  info.type = NodeType::kSwitch;
  info.port_count = 36;
  info.node_guid = Guid(0x2c90300001000);
  // from_hex() ignores blanks and sets the remaining bytes to 0. BaseVersion and ClassVersion
  // are 1.
  const SmpData bytes = encode(info);
  EXPECT_EQ(bytes, from_hex("01 01 02 24  0000000000000000  0002c90300001000")) << to_hex(bytes);
  // Decoding the encoded bytes returns an equal struct; invalid bytes cause an error.
  EXPECT_EQ(decode_node_info(bytes).value(), info);
  EXPECT_FALSE(decode_node_info(from_hex("01 01 09 24")));  // there is no node type 9
}

}  // namespace
}  // namespace weft
