// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing chains on two fabrics joined by a few cables: each part is routed by its own engine with
// paths that stay in the part, and the routes of the whole fabric are free of loops and deadlocks
// for all tested engines.

#include "routing/chain/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/rng.h"
#include "fabric/builder.h"
#include "fabric/generators/spec.h"
#include "policy/chain_inputs.h"
#include "policy/route_chain.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kUpperHalf =
    0x1000'0000'0000'0000;               // added to the GUIDs of the second part
constexpr std::uint8_t kSparePorts = 2;  // ports of each switch for cables to the other part

/// Two generated fabrics joined by random cables.
struct JoinedFabrics {
  explicit JoinedFabrics(const std::string& first, const std::string& second, std::uint64_t seed,
                         unsigned cables = 3, std::uint8_t lmc = 0) {
    FabricBuilder builder;
    std::vector<FabricBuilder::NodeIndex> switches[2];
    std::vector<std::uint8_t> ports[2];
    std::uint64_t shift = 0;
    for (unsigned part = 0; part < 2; ++part, shift += kUpperHalf) {
      const auto generated = generate(part == 0 ? first : second);
      CHECK(generated.has_value());
      std::vector<FabricBuilder::NodeIndex> index;
      for (std::uint32_t n = 0; n < generated->node_count(); ++n) {
        Node node = generated->node(NodeId(n));
        node.node_guid = node.system_guid = Guid(node.node_guid.value() + shift);
        node.description = (part == 0 ? "a-" : "b-") + node.description;
        const std::uint8_t own = node.port_count;
        if (generated->is_switch(NodeId(n))) node.port_count = own + kSparePorts;
        index.push_back(builder.add_node(node));
        if (!generated->is_switch(NodeId(n))) continue;
        switches[part].push_back(index.back());
        ports[part].push_back(own + 1);
      }
      for (std::uint32_t p = 0; p < generated->port_count(); ++p) {
        const Port& port = generated->port(PortId(p));
        if (port.peer == kNoPort || port.peer.value() < p) continue;
        const Port& peer = generated->port(port.peer);
        CHECK(
            builder.connect(index[port.node.value()], port.num, index[peer.node.value()], peer.num)
                .has_value());
      }
    }
    Rng rng(seed);
    for (unsigned i = 0; i < cables; ++i) {
      std::size_t end[2];
      for (unsigned part = 0; part < 2; ++part) {
        do {
          end[part] = rng.below(switches[part].size());
        } while (ports[part][end[part]] > builder.node(switches[part][end[part]]).port_count);
      }
      CHECK(builder
                .connect(switches[0][end[0]], PortNum(ports[0][end[0]]++), switches[1][end[1]],
                         PortNum(ports[1][end[1]]++))
                .has_value());
    }
    const auto built = builder.build();
    CHECK(built.has_value());
    fabric = with_lids(*built, lmc);
  }
  Fabric fabric;
};

PortGroup range_group(std::string name, std::uint64_t first, std::uint64_t last) {
  PortGroup group;
  group.name = std::move(name);
  group.rule = PortGroup::Rule::kGuidRange;
  group.range = {Guid(first), Guid(last)};
  return group;
}

