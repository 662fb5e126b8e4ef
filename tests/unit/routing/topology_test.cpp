// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Classification of the topology of a fabric from its cables, and coordinates of HyperX fabrics,
// whole and damaged.

#include "routing/topology.h"

#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "fabric/hops.h"
#include "routing/shapes/damaged_hyperx.h"
#include "routing/shapes/hyperx.h"
#include "support/walks.h"

namespace weft {
namespace {

TEST(Recognize, ClassifiesFabricsOfTheGenerators) {
  using enum TopologyKind;
  const std::array cases{
      std::tuple("fattree2:k=8", kTree, "a tree of 2 levels"),
      std::tuple("fattree3:k=8", kTree, "a tree of 3 levels"),
      std::tuple("fattree3:k=8,fail=12,seed=3", kTree, "a tree of 3 levels"),
      std::tuple("fattree2:k=8,trunks=2", kTree, "a tree of 2 levels"),
      std::tuple("xgft:m=2x3x2,w=1x2x2", kTree, "a tree of 3 levels"),
      std::tuple("hypercube:n=4", kHypercube, "a hypercube of 4 dimensions"),
      std::tuple("mesh:3x5,hosts=1", kMesh, "a mesh of 3 x 5"),
      std::tuple("torus:5x6,hosts=1", kTorus, "a torus of 5 x 6"),
      std::tuple("torus:3x5x6,hosts=2", kTorus, "a torus of 3 x 5 x 6"),
      std::tuple("ring:n=7,hosts=1", kTorus, "a torus of 7"),
      std::tuple("hyperx:4x5,hosts=2", kHyperX, "a HyperX of 4 x 5"),
      std::tuple("full:n=6,hosts=2", kHyperX, "a complete graph of 6 switches"),
      std::tuple("dragonfly:a=6,h=3,p=3", kDragonfly, "a dragonfly of 19 groups of 6"),
      std::tuple("dragonfly:a=8,h=4,p=4", kDragonfly, "a dragonfly of 33 groups of 8"),
      std::tuple("dragonflyplus:leaves=4,spines=4,h=2,hosts=4", kDragonflyPlus,
                 "a dragonfly+ of 9 groups of 8"),
      std::tuple("random:n=32,degree=5,hosts=2,seed=1", kIrregular, "no known topology"),
      std::tuple("slimfly:q=5", kDiameterTwo,
                 "a graph of diameter 2: 50 switches of up to 7 neighbors"),
      std::tuple("slimfly:q=8,hosts=2", kDiameterTwo,
                 "a graph of diameter 2: 128 switches of up to 12 neighbors"),
      std::tuple("polarfly:q=5,hosts=3", kDiameterTwo,
                 "a graph of diameter 2: 31 switches of up to 6 neighbors"),
      std::tuple("slimfly:q=5,fail=1,seed=1", kIrregular, "no known topology"),
      std::tuple("hammingmesh:a=2,b=3,x=4,y=2", kHammingMesh,
                 "a HammingMesh of 4x2 boards of 2x3 switches"),
      std::tuple("hammingmesh:a=4,b=4,x=4,y=4,k=4,hosts=2", kHammingMesh,
                 "a HammingMesh of 4x4 boards of 4x4 switches"),
      std::tuple("hammingmesh:a=2,b=1,x=3,y=3", kHammingMesh,
                 "a HammingMesh of 3x3 boards of 1x2 switches"),
      std::tuple("hammingmesh:a=2,b=2,x=3,y=3,fail=1,seed=1", kIrregular, "no known topology"),
      std::tuple("superpod-h100:su=2", kTree, "a tree of 2 levels"),
      std::tuple("rail:su=4,servers=4,nics=4,k=8,pods=4", kTree, "a tree of 3 levels"),
  };
  for (const auto& [spec, kind, about] : cases) {
    const Topology topology = recognize(fabric_of(spec));
    EXPECT_EQ(topology.kind, kind) << spec;
    EXPECT_EQ(topology.about, about) << spec;
  }
}

TEST(Recognize, FindsADragonflyWithMissingCables) {
  const Topology topology = recognize(fabric_of("dragonfly:a=8,h=4,p=4,fail=20,seed=1"));
  EXPECT_EQ(topology.kind, TopologyKind::kDragonfly);
}

TEST(Recognize, DoesNotRecognizeTwoSwitchesAsAHypercube) {
  EXPECT_NE(recognize(fabric_of("mesh:2,hosts=2")).kind, TopologyKind::kHypercube);
  EXPECT_EQ(recognize(fabric_of("mesh:2x2,hosts=2")).kind, TopologyKind::kHypercube);
}

TEST(Recognize, RejectsNearMatches) {
  // A torus without one of its cables is no product of rings.
  EXPECT_EQ(recognize(fabric_of("torus:5x6,hosts=1,fail=1,seed=1")).kind, TopologyKind::kIrregular);
  EXPECT_EQ(recognize(fabric_of("hyperx:4x5,hosts=2,fail=1,seed=1")).kind,
            TopologyKind::kIrregular);
}

TEST(Hyperx, CoordinatesGiveTheDistancesOfAllSwitches) {
  for (const auto& [spec, dimensions] :
       {std::pair("hyperx:4x5,hosts=1", 2u), std::pair("hyperx:3x2x4,hosts=1,trunks=2", 3u),
        std::pair("hypercube:n=5", 5u), std::pair("full:n=6,hosts=1", 1u),
        std::pair("torus:3x4,hosts=1", 3u)}) {  // a ring of four is a product of two lines
    const Fabric fabric = fabric_of(spec);
    const auto hyperx = find_hyperx(Trunks(fabric));
    ASSERT_TRUE(hyperx) << spec;
    EXPECT_EQ(hyperx->dimensions, dimensions) << spec;
    for (std::uint32_t from = 0; from < fabric.switch_count(); ++from) {
      const SwitchId source[] = {SwitchId(from)};
      const auto hops = hops_from(fabric, source);
      for (std::uint32_t to = 0; to < fabric.switch_count(); ++to)
        EXPECT_EQ(hyperx->hops(from, to), hops[to]) << spec << ", " << from << " to " << to;
    }
  }
}

TEST(Hyperx, IsNotFoundInOtherGraphs) {
  for (const char* const spec :
       {"hyperx:4x4,hosts=1,fail=1,seed=1", "hyperx:4x4,hosts=1,dead=1", "torus:5x5,hosts=1",
        "random:n=16,degree=6,hosts=1,seed=1", "slimfly:q=5", "dragonfly:a=4,h=1,p=1",
        "fattree2:k=4", "mesh:3x3,hosts=1"})
    EXPECT_FALSE(find_hyperx(Trunks(fabric_of(spec)))) << spec;
}

// On a damaged HyperX, dimensions and coordinates may be numbered differently than on the whole
// fabric, but the number of dimensions and all distances must be equal.
TEST(DamagedHyperx, HasTheDistancesOfTheWholeHyperx) {
  for (const char* const spec :
       {"hyperx:6x6,hosts=1", "hyperx:4x3x3,hosts=1,trunks=2", "hypercube:n=5"})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const auto whole = find_hyperx(Trunks(fabric_of(spec)));
      const Trunks trunks(fabric_of(std::string(spec) + ",fail=2,seed=" + std::to_string(seed)));
      const auto damaged = find_damaged_hyperx(trunks);
      ASSERT_TRUE(whole && damaged) << spec << ' ' << seed;
      ASSERT_EQ(damaged->dimensions, whole->dimensions) << spec << ' ' << seed;
      for (std::uint32_t from = 0; from + 1 < trunks.begin.size(); ++from)
        for (std::uint32_t to = 0; to < from; ++to)
          ASSERT_EQ(damaged->hops(from, to), whole->hops(from, to)) << spec << ' ' << seed;
    }
}

TEST(DamagedHyperx, IsFoundWithMissingSwitches) {
  for (const char* const spec : {"hyperx:6x6,hosts=1,dead=2,seed=1", "hypercube:n=6,dead=3,seed=2"})
    EXPECT_TRUE(find_damaged_hyperx(Trunks(fabric_of(spec)))) << spec;
}

TEST(DamagedHyperx, IsNotFoundInOtherGraphs) {
  for (const char* const spec :
       {"torus:5x5,hosts=1,fail=1", "torus:5x5x5,dead=1", "mesh:5x4,hosts=1,fail=1", "slimfly:q=5",
        "random:n=16,degree=6,hosts=1,seed=1", "dragonfly:a=4,h=1,p=1,fail=1", "fattree2:k=4",
        "full:n=8,hosts=1,fail=1", "hyperx:4x4,fail=15,seed=1", "ring:n=5,hosts=1"})
    EXPECT_FALSE(find_damaged_hyperx(Trunks(fabric_of(spec)))) << spec;
}

}  // namespace
}  // namespace weft
