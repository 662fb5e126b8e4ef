// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Properties of the fabrics of each generator: counts, degrees, diameters, and the peer of each
// port.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/file.h"
#include "fabric/generators/galois.h"
#include "support/fabric_of.h"
#include "support/fabrics.h"
#include "unit/fabric/graphs.h"

namespace weft {
namespace {

/// Expects these counts, one cable for each host, and a connected fabric.
void expect_counts(const std::string& spec, std::uint64_t switches, std::uint64_t hosts,
                   std::uint64_t cables) {
  const Fabric fabric = fabric_without_lids(spec);
  EXPECT_EQ(fabric.switch_count(), switches) << spec;
  EXPECT_EQ(fabric.ca_count(), hosts) << spec;
  EXPECT_EQ(fabric.switch_link_count(), cables) << spec;
  EXPECT_EQ(fabric.link_count(), cables + hosts) << spec;
  EXPECT_TRUE(is_connected(fabric)) << spec;
}

std::uint64_t power(std::uint64_t base, unsigned exponent) {
  std::uint64_t value = 1;
  while (exponent-- > 0) value *= base;
  return value;
}

TEST(Generators, TwoLevelTreesHaveTheCountsOfTheFormula) {
  expect_counts("fattree2:k=36", 54, 648, 648);
  expect_counts("fattree2:k=7", 7 + 4, 7 * 3, 7 * 4);
  for (const unsigned k : {8u, 16u})
    for (const unsigned t : {1u, 2u, 4u})
      expect_counts(fmt::format("fattree2:k={},trunks={}", k, t), k / t + k / 2 / t, k / t * k / 2,
                    k / t * k / 2);
  expect_counts("fattree2:k=36,hosts=24", 36 + 12, 36 * 24, 36 * 12);
  expect_counts("fattree2:k=36,blocking=2:1", 36 + 12, 36 * 24, 36 * 12);
  expect_counts("fattree2:k=40,blocking=3:2,leaves=10", 10 + 16, 10 * 24, 10 * 16);
  expect_counts("fattree2:k=36,leaves=5,spines=3,hosts=10,trunks=2", 8, 50, 30);
}

TEST(Generators, ThreeLevelTreesHaveTheCountsOfTheFormula) {
  for (const unsigned k : {2u, 4u, 8u, 16u, 24u})
    expect_counts(fmt::format("fattree3:k={}", k), 5 * k * k / 4, k * k * k / 4, k * k * k / 2);
  expect_counts("fattree3:k=64,pods=42", 3712, 43008, 2 * 43008);
  expect_counts("fattree3:k=8,pods=4,trunks=2,leaves=3,hosts=2", 4 * (3 + 4) + 8, 24, 48 + 64);
  expect_counts("fattree3:k=12,blocking=2:1", 12 * (6 + 4) + 4 * 6, 12 * 6 * 8,
                12 * 6 * 4 + 12 * 4 * 6);
  expect_counts("xgft:m=4x4x4,w=1x2x4", 16 + 8 + 8, 64, 32 + 32);
  expect_counts("xgft:m=4x4x4,w=1x2x4,trunks=3", 16 + 8 + 8, 64, 3 * 64);
  expect_counts("xgft:m=4x4x4,w=1x2x4,trunks=1x2x5", 16 + 8 + 8, 64, 2 * 32 + 5 * 32);
  expect_counts("xgft:m=9,w=1", 1, 9, 0);
}

TEST(Generators, GridsHaveTheCountsOfTheFormula) {
  expect_counts("torus:6x6x6,hosts=2", 216, 432, 3 * 216);
  expect_counts("torus:2x5", 10, 10, 5 + 10);
  expect_counts("torus:2x5,pairs=2", 10, 10, 10 + 10);
  expect_counts("torus:1x5,trunks=3,hosts=0", 5, 0, 15);
  expect_counts("mesh:3x4,hosts=2", 12, 24, 8 + 9);
  expect_counts("mesh:1", 1, 1, 0);
  expect_counts("ring:n=6", 6, 6, 6);
  expect_counts("ring:n=2", 2, 2, 1);
  expect_counts("line:n=6,trunks=2", 6, 6, 10);
  for (unsigned n = 1; n <= 8; ++n)
    expect_counts(fmt::format("hypercube:n={},hosts=3", n), power(2, n), 3 * power(2, n),
                  n * power(2, n) / 2);
  expect_counts("hyperx:6x6,hosts=6", 36, 216, 36 * 10 / 2);
  expect_counts("hyperx:3x5,trunks=2x3", 15, 15, 15 * (2 * 2 + 3 * 4) / 2);
}

TEST(Generators, GroupsHaveTheCountsOfTheFormula) {
  for (const unsigned a : {1u, 2u, 4u})
    for (const unsigned h : {1u, 2u}) {
      const unsigned g = a * h + 1;
      expect_counts(fmt::format("dragonfly:a={},h={},p=3", a, h), g * a, g * a * 3,
                    g * a * (a - 1) / 2 + g * (g - 1) / 2);
    }
  // Two cables join each pair of groups.
  expect_counts("dragonfly:a=4,h=2,p=1,g=5", 20, 20, 5 * 6 + 10 * 2);
  expect_counts("dragonflyplus:leaves=4,spines=4,h=2,hosts=4", 72, 144, 9 * 16 + 9 * 8 / 2);
  expect_counts("dragonflyplus:leaves=2,spines=3,h=1,hosts=5,g=2", 10, 20, 2 * 6 + 3);
}

TEST(Generators, GraphsHaveTheCountsOfTheFormula) {
  for (const unsigned b : {1u, 2u, 3u, 4u})
    for (const unsigned n : {0u, 1u, 2u, 3u}) {
      const std::uint64_t switches = (b + 1) * power(b, n);
      expect_counts(fmt::format("kautz:b={},n={}", b, n), switches, switches, b * switches);
    }
  expect_counts("full:n=1", 1, 1, 0);
  expect_counts("full:n=7,hosts=2,trunks=3", 7, 14, 3 * 21);
  expect_counts("random:n=128,degree=8,hosts=4,seed=1", 128, 512, 512);
  expect_counts("random:n=2,degree=1", 2, 2, 1);
  expect_counts("random:n=7,degree=6", 7, 7, 21);
}

TEST(Generators, ShapesHaveKnownDegreesAndDiameters) {
  struct KnownShape {
    const char* spec;
    int degree;  // -1: switches have different degrees
    std::uint32_t diameter;
  };
  for (const auto& [spec, wanted_degree, wanted_diameter] :
       {KnownShape{"hypercube:n=5", 5, 5}, KnownShape{"hyperx:3x4", 5, 2},
        KnownShape{"hyperx:3x3x4", 7, 3}, KnownShape{"torus:6x6x6", 6, 9},
        KnownShape{"torus:5x4", 4, 4}, KnownShape{"mesh:3x5", -1, 6}, KnownShape{"ring:n=9", 2, 4},
        KnownShape{"line:n=7", -1, 6}, KnownShape{"full:n=9", 8, 1},
        KnownShape{"dragonfly:a=4,h=2,p=1", 5, 3}, KnownShape{"dragonfly:a=8,h=4,p=1", 11, 3},
        KnownShape{"dragonfly:a=6,h=1,p=0", 6, 3}, KnownShape{"kautz:b=2,n=2", 4, 3},
        KnownShape{"kautz:b=3,n=2", 6, 3}, KnownShape{"kautz:b=5,n=0", 10, 1},
        KnownShape{"fattree2:k=8", -1, 2}, KnownShape{"fattree3:k=8", -1, 4}}) {
    const Fabric fabric = fabric_without_lids(spec);
    EXPECT_EQ(degree(fabric), wanted_degree) << spec;
    EXPECT_EQ(diameter(fabric), wanted_diameter) << spec;
  }
}

TEST(Generators, KautzCablesJoinNamesShiftedByOneLetter) {
  const Fabric fabric = fabric_without_lids("kautz:b=2,n=2,hosts=0");
  for (const Channel& channel : fabric.channels()) {
    const std::string from = fabric.node(channel.from).description.substr(3);
    const std::string to = fabric.node(channel.to).description.substr(3);
    EXPECT_TRUE(from.substr(2) == to.substr(0, 3) || to.substr(2) == from.substr(0, 3))
        << from << ' ' << to;
  }
}

TEST(Generators, SlimFliesOfPrimePowersAreRegularOfDiameterTwo) {
  for (const unsigned q : {3u, 4u, 5u, 7u, 8u, 9u, 11u, 13u, 16u, 17u, 19u, 23u, 25u, 27u, 32u}) {
    const std::string spec = fmt::format("slimfly:q={},hosts=2", q);
    const std::uint32_t delta_over = q % 4 == 3 ? 1 : 0;
    const std::uint32_t delta_under = q % 4 == 1 ? 1 : 0;
    const std::uint32_t wanted = (3 * q + delta_over - delta_under) / 2;
    const Fabric fabric = fabric_without_lids(spec);
    EXPECT_EQ(fabric.switch_count(), 2 * q * q) << spec;
    EXPECT_EQ(fabric.switch_link_count(), q * q * wanted) << spec;
    EXPECT_EQ(degree(fabric), static_cast<int>(wanted)) << spec;
    if (q <= 9) {
      EXPECT_EQ(diameter(fabric), 2u) << spec;
    }
    // Automorphisms map each switch of a half to each other switch of this half, so it suffices to
    // check one switch of each half.
    for (const std::uint32_t from : {0u, q * q})
      EXPECT_EQ(std::ranges::max(hops_from(fabric, from)), 2u) << spec;
  }
}

TEST(GaloisField, HasFieldArithmeticForPrimePowersOnly) {
  for (const unsigned q : {2u, 3u, 4u, 5u, 8u, 9u, 16u, 25u, 27u}) {
    const auto field = GaloisField::of_order(q);
    ASSERT_TRUE(field) << q;
    for (unsigned a = 0; a < q; ++a) {
      EXPECT_EQ(field->add(a, field->negative(a)), 0u);
      EXPECT_EQ(field->multiply(a, 1), a);
      for (unsigned b = 0; b < q; ++b) {
        EXPECT_EQ(field->multiply(a, b) == 0, a == 0 || b == 0) << q;
        for (unsigned c = 0; c < q; ++c)
          ASSERT_EQ(field->multiply(a, field->add(b, c)),
                    field->add(field->multiply(a, b), field->multiply(a, c)))
              << q;
      }
    }
  }
  for (const unsigned q : {0u, 1u, 6u, 10u, 12u, 100u}) EXPECT_FALSE(GaloisField::of_order(q)) << q;
}

TEST(Generators, DragonflyJoinsEachPairOfGroupsOnce) {
  const Fabric fabric = fabric_without_lids("dragonfly:a=4,h=2,p=1");
  std::vector<std::vector<int>> cables(9, std::vector<int>(9, 0));
  for (const Channel& channel : fabric.channels())
    ++cables[channel.from.value() / 4][channel.to.value() / 4];
  for (std::size_t a = 0; a < 9; ++a)
    for (std::size_t b = 0; b < 9; ++b) EXPECT_EQ(cables[a][b], a == b ? 12 : 1) << a << ' ' << b;
}

TEST(Generators, DragonflyPlusLeavesAreAtMostThreeHopsApart) {
  const Fabric fabric = fabric_without_lids("dragonflyplus:leaves=3,spines=4,h=2,hosts=1");
  for (std::uint32_t from = 0; from < fabric.switch_count(); ++from) {
    if (fabric.endports_at(SwitchId(from)).empty()) continue;
    const auto hops = hops_from(fabric, from);
    for (std::uint32_t to = 0; to < fabric.switch_count(); ++to)
      if (!fabric.endports_at(SwitchId(to)).empty()) {
        EXPECT_LE(hops[to], 3u);
      }
  }
}

TEST(Generators, GridPortNumbersAreDirections) {
  for (const char* spec : {"torus:4x5,hosts=2", "mesh:4x5,hosts=2", "torus:2x2,pairs=2"})
    for (const Fabric fabric = fabric_without_lids(spec);
         const Channel& channel : fabric.channels()) {
      const unsigned out = channel.from_port.value();
      ASSERT_LE(out, 4u);
      EXPECT_EQ(channel.to_port.value(), out % 2 == 1 ? out + 1 : out - 1);
      const std::uint32_t step = out <= 2 ? 1 : 4;
      if (out % 2 == 1 && channel.to > channel.from && spec[0] == 'm') {
        EXPECT_EQ(channel.to.value() - channel.from.value(), step);
      }
    }
}

TEST(Generators, HypercubePortsAreDimensionsOnBothEnds) {
  for (const Fabric fabric = fabric_without_lids("hypercube:n=4");
       const Channel& channel : fabric.channels()) {
    EXPECT_EQ(channel.to_port, channel.from_port);
    EXPECT_EQ(channel.from.value() ^ channel.to.value(), 1u << (channel.from_port.value() - 1));
  }
}

TEST(Generators, LeafPortsAreFirstToHostsAndThenToSpines) {
  const Fabric fabric = fabric_without_lids("fattree2:k=8");
  for (std::uint32_t leaf = 0; leaf < 8; ++leaf) {
    EXPECT_EQ(fabric.node(SwitchId(leaf)).description, fmt::format("leaf-{}", leaf + 1));
    for (const Channel& up : fabric.channels_from(SwitchId(leaf))) {
      EXPECT_EQ(up.to.value(), 8 + up.from_port.value() - 5);  // ports 1-4: hosts, 5-8: spines
      EXPECT_EQ(up.to_port.value(), leaf + 1);
    }
  }
}

TEST(Generators, RandomGraphsAreSimpleRegularAndConnected) {
  for (int seed = 0; seed < 10; ++seed)
    for (const unsigned wanted : {2u, 5u}) {
      const Fabric fabric =
          fabric_without_lids(fmt::format("random:n=40,degree={},seed={}", wanted, seed));
      EXPECT_TRUE(is_connected(fabric));
      EXPECT_EQ(degree(fabric), static_cast<int>(wanted));
      for (std::uint32_t s = 0; s < 40; ++s) {
        std::vector<std::uint32_t> peers;
        for (const Channel& channel : fabric.channels_from(SwitchId(s)))
          peers.push_back(channel.to.value());
        std::ranges::sort(peers);
        EXPECT_EQ(std::ranges::adjacent_find(peers), peers.end());
      }
    }
}

TEST(Generators, RadixSpeedAndWidthAreAsRequested) {
  const Fabric fabric = fabric_without_lids("ring:n=3,radix=36,speed=HDR,width=2x");
  for (std::uint32_t s = 0; s < 3; ++s) EXPECT_EQ(fabric.node(SwitchId(s)).port_count, 36);
  const Port& port = fabric.ports(SwitchId(0))[1];
  EXPECT_EQ(port.speed, LinkSpeed::kHdr);
  EXPECT_EQ(port.width, LinkWidth::k2x);
  EXPECT_EQ(fabric_without_lids("fattree2:k=36,hosts=2").node(SwitchId(0)).port_count, 36);
}

TEST(Generators, SplitPortsHaveTheWidthOfTwoLanes) {
  EXPECT_EQ(fabric_without_lids("ring:n=3,split=1").ports(SwitchId(0))[1].width, LinkWidth::k2x);
  EXPECT_EQ(fabric_without_lids("ring:n=3,split=1,width=2x").ports(SwitchId(0))[1].width,
            LinkWidth::k2x);
  EXPECT_EQ(fabric_without_lids("ring:n=3,split=0").ports(SwitchId(0))[1].width, LinkWidth::k4x);
}

TEST(Generators, EverySpecIsReproducibleAndConnectedUnlessSeparateByDesign) {
  std::vector<std::string> specs(kSmallSpecs.begin(), kSmallSpecs.end());
  for (const Generator& generator : generators()) specs.emplace_back(generator.example);
  for (const std::string& spec : specs) {
    const Fabric fabric = fabric_without_lids(spec);
    const auto generator =
        std::ranges::find(generators(), spec.substr(0, spec.find(':')), &Generator::name);
    EXPECT_EQ(is_connected(fabric), !generator->separate) << spec;
    for (const Endport& endport : fabric.endports()) EXPECT_NE(endport.sw, kNoSwitch) << spec;
    EXPECT_EQ(text_of(fabric), text_of(fabric_without_lids(spec))) << spec;
  }
  EXPECT_NE(text_of(fabric_without_lids("random:n=16,seed=1")),
            text_of(fabric_without_lids("random:n=16,seed=2")));
}

/// The first line after line 1 that begins with `begin`; empty if no line does.
std::string line_of(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find("\n" + begin);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(Generators, HelpStatesTheRangeOfAParameter) {
  EXPECT_THAT(help_line({"k", "ports", 2, 64, "8"}), testing::HasSubstr("2 to 64"));
  EXPECT_THAT(help_line({"seed", "seed", 1, ~std::uint64_t{0}, "1"}),
              testing::HasSubstr("from 1 on"));
}

TEST(Generators, DocumentationListsEveryParameterWithTheDefault) {
  const auto text = read_file(WEFT_SOURCE_DIR "/docs/reference/generators.md");
  ASSERT_TRUE(text) << text.error().message;
  for (const Generator& generator : generators()) {
    const std::string begin =
        fmt::format("| `{}{}`", generator.name, generator.dimensions_max > 0 ? ":AxB.." : "");
    const std::string row = line_of(*text, begin);
    ASSERT_NE(row, "") << begin;
    for (const Parameter& parameter : generator.parameters) {
      EXPECT_THAT(row, testing::HasSubstr(fmt::format("`{}", parameter.key))) << generator.name;
      if (parameter.kind != Parameter::Kind::kList) {
        EXPECT_THAT(row, testing::HasSubstr(fmt::format("({})", parameter.standard))) << begin;
      }
    }
  }
  for (const Parameter& parameter : common_parameters())
    EXPECT_THAT(line_of(*text, fmt::format("| `{}=", parameter.key)),
                testing::HasSubstr(fmt::format("| {} |", parameter.standard)));
}

}  // namespace
}  // namespace weft
