// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/simulate.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/parallel.h"
#include "congestion/fair_share.h"
#include "congestion/flow_walk.h"

namespace weft {
namespace {

// Random number streams that are derived from the seed of a study.
enum Fork : std::uint64_t { kForSubset = 0, kForPattern = 1, kForRuns = 2 };

using LevelDone = std::function<void(std::uint64_t run, std::uint64_t level)>;

/// The levels of a study. They are equal in all runs, so levels of small patterns are cached.
class Levels {
 public:
  explicit Levels(const Study& study) : pattern_(study.pattern) {
    begin_ = study.spec.level.value_or(0);
    end_ = study.spec.level ? begin_ + 1 : pattern_.levels;
    std::size_t flows = 0;
    std::vector<Flow> level;
    for (std::uint64_t l = begin_; l < end_; ++l) {
      pattern_.fill(l, level);
      flows += level.size() + 8;
      kept_.push_back(level);
      if (flows <= kKeptMax) continue;
      kept_.clear();
      return;
    }
  }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::span<const Flow> level(std::uint64_t l, std::vector<Flow>& scratch) const {
    if (!kept_.empty()) return kept_[l - begin_];
    pattern_.fill(l, scratch);
    return scratch;
  }

 private:
  static constexpr std::size_t kKeptMax = std::size_t{1} << 22;
  const Pattern& pattern_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::vector<std::vector<Flow>> kept_;
};

/// The data of one thread for its runs, and their tally.
class Runner {
 public:
  Runner(const RoutedNetwork& network, const Study& study, const Levels& levels,
         const ChannelCosts& costs, const LevelDone& level_done)
      : network_(network),
        study_(study),
        levels_(levels),
        costs_(costs),
        level_done_(level_done),
        pieces_(study.spec.paths == PathChoice::kAll ? network.paths() : 1),
        port_policy_(network.is_adaptive() ? study.spec.port_policy : PortPolicy::kStatic),
        parts_(port_policy_ == PortPolicy::kSplit ? FlowWalk::kSplitParts : 1),
        walk_(network, costs) {
    tally_.ticks = Ticks{study.pattern.size_max} * costs.least * pieces_ * parts_;
    if (study.spec.measures.channels) tally_.channel_sum.assign(network.channel_count(), 0);
  }

  /// Runs must be in ascending order.
  void run(std::uint64_t number) {
    RunResult& result = tally_.results.emplace_back();
    Rng rng = Rng(study_.spec.seed).fork(kForRuns).fork(number);
    const bool is_shuffled = study_.spec.shuffle && !study_.pattern.is_placed;
    if (study_.ports.empty()) {
      hosts_ = study_.hosts;
      if (is_shuffled) rng.shuffle(std::span(hosts_));
    } else {
      place_servers(is_shuffled, rng);
    }
    result.run = number;
    if (study_.spec.measures.delays)
      arrival_.assign(study_.ports.empty() ? study_.pattern.ranks : hosts_.size(), 0);
    fair_sum_ = 0;
    result.fair_least = 1;
    for (std::uint64_t l = levels_.begin(); l < levels_.end(); ++l) {
      flows_ = between_ports(levels_.level(l, scratch_));
      send(rng);
      count(number, l, result);
      if (level_done_) level_done_(number, l);
    }
    finish(result);
  }

  Tally take() {
    for (std::size_t w = 0; w < small_.size(); ++w)
      if (small_[w].connections > 0) add(tally_.weights[w], small_[w]);
    return std::move(tally_);
  }

 private:
  static constexpr Ticks kSmall = 1 << 12;  // weights below are counted in an array

  static void add(WeightBin& into, const WeightBin& bin) {
    into.connections += bin.connections;
    into.volume += bin.volume;
  }

