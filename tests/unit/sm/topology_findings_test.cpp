// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Differences between the fabric and the expected topology.
#include "sm/sweep/topology_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fabric/formats/write.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Kind = FabricChange::Kind;

std::shared_ptr<const ExpectedTopology> topology_of_spec(const std::string& spec) {
  return std::make_shared<const ExpectedTopology>(ExpectedTopology{"rack.json", fabric_of(spec)});
}

std::vector<Kind> kinds_of(const std::vector<FabricChange>& findings) {
  std::vector<Kind> kinds;
  for (const FabricChange& finding : findings) kinds.push_back(finding.kind);
  return kinds;
}

TEST(TopologyFindings, AreEmptyIfOnlyLidsDiffer) {
  const Fabric expected = fabric_of("fattree2:k=4");
  std::vector<LidRange> lids(expected.endport_count());
  for (std::size_t i = 0; i < lids.size(); ++i)
    lids[i].base = Lid(static_cast<std::uint16_t>(i + 7));
  const Fabric found = *expected.with_lids(lids);
  EXPECT_FALSE(compare(expected, found).empty());
  EXPECT_TRUE(topology_findings(expected, found).empty());
}

TEST(TopologyFindings, HaveMissingAndUnexpectedLinks) {
  const Fabric whole = fabric_of("fattree2:k=4"), part = fabric_of("fattree2:k=4,fail=2");
  EXPECT_EQ(kinds_of(topology_findings(whole, part)), std::vector(2, Kind::kLinkGone));
  EXPECT_EQ(kinds_of(topology_findings(part, whole)), std::vector(2, Kind::kLinkNew));
  EXPECT_EQ(finding_name(Kind::kLinkGone), "missing link");
  EXPECT_EQ(finding_name(Kind::kLinkNew), "unexpected link");
}

TEST(TopologyFindings, HaveRatesOnlyIfTheExpectedFabricHasRates) {
  const Fabric edr = fabric_of("fattree2:k=4"), hdr = fabric_of("fattree2:k=4,speed=HDR");
  const Fabric without = fabric_of("fattree2:k=4,speed=SDR");
  EXPECT_EQ(kinds_of(topology_findings(hdr, edr)), std::vector(hdr.link_count(), Kind::kLinkRate));
  EXPECT_TRUE(topology_findings(without, edr).empty());
}

TEST(TopologyFindings, AreLimitedInWarnings) {
  const auto expected = topology_of_spec("fattree2:k=8,speed=HDR");
  const auto findings = topology_findings(expected->fabric, fabric_of("fattree2:k=8"));
  const auto warnings = topology_warnings(*expected, findings);
  ASSERT_EQ(warnings.size(), kTopologyWarningsMax + 1);
  EXPECT_THAT(warnings[0], HasSubstr("topology differs from rack.json: link with another rate: "));
  EXPECT_EQ(warnings.back(), fmt::format("topology differs from rack.json: {} more findings",
                                         findings.size() - kTopologyWarningsMax));
}

TEST(TopologyFindings, AreReportedAfterEachSweep) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.topology = topology_of_spec("fattree2:k=4");
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().topology_findings);
  EXPECT_TRUE(managed.report().topology_findings->empty());
  EXPECT_TRUE(managed.report().warnings.empty());
  const Channel& cut = managed.fabric().channels()[0];
  managed.emulated().cut_cable(managed.fabric().port_id(NodeId(cut.from.value()), cut.from_port));
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(kinds_of(*managed.report().topology_findings), std::vector{Kind::kLinkGone});
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("rack.json: missing link: ")));
  EXPECT_EQ(managed.sm().snapshot()->report.topology_findings, managed.report().topology_findings);
  SmOptions options = managed.options;
  options.topology = nullptr;
  managed.sm().set_options(options);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().topology_findings, std::nullopt);
}

TEST(ExpectedTopologyFile, IsReadInTheFormatOfItsContent) {
  TempDir folder;
  std::vector<std::string> warnings;
  const std::string path = folder / "rack.json";
  std::ofstream(path) << write_fabric_text(fabric_of("fattree2:k=4"), **find_writer(path));
  const auto read = read_topology(path, warnings);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->fabric.node_count(), fabric_of("fattree2:k=4").node_count());
  std::ofstream(path) << "zebra";
  const auto damaged = read_topology(path, warnings);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("rack.json"));
}

}  // namespace
}  // namespace weft
