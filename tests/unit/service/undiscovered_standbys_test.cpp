// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Standbys that request the state of a master that has not discovered them.
#include <gtest/gtest.h>

#include "support/managers.h"
#include "unit/service/replication_side.h"

namespace weft::replication {
namespace {

/// The port of the standby sends no trap, and no light sweep is due, so only the request of the
/// standby informs the master.
TEST(UndiscoveredStandbys, AreListedAfterARequestForTheState) {
  Managers managers(fabric_of("fattree2:k=4"));
  SmOptions rare_sweeps = managers.options(5);
  rare_sweeps.sweep_interval = std::chrono::seconds(100'000);
  const std::size_t master = managers.start(0, rare_sweeps);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const EndportId own_endport(managers.fabric().switch_count() + 5);
  managers.emulated().set_behavior(managers.fabric().endport(own_endport).node,
                                   {.no_change_traps = true});
  const std::size_t standby = managers.start(5, 1);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  TempDir folder;
  Side side(folder.path());
  side.step(managers.sm(master));
  managers.run_for(std::chrono::seconds(60));
  EXPECT_TRUE(managers.sm(master).others().empty());
  Side other(folder.path());  // searches for standbys in its first step
  other.copy.begin_term(managers.guid_of(master), "0123456789abcdef");
  other.copy.poll({managers.guid_of(standby), "", "", 0, std::chrono::minutes(1)},
                  [](int, const std::string&) {});
  other.step(managers.sm(master));
  managers.run_for(std::chrono::seconds(1));
  ASSERT_EQ(managers.sm(master).others().size(), 1u);
  EXPECT_EQ(managers.sm(master).others()[0].info.guid, managers.guid_of(standby));
  EXPECT_EQ(managers.sm(master).others()[0].info.state, SmState::kStandby);
}

}  // namespace
}  // namespace weft::replication
