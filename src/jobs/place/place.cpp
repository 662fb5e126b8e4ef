// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/place/place.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/parallel.h"
#include "base/text.h"
#include "jobs/build.h"
#include "jobs/flow_simulator.h"
#include "jobs/place/candidates.h"
#include "jobs/place/contention.h"
#include "jobs/study.h"

namespace weft::jobs {
namespace {

constexpr std::uint64_t kMessagesOfSearch = 4'000'000;
constexpr std::uint64_t kSimulationsMin = 24;
constexpr std::uint64_t kSimulationsMax = 1000;
constexpr std::uint64_t kOrdersMax = 5040;           // limit up to which all orders are simulated
constexpr std::size_t kImproved = 4;                 // candidates that are improved by the estimate
constexpr std::uint64_t kEstimatedWork = 1'000'000;  // paths that one improvement may recompute
constexpr std::size_t kBatch = 8;                    // neighbors that are simulated concurrently
constexpr std::size_t kBatchesWithoutGain = 15;
constexpr std::size_t kAtOnce = 64;

/// Checks the keys that the placed job must not have, the keys that the other jobs must have, and
/// that background traffic and failures do not depend on the placement.
Status check_jobs(const Workload& workload) {
  const JobSpec& job = workload.jobs.front();
  if (job.placement.kind == PlacementKind::kListed)
    return fail(Code::kBadInput, "{}: found the key \"hosts\", expected none: hosts are selected",
                job.where);
  if (job.placement.kind != PlacementKind::kPacked)
    return fail(Code::kBadInput,
                "{}: found the key \"placement\", expected none: the placement is selected",
                job.where);
  for (const JobSpec& other : std::span(workload.jobs).subspan(1))
    if (other.placement.kind != PlacementKind::kListed)
      return fail(Code::kBadInput,
                  "{}: the key \"hosts\" is missing: a running job must list its hosts",
                  other.where);
  for (const BackgroundSpec& background : workload.background)
    if (!background.all_hosts)
      return fail(Code::kBadInput,
                  "{}: hosts: found idle, expected all: which hosts are idle depends on the "
                  "placement",
                  background.where);
  if (!workload.failures.empty())
    return fail(Code::kBadInput, "{}: expected no failures for a placement",
                workload.failures.front().where);
  return {};
}

class PlaceSearch {
 public:
  explicit PlaceSearch(const PlaceRequest& request)
      : request_(request), network_(request.network), workload_(request.workload) {}

  Result<PlaceResult> run() {
    if (auto status = prepare(); !status) return forward(status);
    ServerOrder packed(servers_.size());
    std::iota(packed.begin(), packed.end(), 0U);
    // The schedule of the first simulation determines the number of further simulations.
    starts_ = simulate({packed});
    if (error_ && error_->code != Code::kUnroutable) return tl::unexpected(*error_);
    set_limit();
    if (try_all_orders(packed)) {
      result_.is_exhaustive = !is_stopped();
    } else {
      try_candidates();
      exchange();
    }
    result_.is_partial = is_stopped();
    if (!best_) return tl::unexpected(*error_);
    return finish();
  }

 private:
  /// A placement that was simulated, and the order from which it results.
  struct SimulatedPlacement {
    Placement placement;
    std::vector<std::uint32_t> selected;  // hosts of the placement, sorted
    ServerOrder order;
  };

  Status prepare() {
    if (auto status = check_jobs(workload_); !status) return status;
    JobSpec& job = workload_.jobs.front();
    for (const JobSpec& one : workload_.jobs)
      known_servers_.push_back(find_servers(network_, one.placement.server_hosts));
    auto free = free_servers(network_, known_servers_.front(), request_.free, "--free");
    if (!free) return forward(free);
    servers_ = std::move(*free);
    const auto ranks = ranks_of_job(job);
    if (!ranks) return forward(ranks);
    for (const FreeServer& server : servers_)
      result_.free_hosts += static_cast<std::uint32_t>(server.hosts.size());
    const std::uint32_t per_host = job.placement.ranks_per_host;
    result_.ranks = *ranks > 0 ? *ranks : result_.free_hosts * per_host;
    hosts_ = (std::size_t{result_.ranks} + per_host - 1) / per_host;
    if (result_.free_hosts < hosts_ || hosts_ == 0)
      return error_of_missing_hosts(job, result_.free_hosts, hosts_, *ranks);
    job.placement.kind = PlacementKind::kChosen;
    return choose_hosts_of_others();
  }

