// Real ibnetdiscover texts read to the counts that ../shared/topologies/README.md states, and
// survive a round trip. Built only where those files are.
#include <gtest/gtest.h>

#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/fabric_compare.h"

namespace weft {
namespace {

const std::string kFolder = WEFT_TOPOLOGIES "/";

struct Expected {
  const char* file;
  unsigned switches;
  unsigned cas;
  unsigned links;
  unsigned switch_links;
  unsigned warnings;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

class IbnetdiscoverFile : public testing::TestWithParam<Expected> {};

TEST_P(IbnetdiscoverFile, HasTheCountsOfTheReadme) {
  const Expected& want = GetParam();
  const auto got = read_fabric(kFolder + want.file);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, "ibnetdiscover");
  EXPECT_EQ(got->fabric.switch_count(), want.switches);
  EXPECT_EQ(got->fabric.ca_count(), want.cas);
  EXPECT_EQ(got->fabric.link_count(), want.links);
  EXPECT_EQ(got->fabric.switch_link_count(), want.switch_links);
  EXPECT_EQ(got->warnings.size(), want.warnings) << joined(got->warnings);
}

TEST_P(IbnetdiscoverFile, SurvivesARoundTrip) {
  const auto got = read_fabric(kFolder + GetParam().file);
  ASSERT_TRUE(got) << got.error().message;
  const std::string text = write_fabric_text(got->fabric, **find_writer("ibnetdiscover"));
  const auto again = read_fabric_text(text, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(joined(again->warnings), "");
  FabricCompare what;
  what.unconnected_port_guids = false;
  EXPECT_EQ(joined(differences(got->fabric, again->fabric, what)), "");
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, IbnetdiscoverFile,
    testing::Values(Expected{"selene-storage/ibnetdiscover.txt", 160, 1247, 3286, 2039, 0},
                    Expected{"hdr-1336-bom/ibnetdiscover.txt", 206, 1336, 3572, 2236, 1},
                    Expected{"cs8500-hdr/ibdiagnet.ibnetdiscover", 192, 1182, 4144, 2962, 0},
                    Expected{"cs8500-hdr/invalid_lid.txt.gz", 192, 1183, 4145, 2962, 6},
                    Expected{"gb200-ndr/example.out", 40, 582, 1114, 532, 0},
                    Expected{"gb200-ndr/example-bad.out", 0, 1, 0, 0, 0},
                    Expected{"sequoia-ndr/ibdiagnet2.ibnetdiscover", 9, 263, 271, 8, 0},
                    Expected{"stage-qdr-fdr10/topo", 8, 144, 192, 47, 0},
                    Expected{"x5-psmn/X5.topofile", 11, 89, 159, 70, 0},
                    Expected{"lab-msb7800/Topo.1.txt", 4, 8, 12, 4, 0},
                    Expected{"lab-msb7800/Topo.2.txt", 4, 12, 16, 4, 0},
                    Expected{"lab-msb7800/Topo.8-invalid_lid_Null.txt", 4, 12, 16, 4, 2},
                    Expected{"lab-msb7800/ibnetdiscover_manually_created.txt", 4, 7, 11, 4, 12},
                    Expected{"xgft-k4n3/k-4-n-3-Full.topo", 80, 128, 384, 256, 0},
                    Expected{"infiniband-lab-nets/simple.net", 2, 4, 5, 1, 0},
                    Expected{"infiniband-lab-nets/redundant.net", 4, 4, 8, 4, 0},
                    Expected{"docs-small/1.topo", 2, 4, 7, 2, 0},
                    Expected{"docs-small/2.topo", 1, 2, 2, 0, 0},
                    Expected{"docs-small/3.topo", 2, 6, 10, 4, 1},
                    Expected{"docs-small/4.topo", 1, 1, 1, 0, 0},
                    Expected{"superbench-faked/ibnetdiscover.txt", 8, 10, 17, 7, 1},
                    Expected{"crab-example/example_ibnetdiscover.txt", 6, 9, 13, 4, 4},
                    Expected{"router-xdr-snippet/rt-record.txt", 0, 1, 0, 0, 1}));

}  // namespace
}  // namespace weft
