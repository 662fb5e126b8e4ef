// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whole simulation runs, which do not depend on threads or on the division of runs. Also sizes,
// rates and paths, and the experiments of the ORCS report, compared with other methods.
#include "congestion/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/file.h"
#include "congestion/metrics.h"
#include "routing/ftree/ftree.h"
#include "routing/minhop.h"
#include "support/fabrics.h"
#include "support/temp_dir.h"
#include "support/tiny.h"
#include "unit/congestion/networks.h"

namespace weft {
namespace {

// The example of the ORCS report: 16 hosts, 4 levels of 16 messages.
TEST(Simulate, BruckOnSixteenHostsHas64Connections) {
  const Tally tally = simulated(routed(fabric_of("fattree3:k=4")), study_of("bruck"), 1);
  EXPECT_EQ(tally.connections, 64u);
  std::uint64_t sum = 0;
  for (const auto& [weight, bin] : tally.weights) sum += bin.connections;
  EXPECT_EQ(sum, 64u);
}

TEST(Simulate, GatherAndScatterOnOneSwitchLoadTheLinkOfOneHost) {
  const RoutedNetwork network = routed(Tiny(1).hosts(0, 8).build());
  EXPECT_EQ(simulated(network, study_of("gather"), 3).weights,
            (std::map<Ticks, WeightBin>{{7, {21, 21}}}));
  EXPECT_EQ(simulated(network, study_of("scatter"), 3).weights,
            (std::map<Ticks, WeightBin>{{7, {21, 21}}}));
  EXPECT_EQ(simulated(network, study_of("bisect"), 3).weights,
            (std::map<Ticks, WeightBin>{{1, {12, 12}}}));
}

TEST(Simulate, IsEqualForAnyNumberOfThreadsAndAnySplitOfRuns) {
  const RoutedNetwork network = routed(fabric_of("fattree3:k=4"));
  for (const char* pattern : {"rand", "bisect_fb_sym", "ring", "alltoallv:3", "neighbor2d"}) {
    StudySpec spec = study_of(pattern);
    spec.measures = {true, true, true};
    spec.seed = 7;
    const Tally one = simulated(network, spec, 50, 1);
    EXPECT_EQ(one.to_bytes(), simulated(network, spec, 50, 8).to_bytes()) << pattern;
    const auto study = make_study(network, spec);
    Tally parts = run_simulation(network, *study, 30, 50, {.threads = 2});
    merge(parts, run_simulation(network, *study, 0, 11, {.threads = 1}));
    merge(parts, run_simulation(network, *study, 11, 30, {.threads = 3}));
    EXPECT_EQ(one, parts) << pattern;
    EXPECT_EQ(one, *Tally::from_bytes(one.to_bytes()));
    spec.seed = 8;
    EXPECT_NE(one.to_bytes(), simulated(network, spec, 50).to_bytes()) << pattern;
  }
}

TEST(Simulate, StopFinishesRunsInProgressWithoutGaps) {
  const RoutedNetwork network = routed(fabric_of("fattree3:k=4"));
  const auto study = make_study(network, study_of("rand"));
  std::atomic<bool> stop{false};
  SimulationOptions options;
  options.threads = 4;
  options.stop = &stop;
  options.level_done = [&](std::uint64_t run, std::uint64_t) { stop = stop || run == 20; };
  const Tally tally = run_simulation(network, *study, 0, 1'000'000, options);
  ASSERT_GE(tally.runs(), 21u);
  ASSERT_LT(tally.runs(), 1'000u);
  EXPECT_EQ(tally, run_simulation(network, *study, 0, tally.runs()));
}

// Computes the weight of every flow and the sum of every channel by following one message at a
// time.
TEST(Simulate, AgreesWithLoadsCountedAlongEachPath) {
  for (const char* spec_text : {"dragonfly:a=4,h=1,p=2", "random:n=16,degree=4,hosts=2,seed=1"}) {
    const RoutedNetwork network = routed(fabric_of(spec_text));
    StudySpec spec = study_of("alltoallv:5");
    spec.shuffle = false;
    spec.measures.channels = true;
    const auto study = make_study(network, spec);
    std::vector<Flow> flows;
    study->pattern.fill(0, flows);
    std::vector<std::uint64_t> load(network.channel_count());
    std::vector<std::vector<std::uint32_t>> routes(flows.size());
    for (std::size_t f = 0; f < flows.size(); ++f) {
      network.walk(study->hosts[flows[f].from], study->hosts[flows[f].to], 0, routes[f]);
      for (const std::uint32_t c : routes[f]) load[c] += flows[f].size;
    }
    std::map<Ticks, WeightBin> weights;
    double bandwidth = 0;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      std::uint64_t most = 0;
      for (const std::uint32_t c : routes[f]) most = std::max(most, load[c]);
      ++weights[most].connections;
      weights[most].volume += flows[f].size;
      bandwidth += static_cast<double>(flows[f].size) / static_cast<double>(most) /
                   static_cast<double>(flows.size());
    }
    const Tally tally = run_simulation(network, *study, 0, 1);
    EXPECT_EQ(tally.weights, weights);
    EXPECT_EQ(tally.channel_sum, load);
    EXPECT_EQ(tally.ticks, study->pattern.size_max);
    EXPECT_NEAR(tally.results[0].bandwidth, bandwidth, 1e-12);
    EXPECT_NEAR(mean_bandwidth(tally), bandwidth, 1e-12);
  }
}

// Two switches with two hosts on each and four cables between them; each port has two LIDs.
TEST(Simulate, PathsSpreadMessagesOverTheLidsOfAPort) {
  const Fabric fabric = Tiny(2).link(0, 1, 4).hosts(0, 2).hosts(1, 2).build(1);
  Lfts lfts(2, fabric.lid_top());
  for (std::uint32_t h = 0; h < 4; ++h) {
    const Endport& to = fabric.endport(EndportId(2 + h));
    for (unsigned bit = 0; bit < 2; ++bit) {
      const Lid lid(static_cast<std::uint16_t>(to.lid.value() + bit));
      lfts.set(to.sw, lid, to.sw_port);
      lfts.set(SwitchId(1 - to.sw.value()), lid, PortNum(static_cast<std::uint8_t>(1 + bit)));
    }
  }
  const auto network = network_of(fabric, lfts);
  ASSERT_TRUE(network);
  EXPECT_EQ(network->paths(), 2u);
  // In level 2 the hosts of S0 send to the hosts of S1.
  StudySpec spec = study_of("stencil2d:2x2");
  spec.shuffle = false;
  spec.level = 2;
  EXPECT_EQ(simulated(*network, spec, 1).weights, (std::map<Ticks, WeightBin>{{2, {2, 2}}}));
  spec.paths = PathChoice::kBySource;
  EXPECT_EQ(simulated(*network, spec, 1).weights, (std::map<Ticks, WeightBin>{{1, {2, 2}}}));
  spec.paths = PathChoice::kAll;  // the cables of ports 1 and 2 each carry half of each message
  const Tally halves = simulated(*network, spec, 1);
  EXPECT_EQ(halves.ticks, 2u);
  EXPECT_EQ(halves.weights, (std::map<Ticks, WeightBin>{{2, {2, 4}}}));
  EXPECT_DOUBLE_EQ(halves.results[0].bandwidth, 1.0);
  spec.paths = PathChoice::kRandom;
  const Tally random = simulated(*network, spec, 1000);
  EXPECT_NEAR(static_cast<double>(random.weights.at(1).connections), 1000, 120);
}

// Two hosts on S0 and two on S1, all with EDR links. A trunk of twice that rate (HDR) carries the
// messages of two hosts at full rate.
TEST(Simulate, LinkRatesSetChannelCapacities) {
  const auto with_trunk = [](const char* rate) {
    return graph(fmt::format(R"(digraph g {{
      H0 -> S0 [comment="*", rate="4xEDR"]; H1 -> S0 [comment="*", rate="4xEDR"];
      H2 -> S1 [comment="*", rate="4xEDR"]; H3 -> S1 [comment="*", rate="4xEDR"];
      S0 -> S1 [comment="H2, H3", rate="{0}"]; S1 -> S0 [comment="H0, H1", rate="{0}"];
      S0 -> H0 [comment="H0", rate="4xEDR"]; S0 -> H1 [comment="H1", rate="4xEDR"];
      S1 -> H2 [comment="H2", rate="4xEDR"]; S1 -> H3 [comment="H3", rate="4xEDR"];
    }})",
                             rate));
  };
  StudySpec spec = study_of("stencil2d:2x2");
  spec.shuffle = false;
  spec.level = 2;
  spec.measures.fair = true;
  const auto weight = [&](const char* rate) {
    const Tally tally = simulated(with_trunk(rate), spec, 1);
    EXPECT_EQ(tally.weights.size(), 1u);
    const auto& [ticks, bin] = *tally.weights.begin();
    EXPECT_EQ(bin.connections, 2u);
    const double value = static_cast<double>(ticks) / static_cast<double>(tally.ticks);
    EXPECT_NEAR(tally.results[0].fair_bandwidth, 1 / value, 1e-12);
    EXPECT_NEAR(tally.results[0].bandwidth, 1 / value, 1e-12);
    return value;
  };
  EXPECT_DOUBLE_EQ(weight("4xHDR"), 2.0);  // without link_rates all rates are equal
  spec.link_rates = true;
  EXPECT_DOUBLE_EQ(weight("4xHDR"), 1.0);
  EXPECT_DOUBLE_EQ(weight("4xEDR"), 2.0);
  EXPECT_DOUBLE_EQ(weight("4xSDR"), 25.0);
}

