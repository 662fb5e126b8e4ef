// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Studies of engines and failures, the drawing, error counters and the search of the HTTP service,
// on fabrics small enough to count by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/http/data/counters.h"
#include "service/http/data/drawing.h"
#include "service/http/data/nodes.h"
#include "service/http/http_studies.h"
#include "unit/service/published.h"

namespace weft {
namespace {

using http_data::Json;
using testing::HasSubstr;

TEST(Studies, RunOneAtATime) {
  const Snapshot snapshot = published("ring:n=3,hosts=1");
  Studies studies;
  Code inner{};
  const auto outer = studies.run(snapshot.fabric, [&]() -> Result<Json> {
    inner = studies.run(snapshot.fabric, [] { return Result<Json>(1); }).error().code;
    return Json(2);
  });
  EXPECT_EQ(*outer, 2);
  EXPECT_EQ(inner, Code::kTimeout);
  EXPECT_EQ(*studies.run(snapshot.fabric, [] { return Result<Json>(3); }), 3);
  EXPECT_THROW((void)studies.run(snapshot.fabric,
                                 []() -> Result<Json> { throw std::runtime_error("no memory"); }),
               std::runtime_error);
  EXPECT_EQ(*studies.run(snapshot.fabric, [] { return Result<Json>(4); }), 4);
}

TEST(Studies, CompareTheRoutesOfAnEngine) {
  // Ring of six switches with two hosts each: shortest paths can deadlock, nue is deadlock-free.
  const Snapshot snapshot = published("ring:n=6,hosts=2");
  const auto minhop = compare_engine(snapshot, {}, "minhop");
  EXPECT_TRUE((*minhop)["served"]);
  EXPECT_TRUE((*minhop)["verify"]["credit_loops"]);
  EXPECT_EQ((*minhop)["blocks"], 0);
  const auto nue = compare_engine(snapshot, {}, "nue");
  EXPECT_TRUE((*nue)["verify"]["ok"]);
  EXPECT_GT((*nue)["blocks"], 0);
  EXPECT_GT((*nue)["quality"]["ebb"], 0);
  const auto torus = compare_engine(snapshot, {}, "torus-2QoS");
  EXPECT_FALSE((*torus)["served"]);
  EXPECT_NE((*torus)["reason"], "");
  EXPECT_EQ(compare_engine(snapshot, {}, "best").error().code, Code::kUsage);
}

TEST(Studies, UseNoMoreVlsThanMaxOpVlsPermits) {
  const Snapshot snapshot = published("ring:n=6,hosts=2");  // dfsssp needs two VLs
  EXPECT_TRUE((*compare_engine(snapshot, {}, "dfsssp"))["served"]);
  Settings settings;
  settings.max_op_vls = 1;
  const auto dfsssp = compare_engine(snapshot, settings, "dfsssp");
  EXPECT_FALSE((*dfsssp)["served"]);
  EXPECT_EQ((*dfsssp)["reason"], "dfsssp needs 2 virtual lanes, found 1");
}

TEST(Studies, SimulateTheLossOfTheOnlyLink) {
  // Two switches with one link and two hosts each: 8 ordered pairs use the link.
  const Snapshot snapshot = published("ring:n=2,hosts=2");
  const Fabric& fabric = snapshot.fabric;
  const Channel& channel = fabric.channel(ChannelId(0));
  const Guid guid = fabric.node(channel.from).node_guid;
  const auto failure = failure_at(fabric, guid, channel.from_port);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cables, std::vector{ChannelId(0)});
  const auto loss = what_if(snapshot, {}, *failure);
  ASSERT_TRUE(loss) << loss.error().message;
  EXPECT_EQ((*loss)["pairs"], 12);
  EXPECT_EQ((*loss)["pairs_cut"], 8);
  EXPECT_THAT((*loss)["name"].get<std::string>(), HasSubstr("cable "));
  const auto dead = what_if(snapshot, {}, *failure_at(fabric, guid, std::nullopt));
  EXPECT_EQ((*dead)["pairs_cut"], 10);  // of 12 pairs; the 2 pairs at the other switch remain
}

TEST(Studies, RejectUnknownSwitchesAndPorts) {
  const Fabric fabric = published("ring:n=3,hosts=1").fabric;
  const Guid guid = fabric.node(SwitchId(0)).node_guid;
  EXPECT_THAT(failure_at(fabric, Guid(1), std::nullopt).error().message, HasSubstr("no switch"));
  const Guid host = fabric.node(NodeId(fabric.switch_count())).node_guid;
  EXPECT_FALSE(failure_at(fabric, host, std::nullopt));
  EXPECT_FALSE(failure_at(fabric, guid, PortNum(0)));
  EXPECT_FALSE(failure_at(fabric, guid, PortNum(255)));
}

TEST(Drawing, ShowsTheLoadsOfTheActiveRoutes) {
  const Snapshot snapshot = published("fattree2:k=4");
  const Json json = http_data::drawing(snapshot);
  const Json& cables = json["cables"];
  EXPECT_EQ(json["sweep"], 7);
  EXPECT_EQ(json["layout"]["shape"], "tree");
  EXPECT_EQ(json["layout"]["x"].size(), snapshot.fabric.switch_count());
  EXPECT_EQ(json["switches"]["guid"].size(), snapshot.fabric.switch_count());
  EXPECT_EQ(cables["a"].size(), snapshot.fabric.switch_link_count());
  std::uint64_t paths = 0, hosts = 0;
  for (const char* direction : {"there", "back"})
    for (const Json& load : cables[direction]) paths += load.get<std::uint64_t>();
  for (const Json& count : json["switches"]["hosts"]) hosts += count.get<std::uint64_t>();
  EXPECT_EQ(hosts, 8u);
  EXPECT_EQ(paths,
            2u * 8 * 6);  // each host has paths to six hosts on other leaves, over two links each
  EXPECT_EQ(cables["states"], Json::array({"unknown"}));  // a generated fabric has no port states
}

TEST(Search, FindsNamesLidsAndGuids) {
  const Snapshot snapshot = published("fattree2:k=4");
  const Fabric& fabric = snapshot.fabric;
  const auto first = [&](const std::string& wanted) {
    const Json found = http_data::search(snapshot, wanted, 5);
    return found["nodes"].empty() ? "" : found["nodes"][0]["name"].get<std::string>();
  };
  const Node& node = fabric.node(NodeId(fabric.switch_count()));
  EXPECT_EQ(first(node.description), node.description);
  std::string upper_case = node.description;
  std::ranges::transform(upper_case, upper_case.begin(), ::toupper);
  EXPECT_EQ(first(upper_case), node.description);
  EXPECT_EQ(first("1"), fabric.node(SwitchId(0)).description);  // LID 1
  EXPECT_EQ(first(http_data::hex(node.node_guid)), node.description);
  EXPECT_EQ(first("no such node"), "");
  const Json all = http_data::search(snapshot, "host", 3);
  EXPECT_EQ(all["total"], 8);
  EXPECT_EQ(all["nodes"].size(), 3u);
}

TEST(PortErrors, ExcludeXmitWait) {
  const Snapshot snapshot = published("fattree2:k=4");
  const Guid guid = snapshot.fabric.node(SwitchId(0)).node_guid;
  auto table = std::make_shared<std::vector<PortCounts>>();
  table->push_back({guid, PortNum(1), {}});
  table->push_back({guid, PortNum(2), {}});
  (*table)[0].total[index(Counter::kXmitWait)] = 9;
  (*table)[1].total[index(Counter::kSymbolErrors)] = 4;
  (*table)[1].total[index(Counter::kLinkDowned)] = 1;
  const Json errors = http_data::errors(snapshot.fabric, table);
  ASSERT_EQ(errors["ports"].size(), 1u);
  EXPECT_EQ(errors["ports"][0]["port"], 2);
  EXPECT_EQ(errors["ports"][0]["errors"], 5);
  EXPECT_EQ(errors["ports"][0]["counters"].size(), 2u);
  EXPECT_EQ(http_data::counters(guid, table)["ports"].size(), 2u);
  EXPECT_EQ(http_data::counters(Guid(1), table)["ports"].size(), 0u);
  EXPECT_FALSE(http_data::errors(snapshot.fabric, nullptr)["counted"]);
}

}  // namespace
}  // namespace weft
