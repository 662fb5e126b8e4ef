#include "fabric/generators/spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/fabrics.h"

namespace weft {
namespace {

struct Counts {
  const char* spec;
  std::uint32_t switches, hosts, links;
};

class GeneratorCounts : public testing::TestWithParam<Counts> {};

TEST_P(GeneratorCounts, AreThoseOfTheTextbook) {
  const auto fabric = generate(GetParam().spec);
  ASSERT_TRUE(fabric) << fabric.error().message;
  EXPECT_EQ(fabric->switch_count(), GetParam().switches);
  EXPECT_EQ(fabric->ca_count(), GetParam().hosts);
  EXPECT_EQ(fabric->link_count(), GetParam().links);
}

INSTANTIATE_TEST_SUITE_P(
    Generators, GeneratorCounts,
    testing::Values(Counts{"fattree2:k=36", 54, 648, 648 + 648},
                    Counts{"fattree3:k=16", 320, 1024, 3 * 1024},
                    Counts{"fattree3:k=24", 720, 3456, 3 * 3456},
                    Counts{"fattree3:k=64,pods=42", 3712, 43008, 3 * 43008},
                    Counts{"xgft:m=4x4x4,w=1x2x4", 16 + 8 + 8, 64, 64 + 32 + 32},
                    Counts{"fattree2:k=8,trunks=2", 4 + 2, 16, 16 + 16},
                    Counts{"torus:6x6x6,hosts=2", 216, 432, 648 + 432},
                    Counts{"torus:2x5", 10, 10, 5 + 10 + 10},
                    Counts{"mesh:3x4,hosts=2", 12, 24, 8 + 9 + 24}, Counts{"ring:n=6", 6, 6, 12},
                    Counts{"ring:n=2", 2, 2, 3}, Counts{"hypercube:n=6", 64, 64, 192 + 64},
                    Counts{"hyperx:6x6,hosts=6", 36, 216, 36 * 10 / 2 + 216},
                    Counts{"dragonfly:a=8,h=4,p=4", 264, 1056, 33 * 28 + 33 * 32 / 2 + 1056},
                    Counts{"dragonflyplus:leaves=4,spines=4,h=2,hosts=4", 72, 144,
                           9 * 16 + 9 * 8 / 2 + 144},
                    Counts{"slimfly:q=5", 50, 50, 50 * 7 / 2 + 50},
                    Counts{"slimfly:q=7", 98, 98, 98 * 11 / 2 + 98},
                    Counts{"kautz:b=2,n=2", 12, 12, 24 + 12}, Counts{"full:n=5,hosts=2", 5, 10, 20},
                    Counts{"random:n=128,degree=8,hosts=4,seed=1", 128, 512, 512 + 512}));

/// Hops from a switch to all others; the number of switches where there is no way.
std::vector<std::uint32_t> distances(const Fabric& fabric, std::uint32_t from) {
  std::vector<std::uint32_t> hops(fabric.switch_count(), fabric.switch_count());
  std::vector<std::uint32_t> queue{from};
  hops[from] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head])))
      if (hops[channel.to.value()] == fabric.switch_count()) {
        hops[channel.to.value()] = hops[queue[head]] + 1;
        queue.push_back(channel.to.value());
      }
  return hops;
}

std::uint32_t diameter(const Fabric& fabric) {
  std::uint32_t most = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    most = std::max(most, std::ranges::max(distances(fabric, s)));
  return most;
}

TEST(Generators, HaveTheDiametersTheyAreKnownFor) {
  EXPECT_EQ(diameter(*generate("slimfly:q=5")), 2u);
  EXPECT_EQ(diameter(*generate("slimfly:q=7")), 2u);
  EXPECT_EQ(diameter(*generate("slimfly:q=11")), 2u);
  EXPECT_EQ(diameter(*generate("hypercube:n=5")), 5u);
  EXPECT_EQ(diameter(*generate("hyperx:3x4")), 2u);
  EXPECT_EQ(diameter(*generate("dragonfly:a=4,h=2,p=1")), 3u);
  EXPECT_EQ(diameter(*generate("torus:6x6x6")), 9u);
  EXPECT_EQ(diameter(*generate("fattree3:k=8")), 4u);
  EXPECT_EQ(diameter(*generate("full:n=9")), 1u);
}

