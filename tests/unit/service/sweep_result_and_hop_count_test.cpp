// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of the last full sweep, in the HTTP API after a multicast update and in SmStatus
// during a sweep. The largest hop_count of all paths is equal to Quality::hops_max.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "congestion/quality/quality.h"
#include "service/http/data/path.h"
#include "service/http/data/status.h"
#include "service/sm_board.h"
#include "service/sm_tally.h"
#include "support/managed_subnet.h"
#include "support/tiny.h"
#include "unit/service/published.h"

namespace weft {
namespace {

TEST(LastFullSweep, IsNotReplacedByAMulticastChange) {
  ManagedSubnet managed(Tiny(2).link(0, 1).hosts(0).hosts(1).build());
  SubnetManager& sm = managed.start();
  SmTallyCollector tallying;
  const Settings settings;
  const auto shown = [&] {
    SmBoard board(settings);
    SmStatus status = status_of(sm);
    status.tally = tallying.tally();
    board.post(std::move(status), sm.snapshot());
    return http_data::fabric(board.read(), "1");
  };
  EXPECT_TRUE(shown()["full_sweep"].is_null());
  ASSERT_TRUE(managed.settle());
  tallying.update(sm);
  const auto first = shown();
  EXPECT_EQ(first["full_sweep"]["number"], 1);
  EXPECT_EQ(first["full_sweep"]["reason"], first["sweep"]["reason"]);
  EXPECT_EQ(first["full_sweep"]["up"], true);

  sm.set_multicast_groups({{Lid(0xC001), {Guid(0x10001), Guid(0x10011)}, {}, ""}});
  managed.run_for(std::chrono::seconds(5));
  ASSERT_EQ(sm.updates(), 1u);
  tallying.update(sm);
  const auto then = shown();
  EXPECT_EQ(then["sweep"]["reason"], "requests of clients");
  EXPECT_EQ(then["full_sweep"], first["full_sweep"]);

  sm.request_heavy_sweep("asked for");
  ASSERT_TRUE(managed.settle());
  tallying.update(sm);
  EXPECT_EQ(shown()["full_sweep"]["reason"], "asked for");
  EXPECT_EQ(shown()["full_sweep"]["number"], 2);
}

TEST(LastResult, IsKeptWhileTheNextSweepIsInProgress) {
  ManagedSubnet managed(Tiny(2).link(0, 1).hosts(0).hosts(1).build());
  SubnetManager& sm = managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(status_of(sm).up);
  sm.request_heavy_sweep("asked for");
  for (int i = 0; i < 100 && sm.last_report().reason != "asked for"; ++i) sm.step();
  ASSERT_EQ(sm.heavy_sweeps(), 1u);
  ASSERT_EQ(sm.last_report().reason, "asked for");
  EXPECT_TRUE(status_of(sm).up);
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(status_of(sm).up);
}

TEST(Hops, PathAndFabricCountsAgree) {
  for (const char* spec : {"fattree2:k=4", "fattree3:k=4", "full:n=1,hosts=3", "line:n=4"}) {
    const Snapshot snapshot = published(spec);
    const Fabric& fabric = snapshot.fabric;
    std::uint64_t most = 0;
    for (const EndportId from : fabric.hosts())
      for (const EndportId to : fabric.hosts()) {
        const auto path =
            http_data::path(snapshot, std::to_string(fabric.endport(from).lid.value()),
                            std::to_string(fabric.endport(to).lid.value()));
        ASSERT_TRUE(path) << path.error().message;
        const auto hops = (*path)["hop_count"].get<std::uint64_t>();
        EXPECT_EQ(hops, from == to ? 0 : (*path)["hops"].size() - 1) << spec;
        most = std::max(most, hops);
      }
    EXPECT_EQ(most, assess(fabric, snapshot.routes).hops_max) << spec;
  }
}

TEST(Hops, HopCountOfAPathFromASwitchIsTheNumberOfLinks) {
  const Snapshot snapshot = published("line:n=4");  // LIDs 1 to 4 belong to the switches
  const auto path = http_data::path(snapshot, "1", "4");
  ASSERT_TRUE(path);
  EXPECT_EQ((*path)["hop_count"], 3);
  EXPECT_EQ((*path)["hops"].size(), 3u);
}

}  // namespace
}  // namespace weft
