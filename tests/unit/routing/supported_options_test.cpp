// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing options that each engine supports: the table in the code, the documentation page, and the
// behavior of the engines agree.
#include "routing/supported_options.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "base/text.h"
#include "routing/dfp/dfp.h"
#include "routing/engine.h"
#include "routing/nue/nue.h"
#include "routing/shapes/degraded_links.h"
#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  for (const std::string_view cell : split(line, '|')) result.emplace_back(trim(cell));
  return {result.begin() + 1, result.end() - 1};
}

/// By option: the engines that support it according to docs/reference/routing-options.md.
std::map<std::string, std::set<std::string>> documented_support() {
  std::ifstream file(WEFT_SOURCE_DIR "/docs/reference/routing-options.md");
  std::map<std::string, std::set<std::string>> result;
  std::vector<std::string> engines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| option |")) {
      engines = cells(line);
    } else if (!engines.empty() && line.starts_with("| `")) {
      const auto row = cells(line);
      EXPECT_EQ(row.size(), engines.size()) << line;
      auto& supporting = result[row[0].substr(1, row[0].size() - 2)];
      for (std::size_t i = 1; i < row.size(); ++i)
        if (!row[i].empty()) supporting.insert(engines[i]);
    } else if (!line.starts_with("|") && !result.empty()) {
      return result;
    }
  }
  return result;
}

TEST(SupportedOptions, EqualThoseOfTheDocumentation) {
  std::map<std::string, std::set<std::string>> table;
  for (const Engine& engine : engines()) {
    // The table of the page has no columns for adaptive engines.
    if (!engine.traits.plain.empty()) continue;
    for (const OptionFacts& facts : option_facts())
      if (engine.name == "chain" ? facts.option == Option::kChain
                                 : engine.supports.contains(facts.option))
        table[std::string(facts.name)].insert(std::string(engine.name));
    for (const EngineParameter& parameter : engine.parameters)
      table[std::string(parameter.option)].insert(std::string(engine.name));
  }
  EXPECT_EQ(table.size(), option_facts().size() + engine_parameters().size());
  EXPECT_EQ(documented_support(), table);
}

TEST(SupportedOptions, UnsupportedOptionsCauseAWarning) {
  const Option given[] = {Option::kHopWeights, Option::kRoots, Option::kComputeNodes};
  EXPECT_THAT(
      unsupported_options("updn", given, {}),
      ElementsAre("-u, --cn_guid_file has no effect: routing engine 'updn' does not support it"));
  EXPECT_THAT(unsupported_options("ftree", given, {}),
              ElementsAre(HasSubstr("-w, --hop_weights_file")));
  EXPECT_EQ(unsupported_options("lash", given, {}).size(), 3u);
  EXPECT_THAT(unsupported_options("an engine of a test", given, {}), IsEmpty());
  const Option ignored[] = {Option::kIgnored};
  RoutingOptions options;
  EXPECT_THAT(unsupported_options("file", ignored, options),
              ElementsAre(HasSubstr("with -M it supports more options")));
  options.lid_matrix.emplace(1u);
  EXPECT_THAT(unsupported_options("file", ignored, options), IsEmpty());
  const Option compute_nodes[] = {Option::kComputeNodes};
  EXPECT_THAT(
      unsupported_options("file", compute_nodes, options),
      ElementsAre("-u, --cn_guid_file has no effect: routing engine 'file' does not support it"));
  const Option weights[] = {Option::kNodeWeights};
  EXPECT_THAT(unsupported_options("minhop", weights, {}),
              ElementsAre("--node_weights_file has no effect: routing engine 'minhop' does not "
                          "support it without --reweight"));
  EXPECT_THAT(unsupported_options("minhop", weights, {.parameters = {{kReweight, 2}}}), IsEmpty());
  EXPECT_THAT(unsupported_options("ftree", weights, {}), IsEmpty());
  EXPECT_THAT(unsupported_options("hoplanes", weights, {}), IsEmpty());
}

