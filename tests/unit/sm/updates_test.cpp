// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Updates between sweeps: when an update begins, which tables it changes, and a changed link, which
// is handled before the update ends.
#include "sm/updates.h"

#include "support/managed_subnet.h"

namespace weft {
namespace {

using std::chrono::milliseconds;

TEST(Updates, AreFollowedByAPauseOfTwiceTheirTime) {
  Updates updates;
  updates.request(kSecond);
  EXPECT_LE(updates.due_at(), kSecond + milliseconds(50));
  updates.begin();
  updates.pause_after(milliseconds(300), kSecond);
  EXPECT_FALSE(updates.is_pending());
  EXPECT_EQ(updates.due_at(), TimeNs::max());
  updates.request(kSecond);
  EXPECT_EQ(updates.due_at(), kSecond + milliseconds(600));
  updates.request(2 * kSecond);
  updates.begin();
  updates.request(2 * kSecond);
  EXPECT_EQ(updates.due_at(), 2 * kSecond + milliseconds(50))
      << "after the pause only the delay of 50 ms may apply";
}

FiledGroup group(unsigned mlid, std::uint64_t port) {
  return {Lid(static_cast<std::uint16_t>(mlid)), {Guid(port)}, {}, {}};
}

TEST(GroupChanges, ReplaceAddAndRemoveByLid) {
  std::vector<FiledGroup> held;
  GroupChanges changes{true, {group(0xC001, 1), group(0xC003, 3)}};
  changes.add({false, {group(0xC002, 2), group(0xC003, 30)}});
  changes.add({false, {{Lid(0xC001), {}, {}, {}}, {Lid(0xC009), {}, {}, {}}}});
  std::move(changes).apply_to(held);
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0].mlid, Lid(0xC002));
  EXPECT_EQ(held[1].mlid, Lid(0xC003));
  EXPECT_EQ(held[1].members, std::vector{Guid(30)});
  changes = {};
  EXPECT_TRUE(changes.empty());
  changes.add({true, {group(0xC005, 5)}});
  std::move(changes).apply_to(held);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].mlid, Lid(0xC005));
}

/// Loses Sets of multicast tables while `loses` is true.
class LossyWire final : public SmpTransport {
 public:
  explicit LossyWire(SmpTransport& wire) : wire_(wire) {}
  Status send(const Smp& smp) override {
    if (loses && smp.method == Method::kSet &&
        smp.attribute == AttributeId::kMulticastForwardingTable) {
      ++lost;
      return {};
    }
    return wire_.send(smp);
  }
  std::optional<Smp> receive() override { return wire_.receive(); }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }

  bool loses = false;
  unsigned lost = 0;

 private:
  SmpTransport& wire_;
};

// A cable is cut while an update waits for answers of switches.
TEST(Updates, AreInterruptedByAChangedLink) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  std::optional<LossyWire> wire;
  managed.between = [&](SmpTransport& fabric) -> SmpTransport& { return wire.emplace(fabric); };
  SubnetManager& sm = managed.start();
  ASSERT_TRUE(managed.settle());
  const Fabric& fabric = managed.fabric();
  const auto port = [&](unsigned host) {
    return fabric.port(fabric.endport(EndportId(fabric.switch_count() + host)).port).guid;
  };
  wire->loses = true;
  sm.set_multicast_groups({{Lid(0xC001), {port(0), port(2), port(5)}, {}, {}}});
  for (int i = 0; i < 100 && wire->lost == 0; ++i) managed.run_for(milliseconds(10));
  ASSERT_GT(wire->lost, 0u) << "an update must be in progress";
  wire->loses = false;  // lost Sets are repeated after 200 ms
  const std::uint64_t sweeps = sm.heavy_sweeps();
  const Channel& cable = fabric.channel(fabric.cables().back());
  const TimeNs cut = managed.emulated().clock().now();
  managed.emulated().cut_cable(fabric.port_id(Fabric::node_of(cable.from), cable.from_port));
  const std::size_t links = sm.snapshot()->fabric.channel_count();
  for (int i = 0; i < 500 && sm.heavy_sweeps() == sweeps; ++i) managed.run_for(milliseconds(2));
  EXPECT_LT(managed.emulated().clock().now() - cut, milliseconds(150))
      << "the sweep must begin before a request of the update times out";
  ASSERT_TRUE(managed.settle());
  EXPECT_LT(sm.snapshot()->fabric.channel_count(), links);
  EXPECT_TRUE(sm.last_report().up) << sm.last_report().error;
  EXPECT_EQ(sm.snapshot()->routes.mfts.size(), 1u) << "the group must stay in the routes";
}

}  // namespace
}  // namespace weft
