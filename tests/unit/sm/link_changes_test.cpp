// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NeighborMTU and OperationalVLs of a fabric that another manager brought up with other values: the
// manager does not change them on a link in use.
#include "sm/programming/link_changes.h"

#include <gmock/gmock.h>

#include "support/fabric_state.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<unsigned> vls_in_use(ManagedSubnet& managed) {
  std::vector<unsigned> vls;
  for (std::uint32_t p = 0; p < managed.fabric().port_count(); ++p)
    if (managed.fabric().port(PortId(p)).peer != kNoPort)
      vls.push_back(managed.emulated().port_info(PortId(p)).operational_vls);
  return vls;
}

/// A fabric that was brought up with two data VLs; the next manager is configured for four.
class LiveLink : public testing::TestWithParam<const char*> {
 protected:
  LiveLink() : managed(fabric_of(GetParam())) {
    managed.options.max_op_vls = 2;
    managed.start();
    CHECK(managed.settle());
    managed.options.max_op_vls = 3;
    managed.emulated().reset_counters();
  }
  std::uint64_t live_changes() { return managed.emulated().counters().live_link_changes; }

  ManagedSubnet managed;
};

TEST_P(LiveLink, IsTakenDownAndComesUpWithTheNewVls) {
  for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n) {
    DeviceBehavior quirks;
    quirks.retrains_on_vl_change = true;
    managed.emulated().set_behavior(NodeId(n), quirks);
  }
  const auto lids = managed.emulated().lids();
  managed.start();
  ASSERT_TRUE(managed.settle(minutes(1)));
  expect_managed(managed);
  EXPECT_EQ(managed.known().link_count(), managed.fabric().link_count());
  EXPECT_EQ(live_changes(), 0u);
  EXPECT_THAT(vls_in_use(managed), testing::Each(3u));
  EXPECT_EQ(managed.emulated().lids(), lids);

  managed.run_for(seconds(30));
  ASSERT_TRUE(managed.settle());
  managed.emulated().reset_counters();
  const std::uint64_t sweeps = managed.sm().heavy_sweeps();
  managed.run_for(minutes(2));
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  EXPECT_EQ(managed.sets(AttributeId::kPortInfo), 0u);
}

TEST_P(LiveLink, KeepsItsVlsIfConfigured) {
  managed.options.live_link_changes = LiveLinks::kWait;
  const auto before = vls_in_use(managed);
  managed.start();
  ASSERT_TRUE(managed.settle(minutes(1)));
  expect_managed(managed);
  EXPECT_EQ(live_changes(), 0u);
  EXPECT_EQ(vls_in_use(managed), before);
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("until it retrains")));

  // A link that retrains gets the desired values.
  const Channel& channel = managed.fabric().channel(ChannelId(0));
  const PortId cable = managed.fabric().port_id(Fabric::node_of(channel.from), channel.from_port);
  managed.emulated().cut_cable(cable);
  managed.run_for(seconds(20));
  managed.emulated().restore_cable(cable);
  managed.run_for(seconds(20));
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().port_info(cable).operational_vls, 3u);
  EXPECT_EQ(managed.emulated().port_info(managed.fabric().port(cable).peer).operational_vls, 3u);
  EXPECT_EQ(live_changes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, LiveLink,
                         testing::Values("fattree2:k=4", "ring:n=6,hosts=1", "mesh:4x1,hosts=2"));

/// The manager runs on a switch, with few outstanding SMPs.
TEST(LiveLinks, AreTakenDownWithTheManagerOnASwitch) {
  ManagedSubnet managed(fabric_of("ring:n=5,hosts=1"));
  managed.attach_at(EndportId(0));
  managed.options.max_op_vls = 2;
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().reset_counters();
  managed.options.max_op_vls = 3;
  managed.options.max_wire_smps = 2;
  managed.start();
  ASSERT_TRUE(managed.settle(minutes(1)));
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().counters().live_link_changes, 0u);
  EXPECT_THAT(vls_in_use(managed), testing::Each(3u));
}

/// Routes that need more VLs than links in use have are not programmed until the links have these
/// VLs.
TEST(LiveLinks, ReportsLinksWithTooFewVls) {
  ManagedSubnet managed(fabric_of("ring:n=6,hosts=1"));
  managed.options.max_op_vls = 1;
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.options.max_op_vls = 5;
  managed.options.routing_engine = {{"dfsssp"}, false};
  managed.options.live_link_changes = LiveLinks::kWait;
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("operates 1 data VL,")));
  managed.options.live_link_changes = LiveLinks::kBounce;
  managed.start();
  ASSERT_TRUE(managed.settle(minutes(1)));
  expect_managed(managed);
}

/// Input of the stages of a sweep: one switch and two hosts, with the manager on H0.
class LinkChange : public testing::Test {
 protected:
  LinkChange() {
    observed.fabric = Tiny(1).hosts(0, 2).build();
    for (std::uint32_t n = 0; n < observed.fabric.node_count(); ++n) {
      ObservedNode& node = observed.nodes.emplace_back();
      const std::size_t ports = observed.fabric.node(NodeId(n)).port_count + std::size_t{1};
      node.info.type = observed.fabric.node(NodeId(n)).type;
      node.answered.assign(ports, true);
      node.paths.resize(ports);
      for (DirectedPath& path : node.paths)
        path.count = n == 0 ? 1 : n == 1 ? 0 : 2;  // the manager is on H0
      node.ports.resize(ports);
      for (PortInfo& info : node.ports) {
        info.state = PortState::kActive;
        info.mtu_cap = info.neighbor_mtu = 4;
        info.vl_cap = info.operational_vls = 3;
      }
    }
    far = observed.fabric.endport(EndportId(2)).port;
  }
  PortInfo& at(PortId port) {
    const Port& is = observed.fabric.port(port);
    return observed.nodes[is.node.value()].ports[is.num.value()];
  }
  std::vector<PortId> to_take_down(LiveLinks live = LiveLinks::kBounce) {
    notes.clear();
    return changes.to_take_down(observed, observed.fabric,
                                all_link_parameters(observed, observed.fabric, {5, live}, 1), live,
                                1, notes);
  }

