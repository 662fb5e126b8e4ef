// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `gmp`: the test sets a counter in the emulator, the performance manager
// reads the counter in a sweep, and the test checks the total of the manager.
//
//   cmake --build --preset release --target gmp_tests
//   build/release/bin/gmp_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "support/performance_subnet.h"

namespace weft {
namespace {

TEST(Example, ErrorsOfAPortAreCounted) {
  PerformanceSubnet subnet(fabric_of("fattree2:k=4"));
  const PortId port = subnet.managed.fabric().port_id(NodeId(0), PortNum(1));
  subnet.device_counters(port, Counter::kSymbolErrors) = 5;  // in the emulated device
  subnet.start();
  subnet.sweep();
  EXPECT_EQ(subnet.total(port, Counter::kSymbolErrors), 5u);  // in the manager's database
}

}  // namespace
}  // namespace weft