  /// Replaces the host names of running jobs by host numbers, so that names are looked up once.
  /// Fails with kBadInput if a free host has ranks of a running job.
  Status choose_hosts_of_others() {
    std::vector<bool> taken(network_.host_count());
    for (std::size_t j = 1; j < workload_.jobs.size(); ++j) {
      JobSpec& job = workload_.jobs[j];
      const auto ranks = ranks_of_job(job);
      if (!ranks) return forward(ranks);
      const auto places =
          place_ranks(network_, job, known_servers_[j], *ranks, taken, Rng(request_.seed));
      if (!places) return forward(places);
      for (const RankPlace& place : *places)
        if (job.placement.chosen.empty() || job.placement.chosen.back() != place.host)
          job.placement.chosen.push_back(place.host);
      job.placement.kind = PlacementKind::kChosen;
    }
    for (const FreeServer& server : servers_)
      for (const std::uint32_t host : server.hosts)
        if (taken[host])
          return fail(Code::kBadInput, "--free: host {} has ranks of another job",
                      network_.describe_node(network_.node_of_host(host)));
    return {};
  }

  bool is_stopped() const { return request_.stop != nullptr && request_.stop->load(); }
  bool has_ended() const { return result_.simulations >= limit_ || is_stopped(); }

  /// The time of the job on these hosts; `schedule`, if it is not null, receives the schedule.
  Result<Picoseconds> time_on(const std::vector<std::uint32_t>& hosts, bool on_crossbar,
                              Schedule* schedule = nullptr) const {
    Workload workload = workload_;
    workload.jobs.front().placement.chosen = hosts;
    const std::uint64_t seed = seed_of_run(request_.seed, 0);
    auto built = build_workload(network_, workload, seed, known_servers_);
    if (!built) return forward(built);
    SimulationInput input{
        .network = network_, .schedule = built->schedule, .paths = request_.paths};
    input.paths.seed = seed;
    if (on_crossbar) {
      input.paths.crossbar = true;
      input.only_job = 0;
    }
    const auto result = simulate_flows(input);
    if (!result) return forward(result);
    if (schedule != nullptr) *schedule = std::move(built->schedule);
    return result->jobs.front().time.end - result->jobs.front().time.start;
  }

  std::uint64_t ring_hops(const std::vector<std::uint32_t>& hosts) const {
    std::vector<std::uint32_t> route;
    std::uint64_t hops = 0;
    for (std::size_t i = 0; i < hosts.size() && hosts.size() > 1; ++i) {
      network_.walk(hosts[i], hosts[(i + 1) % hosts.size()], 0, route);
      hops += route.size();
    }
    return hops;
  }

  static bool is_better(const Placement& a, const Placement& b) {
    return std::tie(a.time, a.ring_hops) < std::tie(b.time, b.ring_hops);
  }

  /// Simulates the orders that were not simulated before, several concurrently, up to the limit.
  /// Returns the placements that were simulated without an error.
  std::vector<SimulatedPlacement> simulate(const std::vector<ServerOrder>& orders) {
    std::vector<SimulatedPlacement> tried;
    for (const ServerOrder& order : orders) {
      if (result_.simulations + tried.size() >= limit_) break;
      auto hosts = hosts_in_order(servers_, order, hosts_);
      if (!seen_.insert(hosts).second) continue;
      auto selected = hosts;
      std::ranges::sort(selected);
      SimulatedPlacement& one = tried.emplace_back();
      one.placement.hosts = std::move(hosts);
      one.selected = std::move(selected);
      one.order = order;
    }
    std::vector<std::optional<Error>> errors(tried.size());
    const bool is_first = seen_.size() == 1;
    parallel_for(tried.size(), request_.threads, [&](std::size_t i) {
      Placement& placement = tried[i].placement;
      const auto time = time_on(placement.hosts, false, is_first ? &schedule_ : nullptr);
      if (!time)
        errors[i] = time.error();
      else
        placement.time = *time;
      placement.ring_hops = ring_hops(placement.hosts);
    });
    result_.simulations += tried.size();
    std::vector<SimulatedPlacement> succeeded;
    for (std::size_t i = 0; i < tried.size(); ++i) {
      if (errors[i] && !error_) error_ = errors[i];
      if (errors[i]) continue;
      if (is_first) result_.packed = tried[i].placement;
      record(tried[i]);
      succeeded.push_back(std::move(tried[i]));
    }
    if (request_.progress) request_.progress(result_.simulations, limit_);
    return succeeded;
  }

