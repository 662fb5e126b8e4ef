// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Real ibdm topologies, system definitions and subnet lists: the counts of nodes and cables are
// those in ../shared/topologies/README.md and of ibdmsh (ibutils 1.5.7), and nodes have the GUIDs
// that ibutils assigns. Built only if the files exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/cpu_watch.h"
#include "support/fabric_compare.h"

namespace weft {
namespace {

using testing::HasSubstr;

const std::string kTopologyFolder = WEFT_TOPOLOGIES "/";
const std::string kIbnl = kTopologyFolder + "ibdm-topo/ibnl";

struct Counts {
  const char* file;
  unsigned switches;
  unsigned cas;
  unsigned links;
  unsigned switch_links;
  unsigned warnings = 0;
};

void PrintTo(const Counts& expected, std::ostream* out) { *out << expected.file; }

void expect_counts(const ReadResult& got, const Counts& want) {
  EXPECT_EQ(got.fabric.switch_count(), want.switches);
  EXPECT_EQ(got.fabric.ca_count(), want.cas);
  EXPECT_EQ(got.fabric.link_count(), want.links);
  EXPECT_EQ(got.fabric.switch_link_count(), want.switch_links);
  EXPECT_EQ(got.warnings.size(), want.warnings) << joined(got.warnings);
}

class TopoFile : public testing::TestWithParam<Counts> {};

TEST_P(TopoFile, HasTheCountsOfTheReadmeAndOfIbdm) {
  const auto got =
      read_fabric(kTopologyFolder + GetParam().file, {.format = "", .ibnl_dir = kIbnl});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, "topo");
  expect_counts(*got, GetParam());
}

TEST_P(TopoFile, IsUnchangedByARoundTrip) {
  const auto got =
      read_fabric(kTopologyFolder + GetParam().file, {.format = "", .ibnl_dir = kIbnl});
  ASSERT_TRUE(got) << got.error().message;
  for (const char* format : {"json", "ibnetdiscover"}) {
    SCOPED_TRACE(format);
    const auto again =
        read_fabric_text(write_fabric_text(got->fabric, **find_writer(format)), "written");
    ASSERT_TRUE(again) << again.error().message;
    FabricCompare what;
    what.unconnected_port_guids = false;
    EXPECT_EQ(joined(differences(got->fabric, again->fabric, what)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, TopoFile,
    testing::Values(Counts{"ibdm-topo/12-ary-2-tree.topo", 24, 144, 288, 144},
                    Counts{"ibdm-topo/12-node-spaced.topo", 8, 12, 28, 16},
                    Counts{"ibdm-topo/2-ary-4-tree.topo", 32, 16, 64, 48},
                    Counts{"ibdm-topo/32nodes-3lvl-is1.topo", 20, 32, 96, 64},
                    Counts{"ibdm-topo/4-ary-2-tree-links-at-same-rank-1.topo", 8, 16, 35, 19},
                    Counts{"ibdm-topo/4-ary-2-tree-missing-sw-link.topo", 8, 14, 29, 15},
                    Counts{"ibdm-topo/4-ary-2-tree.topo", 8, 16, 32, 16},
                    Counts{"ibdm-topo/4-ary-3-tree.topo", 48, 64, 192, 128},
                    Counts{"ibdm-topo/4-ary-4-tree.topo", 256, 256, 1024, 768},
                    Counts{"ibdm-topo/FullGnu.topo", 6, 16, 32, 16},
                    Counts{"ibdm-topo/IS1-16.topo", 6, 16, 32, 16},
                    Counts{"ibdm-topo/IS3-128.topo", 17, 128, 256, 128},
                    Counts{"ibdm-topo/RhinoBased10K.topo", 2520, 10000, 35200, 25200},
                    Counts{"ibdm-topo/credit-loops.topo", 20, 16, 48, 32, 1},
                    Counts{"ibdm-topo/gnu-stallion-64.topo", 40, 64, 192, 128},
                    Counts{"ibdm-topo/half-4-ary-3-tree.topo", 24, 32, 96, 64},
                    Counts{"ibdm-topo/part-4-ary-3-tree.topo", 40, 48, 144, 96},
                    Counts{"is4-1944-fdbs/is4_3l_1944n.topo", 270, 1944, 5832, 3888},
                    Counts{"rhino512-lst/RhinoBased512.topo", 216, 512, 2752, 2240}));

class IbnlFileOnDisk : public testing::TestWithParam<Counts> {};

TEST_P(IbnlFileOnDisk, IsReadAsOneSystem) {
  const auto got = read_fabric(kIbnl + "/" + GetParam().file);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, "ibnl");
  expect_counts(*got, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, IbnlFileOnDisk,
    testing::Values(Counts{"Buffalo.ibnl", 1, 0, 0, 0}, Counts{"Cougar.ibnl", 0, 1, 0, 0},
                    Counts{"Gazelle.ibnl", 68, 0, 192, 192}, Counts{"Gnu.ibnl", 6, 0, 16, 16},
                    Counts{"IS5300.ibnl", 27, 0, 324, 324}, Counts{"Lion.ibnl", 0, 1, 0, 0},
                    Counts{"MIS5600.ibnl", 54, 0, 648, 648},
                    Counts{"MTS14400.ibnl", 18, 0, 144, 144},
                    Counts{"MTS2400-12T4.ibnl", 1, 0, 0, 0}, Counts{"MTS2400-24.ibnl", 1, 0, 0, 0},
                    Counts{"MTS3600.ibnl", 1, 0, 0, 0}, Counts{"MTS3610.ibnl", 27, 0, 324, 324},
                    Counts{"SUNDCS36QDR.ibnl", 1, 0, 0, 0},
                    Counts{"SUNDCS648QDR.ibnl", 54, 0, 648, 648, 1},
                    Counts{"SUNDCS72QDR.ibnl", 6, 0, 72, 72}));

class LstFile : public testing::TestWithParam<Counts> {};

TEST_P(LstFile, HasTheCountsOfTheReadme) {
  const auto got = read_fabric(kTopologyFolder + GetParam().file);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, "lst");
  expect_counts(*got, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Topologies, LstFile,
                         testing::Values(Counts{"rhino512-lst/RhinoBased512.lst.gz", 216, 512, 2752,
                                                2240, 1},
                                         Counts{"is3-4x-lst-fdbs/subnet.lst", 62, 3, 172, 169},
                                         Counts{"sequoia-ndr/ibdiagnet2.lst", 9, 263, 271, 8}));

TEST(TopoFiles, EachFileIsTested) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(kTopologyFolder + "ibdm-topo"))
    files += entry.path().extension() == ".topo" || entry.path().extension() == ".ibnl" ? 1 : 0;
  EXPECT_EQ(files, 17u + 15u);
}

TEST(TopoFiles, AreReadWithDefinitionsInTheSameFolder) {
  const auto got = read_fabric(kTopologyFolder + "ibdm-topo/gnu-stallion-64.topo");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.switch_count(), 40u);
}

TEST(TopoFiles, AreReadWithInstalledDefinitionsOfIbutils) {
  const auto got = read_fabric(kTopologyFolder + "is4-1944-fdbs/is4_3l_1944n.topo");
  if (!std::filesystem::exists("/usr/lib/x86_64-linux-gnu/ibdm1.5.7/ibnl/MIS5600.ibnl")) {
    ASSERT_FALSE(got);
    EXPECT_THAT(got.error().message, HasSubstr("expected a file MIS5600.ibnl"));
    EXPECT_THAT(got.error().message, HasSubstr("is4-1944-fdbs/ibnl"));
    return;
  }
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.switch_count(), 270u);
}