TEST(Generators, DragonflyJoinsEachPairOfGroupsOnce) {
  const auto fabric = generate("dragonfly:a=4,h=2,p=1");
  std::vector<std::vector<int>> cables(9, std::vector<int>(9, 0));
  for (const Channel& channel : fabric->channels())
    ++cables[channel.from.value() / 4][channel.to.value() / 4];
  for (std::size_t a = 0; a < 9; ++a)
    for (std::size_t b = 0; b < 9; ++b) EXPECT_EQ(cables[a][b], a == b ? 12 : 1) << a << ' ' << b;
}

TEST(Generators, GridPortsMeanDirections) {
  const auto fabric = generate("torus:4x5,hosts=2");
  for (const Channel& channel : fabric->channels()) {
    const unsigned out = channel.from_port.value();
    ASSERT_LE(out, 4u);
    EXPECT_EQ(channel.to_port.value(), out % 2 == 1 ? out + 1 : out - 1);
  }
}

TEST(Generators, RandomGraphsAreSimpleRegularAndConnected) {
  for (int seed = 0; seed < 10; ++seed) {
    const auto fabric = generate(fmt::format("random:n=40,degree=5,seed={}", seed));
    ASSERT_TRUE(fabric);
    EXPECT_LT(diameter(*fabric), 40u);
    for (std::uint32_t s = 0; s < 40; ++s) {
      std::vector<std::uint32_t> peers;
      for (const Channel& channel : fabric->channels_from(SwitchId(s)))
        peers.push_back(channel.to.value());
      std::ranges::sort(peers);
      EXPECT_EQ(peers.size(), 5u);
      EXPECT_EQ(std::ranges::adjacent_find(peers), peers.end());
    }
  }
}

TEST(Generators, DamageIsCountedSeededAndKeepsHostsTogether) {
  const auto whole = generate("torus:4x4,hosts=1");
  const auto broken = generate("torus:4x4,hosts=1,fail=5,dead=2,seed=9");
  ASSERT_TRUE(broken) << broken.error().message;
  EXPECT_EQ(broken->switch_count(), 14u);
  EXPECT_EQ(broken->ca_count(), 14u);
  for (const std::uint32_t hops : distances(*broken, 0)) EXPECT_LT(hops, 14u);
  EXPECT_LT(broken->switch_link_count(), whole->switch_link_count() - 5);
  const auto again = generate("torus:4x4,hosts=1,fail=5,dead=2,seed=9");
  EXPECT_TRUE(std::ranges::equal(
      broken->channels(), again->channels(), [](const Channel& a, const Channel& b) {
        return a.from == b.from && a.to == b.to && a.from_port == b.from_port;
      }));
  EXPECT_EQ(generate("ring:n=4,fail=2").error().code, Code::kUsage);
  EXPECT_TRUE(generate("ring:n=4,fail=2,connected=0"));
}

TEST(Generators, EverySmallSpecIsConnected) {
  for (const char* spec : kSmallSpecs) {
    const auto fabric = generate(spec);
    ASSERT_TRUE(fabric) << spec << ": " << fabric.error().message;
    for (const Endport& endport : fabric->endports()) EXPECT_NE(endport.sw, kNoSwitch) << spec;
  }
}

TEST(Generators, ErrorsNameTheColumnWhatWasFoundAndWhatIsWanted) {
  const auto message = [](const char* spec) { return generate(spec).error().message; };
  EXPECT_NE(
      message("torus:4x4,host=2").find("column 11: found parameter 'host', want one of: hosts"),
      std::string::npos);
  EXPECT_NE(
      message("ring:n=999999").find("column 6: found n=999999, want a number from 2 to 20000"),
      std::string::npos);
  EXPECT_NE(message("torus:4xq").find("column 7: found '4xq'"), std::string::npos);
  EXPECT_NE(message("turos:4x4").find("found 'turos', want NAME:PARAMETERS"), std::string::npos);
  EXPECT_NE(message("fattree3:k=70").find("unicast LIDs"), std::string::npos);
  EXPECT_NE(message("slimfly:q=9").find("want a prime"), std::string::npos);
  EXPECT_NE(message("full:n=250,hosts=10").find("254"), std::string::npos);
  EXPECT_NE(message("random:n=5,degree=3").find("even"), std::string::npos);
  EXPECT_NE(message("dragonfly:a=2,h=1,p=1,g=9").find("global ports"), std::string::npos);
  EXPECT_NE(message("ring:n=4,speed=FAST").find("want SDR"), std::string::npos);
  EXPECT_NE(message("xgft:m=4x4,w=1").find("same length"), std::string::npos);
  EXPECT_FALSE(looks_like_spec("file.txt"));
  EXPECT_FALSE(looks_like_spec("C:k=4"));
}

}  // namespace
}  // namespace weft
