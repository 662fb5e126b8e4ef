// Real files of the text formats read to the counts that ../shared/topologies/README.md states, and
// survive a round trip in every format that can be written. Built only where those files are.
#include <gtest/gtest.h>

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
}

void expect_round_trip(const Fabric& fabric, const char* format, const FabricCompare& what) {
  SCOPED_TRACE(format);
  const std::string text = write_fabric_text(fabric, **find_writer(format));
  const auto again = read_fabric_text(text, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(joined(again->warnings), "");
  EXPECT_EQ(joined(differences(fabric, again->fabric, what)), "");
}

TEST_P(TextFile, SurvivesARoundTripInEachFormat) {
  const auto got = read_fabric(kFolder + GetParam().file);
  ASSERT_TRUE(got) << got.error().message;
  FabricCompare what;
  expect_round_trip(got->fabric, "json", what);
  what.unconnected_port_guids = what.mtu = what.revision =
      false;  // the texts have no place for them
  expect_round_trip(got->fabric, "ibnetdiscover", what);
  expect_round_trip(got->fabric, "ibsim", what);
}

/// Two files of one run of ibdiagnet2 tell the same fabric.
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
        Expected{"ibnetdiscover", "hdr-1336-bom/ibnetdiscover.txt", 206, 1336, 3572, 2236, 1},
        Expected{"ibnetdiscover", "cs8500-hdr/ibdiagnet.ibnetdiscover", 192, 1182, 4144, 2962, 0},
        Expected{"ibnetdiscover", "cs8500-hdr/invalid_lid.txt.gz", 192, 1183, 4145, 2962, 6},
        Expected{"ibnetdiscover", "gb200-ndr/example.out", 40, 582, 1114, 532, 0},
        Expected{"ibnetdiscover", "gb200-ndr/example-bad.out", 0, 1, 0, 0, 0},
        Expected{"ibnetdiscover", "sequoia-ndr/ibdiagnet2.ibnetdiscover", 9, 263, 271, 8, 0},
        Expected{"ibnetdiscover", "stage-qdr-fdr10/topo", 8, 144, 192, 47, 0},
        Expected{"ibnetdiscover", "x5-psmn/X5.topofile", 11, 89, 159, 70, 0},
        Expected{"ibnetdiscover", "lab-msb7800/Topo.1.txt", 4, 8, 12, 4, 0},
        Expected{"ibnetdiscover", "lab-msb7800/Topo.2.txt", 4, 12, 16, 4, 0},
        Expected{"ibnetdiscover", "lab-msb7800/Topo.8-invalid_lid_Null.txt", 4, 12, 16, 4, 2},
        Expected{"ibnetdiscover", "lab-msb7800/ibnetdiscover_manually_created.txt", 4, 7, 11, 4,
                 12},
        Expected{"ibnetdiscover", "xgft-k4n3/k-4-n-3-Full.topo", 80, 128, 384, 256, 0},
        Expected{"ibnetdiscover", "infiniband-lab-nets/simple.net", 2, 4, 5, 1, 0},
        Expected{"ibnetdiscover", "infiniband-lab-nets/redundant.net", 4, 4, 8, 4, 0},
        Expected{"ibnetdiscover", "docs-small/1.topo", 2, 4, 7, 2, 0},
        Expected{"ibnetdiscover", "docs-small/2.topo", 1, 2, 2, 0, 0},
        Expected{"ibnetdiscover", "docs-small/3.topo", 2, 6, 10, 4, 1},
        Expected{"ibnetdiscover", "docs-small/4.topo", 1, 1, 1, 0, 0},
        Expected{"ibnetdiscover", "superbench-faked/ibnetdiscover.txt", 8, 10, 17, 7, 1},
        Expected{"ibnetdiscover", "crab-example/example_ibnetdiscover.txt", 6, 9, 13, 4, 4},
        Expected{"ibnetdiscover", "router-xdr-snippet/rt-record.txt", 0, 1, 0, 0, 1},
        Expected{"db-csv", "sequoia-ndr/ibdiagnet2.db_csv", 9, 263, 271, 8, 0},
        Expected{"ibsim", "ibsim-examples/net", 2, 2, 4, 2, 0},
        Expected{"ibsim", "ibsim-examples/net.1", 1, 2, 2, 0, 0},
        Expected{"ibsim", "ibsim-examples/net.2sw2path", 2, 2, 4, 2, 0},
        Expected{"ibsim", "ibsim-examples/net.2sw2path4hca", 2, 4, 6, 2, 0},
        Expected{"ibsim", "ibsim-examples/net.2sw2path4hca2port", 2, 2, 6, 2, 0},
        Expected{"port-list", "avakas-qdr/ib-subnet.txt", 25, 281, 569, 288, 0},
        Expected{"port-list", "plafrim2-qdr/ib-subnet-0.txt", 7, 96, 155, 59, 0},
        Expected{"port-list", "plafrim2-qdr/ib-subnet-1.txt", 1, 23, 23, 0, 0},
        Expected{"port-list", "port-list-fixtures/test.out", 4, 3, 4, 1, 0},
        Expected{"port-list", "port-list-fixtures/test2.out", 5, 2, 2, 0, 2},
        Expected{"port-list", "port-list-fixtures/test3.out", 1, 0, 0, 0, 0}));

}  // namespace
}  // namespace weft