/// Routing inputs with a port group and a topology for each of the two parts.
RoutingInputs two_parts() {
  RoutingInputs inputs;
  inputs.port_groups.path = "groups";
  constexpr std::uint64_t kAll = 0x1FFF'FFFF'FFFF'FFFF;
  inputs.port_groups.groups = {range_group("a", 1, 0x00FF'FFFF'FFFF'FFFF),
                               range_group("b", kUpperHalf, kAll)};
  inputs.topologies = {{1, "a", "a"}, {2, "b", "b"}};
  return inputs;
}

FiledStep step(unsigned id, std::string engine, unsigned topology, unsigned fallback_to = 0,
               unsigned path_bit = 0) {
  FiledStep filed;
  filed.id = id;
  filed.engine = std::move(engine);
  filed.topology = topology;
  filed.fallback_to = fallback_to;
  filed.path_bit = path_bit;
  return filed;
}

ChainResult route(const Fabric& fabric, const RoutingInputs& inputs, unsigned threads = 1,
                  unsigned vls = 8, const Lfts* active = nullptr) {
  std::vector<std::string> warnings;
  RoutingOptions options = resolve(inputs, fabric, warnings);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  options.threads = threads;
  options.vls_max = vls;
  if (active != nullptr) {
    options.previous = *active;
    options.previous_engine = "chain";
  }
  return route_by_chain(fabric, {{"chain"}, false}, options, VerifyMode::kEnforce);
}

TEST(Chain, PathsWithinAPartStayInThePart) {
  constexpr const char* kFirst[] = {"fattree2:k=4", "xgft:m=3x3,w=1x2", "fattree3:k=4,fail=1"};
  constexpr const char* kSecondSpecs[] = {"torus:4x4,hosts=1", "ring:n=6,hosts=1",
                                          "mesh:3x4,hosts=1,fail=1", "hypercube:n=3",
                                          "dragonfly:a=4,h=1,p=1"};
  constexpr const char* kOfAll[] = {"updn", "nue", "dnup"};
  constexpr const char* kOfFirst[] = {"ftree", "updn", "minhop", "sssp"};
  constexpr const char* kOfSecond[] = {"dfsssp", "lash", "nue"};
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const std::string first = kFirst[rng.below(3)], second = kSecondSpecs[rng.below(5)];
    const std::string tail = ",seed=" + std::to_string(seed);
    const auto with_seed = [&](const std::string& spec) {
      return spec.find("fail") == std::string::npos ? spec : spec + tail;
    };
    const JoinedFabrics joined(with_seed(first), with_seed(second), seed);
    const Fabric& fabric = joined.fabric;
    RoutingInputs inputs = two_parts();
    inputs.chain = {{step(1, kOfAll[rng.below(3)], 0)},
                    {step(2, kOfFirst[rng.below(4)], 1)},
                    {step(3, kOfSecond[rng.below(3)], 2)}};
    const std::string replay = fmt::format(
        "seed {}: {} + {}, {}, {}, {}", seed, first, second, inputs.chain[0].filed.engine,
        inputs.chain[1].filed.engine, inputs.chain[2].filed.engine);
    const ChainResult result = route(fabric, inputs);
    ASSERT_TRUE(result.status) << replay << ": " << result.status.error().message;
    EXPECT_TRUE(result.verdict.ok()) << replay;
    EXPECT_EQ(result.routes, route(fabric, inputs, 4).routes) << replay;
    const ChainResult again = route(fabric, inputs, 1, 8, &result.routes.lfts);
    EXPECT_TRUE(again.verdict.ok()) << replay;
    std::size_t entries = 0, different = 0;
    for (std::uint32_t sw = 0; sw < fabric.switch_count(); ++sw)
      for (const Endport& to : fabric.endports()) {
        ++entries;
        different += again.routes.lfts.port(SwitchId(sw), to.lid) !=
                     result.routes.lfts.port(SwitchId(sw), to.lid);
      }
    // If a spine has no legal path to a LID, a step writes an entry on the path to a switch with
    // CAs, and a later step may replace this entry. So a few entries differ.
    EXPECT_LE(different * 20, entries) << replay << ": at least 95% of the active entries are kept";
    std::vector<std::string> warnings;
    const auto chain = resolve_chain(inputs, fabric, warnings, nullptr);
    for (const std::size_t place : {1u, 2u}) {
      const ChainStep& one = chain->steps[place];
      EXPECT_TRUE(result.routes.steps[place].failed.empty()) << replay;
      for (std::uint32_t s = 0; s < one.part.switch_count(); ++s) {
        const SwitchId whole(fabric.find_node(one.part.node(SwitchId(s)).node_guid)->value());
        for (const Endport& to : one.part.endports()) {
          if (fabric.is_switch(*fabric.find_node(one.part.node(to.node).node_guid))) continue;
          const PortNum port = result.routes.lfts.port(whole, to.lid);
          if (port == kNoRoute) continue;  // no host uses this entry, so that the verdict is PASS
          const PortId id = fabric.port_id(Fabric::node_of(whole), port);
          ASSERT_NE(id, kNoPort) << replay;
          const Port& out = fabric.port(id);
          if (port == PortNum(0)) continue;
          EXPECT_TRUE(one.part.find_node(fabric.node(fabric.port(out.peer).node).node_guid))
              << replay << ": packets leave the part";
        }
      }
    }
  }
}