TEST(SupportedOptions, ParametersOfOtherEnginesCauseAWarning) {
  const RoutingOptions options{.parameters = {{kNueVls, 2}, {kDfpDetours, 1}}};
  EXPECT_THAT(unsupported_options("nue", {}, options),
              ElementsAre("--dfp_detours has no effect: routing engine 'nue' does not support it"));
  EXPECT_THAT(unsupported_options("ar_dfp", {}, options),
              ElementsAre(HasSubstr("--nue_max_num_vls has no effect: routing engine 'ar_dfp'")));
  EXPECT_EQ(unsupported_options("minhop", {}, options).size(), 2u);
  EXPECT_THAT(unsupported_options("chain", {}, options), IsEmpty());
  EXPECT_THAT(unsupported_options("an engine of a test", {}, options), IsEmpty());
}

TEST(EngineTable, HasEachNameParameterAndPositionInAutoOnce) {
  std::set<std::string_view> names, parameters;
  std::set<unsigned> places;
  for (const Engine& engine : engines()) {
    EXPECT_TRUE(names.insert(engine.name).second) << engine.name;
    EXPECT_EQ(find_engine(engine.name), &engine);
    if (engine.traits.automatic > 0) {
      EXPECT_TRUE(places.insert(engine.traits.automatic).second) << engine.name;
    }
    if (!engine.traits.plain.empty()) {
      ASSERT_NE(find_engine(engine.traits.plain), nullptr) << engine.name;
      EXPECT_EQ(engine.supports, find_engine(engine.traits.plain)->supports) << engine.name;
    }
  }
  for (const EngineParameter& parameter : engine_parameters()) {
    EXPECT_TRUE(parameters.insert(parameter.name).second) << parameter.name;
    EXPECT_TRUE(parameter.option.ends_with(parameter.name)) << parameter.option;
    EXPECT_LE(parameter.least, parameter.by_default);
    EXPECT_LE(parameter.by_default, parameter.most);
  }
}

/// By option: routing options in which only this option is set. Contains the options that alone
/// affect the selection of paths, except -a, -z, --avoid_throttled_links, -M, -U, --torus_config
/// and --rch_policy_file.
std::map<Option, RoutingOptions> one_at_a_time(const Fabric& fabric) {
  std::map<Option, RoutingOptions> result;
  result[Option::kIgnored].ignored = {fabric.endports_at(SwitchId(0))[0],
                                      fabric.endports_at(SwitchId(1))[0]};
  result[Option::kHopWeights].hop_weights.assign(fabric.channel_count(), 1);
  result[Option::kHopWeights].hop_weights[0] = 7;
  std::vector<std::uint8_t> rank;
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c)
    rank.push_back(static_cast<std::uint8_t>(200 - c));
  result[Option::kPortOrder].port_rank = rank;
  result[Option::kPortShifting].port_shifting = true;
  result[Option::kScatterPorts].scatter_ports = 5;
  result[Option::kLocalBalance].balance = Balance::kLocal;
  const auto hosts = fabric.endports_at(SwitchId(0));
  result[Option::kOrder].order = {fabric.endports_at(SwitchId(1)).back()};
  result[Option::kComputeNodes].compute_nodes = {hosts[0], fabric.endports_at(SwitchId(1))[0]};
  result[Option::kIoNodes].io_nodes = {hosts[0]};
  result[Option::kNodeWeights].node_weights.assign(fabric.endport_count(), 1);
  result[Option::kNodeWeights].node_weights[hosts[0].value()] = 100;
  auto& ids = result[Option::kSwitchIds].switch_rank;
  for (std::uint32_t s = fabric.switch_count(); s-- > 0;) ids.push_back(s);
  return result;
}

TEST(SupportedOptions, UnsupportedOptionsDoNotChangeTheRoutes) {
  const Fabric fabric = doubled_tree();
  for (const Engine& engine : engines()) {
    const auto plain = run_engine(engine, fabric, {});
    if (!plain) continue;  // the engine needs a file or another topology
    for (const auto& [option, options] : one_at_a_time(fabric)) {
      const auto routes = run_engine(engine, fabric, options);
      ASSERT_TRUE(routes) << engine.name;
      EXPECT_TRUE(verify(fabric, *routes).ok()) << engine.name;
      if (!supports_option(engine.name, option, options)) {
        EXPECT_EQ(*routes, *plain)
            << engine.name << " "
            << std::ranges::find(option_facts(), option, &OptionFacts::option)->name;
      }
    }
  }
}

// Cables between ports S0/1 and S1/1, S1/2 and S2/1, S0/2 and S2/2; a host on port 3 of each
// switch.
Fabric triangle_with_three_hosts() {
  return Tiny(3).link(0, 1).link(1, 2).link(0, 2).hosts(0).hosts(1).hosts(2).build();
}