  /// Fills hosts_ with the ports of the server of rank 0, then those of rank 1, and so on.
  void place_servers(bool is_shuffled, Rng& rng) {
    std::vector<std::uint32_t> order(study_.ports.size());
    std::iota(order.begin(), order.end(), 0u);
    if (is_shuffled) rng.shuffle(std::span(order));
    hosts_.clear();
    first_port_.clear();
    for (const std::uint32_t server : order) {
      first_port_.push_back(static_cast<std::uint32_t>(hosts_.size()));
      hosts_.insert(hosts_.end(), study_.ports[server].begin(), study_.ports[server].end());
    }
    first_port_.push_back(static_cast<std::uint32_t>(hosts_.size()));
  }

  /// The flows between positions in hosts_.
  std::span<const Flow> between_ports(std::span<const Flow> flows) {
    if (study_.ports.empty()) return flows;
    port_flows_.clear();
    for (const Flow& flow : flows) {
      const std::uint32_t from = first_port_[flow.from], to = first_port_[flow.to];
      const std::uint32_t count =
          std::min(first_port_[flow.from + 1] - from, first_port_[flow.to + 1] - to);
      for (std::uint32_t i = 0; i < count; ++i)
        port_flows_.push_back({from + i, to + i, flow.size});
    }
    return port_flows_;
  }

  /// Positions in hosts_ below this belong to the first pattern of ptrnvsptrn.
  std::uint32_t first_hosts() const {
    const std::uint32_t ranks = study_.pattern.first_ranks;
    return study_.ports.empty() ? ranks : first_port_[ranks];
  }

  void send(Rng& rng) {
    messages_.clear();
    const std::uint32_t paths = network_.paths();
    for (const Flow& flow : flows_) {
      Message message{hosts_[flow.from], hosts_[flow.to], 0, flow.size};
      if (study_.spec.paths == PathChoice::kBySource) message.path = message.from % paths;
      if (study_.spec.paths == PathChoice::kRandom && paths > 1)
        message.path = static_cast<std::uint32_t>(rng.below(paths));
      for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
        messages_.push_back(message);
        ++message.path;
      }
    }
    switch (port_policy_) {
      case PortPolicy::kStatic:
        return walk_.walk(messages_, study_.pattern.size_max == 1);
      case PortPolicy::kGreedy:
        return walk_.walk_greedily(messages_, rng);
      case PortPolicy::kSplit:
        return walk_.walk_evenly(messages_);
    }
  }

  /// The largest weight of the pieces of a flow; 0 if a piece has no route, or source and
  /// destination are equal.
  Ticks weight_of(std::size_t flow) const {
    const auto pieces = walk_.weights().subspan(flow * pieces_, pieces_);
    Ticks most = 0;
    for (const Ticks weight : pieces) {
      if (weight == 0) return 0;
      most = std::max(most, weight);
    }
    return most;
  }

  void count(std::uint64_t number, std::uint64_t level, RunResult& result) {
    Ticks largest = 0;
    later_.clear();
    const std::uint32_t first_hosts_end = arrival_.empty() ? 0 : first_hosts();
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      const Ticks weight = weight_of(f);
      if (weight == 0) continue;
      largest = std::max(largest, weight);
      const Ticks volume = Ticks{flows_[f].size} * costs_.least * pieces_ * parts_;
      ++result.connections;
      if (weight < kSmall) {
        if (of_run_.size() <= weight) of_run_.resize(weight + 1);
        add(of_run_[weight], {1, volume});
      } else {
        add(of_run_large_[weight], {1, volume});
      }
      if (!arrival_.empty() && flows_[f].from < first_hosts_end)
        later_.push_back({flows_[f].to, arrival_[flows_[f].from] + weight});
    }
    result.congestion_sum += largest;
    for (const auto& [rank, time] : later_) arrival_[rank] = std::max(arrival_[rank], time);
    for (const std::uint32_t m : walk_.failed()) note_failure(number, level, messages_[m]);
    if (!tally_.channel_sum.empty()) add_channels();
    if (study_.spec.measures.fair) add_fair(result);
  }

  void note_failure(std::uint64_t number, std::uint64_t level, const Message& message) {
    ++tally_.dropped;
    if (tally_.failures.size() >= Tally::kFailuresMax) return;
    const NetWalk walk = network_.walk(message.from, message.to, message.path, route_);
    tally_.failures.push_back(
        {number, level, message.from, message.to, message.path, walk.at, walk.end});
  }

