// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Differences between two fabrics: new, missing, moved and changed nodes, links, LIDs and rates,
// and the summary for administrators.
#include "fabric/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "fabric/builder.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = FabricChange::Kind;

std::vector<std::string> texts(const std::vector<FabricChange>& changes) {
  std::vector<std::string> result;
  for (const FabricChange& change : changes)
    result.push_back(std::string(name(change.kind)) + ": " + change.what);
  return result;
}

/// S0 - S1 with a host on each switch.
Tiny pair() { return std::move(Tiny(2).link(0, 1).hosts(0).hosts(1)); }

TEST(Changes, ListNoneBetweenEqualFabrics) {
  EXPECT_THAT(compare(pair().build(), pair().build()), IsEmpty());
}

TEST(Changes, ListLinksOfARemovedNodeOnlyInTheFullList) {
  const Fabric before = Tiny(3).link(0, 1).link(1, 2).link(0, 1).build();
  const Fabric after = Tiny(2).link(0, 1).build();
  const auto changes = compare(before, after);
  EXPECT_THAT(
      texts(changes),
      ElementsAre(
          "node gone: 'S2' (0x0000000000000102)",
          "link gone: 'S0' (0x0000000000000100) port 2 - 'S1' (0x0000000000000101) port 3",
          "link gone: 'S1' (0x0000000000000101) port 2 - 'S2' (0x0000000000000102) port 1"));
  EXPECT_THAT(
      texts(summarize_changes(changes)),
      ElementsAre(
          "node gone: 'S2' (0x0000000000000102)",
          "link gone: 'S0' (0x0000000000000100) port 2 - 'S1' (0x0000000000000101) port 3"));
  const FabricChange& link = changes[1];
  EXPECT_EQ(link.node, Guid(0x100));
  EXPECT_EQ(link.port, PortNum(2));
  EXPECT_EQ(link.peer, Guid(0x101));
  EXPECT_EQ(link.peer_port, PortNum(3));
}

TEST(Changes, ReverseComparisonListsNewObjectsAsGone) {
  const Fabric small = pair().build();
  const Fabric large = Tiny(2).link(0, 1).hosts(0).hosts(1).hosts(1).build();
  const auto grown = compare(small, large);
  const auto shrunk = compare(large, small);
  ASSERT_EQ(grown.size(), 2u);
  ASSERT_EQ(shrunk.size(), 2u);
  EXPECT_EQ(grown[0].kind, Kind::kNodeNew);
  EXPECT_EQ(shrunk[0].kind, Kind::kNodeGone);
  EXPECT_EQ(grown[0].what, shrunk[0].what);
  EXPECT_EQ(grown[1].kind, Kind::kLinkNew);
  EXPECT_EQ(shrunk[1].kind, Kind::kLinkGone);
  EXPECT_EQ(grown[1].what, shrunk[1].what);
}

TEST(Changes, ListAMovedCableAsGoneAndNew) {
  Tiny moved(2, 8);
  CHECK(moved.builder().connect(0, PortNum(1), 1, PortNum(5)).has_value());
  EXPECT_THAT(
      texts(compare(Tiny(2).link(0, 1).build(), moved.build())),
      ElementsAre("link gone: 'S0' (0x0000000000000100) port 1 - 'S1' (0x0000000000000101) port 1",
                  "link new: 'S0' (0x0000000000000100) port 1 - 'S1' (0x0000000000000101) port 5"));
}

TEST(Changes, OmitTheRateOfALinkThatHasAnotherPeer) {
  Tiny before(3, 8), after(3, 8);
  before.link(0, 1);
  after.link(0, 2);
  FabricBuilder::PortSpec faster;
  faster.speed = LinkSpeed::kHdr;
  for (const FabricBuilder::NodeIndex end : {0u, 2u})
    CHECK(after.builder().describe_port(end, PortNum(1), faster).has_value());
  EXPECT_THAT(
      texts(compare(before.build(), after.build())),
      ElementsAre("link gone: 'S0' (0x0000000000000100) port 1 - 'S1' (0x0000000000000101) port 1",
                  "link new: 'S0' (0x0000000000000100) port 1 - 'S2' (0x0000000000000102) port 1"));
}

TEST(Changes, ListChangedNamesLidsAndRates) {
  Tiny other(2, 8);
  other.builder().node(0).description = "spine";
  other.link(0, 1).hosts(0).hosts(1);
  FabricBuilder::PortSpec faster;
  faster.speed = LinkSpeed::kHdr;
  for (const FabricBuilder::NodeIndex end : {0u, 1u})
    CHECK(other.builder().describe_port(end, PortNum(1), faster).has_value());
  const Fabric before = pair().build();
  const Fabric after = other.build(1);  // an LMC of 1 changes LIDs
  std::vector<Kind> kinds;
  for (const FabricChange& change : compare(before, after)) kinds.push_back(change.kind);
  EXPECT_THAT(kinds, ElementsAre(Kind::kNodeRenamed, Kind::kLidChanged, Kind::kLidChanged,
                                 Kind::kLinkRate));
}

}  // namespace
}  // namespace weft
