// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Servers with several ports, and planes that have only servers in common.
#include "fabric/servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/planes.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AdapterNumber, IsInTheLastOfSeveralWords) {
  EXPECT_EQ(adapter_number("node07 mlx5_3"), 3u);
  EXPECT_EQ(adapter_number("node07 HCA-12"), 12u);
  for (const char* text : {"", "node07", "node07 3", " mlx5_3", "node mlx5_", "n MT4129"})
    EXPECT_FALSE(adapter_number(text)) << text;
}

TEST(Servers, HaveThePortsOfAllAdapters) {
  const Fabric fabric = fabric_of("rail:su=1,servers=2,nics=2,k=8,planes=2");
  const auto ports = fabric.hosts();
  ASSERT_EQ(ports.size(), 8u);
  EXPECT_THAT(ports_by_server(fabric, ports),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  const Fabric single = fabric_of("ring:n=3");
  EXPECT_EQ(ports_by_server(single, single.hosts()).size(), 3u);
}

TEST(Planes, PortsInOtherPlanesAreCountedForEachHostPort) {
  const Fabric rails = fabric_of("railonly:su=1,servers=4,nics=3,k=8");
  const std::vector<std::uint32_t> part{0, 1, 2};  // each part is one switch
  const auto counts = ports_in_other_planes(rails, part);
  ASSERT_EQ(counts.size(), rails.endport_count());
  for (const EndportId host : rails.hosts()) EXPECT_EQ(counts[host.value()], 8u);
  // No host has ports in both parts, so the parts are no planes.
  const Fabric ring = fabric_of("ring:n=2");
  EXPECT_THAT(ports_in_other_planes(ring, std::vector<std::uint32_t>{0, 1}), IsEmpty());
}

}  // namespace
}  // namespace weft
