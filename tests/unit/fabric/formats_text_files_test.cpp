// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics in real files of the text formats have the counts in ../shared/topologies/README.md. The
// fabrics are the same after they are written as JSON, ibnetdiscover text, ibsim net or DOT and
// read again. Other files are refused. Built only if the real files exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/fabric_compare.h"

namespace weft {
namespace {

const std::string kFolder = WEFT_TOPOLOGIES "/";

struct Expected {
  const char* format;
  const char* file;
  unsigned switches;
  unsigned cas;
  unsigned links;
  unsigned switch_links;
  unsigned warnings;
  std::vector<std::string> expected = {};  // texts that warnings must contain
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

class TextFile : public testing::TestWithParam<Expected> {};

TEST_P(TextFile, HasTheCountsOfTheReadme) {
  const Expected& want = GetParam();
  const auto got = read_fabric(kFolder + want.file);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, want.format);
  EXPECT_EQ(got->fabric.switch_count(), want.switches);
  EXPECT_EQ(got->fabric.ca_count(), want.cas);
  EXPECT_EQ(got->fabric.link_count(), want.links);
  EXPECT_EQ(got->fabric.switch_link_count(), want.switch_links);
  EXPECT_EQ(got->warnings.size(), want.warnings) << joined(got->warnings);
  for (const std::string& part : want.expected)
    EXPECT_THAT(joined(got->warnings), testing::HasSubstr(part));
}

void expect_round_trip(const Fabric& fabric, const char* format, const FabricCompare& what) {
  SCOPED_TRACE(format);
  const std::string text = write_fabric_text(fabric, **find_writer(format));
  const auto again = read_fabric_text(text, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(joined(again->warnings), "");
  EXPECT_EQ(joined(differences(fabric, again->fabric, what)), "");
}

TEST_P(TextFile, IsUnchangedByARoundTripInFourFormats) {
  const auto got = read_fabric(kFolder + GetParam().file);
  ASSERT_TRUE(got) << got.error().message;
  FabricCompare what;
  expect_round_trip(got->fabric, "json", what);
  what.unconnected_port_guids = what.mtu = what.revision =
      false;  // these text formats do not contain these properties
  expect_round_trip(got->fabric, "ibnetdiscover", what);
  expect_round_trip(got->fabric, "ibsim", what);
  what.data_vls = false;
  expect_round_trip(got->fabric, "dot", what);
}

/// Files without a fabric are refused; the error names the content if it is known, such as a dump
/// of forwarding tables.
TEST(OtherFile, IsRefused) {
  std::size_t refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WEFT_TOPOLOGIES)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    const bool has_no_fabric = path.find("ibroutes") != path.npos ||
                               path.find("opensm-config") != path.npos || path.ends_with(".pkey") ||
                               path.ends_with(".sm") || path.ends_with(".vports") ||
                               path.ends_with(".log") || path.ends_with("README");
    if (!has_no_fabric) continue;
    const auto got = read_fabric(path);
    ++refused;
    ASSERT_FALSE(got) << path << " is read as " << got->format;
    EXPECT_EQ(got.error().code, Code::kBadInput);
    EXPECT_THAT(got.error().message,
                testing::AnyOf(testing::StartsWith(path + ":1: the content is of no known"),
                               testing::StartsWith(path + ": found a")));
  }
  EXPECT_GE(refused, 40u);
}

/// The two files that one run of ibdiagnet2 wrote contain the same fabric.
TEST(Sequoia, IsTheSameFabricInBothFiles) {
  const auto tables = read_fabric(kFolder + "sequoia-ndr/ibdiagnet2.db_csv");
  const auto text = read_fabric(kFolder + "sequoia-ndr/ibdiagnet2.ibnetdiscover");
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_TRUE(text) << text.error().message;
  FabricCompare what;
  what.unconnected_port_guids = what.mtu = what.revision = what.data_vls = false;
  EXPECT_EQ(joined(differences(tables->fabric, text->fabric, what)), "");
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, TextFile,
    testing::Values(
        Expected{"ibnetdiscover", "selene-storage/ibnetdiscover.txt", 160, 1247, 3286, 2039, 0},
        Expected{"ibnetdiscover",
                 "hdr-1336-bom/ibnetdiscover.txt",
                 206,
                 1336,
                 3572,
                 2236,
                 2,
                 {":1: skipped: '[root@pg-compute-ufm001"}},
        Expected{"ibnetdiscover", "cs8500-hdr/ibdiagnet.ibnetdiscover", 192, 1182, 4144, 2962, 0},
        Expected{
            "ibnetdiscover",
            "cs8500-hdr/invalid_lid.txt.gz",
            192,
            1183,
            4145,
            2962,
            6,
            {":11: found LID '', expected 0 to 49151: taken as none",
             ":58: found LID '-1', expected 0 to 49151",
             ":17917: caguid: found '0xb8cef60300xxxxxx', expected up to 16 hex digits: ignored",
             ":17918: node \"H-b8cef60300xxxxxx\" has no readable GUID: given 0x0000000000100000"}},
        Expected{"ibnetdiscover", "gb200-ndr/example.out", 40, 582, 1114, 532, 0},
        Expected{"ibnetdiscover", "gb200-ndr/example-bad.out", 0, 1, 0, 0, 0},
        Expected{"ibnetdiscover", "sequoia-ndr/ibdiagnet2.ibnetdiscover", 9, 263, 271, 8, 0},
        Expected{"ibnetdiscover", "stage-qdr-fdr10/topo", 8, 144, 192, 47, 0},
        Expected{"ibnetdiscover", "x5-psmn/X5.topofile", 11, 89, 159, 70, 0},
        Expected{"ibnetdiscover", "lab-msb7800/Topo.1.txt", 4, 8, 12, 4, 1},
        Expected{"ibnetdiscover", "lab-msb7800/Topo.2.txt", 4, 12, 16, 4, 1},
        Expected{"ibnetdiscover",
                 "lab-msb7800/Topo.8-invalid_lid_Null.txt",
                 4,
                 12,
                 16,
                 4,
                 3,
                 {":10: found LID '', expected 0 to 49151: taken as none",
                  ":32: found LID '65335', expected 0 to 49151: taken as none"}},
        Expected{"ibnetdiscover",
                 "lab-msb7800/ibnetdiscover_manually_created.txt",
                 4,
                 7,
                 11,
                 4,
                 13,
                 {":49: sysimgguid: found '0x3333333333host3', expected up to 16 hex digits",
                  ":51: node \"H-03333333333host3\" has no readable GUID: given 0x0000000000100000",
                  ":97: port GUID: found '11111111111host1', expected up to 16 hex digits"}},
        Expected{"ibnetdiscover", "xgft-k4n3/k-4-n-3-Full.topo", 80, 128, 384, 256, 0},
        Expected{"ibnetdiscover", "infiniband-lab-nets/simple.net", 2, 4, 5, 1, 0},
        Expected{"ibnetdiscover", "infiniband-lab-nets/redundant.net", 4, 4, 8, 4, 0},
        Expected{"ibnetdiscover", "docs-small/1.topo", 2, 4, 7, 2, 0},
        Expected{"ibnetdiscover", "docs-small/2.topo", 1, 2, 2, 0, 0},
        Expected{"ibnetdiscover",
                 "docs-small/3.topo",
                 2,
                 6,
                 10,
                 4,
                 1,
                 {":1: skipped: 'src/query_smp.c:195; umad"}},
        Expected{"ibnetdiscover", "docs-small/4.topo", 1, 1, 1, 0, 0},
        Expected{"ibnetdiscover",
                 "superbench-faked/ibnetdiscover.txt",
                 8,
                 10,
                 17,
                 7,
                 1,
                 {":10: \"S-0ff08c43213b3f30\"[41] to \"H-0ff08c43213b3f38\"[1]: the peer has no "
                  "record: the cable is left out"}},
        Expected{"ibnetdiscover",
                 "crab-example/example_ibnetdiscover.txt",
                 6,
                 9,
                 13,
                 4,
                 4,
                 {":28: \"S-0000000000001002\"[1] to \"S-0000000000000001\"[1]: the cable is left "
                  "out: 'leaf02 L2' (0x0000000000001002) port 1 is cabled to 'spine01 SP1' "
                  "(0x0000000000000001) port 2",
                  ":38: \"S-0000000000002002\"[1]"}},
        Expected{"ibnetdiscover",
                 "router-xdr-snippet/rt-record.txt",
                 0,
                 1,
                 0,
                 0,
                 1,
                 {":6: \"R-b8e924030000b928\"[2] to \"S-b8e924030000b921\"[149]: the peer has no "
                  "record: the cable is left out"}},
        Expected{"db-csv", "sequoia-ndr/ibdiagnet2.db_csv", 9, 263, 271, 8, 0},
        Expected{"slurm", "slurm-topology/slurm-testcase1.topology.conf", 529, 10000, 10528, 528,
                 1},
        Expected{"slurm", "slurm-topology/slurm-testcase2.topology.conf", 528, 10000, 10527, 527,
                 1},
        Expected{"slurm", "slurm-topology/slurm-testcase3.topology.conf", 23, 400, 422, 22, 1},
        Expected{"slurm", "slurm-topology/slurm-testcase4.topology.conf", 22, 400, 420, 20, 1},
        Expected{"slurm", "slurm-topology/slurm-testcase5.topology.conf", 22, 400, 420, 20, 1},
        Expected{"slurm", "slurm-topology/slurm-testcase6.topology.conf", 7, 40, 44, 4, 1},
        Expected{
            "slurm",
            "slurm-topology/circe-superpod.topology.conf",
            5,
            79,
            79,
            0,
            2,
            {":1: hosts 'n[019-020]': other hosts of this line begin with 'circe-n': possible typo",
             ":5: host 'circe-n051' is on switch 's4' here and on 's2' in line 3"}},
        Expected{"slurm", "x5-psmn/X5.topology.conf", 11, 89, 113, 24, 1},
        Expected{"slurm", "azure-sharp/topology.txt", 113, 128, 240, 112, 1},
        Expected{"ibsim", "ibsim-examples/net", 2, 2, 4, 2, 0},
        Expected{"ibsim", "ibsim-examples/net.1", 1, 2, 2, 0, 0},
        Expected{"ibsim", "ibsim-examples/net.2sw2path", 2, 2, 4, 2, 0},
        Expected{"ibsim", "ibsim-examples/net.2sw2path4hca", 2, 4, 6, 2, 0},
        Expected{"ibsim", "ibsim-examples/net.2sw2path4hca2port", 2, 2, 6, 2, 0},
        Expected{"port-list", "avakas-qdr/ib-subnet.txt", 25, 281, 569, 288, 0},
        Expected{"port-list", "plafrim2-qdr/ib-subnet-0.txt", 7, 96, 155, 59, 0},
        Expected{"port-list", "plafrim2-qdr/ib-subnet-1.txt", 1, 23, 23, 0, 0},
        Expected{"port-list", "port-list-fixtures/test.out", 4, 3, 4, 1, 0},
        Expected{"port-list",
                 "port-list-fixtures/test2.out",
                 5,
                 2,
                 2,
                 0,
                 2,
                 {":5: 'Mellanox Technologies Aggregation Node' has LID 78 and LID 60: the second "
                  "is ignored",
                  "port 81 and to ' 5FB0406-spine-IB03 ' (0x946dae030053ec1a) port 81"}},
        Expected{"port-list", "port-list-fixtures/test3.out", 1, 0, 0, 0, 0}));

}  // namespace
}  // namespace weft
