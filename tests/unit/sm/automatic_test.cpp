// -R auto: what it chooses, what it says, and that it stays.

#include "sm/automatic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../routing/walks.h"
#include "congestion/quality.h"
#include "sm/route_chain.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ChainResult automatic(const Fabric& fabric, RoutingOptions options = {}) {
  const auto choice = parse_engine_choice("auto");
  EXPECT_TRUE(choice);
  return route_by_chain(fabric, *choice, std::move(options), VerifyMode::kEnforce);
}

TEST(Automatic, IsNeverMuchWorseThanTheBestEngine) {
  for (const char* spec :
       {"fattree3:k=8", "fattree3:k=8,fail=20,seed=1", "torus:5x5x5,hosts=1", "mesh:4x4,hosts=2",
        "hypercube:n=5", "hyperx:4x4,hosts=2", "dragonfly:a=6,h=3,p=3", "slimfly:q=5",
        "random:n=32,degree=5,hosts=2,seed=1", "kautz:b=3,n=3", "ring:n=6,hosts=2",
        "dragonflyplus:leaves=4,spines=4,h=2,hosts=4"}) {
    const Fabric fabric = lidded(spec);
    const ChainResult chosen = automatic(fabric);
    ASSERT_TRUE(chosen.status) << spec;
    EXPECT_TRUE(chosen.verdict.ok()) << spec;
    EXPECT_THAT(chosen.choice, HasSubstr(chosen.routes.engine)) << spec;
    const double ebb = assess(fabric, chosen.routes).ebb;
    for (const Engine& engine : engines()) {
      const ChainResult one =
          route_by_chain(fabric, {{std::string(engine.name)}, false}, {}, VerifyMode::kEnforce);
      if (!one.status) continue;
      EXPECT_GE(ebb, 0.97 * assess(fabric, one.routes).ebb) << spec << " " << engine.name;
    }
  }
}

TEST(Automatic, SaysWhyAndWhatWouldBeNext) {
  EXPECT_THAT(automatic(lidded("fattree3:k=4")).choice,
              StartsWith("a tree of 3 levels: ftree (effective bisection "));
  const std::vector<Trial> trials{{"a", 0.5, 1}, {"b", 0.7, 2}, {"c", 0.699, 1}, {"d", 0.6, 1}};
  EXPECT_EQ(best_of(trials), 1u);  // as good as c, and likelier
  EXPECT_EQ(tell({TopologyKind::kIrregular, "something"}, trials, 1),
            "something: b (effective bisection 0.700, 2 VLs); next best c (effective bisection "
            "0.699, 1 VL)");
  EXPECT_EQ(tell({TopologyKind::kTree, "a tree"}, {{"a", 0.5, 1}}, 0),
            "a tree: a (effective bisection 0.500, 1 VL); no other engine serves");
}

TEST(Automatic, StaysWithItsEngineAndKeepsWhatNeedNotChange) {
  const Fabric fabric = lidded("fattree2:k=8");
  const ChainResult before = route_by_chain(fabric, {{"updn"}, false}, {}, VerifyMode::kEnforce);
  RoutingOptions options;
  options.previous = before.routes.lfts;
  options.previous_engine = "updn";
  const ChainResult after = automatic(fabric, options);
  EXPECT_EQ(after.routes.engine, "updn");
  EXPECT_EQ(after.routes.lfts, before.routes.lfts);
  EXPECT_EQ(after.choice, "updn goes on");

  options.previous_engine = "file";  // no candidate: chosen anew
  EXPECT_EQ(automatic(fabric, options).routes.engine, "ftree");
}

TEST(Automatic, IsOneOfSeveralInAChain) {
  const auto choice = parse_engine_choice("file,auto,no_fallback");
  ASSERT_TRUE(choice);
  const ChainResult chain =
      route_by_chain(lidded("ring:n=5,hosts=1"), *choice, {}, VerifyMode::kEnforce);
  ASSERT_TRUE(chain.status);
  ASSERT_EQ(chain.failed.size(), 1u);
  EXPECT_EQ(chain.failed[0].engine, "file");
  EXPECT_TRUE(chain.verdict.ok());
}

TEST(Automatic, TriesOnlyTheLikeliestOnVeryLargeFabrics) {
  const Fabric small = lidded("fattree2:k=8");
  EXPECT_GT(candidates_for(small, recognise(small), false).size(), 3u);
  EXPECT_EQ(candidates_for(small, recognise(small), true).front(), "torus-2QoS");
  const Fabric large = lidded("fattree3:k=36");
  EXPECT_EQ(candidates_for(large, {TopologyKind::kTree, ""}, false).size(), 3u);
}

}  // namespace
}  // namespace weft