  Observed observed;
  PortId far;  // the port of H1
  LinkChanges changes;
  std::vector<std::string> notes;
};

TEST_F(LinkChange, ParametersOfAllPortsEqualThoseOfEachPort) {
  at(far).mtu_cap = 3;
  at(far).operational_vls = 1;
  for (const LiveLinks live : {LiveLinks::kBounce, LiveLinks::kWait})
    for (const unsigned threads : {1u, 2u}) {
      const auto all = all_link_parameters(observed, observed.fabric, {5, live}, threads);
      ASSERT_EQ(all.size(), observed.fabric.port_count());
      for (std::uint32_t p = 0; p < all.size(); ++p)
        EXPECT_EQ(all[p], link_parameters(observed, observed.fabric, PortId(p), {5}));
      EXPECT_EQ(all[far.value()], (LinkParameters{3, 3}));
    }
}

TEST_F(LinkChange, IsMadeAtTheEndNearerToTheManager) {
  EXPECT_THAT(to_take_down(), IsEmpty());
  at(far).neighbor_mtu = 3;
  EXPECT_THAT(to_take_down(), testing::ElementsAre(observed.fabric.port(far).peer));
  const PortId own = observed.fabric.endport(EndportId(1)).port;
  at(own).operational_vls = 2;
  EXPECT_THAT(to_take_down(), testing::UnorderedElementsAre(observed.fabric.port(far).peer, own));
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_THAT(to_take_down(LiveLinks::kWait), IsEmpty());
  EXPECT_THAT(notes, testing::SizeIs(2));
}

TEST_F(LinkChange, IsMadeAtTheFirstOfTwoEndsAtEqualDistance) {
  at(far).neighbor_mtu = 3;
  for (DirectedPath& path : observed.nodes[2].paths) path.count = 1;
  ASSERT_LT(observed.fabric.port(far).peer, far);
  EXPECT_THAT(to_take_down(), testing::ElementsAre(observed.fabric.port(far).peer));
}

TEST_F(LinkChange, IsNotMadeOnLinksWithoutDataOrAtPortsWithoutAnswer) {
  at(far).neighbor_mtu = 3;
  at(far).state = PortState::kInit;
  EXPECT_THAT(to_take_down(), IsEmpty());
  at(far).state = PortState::kArmed;
  EXPECT_THAT(to_take_down(), testing::SizeIs(1));
  observed.nodes[2].answered[1] = false;
  EXPECT_THAT(to_take_down(), IsEmpty());
  observed.nodes[2].answered[1] = true;
  at(far).neighbor_mtu = 0;
  EXPECT_THAT(to_take_down(), IsEmpty())
      << "NeighborMTU 0 is no valid value and must cause no change";
}

TEST_F(LinkChange, StopsIfADeviceNeverAcceptsTheChange) {
  at(far).neighbor_mtu = 3;
  for (unsigned times = 0; times < LinkChanges::kTimesMax; ++times) {
    const auto ports = to_take_down();
    ASSERT_THAT(ports, testing::SizeIs(1));
    changes.taken_down(observed, ports.front());
    EXPECT_TRUE(changes.is_awaiting());
    changes.follow(observed);
    EXPECT_FALSE(changes.is_awaiting()) << "a link that is up again must not be awaited";
  }
  EXPECT_THAT(to_take_down(), IsEmpty());
  EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("taken down 2 times without effect")));
  at(far).neighbor_mtu = 4;
  EXPECT_THAT(to_take_down(), IsEmpty());
  at(far).neighbor_mtu = 3;
  EXPECT_THAT(to_take_down(), testing::SizeIs(1))
      << "the change must be tried again after the link had the desired value";
}

TEST_F(LinkChange, AwaitsALinkOnlyForSomeSweeps) {
  changes.taken_down(observed, far);
  observed.fabric = Tiny(1).hosts(0, 1).build();
  for (unsigned sweep = 0; sweep < LinkChanges::kSweepsMax; ++sweep) {
    EXPECT_TRUE(changes.is_awaiting());
    changes.follow(observed);
  }
  EXPECT_FALSE(changes.is_awaiting());
}

TEST(EnhancedPort0, HasMtuCapAsNeighborMtu) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0).hosts(1);
  for (std::uint32_t sw = 0; sw < 2; ++sw) tiny.builder().node(sw).enhanced_port0 = true;
  ManagedSubnet managed(tiny.build());
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  for (std::uint32_t sw = 0; sw < 2; ++sw) {
    const PortInfo& info =
        managed.emulated().port_info(managed.fabric().port_id(NodeId(sw), PortNum(0)));
    EXPECT_EQ(info.neighbor_mtu, info.mtu_cap);
  }
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sets(AttributeId::kPortInfo), 0u);
}

}  // namespace
}  // namespace weft