PortNum entry(const Fabric& fabric, const Routes& routes, unsigned from, unsigned to) {
  const EndportId host = fabric.endports_at(SwitchId(to))[0];
  return routes.lfts.port(SwitchId(from), fabric.endport(host).lid);
}

TEST(DegradedLinks, AreAvoidedByTheSupportingEnginesExceptUpdnAndDnup) {
  const Fabric fabric = triangle_with_three_hosts();
  std::vector<bool> degraded(fabric.channel_count(), false);
  const ChannelId direct = fabric.channel_at(SwitchId(0), PortNum(2));
  degraded[direct.value()] = degraded[fabric.channel(direct).reverse.value()] = true;
  RoutingOptions options{.roots = {SwitchId(1)}};
  add_degraded_weights(degraded, options.hop_weights);
  unsigned supporting = 0;
  for (const Engine& engine : engines()) {
    const auto routes = run_engine(engine, fabric, options);
    if (!routes) continue;
    EXPECT_TRUE(verify(fabric, *routes).ok()) << engine.name;
    const bool avoids = supports_option(engine.name, Option::kAvoidDegradedLinks, options);
    // Up*/down* engines select between a path of down hops and a path with an up hop by hop counts,
    // so a degraded link may stay in use.
    if (engine.name == "dnup" || plain_engine(engine.name) == "updn") continue;
    supporting += avoids ? 1 : 0;
    if (avoids) {
      EXPECT_EQ(entry(fabric, *routes, 0, 2), PortNum(1)) << engine.name;
      EXPECT_EQ(entry(fabric, *routes, 2, 0), PortNum(1)) << engine.name;
    }
  }
  EXPECT_EQ(supporting, 8u)
      << "expected minhop, sssp, dfsssp, nue, hoplanes, ar_minhop, kdor-hc, kdor-ghc";
}

TEST(DegradedLinks, AreUsedIfNoOtherLinkConnects) {
  const Fabric fabric = triangle_with_three_hosts();
  const std::vector<bool> all(fabric.channel_count(), true);
  RoutingOptions options;
  add_degraded_weights(all, options.hop_weights);
  EXPECT_THAT(avoidable_degraded_links(fabric, options.hop_weights), testing::Each(false));
  EXPECT_THAT(avoidable_degraded_links(fabric, {}), IsEmpty());
  for (const Engine& engine : engines())
    if (const auto routes = run_engine(engine, fabric, options)) {
      EXPECT_TRUE(verify(fabric, *routes).ok()) << engine.name;
    }
}

TEST(HopWeights, MakeShortestPathEnginesSelectAPathWithMoreHops) {
  const Fabric fabric = triangle_with_three_hosts();
  RoutingOptions options;
  options.hop_weights.assign(fabric.channel_count(), 1);
  options.hop_weights[fabric.channel_at(SwitchId(0), PortNum(2)).value()] = 5;
  for (const char* name : {"minhop", "sssp", "dfsssp"}) {
    const auto routes = run_engine(*find_engine(name), fabric, options);
    ASSERT_TRUE(routes);
    EXPECT_EQ(entry(fabric, *routes, 0, 2), PortNum(1)) << name;
    EXPECT_EQ(entry(fabric, *routes, 2, 0), PortNum(2))
        << name << ": the weight applies only to the other direction";
  }
}

TEST(ConnectRoots, AddsPathsBetweenTheRootsOfATree) {
  const Fabric fabric = doubled_tree();
  const Engine& ftree = *find_engine("ftree");
  const auto without_option = run_engine(ftree, fabric, {});
  ASSERT_TRUE(without_option);
  const auto with_option = run_engine(ftree, fabric, {.connect_roots = true});
  ASSERT_TRUE(with_option);
  const Lid lid = fabric.endport(EndportId(3)).lid;
  EXPECT_NE(with_option->lfts.port(SwitchId(2), lid), kNoRoute);
  const Verdict verdict = verify(fabric, *with_option);
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.loops, 0u);
  for (const Endport& host : fabric.endports().subspan(fabric.switch_count()))
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      EXPECT_EQ(with_option->lfts.port(SwitchId(s), host.lid),
                without_option->lfts.port(SwitchId(s), host.lid));
}

}  // namespace
}  // namespace weft