  /// Records the best and the second best placement, which have different hosts.
  void record(const SimulatedPlacement& tried) {
    if (!best_ || is_better(tried.placement, best_->placement)) {
      if (best_ && best_->selected != tried.selected) second_ = std::move(best_);
      best_ = tried;
      return;
    }
    if (tried.selected != best_->selected &&
        (!second_ || is_better(tried.placement, second_->placement)))
      second_ = tried;
  }

  void set_limit() {
    limit_ = request_.simulations;
    if (limit_ > 0) return;
    const std::uint64_t messages = std::max<std::uint64_t>(schedule_.ops.size(), 1);
    limit_ = std::clamp(kMessagesOfSearch / messages, kSimulationsMin, kSimulationsMax);
  }

  /// Simulates all orders of all selections of servers. Returns false without a simulation if the
  /// number of orders is above kOrdersMax or the limit of simulations, or if servers differ in
  /// their number of free hosts.
  bool try_all_orders(ServerOrder order) {
    const std::size_t used = servers_used(servers_, order, hosts_);
    for (const FreeServer& server : servers_)
      if (server.hosts.size() != servers_.front().hosts.size()) return false;
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < used; ++i) {
      count *= servers_.size() - i;
      if (count > std::min(kOrdersMax, limit_)) return false;
    }
    // With the unused servers in descending order, the next permutation changes the used servers.
    std::vector<ServerOrder> orders;
    do {
      orders.push_back(order);
      std::reverse(order.begin() + static_cast<std::ptrdiff_t>(used), order.end());
    } while (std::ranges::next_permutation(order).found);
    simulate_all(orders);
    return true;
  }

  void try_candidates() {
    auto orders = candidate_orders(network_, servers_, hosts_, Rng(request_.seed).fork(0));
    // An order with other hosts than the packed order, as a candidate for the second best
    // placement.
    ServerOrder other = orders.front();
    const std::size_t used = servers_used(servers_, other, hosts_);
    if (used < other.size()) std::swap(other[used - 1], other[used]);
    if (schedule_.ops.empty()) {  // the packed placement has no routes
      simulate_all(orders);
      return;
    }
    const Traffic traffic =
        traffic_of(network_, schedule_, hosts_in_order(servers_, orders.front(), hosts_),
                   result_.packed->time);
    std::vector<std::pair<double, std::uint32_t>> estimates(orders.size());
    parallel_for(orders.size(), request_.threads, [&](std::size_t i) {
      const Contention contention(network_, traffic, hosts_in_order(servers_, orders[i], hosts_));
      estimates[i] = {contention.value(), static_cast<std::uint32_t>(i)};
    });
    std::ranges::sort(estimates);
    std::vector<ServerOrder> improved(std::min(kImproved, orders.size()));
    parallel_for(improved.size(), request_.threads, [&](std::size_t i) {
      improved[i] = improve(traffic, orders[estimates[i].second], Rng(request_.seed).fork(1 + i));
    });
    std::vector<ServerOrder> chosen{std::move(other)};
    chosen.insert(chosen.end(), improved.begin(), improved.end());
    for (const auto& [value, index] : estimates) chosen.push_back(std::move(orders[index]));
    // Half of the simulations are reserved for exchange().
    chosen.resize(std::min<std::size_t>(chosen.size(), std::max<std::uint64_t>(limit_ / 2, 8)));
    simulate_all(chosen);
  }

  void simulate_all(const std::vector<ServerOrder>& orders) {
    for (std::size_t i = 0; i < orders.size() && !has_ended(); i += kAtOnce) {
      const auto begin = orders.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end =
          orders.begin() + static_cast<std::ptrdiff_t>(std::min(i + kAtOnce, orders.size()));
      for (SimulatedPlacement& one : simulate({begin, end})) starts_.push_back(std::move(one));
    }
  }