TEST(Chain, FailedStepUsesItsFallbackOrEarlierSteps) {
  const JoinedFabrics joined("fattree2:k=4", "torus:4x4,hosts=1", 1);
  RoutingInputs inputs = two_parts();
  // ftree refuses a torus, torus-2QoS has no description of the torus; lash succeeds.
  inputs.chain = {{step(1, "updn", 0)},
                  {step(2, "ftree", 2)},
                  {step(3, "torus-2QoS", 2, 2)},
                  {step(4, "lash", 2, 3)},
                  {step(5, "nue", 2, 2)}};
  const ChainResult saved = route(joined.fabric, inputs);
  ASSERT_TRUE(saved.status) << saved.status.error().message;
  ASSERT_EQ(saved.routes.steps.size(), 4u);
  EXPECT_FALSE(saved.routes.steps[1].failed.empty());
  EXPECT_THAT(saved.routes.steps[2].failed, HasSubstr("--torus_config"));
  EXPECT_EQ(saved.routes.steps[3].engine, "lash");
  EXPECT_TRUE(saved.routes.steps[3].failed.empty());

  inputs.chain = {{step(1, "updn", 0)}, {step(2, "ftree", 2)}};
  const ChainResult left = route(joined.fabric, inputs);
  ASSERT_TRUE(left.status);
  RoutingInputs alone = two_parts();
  alone.chain = {{step(1, "updn", 0)}};
  EXPECT_EQ(left.routes.lfts, route(joined.fabric, alone).routes.lfts);

  inputs.chain = {{step(1, "torus-2QoS", 0)}, {step(2, "lash", 2)}};
  const ChainResult lost = route(joined.fabric, inputs);
  ASSERT_FALSE(lost.status);
  EXPECT_THAT(lost.status.error().message,
              HasSubstr("step 1 (torus-2QoS): torus-2QoS has no configuration"));
}

TEST(Chain, OneEngineOnTheWholeFabricRoutesAsWithoutChain) {
  const JoinedFabrics joined("fattree2:k=4", "ring:n=5,hosts=1", 4);
  RoutingInputs inputs = two_parts();
  inputs.chain = {{step(1, "updn", 0)}};
  const ChainResult chain = route(joined.fabric, inputs);
  const ChainResult plain =
      route_by_chain(joined.fabric, {{"updn"}, false}, {}, VerifyMode::kEnforce);
  ASSERT_TRUE(chain.status);
  EXPECT_EQ(chain.routes.lfts, plain.routes.lfts);
  EXPECT_EQ(chain.routes.vls, 1u);
}

TEST(Chain, AStepWithAPathBitRoutesOnlyLidsWithThisPathBit) {
  const JoinedFabrics joined("fattree2:k=4", "ring:n=5,hosts=1", 2, 3, 1);
  RoutingInputs inputs = two_parts();
  inputs.chain = {{step(1, "updn", 0)}, {step(2, "lash", 2)}};
  const ChainResult without = route(joined.fabric, inputs);
  ASSERT_TRUE(without.status) << without.status.error().message;
  for (const Endport& to : joined.fabric.endports()) {
    if (to.lmc == 0) continue;
    const Lid second(static_cast<std::uint16_t>(to.lid.value() + 1));
    for (std::uint32_t s = 0; s < joined.fabric.switch_count(); ++s) {
      const auto port = [&](Lid lid) { return without.routes.lfts.port(SwitchId(s), lid); };
      EXPECT_EQ(port(to.lid), port(second));
    }
  }
  inputs.chain.push_back({step(3, "nue", 0, 0, 1)});
  const ChainResult with = route(joined.fabric, inputs);
  ASSERT_TRUE(with.status) << with.status.error().message;
  bool differs = false;
  for (const Endport& to : joined.fabric.endports()) {
    if (to.lmc == 0) continue;  // missing entries between switches are added after all steps
    for (std::uint32_t s = 0; s < joined.fabric.switch_count(); ++s) {
      EXPECT_EQ(with.routes.lfts.port(SwitchId(s), to.lid),
                without.routes.lfts.port(SwitchId(s), to.lid));
      const Lid second(static_cast<std::uint16_t>(to.lid.value() + 1));
      differs = differs || with.routes.lfts.port(SwitchId(s), second) !=
                               without.routes.lfts.port(SwitchId(s), second);
    }
  }
  EXPECT_TRUE(differs);
}