  void add_channels() {
    if (port_policy_ == PortPolicy::kSplit) {  // each step is a part of a message
      for (std::uint32_t c = 0; c < tally_.channel_sum.size(); ++c)
        tally_.channel_sum[c] += walk_.load(c);
      return;
    }
    for (const FlowWalk::Step& step : walk_.steps())
      tally_.channel_sum[step.channel] +=
          Ticks{messages_[step.message].units} *
          (costs_.per_unit.empty() ? 1 : costs_.per_unit[step.channel]);
  }

  void add_fair(RunResult& result) {
    const auto rates = fair_.rates(network_, costs_, walk_, messages_.size());
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (weight_of(f) == 0) continue;
      double rate = 0;
      for (std::uint32_t piece = 0; piece < pieces_; ++piece) rate += rates[f * pieces_ + piece];
      fair_sum_ += rate;
      result.fair_least = std::min(result.fair_least, rate);
    }
  }

  void finish(RunResult& result) {
    double sum = 0;
    for (std::size_t w = 1; w < of_run_.size(); ++w) {
      if (of_run_[w].connections == 0) continue;
      sum += static_cast<double>(of_run_[w].volume) / static_cast<double>(w);
      if (small_.size() <= w) small_.resize(of_run_.size());
      add(small_[w], of_run_[w]);
      of_run_[w] = {};
    }
    for (const auto& [weight, bin] : of_run_large_) {
      sum += static_cast<double>(bin.volume) / static_cast<double>(weight);
      add(tally_.weights[weight], bin);
    }
    of_run_large_.clear();
    tally_.connections += result.connections;
    const auto connections = static_cast<double>(result.connections);
    result.bandwidth = result.connections == 0 ? 0 : sum / connections;
    result.fair_bandwidth = result.connections == 0 ? 0 : fair_sum_ / connections;
    if (!study_.spec.measures.fair || result.connections == 0) result.fair_least = 0;
    for (const Ticks time : arrival_) result.delay = std::max(result.delay, time);
  }

  const RoutedNetwork& network_;
  const Study& study_;
  const Levels& levels_;
  const ChannelCosts& costs_;
  const LevelDone& level_done_;
  std::uint32_t pieces_;
  PortPolicy port_policy_;
  Ticks parts_;  // parts in a unit
  FlowWalk walk_;
  FairShare fair_;
  Tally tally_;
  std::vector<std::uint32_t> hosts_;
  std::vector<std::uint32_t> first_port_;  // by rank, position in hosts_; plus the end
  std::vector<Flow> scratch_, port_flows_;
  std::span<const Flow> flows_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> route_;
  std::vector<WeightBin> of_run_, small_;  // by weight, of this run and of earlier runs
  std::map<Ticks, WeightBin> of_run_large_;
  std::vector<Ticks> arrival_;  // by position in hosts_, before this level
  std::vector<std::pair<std::uint32_t, Ticks>> later_;
  double fair_sum_ = 0;
};

}  // namespace