  /// A random neighbor of an order: one server is replaced or moved, two are exchanged, or a part
  /// is reversed.
  ServerOrder neighbor(ServerOrder order, Rng& rng) const {
    const std::size_t used = servers_used(servers_, order, hosts_);
    const std::size_t i = rng.below(used);
    if (used < order.size() && rng.below(2) == 0) {
      std::swap(order[i], order[used + rng.below(order.size() - used)]);
      return order;
    }
    const std::size_t j = rng.below(used);
    const auto [low, high] = std::minmax(i, j);
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(low);
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(high);
    switch (rng.below(4)) {
      case 0:
        std::iter_swap(begin, last);
        break;
      case 1:
        std::reverse(begin, last + 1);
        break;
      case 2:
        std::rotate(begin, begin + 1, last + 1);
        break;
      default:
        std::rotate(begin, last, last + 1);
        break;
    }
    return order;
  }

  /// Returns the order after moves to random neighbors that lower the estimate of contention.
  ServerOrder improve(const Traffic& traffic, ServerOrder order, Rng rng) const {
    Contention contention(network_, traffic, hosts_in_order(servers_, order, hosts_));
    const std::size_t by_step = 1 + 8 * traffic.demands.size() / hosts_;
    const std::size_t steps = std::clamp<std::size_t>(kEstimatedWork / by_step, 100, 20'000);
    for (std::size_t step = 0; step < steps && !is_stopped(); ++step) {
      ServerOrder next = neighbor(order, rng);
      const double before = contention.value();
      contention.move_to(hosts_in_order(servers_, next, hosts_));
      if (contention.value() < before * (1 - 1e-9))
        order = std::move(next);
      else
        contention.move_to(hosts_in_order(servers_, order, hosts_));
    }
    return order;
  }

  /// Starts from each of the best candidates: simulates batches of neighbors, until many batches
  /// in a row have not improved the placement.
  void exchange() {
    std::ranges::stable_sort(starts_, is_better, &SimulatedPlacement::placement);
    for (std::size_t s = 0; s < starts_.size() && !has_ended(); ++s) {
      SimulatedPlacement current = std::move(starts_[s]);
      const Rng rng = Rng(request_.seed).fork(1'000 + s);
      std::size_t without_gain = 0;
      for (std::uint64_t batch = 0; without_gain < kBatchesWithoutGain && !has_ended(); ++batch) {
        std::vector<ServerOrder> orders;
        Rng own = rng.fork(batch);
        for (std::size_t i = 0; i < kBatch; ++i) orders.push_back(neighbor(current.order, own));
        ++without_gain;
        for (SimulatedPlacement& one : simulate(orders)) {
          if (!is_better(one.placement, current.placement)) continue;
          current = std::move(one);
          without_gain = 0;
        }
      }
    }
  }

  Result<PlaceResult> finish() {
    result_.best = std::move(best_->placement);
    if (second_) result_.second = std::move(second_->placement);
    const auto crossbar = time_on(result_.best.hosts, true);
    if (!crossbar) return forward(crossbar);
    result_.crossbar = *crossbar;
    return std::move(result_);
  }

  const PlaceRequest& request_;
  const RoutedNetwork& network_;
  Workload workload_;
  std::vector<Servers> known_servers_;  // by job
  std::vector<FreeServer> servers_;
  std::size_t hosts_ = 0;  // number of hosts that the job needs
  PlaceResult result_;
  Schedule schedule_;                          // schedule of the packed placement
  std::uint64_t limit_ = 1;                    // largest number of simulations
  std::set<std::vector<std::uint32_t>> seen_;  // simulated placements, by their hosts
  std::optional<SimulatedPlacement> best_, second_;
  std::vector<SimulatedPlacement> starts_;  // start points of the exchange
  std::optional<Error> error_;              // error of the first placement with an error
};

}  // namespace

Result<PlaceResult> place_job(const PlaceRequest& request) { return PlaceSearch(request).run(); }

}  // namespace weft::jobs