TEST(Chain, StepsThatNeedTooManyVlsFail) {
  const JoinedFabrics joined("fattree2:k=4", "torus:5x5,hosts=1", 3);
  RoutingInputs inputs = two_parts();
  inputs.chain = {{step(1, "updn", 0)}, {step(2, "dfsssp", 2)}};
  const ChainResult eight = route(joined.fabric, inputs, 1, 8);
  ASSERT_TRUE(eight.status);
  EXPECT_GT(eight.routes.vls_needed, 2u);
  const ChainResult one = route(joined.fabric, inputs, 1, 1);
  // The step alone needs more VLs than the fabric has, so its part keeps the routes of the first
  // step.
  ASSERT_TRUE(one.status);
  EXPECT_THAT(one.routes.steps[1].failed, HasSubstr("virtual lanes"));
}

TEST(Chain, VlsOfPathsBetweenPartsCountAsNeeded) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const JoinedFabrics joined("torus:4x4,hosts=1", "torus:5x5,hosts=1", seed, 4);
    RoutingInputs inputs = two_parts();
    inputs.chain = {{step(1, "updn", 0)}, {step(2, "lash", 1)}, {step(3, "lash", 2)}};
    const ChainResult eight = route(joined.fabric, inputs, 1, 8);
    ASSERT_TRUE(eight.status) << seed << ": " << eight.status.error().message;
    const unsigned needed = eight.routes.vls_needed;
    const ChainResult enough = route(joined.fabric, inputs, 1, needed);
    ASSERT_TRUE(enough.status) << seed << ": " << enough.status.error().message;
    const ChainResult less = route(joined.fabric, inputs, 1, needed - 1);
    if (less.status) continue;  // a step failed, and its part has the routes of the first step
    ++refused;
    EXPECT_THAT(less.status.error().message,
                HasSubstr(fmt::format("the steps need {} VLs together, expected at most {}", needed,
                                      needed - 1)));
  }
  EXPECT_GT(refused, 5u);
}