namespace {

/// Groups the chosen ports by server, with servers in the order of their first chosen port, and
/// keeps the first `spec.ranks` servers.
Status group_by_server(const RoutedNetwork& network, const StudySpec& spec, Study& study) {
  std::vector<std::uint32_t> rank(network.host_count(), RoutedNetwork::kNone);  // by server
  for (const std::uint32_t host : study.hosts) {
    std::uint32_t& server_rank = rank[network.servers()[host]];
    if (server_rank == RoutedNetwork::kNone) {
      server_rank = static_cast<std::uint32_t>(study.ports.size());
      study.ports.emplace_back();
    }
    study.ports[server_rank].push_back(host);
  }
  if (spec.ranks > study.ports.size())
    return fail(Code::kUsage, "--commsize: found {}, expected at most the {} hosts of {}",
                spec.ranks, study.ports.size(),
                spec.subset.kind == Subset::kListed ? spec.subset.file : "the network");
  if (spec.ranks != 0) study.ports.resize(spec.ranks);
  study.hosts.clear();
  for (auto& ports : study.ports) {
    std::ranges::sort(ports, {}, [&](std::uint32_t host) { return network.place(host); });
    study.hosts.push_back(ports.front());
  }
  return {};
}

bool has_trace(const PatternSpec& pattern) {
  const auto is_trace = [](const std::string& name) { return name.starts_with("trace"); };
  return is_trace(pattern.name) || is_trace(pattern.first) || is_trace(pattern.second);
}

Result<Study> make_study_of(const RoutedNetwork& network, const StudySpec& spec, bool by_server) {
  const Rng rng(spec.seed);
  auto hosts = choose_hosts(network, spec.subset, by_server ? 0 : spec.ranks, rng.fork(kForSubset));
  if (!hosts) return forward(hosts);
  Study study{spec, {}, std::move(*hosts), {}, {}};
  if (by_server)
    if (auto status = group_by_server(network, spec, study); !status) return forward(status);
  const auto ranks = static_cast<std::uint32_t>(study.hosts.size());
  auto pattern = make_pattern(spec.pattern,
                              {ranks, {}, rng.fork(kForPattern), &network, std::span(study.hosts)});
  // A trace may name any port of a server, so each port has a rank.
  if (!pattern && by_server && has_trace(spec.pattern)) return make_study_of(network, spec, false);
  if (!pattern) return forward(pattern);
  study.pattern = std::move(*pattern);
  if (by_server && study.pattern.is_placed) return make_study_of(network, spec, false);
  study.notes = study.pattern.notes;
  if (spec.level && *spec.level >= study.pattern.levels)
    return fail(Code::kUsage, "--ptrn_level: found {}, pattern {} with {} ranks has {} level{}{}",
                *spec.level, study.pattern.name, ranks, study.pattern.levels,
                study.pattern.levels == 1 ? "" : "s",
                study.pattern.levels == 0 ? "" : ", the first is 0");
  if (spec.port_policy == PortPolicy::kSplit && spec.measures.fair)
    return fail(
        Code::kUsage,
        "--adaptive split: metric fair_band requires one path for each message, expected greedy "
        "or static");
  if (const auto costs = channel_costs(network, spec.link_rates); !costs) return forward(costs);
  return study;
}

}  // namespace

Result<Study> make_study(const RoutedNetwork& network, const StudySpec& spec) {
  return make_study_of(network, spec, !network.servers().empty());
}

Tally run_simulation(const RoutedNetwork& network, const Study& study, std::uint64_t begin,
                     std::uint64_t end, const SimulationOptions& options) {
  const ChannelCosts costs = *channel_costs(network, study.spec.link_rates);
  const Levels levels(study);
  const std::uint64_t wanted = end > begin ? end - begin : 0;
  const std::size_t threads =
      std::min<std::uint64_t>(options.threads == 0 ? hardware_threads() : options.threads,
                              std::max<std::uint64_t>(1, wanted));
  std::vector<Tally> tallies(threads);
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> done{0};
  std::mutex reporting;
  const LevelDone level_done =
      !options.level_done ? LevelDone{} : [&](std::uint64_t run, std::uint64_t level) {
        const std::lock_guard lock(reporting);
        options.level_done(run, level);
      };
  // Threads begin runs in ascending order, so that the completed runs after a stop are consecutive.
  const auto work = [&](std::size_t t) {
    Runner runner(network, study, levels, costs, level_done);
    while (options.stop == nullptr || !options.stop->load(std::memory_order_relaxed)) {
      const std::uint64_t i = next.fetch_add(1);
      if (i >= wanted) break;
      runner.run(begin + i);
      const std::uint64_t now = done.fetch_add(1) + 1;
      if (!options.progress) continue;
      if (const std::unique_lock lock(reporting, std::try_to_lock); lock) options.progress(now);
    }
    tallies[t] = runner.take();
  };
  parallel_for(threads, static_cast<unsigned>(threads), work);
  Tally sum = std::move(tallies[0]);
  for (std::size_t t = 1; t < threads; ++t) merge(sum, tallies[t]);
  return sum;
}

}  // namespace weft