TEST(Simulate, LinkRatesNeedAHostCableWithARate) {
  const auto costs = channel_costs(graph(R"(digraph g {
    H0 -> S0 [comment="*"]; S0 -> H0 [comment="H0", rate="4xEDR"];
    H1 -> S0 [comment="*"]; S0 -> H1 [comment="H1", rate="4xEDR"];
  })"),
                                   true);
  ASSERT_FALSE(costs);
  EXPECT_EQ(costs.error().message,
            "--link-rates: found 2 host cables without a rate, expected at least one host cable "
            "with a rate");
}

TEST(Simulate, CableCostsAreExactForAllRatesTogether) {
  std::string text = "digraph g { H0 -> S0 [comment=\"*\", rate=\"1xFDR\"];\n";
  for (const char* width : {"1x", "2x", "4x", "8x", "12x"})
    for (const char* speed : {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"})
      text += fmt::format("S0 -> S1 [rate=\"{}{}\"];\n", width, speed);
  const RoutedNetwork network = graph(text + "S0 -> H0 [comment=\"H0\"]; }");
  const auto costs = channel_costs(network, true);
  ASSERT_TRUE(costs) << costs.error().message;
  constexpr std::uint64_t kHostRate = 136;
  for (std::uint32_t c = 0; c < network.channel_count(); ++c) {
    const std::uint64_t rate = network.channel(c).rate == 0 ? kHostRate : network.channel(c).rate;
    EXPECT_EQ(costs->per_unit[c] * rate, costs->least * kHostRate) << rate;
    EXPECT_LE(costs->per_unit[c], 40'800u);
  }
}

TEST(Simulate, ReadsTracesOfRanksAndOfHosts) {
  const TempDir dir;
  const RoutedNetwork network = routed(Tiny(1).hosts(0, 4).build());
  const auto study = [&](const std::string& text) {
    EXPECT_TRUE(write_file(dir / "t", text));
    auto made = make_study(network, study_of("trace:" + (dir / "t")));
    if (!made) return made.error().message.substr(made.error().message.find("/t:") + 3);
    std::string levels;
    for (std::uint64_t l = 0; l < made->pattern.levels; ++l) {
      std::vector<Flow> flows;
      made->pattern.fill(l, flows);
      for (const Flow& flow : flows)
        levels += fmt::format("{}>{}x{} ", flow.from, flow.to, flow.size);
      levels += "| ";
    }
    return levels + (made->pattern.is_placed ? "placed" : "");
  };
  EXPECT_EQ(study("# a comment\n0 1 300 7\n2 3 100 7\n1 0 200 2 # earlier\n"),
            "1>0x2 | 0>1x3 2>3x1 | ");
  EXPECT_EQ(study("H0 H3 8 0\nH1 0x10020 8 0\n"), "0>3x1 1>2x1 | placed");
  EXPECT_EQ(study("0 4 1 0\n"), "1: found '4', expected a rank from 0 to 3");
  EXPECT_EQ(study("H0 H9 1 0\n"),
            "1: found 'H9', expected the name, label or GUID of a host of the communicator");
  EXPECT_EQ(study("0 1 x 0\n"), "1: found 'x', expected a number of bytes");
  EXPECT_EQ(study("\n0 1 5\n"), "2: found '0 1 5', expected SOURCE DESTINATION BYTES LEVEL");
  EXPECT_EQ(study("0 1 5 -1\n"), "1: found '-1', expected the number of a level");
  EXPECT_EQ(study("0 1 0 0\n"), "");
  EXPECT_THAT(study("0 1 18446744073709551615 0\n1 0 1 0\n"), testing::HasSubstr("rounded"));
}

TEST(Simulate, RejectsSizesAndLevelsOutOfRange) {
  const RoutedNetwork network = routed(Tiny(1).hosts(0, 4).build());
  StudySpec spec = study_of("bruck");
  const auto error = [&] { return make_study(network, spec).error().message; };
  spec.ranks = 5;
  EXPECT_EQ(error(), "--commsize: found 5, expected at most the 4 hosts of the network");
  spec.ranks = 3;
  spec.level = 2;
  EXPECT_EQ(error(),
            "--ptrn_level: found 2, pattern bruck with 3 ranks has 2 levels, the first is "
            "0");
  spec.level.reset();
  spec.pattern.name = "brook";
  EXPECT_THAT(error(), testing::HasSubstr("found 'brook'"));
}

/// The channels of a path according to the forwarding tables.
std::vector<std::uint32_t> table_route(const Fabric& fabric, const Lfts& lfts, EndportId from,
                                       EndportId to) {
  const Endport& target = fabric.endport(to);
  std::vector<std::uint32_t> route{0x10000u + from.value()};
  for (SwitchId at = fabric.endport(from).sw;;) {
    const PortNum port = lfts.port(at, target.lid);
    route.push_back(at.value() * 256 + port.value());
    if (at == target.sw) return route;
    at = fabric.channel(fabric.channel_at(at, port)).to;
  }
}

/// The bandwidths of all possible pairings of the hosts.
class AllPairings {
 public:
  AllPairings(const Fabric& fabric, const Lfts& lfts) : load_(0x20000) {
    for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
      free_.push_back(e);
    first_ = free_.front();
    const std::size_t n = free_.size();
    routes_.resize(n * n);
    for (const std::uint32_t a : free_)
      for (const std::uint32_t b : free_)
        if (a != b)
          routes_[(a - first_) * n + b - first_] =
              table_route(fabric, lfts, EndportId(a), EndportId(b));
    hosts_ = n;
    pair_up();
  }
  /// Number of pairings by bandwidth, in units of 1e-6.
  const std::map<int, std::uint64_t>& by_bandwidth() const { return times_; }

 private:
  void pair_up() {
    if (free_.empty()) return count();
    const std::uint32_t a = free_.back();
    free_.pop_back();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const std::uint32_t b = free_[i];
      free_[i] = free_.back();
      free_.pop_back();
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        const auto* route = &routes_[(from - first_) * hosts_ + to - first_];
        for (const std::uint32_t c : *route) ++load_[c];
        flows_.push_back(route);
      }
      pair_up();
      for (int k = 0; k < 2; ++k) {
        for (const std::uint32_t c : *flows_.back()) --load_[c];
        flows_.pop_back();
      }
      free_.push_back(free_.size() == i ? b : free_[i]);
      free_[i] = b;
    }
    free_.push_back(a);
  }
  void count() {
    double sum = 0;
    for (const auto* route : flows_) {
      std::uint32_t most = 0;
      for (const std::uint32_t c : *route) most = std::max(most, load_[c]);
      sum += 1.0 / most;
    }
    ++times_[static_cast<int>(std::lround(sum / static_cast<double>(flows_.size()) * 1e6))];
  }

  std::vector<std::uint32_t> load_;
  std::vector<std::uint32_t> free_;
  std::uint32_t first_ = 0;
  std::size_t hosts_ = 0;
  std::vector<std::vector<std::uint32_t>> routes_;
  std::vector<const std::vector<std::uint32_t>*> flows_;
  std::map<int, std::uint64_t> times_;
};

// Figure 3 of the ORCS report: 10,000 runs of bisect_fb_sym on a fat tree of 16 nodes with full
// bisection bandwidth. The runs are compared with all 2,027,025 pairings of 16 hosts.
TEST(Simulate, TenThousandRunsAgreeWithAllPairings) {
  const Fabric fabric = fabric_of("fattree3:k=4");
  const auto routes = route_ftree(fabric, {});
  ASSERT_TRUE(routes);
  const AllPairings all(fabric, routes->lfts);
  double count = 0, mean = 0, squares = 0;
  for (const auto& [bandwidth, times] : all.by_bandwidth()) {
    const auto n = static_cast<double>(times);
    count += n;
    mean += n * bandwidth / 1e6;
    squares += n * bandwidth / 1e6 * bandwidth / 1e6;
  }
  ASSERT_EQ(count, 2'027'025);
  mean /= count;
  const double deviation = std::sqrt(squares / count - mean * mean);

  constexpr double kRuns = 10'000;
  const Tally tally =
      simulated(*network_of(fabric, routes->lfts), study_of("bisect_fb_sym"), 10'000);
  const auto values = values_by_run(Metric::kHistAccBand, tally);
  const Statistics s = statistics(values);
  EXPECT_NEAR(s.mean, mean, 4 * deviation / std::sqrt(kRuns));
  EXPECT_NEAR(std::sqrt(s.variance), deviation, 0.05 * deviation);
  EXPECT_NEAR(s.error99, 2.576 * deviation / std::sqrt(kRuns), 0.05 * s.error99);
  // Every bandwidth occurs about as often as among all pairings.
  std::map<int, double> seen;
  for (const double value : values) ++seen[static_cast<int>(std::lround(value * 1e6))];
  for (const auto& [bandwidth, times] : seen)
    EXPECT_TRUE(all.by_bandwidth().contains(bandwidth)) << bandwidth;
  for (const auto& [bandwidth, times] : all.by_bandwidth()) {
    const double expected = static_cast<double>(times) / count * kRuns;
    EXPECT_NEAR(seen[bandwidth], expected, 5 * std::sqrt(expected) + 1) << bandwidth;
  }
}

/// Mean delay, over 50 mappings, of the pattern tree on 800 of 1,152 hosts; the remaining hosts
/// send the pattern `noise`.
double tree_delay(const RoutedNetwork& network, const std::string& noise) {
  StudySpec spec = study_of("ptrnvsptrn");
  spec.pattern.first = "tree";
  spec.pattern.second = noise;
  spec.pattern.first_ranks = 800;
  spec.measures.delays = true;
  return statistics(values_by_run(Metric::kDepMaxDelay, simulated(network, spec, 50))).mean;
}

// Figure 4 of the ORCS report. The routes equal the routes of the OpenSM version in the report,
// which counts paths at each switch separately: noise doubles the delay of a tree. With balanced
// routes noise adds a quarter.
TEST(Simulate, NoiseDoublesTheDelayOfATreeOnOpenSmRoutes) {
  const Fabric fabric = fabric_of("fattree3:k=24,pods=8");
  RoutingOptions options;
  options.balance = Balance::kLocal;
  const auto local = route_minhop(fabric, options);
  ASSERT_TRUE(local);
  const RoutedNetwork network = *network_of(fabric, local->lfts);
  ASSERT_EQ(network.host_count(), 1152u);
  EXPECT_NEAR(tree_delay(network, "bisect") / tree_delay(network, "null"), 2.0, 0.2);

  const auto spread = route_ftree(fabric, {});
  ASSERT_TRUE(spread);
  const RoutedNetwork better = *network_of(fabric, spread->lfts);
  EXPECT_LT(tree_delay(better, "null"), 11);
  EXPECT_NEAR(tree_delay(better, "bisect") / tree_delay(better, "null"), 1.26, 0.1);
}

}  // namespace
}  // namespace weft