/// The inputs with the torus-2QoS configuration of the second part.
std::shared_ptr<const RoutingInputs> inputs_of_torus(RoutingInputs inputs) {
  const auto at = [](std::uint64_t i) { return Guid(kUpperHalf + 0x0010'0000'0000'0001 + i); };
  TorusConfig config;
  config.radix = {5, 5, 1};
  config.seeds.push_back({.origin = at(0), .plus = {at(1), at(5), Guid()}});
  inputs.plain.torus = config;
  return std::make_shared<const RoutingInputs>(std::move(inputs));
}

TEST(Chain, AStepThatChangesTheVlMayBeTheFirst) {
  const JoinedFabrics joined("fattree2:k=4", "torus:5x5,hosts=1", 1);
  RoutingInputs inputs = two_parts();
  inputs.chain = {{step(1, "torus-2QoS", 2), inputs_of_torus(inputs)}, {step(2, "updn", 1)}};
  const ChainResult result = route(joined.fabric, inputs);
  ASSERT_TRUE(result.status) << result.status.error().message;
  EXPECT_TRUE(result.routes.steps[0].failed.empty()) << result.routes.steps[0].failed;
  EXPECT_TRUE(result.verdict.ok());
  EXPECT_TRUE(result.verdict.switches_ok());
  EXPECT_GT(result.routes.vls_needed, 1u);
  // SL2VL entries with equal input and output port, and entries of ports without a cable, are never
  // used and not written.
  for (std::uint32_t s = 0; s < joined.fabric.switch_count(); ++s)
    for (const Port& in : joined.fabric.ports(SwitchId(s)))
      for (const Port& out : joined.fabric.ports(SwitchId(s))) {
        if (in.num != out.num && out.peer != kNoPort) continue;
        EXPECT_EQ(result.routes.sl2vl.map(SwitchId(s), in.num, out.num),
                  result.routes.sl2vl.common())
            << s << ' ' << in.num.value() << ' ' << out.num.value();
      }
}

/// Three to five steps on two parts. Steps may overlap or lack some of the hosts, cables may be
/// missing, and LIDs of one part may be routed by steps of the other part.
struct RandomChain {
  explicit RandomChain(std::uint64_t seed) {
    Rng rng(seed);
    const auto one_of = [&](std::initializer_list<const char*> words) {
      return std::string(words.begin()[rng.below(words.size())]);
    };
    const std::string tail = ",seed=" + std::to_string(seed);
    const std::string first = one_of({"fattree2:k=4", "xgft:m=3x3,w=1x2", "fattree2:k=8,fail=3",
                                      "fattree3:k=4,fail=2", "torus:4x4,hosts=1,fail=1"});
    const std::string second =
        one_of({"torus:5x5,hosts=1", "ring:n=6,hosts=1", "mesh:3x4,hosts=1,fail=1", "hypercube:n=3",
                "random:n=10,degree=3,hosts=1"});
    const bool seeded[] = {first.find("fail") != first.npos,
                           second.find("fail") != second.npos || second.starts_with("random")};
    const auto lmc = static_cast<std::uint8_t>(rng.below(3));
    joined.emplace(first + (seeded[0] ? tail : ""), second + (seeded[1] ? tail : ""), seed,
                   static_cast<unsigned>(2 + rng.below(4)), lmc);
    inputs = two_parts();
    inputs.port_groups.groups.push_back(range_group("some", 1, kUpperHalf + 0x0020'0000'0000'0060));
    inputs.topologies.push_back({3, "b", rng.below(3) == 0 ? "some" : "b"});
    // lash requires one LID for each port. In the parts each port has one LID; in the whole fabric,
    // which the first step routes, each port has 2^LMC LIDs.
    const auto any = [&] { return one_of({"updn", "nue", "minhop", "lash", "dfsssp"}); };
    inputs.chain = {{step(1, lmc > 0 ? one_of({"updn", "nue"}) : any(), 0)},
                    {step(2, one_of({"ftree", "updn", "lash", "sssp"}), 1)}};
    if (second.starts_with("torus") && rng.below(2) == 0)
      inputs.chain.push_back({step(3, "torus-2QoS", 2), inputs_of_torus(inputs)});
    else
      inputs.chain.push_back({step(3, any(), rng.below(2) == 0 ? 2 : 3)});
    for (unsigned bit = 1; bit <= lmc; ++bit)
      if (rng.below(2) == 0)
        inputs.chain.push_back({step(3 + bit, any(), static_cast<unsigned>(rng.below(3)), 0, bit)});
    replay = fmt::format("seed {}: {} + {}, LMC {}", seed, first, second, lmc);
    for (const ChainStepInputs& one : inputs.chain)
      replay += fmt::format(", {} on {} bit {}", one.filed.engine, one.filed.topology,
                            one.filed.path_bit);
  }
  std::optional<JoinedFabrics> joined;
  RoutingInputs inputs;
  std::string replay;
};

TEST(Chain, RepliesBetweenAndWithinPartsAreFreeOfDeadlock) {
  std::size_t several = 0, cycles_by_replies = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomChain drawn(seed);
    const Fabric& fabric = drawn.joined->fabric;
    const ChainResult result = route(fabric, drawn.inputs, 1, 15);
    ASSERT_TRUE(result.status) << drawn.replay << ": " << result.status.error().message;
    EXPECT_TRUE(result.verdict.ok()) << drawn.replay;
    EXPECT_TRUE(result.verdict.ca_to_switch.all()) << drawn.replay;
    EXPECT_TRUE(result.verdict.switch_to_ca.all()) << drawn.replay;
    several += result.routes.vls_needed > 1 ? 1 : 0;
    RoutingInputs one_way = drawn.inputs;
    one_way.plain.ignore_replies = true;
    const ChainResult ignored = route(fabric, one_way, 1, 15);
    ASSERT_TRUE(ignored.status) << drawn.replay << ": " << ignored.status.error().message;
    cycles_by_replies += !verify(fabric, ignored.routes).ok() ? 1 : 0;
  }
  EXPECT_GT(several, 20u);
  EXPECT_GT(cycles_by_replies, 0u)
      << "at least one chain must have credit loops only because of replies";
}

TEST(Chain, ReportsMissingSteps) {
  const JoinedFabrics joined("fattree2:k=4", "ring:n=5,hosts=1", 2);
  const ChainResult result =
      route_by_chain(joined.fabric, {{"chain"}, false}, {}, VerifyMode::kEnforce);
  ASSERT_FALSE(result.status);
  EXPECT_THAT(result.status.error().message, HasSubstr("--rch_policy_file"));
}

TEST(Chain, EmptyTopologyFailsOnlyItsStep) {
  const JoinedFabrics joined("fattree2:k=4", "ring:n=5,hosts=1", 2);
  RoutingInputs inputs = two_parts();
  inputs.port_groups.groups.push_back(range_group("none", 1, 2));
  inputs.topologies.push_back({3, "none", "none"});
  inputs.chain = {{step(1, "updn", 0)}, {step(2, "ftree", 3)}};
  const ChainResult result = route(joined.fabric, inputs);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.steps[1].failed, "the topology has no switch in this fabric");
}

}  // namespace
}  // namespace weft
