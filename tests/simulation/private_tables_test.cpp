// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The comparisons of private tables detect tables that another manager has changed.
#include "private_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/private_lfts.h"
#include "ib/vendor/private_lfts_unconfirmed.h"
#include "sm/discovery/directed.h"
#include "support/managed_subnet.h"

namespace weft::simulation {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

EmulatorOptions device_options(FeatureDevices private_lfts) {
  EmulatorOptions options;
  options.adaptive = AdaptiveSwitches::kAnswered;
  options.private_lfts = private_lfts;
  return options;
}

class ChangedTables : public testing::Test {
 protected:
  void start(FeatureDevices private_lfts) {
    options_ = device_options(private_lfts);
    managed_.emplace(fabric_of("dragonflyplus:leaves=3,spines=3,h=1,hosts=2"), options_);
    managed_->options.routing_engine = {{"dfp2"}, false};
    managed_->start();
    ASSERT_TRUE(managed_->settle());
    const Fabric& fabric = managed_->fabric();
    host_ = EndportId(fabric.switch_count() + 1);  // in the first group, which has the most detours
    leaf_ = fabric.endport(host_).sw;
    wire_ = &managed_->emulated().attach(host_);
    ASSERT_THAT(differing_ports(), IsEmpty());
    ASSERT_THAT(differing_use(), IsEmpty());
  }
  std::string differing_ports() {
    return find_differing_ports(managed_->emulated(), managed_->known(),
                                managed_->sm().snapshot()->routes);
  }
  std::string differing_use() {
    return find_differing_use_of_tables(managed_->emulated(), options_, managed_->known());
  }
  const emulator::AdaptiveModel& model() { return managed_->emulated().adaptive(leaf_); }
  /// A Set to the leaf of the host, from this host.
  void set(AttributeId attribute, std::uint32_t modifier, const SmpData& data) {
    DirectedPath path;
    path.count = 1;
    path.hops[1] = managed_->fabric().port(managed_->fabric().endport(host_).port).num.value();
    Smp smp = directed_request(Method::kSet, attribute, modifier, path);
    smp.data = data;
    ASSERT_TRUE(wire_->send(smp));
    managed_->emulated().run_for(std::chrono::milliseconds(5));
    const auto answer = wire_->receive();
    ASSERT_TRUE(answer && answer->status == mad_status::kGood);
  }
  void set_mode(std::uint8_t mode) {
    PrivateLftInfo info = model().plft.info;
    info.mode_in_use = mode;
    set(kPrivateLftInfo, 0, encode(info));
  }

  EmulatorOptions options_;
  std::optional<ManagedSubnet> managed_;
  EndportId host_;
  SwitchId leaf_;
  SmpTransport* wire_ = nullptr;
};

TEST_F(ChangedTables, AreDetectedIfNoModeIsInUse) {
  start(FeatureDevices::kAll);
  set_mode(0);
  EXPECT_THAT(differing_use(), HasSubstr("does not use its private tables"));
  EXPECT_THAT(differing_ports(), HasSubstr("use table 0, published 1"));
}

TEST_F(ChangedTables, AreDetectedIfOneSlOfOnePortSelectsAnotherTable) {
  start(FeatureDevices::kAll);
  const auto number = managed_->fabric().endport(host_).sw_port.value();
  constexpr std::size_t kPorts = PortSlToPrivateLftBlock::kPorts;
  const std::uint8_t first = static_cast<std::uint8_t>(number / kPorts * kPorts);
  PortSlToPrivateLftBlock block;
  for (std::size_t i = 0; i < kPorts && first + i < model().plft.tables.size(); ++i)
    block.tables[i] = model().plft.tables[first + i];
  ASSERT_EQ(block.tables[number - first][13], 1);
  block.tables[number - first][13] = 0;
  const std::uint8_t mode = model().plft.info.mode_in_use;
  set_mode(0);
  set(kPortSlToPrivateLftMap,
      plft_unconfirmed::sl_map_modifier(static_cast<std::uint8_t>(number / kPorts)), encode(block));
  set_mode(mode);
  EXPECT_THAT(differing_use(), IsEmpty());
  EXPECT_THAT(differing_ports(),
              HasSubstr(fmt::format("packets with SL 13 from port {} use table 0", number)));
}

TEST_F(ChangedTables, AreDetectedIfAnEntryHasAnotherDefaultPort) {
  start(FeatureDevices::kAll);
  ArLftBlock block;
  std::copy_n(model().entries_of(1).begin(), ArLftBlock::kEntries, block.entries.begin());
  block.entries[5].default_port = PortNum(77);
  set(kArForwardingTable, ar_unconfirmed::forwarding_table_modifier(0, 1), encode(block));
  EXPECT_THAT(differing_ports(), HasSubstr("LID 5 has default port 77"));
}

TEST_F(ChangedTables, AreExpectedOnlyOnSwitchesThatSupportThem) {
  start(FeatureDevices::kMixed);
  unsigned in_use = 0;
  for (std::uint32_t s = 0; s < managed_->fabric().switch_count(); ++s)
    in_use += managed_->emulated().adaptive(SwitchId(s)).plft.in_use() ? 1 : 0;
  EXPECT_GT(in_use, 0u);
  EXPECT_LT(in_use, managed_->fabric().switch_count());
}

}  // namespace
}  // namespace weft::simulation
