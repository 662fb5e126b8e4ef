// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rates of flows that begin and end, compared with progressive filling of all flows.
#include "jobs/max_min.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rng.h"

namespace weft::jobs {
namespace {

using Path = std::vector<Hop>;

/// Progressive filling in its simplest form. `free`: free capacity by channel.
std::map<std::uint32_t, double> fair_rates(const std::map<std::uint32_t, Path>& flows,
                                           std::vector<double> free) {
  std::map<std::uint32_t, double> rates;
  std::map<std::uint32_t, Path> open = flows;
  while (!open.empty()) {
    std::vector<double> weight(free.size());
    for (const auto& [id, path] : open)
      for (const Hop& hop : path) weight[hop.channel] += hop.weight;
    std::size_t fullest = 0;
    double level = HUGE_VAL;
    for (std::size_t c = 0; c < free.size(); ++c)
      if (weight[c] > 1e-12 && free[c] / weight[c] < level) level = free[fullest = c] / weight[c];
    for (auto at = open.begin(); at != open.end();) {
      const bool is_limited =
          std::ranges::any_of(at->second, [&](const Hop& hop) { return hop.channel == fullest; });
      if (!is_limited) {
        ++at;
        continue;
      }
      rates[at->first] = level;
      for (const Hop& hop : at->second)
        free[hop.channel] = std::max(0.0, free[hop.channel] - level * hop.weight);
      at = open.erase(at);
    }
  }
  return rates;
}

class RandomFlows {
 public:
  explicit RandomFlows(std::uint64_t seed) : rng_(seed), capacities_(6 + rng_.below(12)) {
    for (double& capacity : capacities_) capacity = 1.0 + static_cast<double>(rng_.below(8));
    rates_.emplace(capacities_, nullptr);
  }

  void change() {
    const std::uint64_t what = rng_.below(20);
    if (what == 0) {
      const auto channel = static_cast<std::uint32_t>(rng_.below(capacities_.size()));
      capacities_[channel] = static_cast<double>(rng_.below(5));
      rates_->set_capacity(channel, capacities_[channel]);
    } else if (flows_.size() < 3 || what < 11) {
      Path path;
      for (const std::uint32_t c : rng_.permutation(static_cast<std::uint32_t>(capacities_.size())))
        if (path.size() < 1 + rng_.below(5)) path.push_back({c, rng_.chance(0.2) ? 0.5F : 1.0F});
      flows_[rates_->add(path)] = path;
    } else {
      const auto removed =
          std::next(flows_.begin(), static_cast<std::ptrdiff_t>(rng_.below(flows_.size())));
      rates_->remove(removed->first);
      flows_.erase(removed);
    }
  }

  void check() {
    rates_->settle();
    for (const auto& [id, rate] : fair_rates(flows_, capacities_))
      ASSERT_NEAR(rates_->rate(id), rate, 1e-6) << "flow " << id << " of " << flows_.size();
  }

  std::uint64_t draw(std::uint64_t bound) { return rng_.below(bound); }

 private:
  Rng rng_;
  std::vector<double> capacities_;
  std::optional<MaxMinRates> rates_;
  std::map<std::uint32_t, Path> flows_;
};

class MaxMinOfSeeds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(MaxMinOfSeeds, RatesEqualProgressiveFillingAfterEveryChange) {
  for (std::uint64_t i = 0; i < 40; ++i) {
    RandomFlows flows(GetParam() * 1000 + i);
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t changes = 1 + flows.draw(4);
      for (std::uint64_t c = 0; c < changes; ++c) flows.change();
      ASSERT_NO_FATAL_FAILURE(flows.check()) << "seed " << GetParam() << " " << i << " " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MaxMinOfSeeds, testing::Range<std::uint64_t>(0, 10));

TEST(MaxMin, ReportsOnlyFlowsWithANewRate) {
  MaxMinRates rates({1, 1, 1}, nullptr);
  const auto a = rates.add(Path{{0}});
  const auto b = rates.add(Path{{1}});
  EXPECT_EQ(rates.settle().size(), 2U);
  const auto c = rates.add(Path{{1}, {2}});
  const auto changed = rates.settle();
  EXPECT_EQ(std::vector(changed.begin(), changed.end()), (std::vector{c, b}));
  EXPECT_EQ(rates.rate(a), 1);
  EXPECT_EQ(rates.rate(b), 0.5);
  EXPECT_EQ(rates.rate(c), 0.5);
}

TEST(MaxMin, AccountsForTheBytesOfEachRate) {
  ChannelUsage usage(1);
  MaxMinRates rates({4}, &usage);
  const auto a = rates.add(Path{{0}});
  const auto b = rates.add(Path{{0, 0.5F}});
  rates.settle();
  rates.set_time(100);
  rates.remove(a);
  rates.settle();
  rates.set_time(200);
  rates.remove(b);
  EXPECT_NEAR(usage.total(0), 800, 1e-6);
}

}  // namespace
}  // namespace weft::jobs
