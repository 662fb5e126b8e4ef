#include "routing/nue/pairs.h"

#include <algorithm>

namespace weft::nue {
namespace {

// Places beyond one that loses this many mean pairs more are not looked at.
constexpr double kMargin = 16;

}  // namespace

/// Lists the shortest paths of two and three hops to one destination after another.
struct Pairs::Finder {
  Finder(const Arcs& graph, std::span<const std::uint32_t> weights)
      : arcs(graph), weight(weights), hops(graph.switches), last(graph.switches) {}

  /// Calls found(source, first turn, second turn or turn_count()) for each, source by source.
  template <class Found>
  void list(std::uint32_t destination, const Found& found) {
    search(destination);
    for (std::size_t i = 1; i < near.size(); ++i) {
      const std::uint32_t source = near[i];
      if (weight[source] == 0 || hops[source] < 2) continue;
      for (std::uint32_t a = arcs.begin[source]; a < arcs.begin[source + 1]; ++a) {
        const std::uint32_t via = arcs.head[a];
        if (hops[via] + 1 != hops[source]) continue;
        for (std::uint32_t b = arcs.begin[via]; b < arcs.begin[via + 1]; ++b) {
          const std::uint32_t next = arcs.head[b];
          if (hops[next] + 1 != hops[via]) continue;
          if (next == destination) {
            found(source, arcs.turn(a, b), arcs.turn_count());
            continue;
          }
          found(source, arcs.turn(a, b), arcs.turn(b, last[next]));
        }
      }
    }
  }

  /// Up to three hops; `hops` of the others is kFar.
  void search(std::uint32_t destination) {
    for (const std::uint32_t sw : near) hops[sw] = kFar;
    if (near.empty()) std::ranges::fill(hops, kFar);
    near.assign(1, destination);
    hops[destination] = 0;
    for (std::uint32_t a = arcs.begin[destination]; a < arcs.begin[destination + 1]; ++a)
      last[arcs.head[a]] = arcs.reverse[a];
    for (std::size_t i = 0; i < near.size() && hops[near[i]] < 3; ++i)
      for (std::uint32_t a = arcs.begin[near[i]]; a < arcs.begin[near[i] + 1]; ++a)
        if (const std::uint32_t to = arcs.head[a]; hops[to] == kFar) {
          hops[to] = hops[near[i]] + 1;
          near.push_back(to);
        }
  }

  static constexpr std::uint32_t kFar = 0xFFFFFF;
  const Arcs& arcs;
  std::span<const std::uint32_t> weight;
  std::vector<std::uint32_t> hops;
  std::vector<std::uint32_t> last;  // by neighbour of the destination: its arc there
  std::vector<std::uint32_t> near;
};

Pairs::Pairs(const Arcs& arcs, std::span<const std::uint32_t> weight,
             std::span<const std::uint32_t> destinations)
    : arcs_(arcs), begin_(arcs.turn_count() + 2, 0) {
  struct Found {
    std::uint32_t first;
    std::uint32_t second;
    std::uint32_t pair;
  };
  std::vector<Found> paths;
  Finder finder(arcs, weight);
  std::uint64_t near = 0;
  const auto sources = std::ranges::count_if(weight, [](std::uint32_t w) { return w > 0; });
  for (const std::uint32_t destination : destinations) {
    std::uint32_t last = destination;
    finder.list(destination, [&](std::uint32_t source, std::size_t first, std::size_t second) {
      if (source != last) worth_.push_back(weight[source] * weight[destination]);
      last = source;
      paths.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second),
                       static_cast<std::uint32_t>(worth_.size() - 1)});
      ++begin_[first + 1];
      ++begin_[second + 1];
    });
    for (const std::uint32_t sw : finder.near) near += weight[sw] > 0 ? 1 : 0;
    if (paths.size() > kPathsMax) return;
  }
  const std::uint64_t all = static_cast<std::uint64_t>(sources) * destinations.size();
  if (near < all - all / 10) return;
  complete_ = true;
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  paths_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (const Found& found : paths) {
    paths_[next[found.first]++] = {found.second, found.pair};
    paths_[next[found.second]++] = {found.first, found.pair};
  }
}

void Pairs::start(const Order& order) {
  open_.assign(arcs_.turn_count() + 1, 0);
  allowed_.assign(worth_.size(), 0);
  lost_ = 0;
  for (const std::uint32_t worth : worth_) lost_ += worth;
  open_.back() = 1;
  for (std::uint32_t in = 0; in < arcs_.count(); ++in) {
    const std::uint32_t sw = arcs_.head[in];
    for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out)
      if (out != arcs_.reverse[in] && order[in] < order[out]) flip(arcs_.turn(in, out));
  }
}

double Pairs::mean_worth() const {
  double sum = 0;
  for (const std::uint32_t worth : worth_) sum += worth;
  return worth_.empty() ? 0 : sum / static_cast<double>(worth_.size());
}

void Pairs::flip(std::size_t turn) {
  const bool opens = open_[turn] == 0;
  open_[turn] = opens ? 1 : 0;
  for (std::size_t i = begin_[turn]; i < begin_[turn + 1]; ++i) {
    const Path& path = paths_[i];
    if (open_[path.other] == 0) continue;
    std::uint16_t& allowed = allowed_[path.pair];
    if (opens) {
      if (allowed++ == 0) lost_ -= worth_[path.pair];
    } else {
      if (--allowed == 0) lost_ += worth_[path.pair];
    }
  }
}

void Pairs::weigh(std::span<const Neighbour> neighbours, std::size_t here, std::size_t low,
                  std::size_t high, std::span<std::int64_t> gains) {
  gains[here] = -lost_;
  const std::int64_t hopeless = lost_ + margin_;
  std::size_t at = here;
  while (at > low && lost_ <= hopeless) {
    flip(neighbours[--at].turn);
    gains[at] = -lost_;
  }
  for (; at < here; ++at) flip(neighbours[at].turn);
  while (at < high && lost_ <= hopeless) {
    flip(neighbours[at++].turn);
    gains[at] = -lost_;
  }
  for (; at > here; --at) flip(neighbours[at - 1].turn);
}

void Pairs::moved(std::span<const Neighbour> neighbours, std::size_t from, std::size_t to) {
  for (std::size_t i = std::min(from, to); i < std::max(from, to); ++i) flip(neighbours[i].turn);
}

void settle(const Arcs& arcs, const Escape& escape, Pairs& pairs, unsigned sweeps, double noise,
            Rng& rng, Order& order) {
  pairs.start(order);
  const Order first = order;
  const std::int64_t lost_first = pairs.lost();
  Mover mover(arcs, escape, pairs, order);
  for (unsigned i = 0; i < sweeps && pairs.lost() > 0; ++i) {
    const double fading = static_cast<double>(sweeps - 1 - i) / sweeps;
    const double most = noise * fading * pairs.mean_worth();
    pairs.set_margin(most + kMargin * pairs.mean_worth());
    if (!mover.sweep(static_cast<std::int64_t>(most), rng) && i + 1 == sweeps) break;
  }
  if (pairs.lost() > lost_first) order = first;
}

}  // namespace weft::nue
