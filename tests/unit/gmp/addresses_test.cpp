// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/addresses.h"

#include <gtest/gtest.h>

#include "support/managed_subnet.h"

namespace weft {
namespace {

TEST(AddressesOfGmps, NameThePortInThePlaneOfTheDestination) {
  ManagedSubnet managed(fabric_of("fattree2:k=4,planes=2"));
  managed.use_all_ports();
  managed.start();
  ASSERT_TRUE(managed.settle());
  const Snapshot& snapshot = *managed.sm().snapshot();
  for (std::uint32_t s = 0; s < snapshot.fabric.switch_count(); ++s) {
    const EndportId to = snapshot.fabric.endport_at(snapshot.fabric.port_id(NodeId(s), PortNum(0)));
    const bool first = snapshot.fabric.node(SwitchId(s)).description.starts_with("plane1");
    EXPECT_EQ(address_of(snapshot, to).port, first ? 1 : 2);
    EXPECT_EQ(address_of(snapshot, to).lid, snapshot.fabric.endport(to).lid);
  }
}

TEST(AddressesOfGmps, NameNoPortIfTheManagerHasOne) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(address_of(*managed.sm().snapshot(), EndportId(0)).port, 0);
}

}  // namespace
}  // namespace weft