TEST(TopoFiles, TenThousandHostsAreReadInSeconds) {
  const CpuWatch watch;
  ASSERT_TRUE(read_fabric(kTopologyFolder + "ibdm-topo/RhinoBased10K.topo"));
  EXPECT_LT(watch.seconds(), 5.0);  // the file is read in 0.2 s without sanitizers
}

TEST(TopoFiles, WidthsOf8xAnd12xAreKept) {
  const auto got = read_fabric(kTopologyFolder + "rhino512-lst/RhinoBased512.topo",
                               {.format = "", .ibnl_dir = kIbnl});
  ASSERT_TRUE(got) << got.error().message;
  unsigned wide = 0, wider = 0;
  for (std::uint32_t i = 0; i < got->fabric.node_count(); ++i)
    for (const Port& port : got->fabric.ports(NodeId(i))) {
      wide += port.width == LinkWidth::k8x && port.speed == LinkSpeed::kDdr ? 1 : 0;
      wider += port.width == LinkWidth::k12x && port.speed == LinkSpeed::kSdr ? 1 : 0;
    }
  EXPECT_EQ(wide, 2u);
  EXPECT_EQ(wider, 2u);
}

// The simulator of ibutils wrote the .lst file of the same cluster. Weft numbers nodes as ibutils
// does.
TEST(TopoFiles, NodesHaveTheGuidsOfIbutils) {
  const auto topo = read_fabric(kTopologyFolder + "rhino512-lst/RhinoBased512.topo",
                                {.format = "", .ibnl_dir = kIbnl});
  const auto lst = read_fabric(kTopologyFolder + "rhino512-lst/RhinoBased512.lst.gz");
  ASSERT_TRUE(topo && lst);
  const auto numbers = [](const Fabric& fabric) {
    std::set<std::pair<Guid, bool>> found;
    for (std::uint32_t i = 0; i < fabric.node_count(); ++i)
      found.emplace(fabric.node(NodeId(i)).node_guid, fabric.is_switch(NodeId(i)));
    return found;
  };
  EXPECT_EQ(numbers(topo->fabric), numbers(lst->fabric));
}

}  // namespace
}  // namespace weft
