#include "routing/nue/order.h"
#include <algorithm>

#include "routing/nue/mover.h"

namespace weft::nue {
namespace {

/// Judges by what each turn is worth for itself.
class Weights {
 public:
  explicit Weights(std::span<const std::uint64_t> weights) : weights_(weights) {}

  bool cares(std::size_t turn) const { return weights_[turn] > 0; }
  void weigh(std::span<const Neighbour> neighbours, std::size_t, std::size_t, std::size_t,
             std::span<std::int64_t> gains) const {
    gains[0] = 0;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const auto worth = static_cast<std::int64_t>(weights_[neighbours[i].turn]);
      gains[i + 1] = gains[i] + (neighbours[i].before ? worth : -worth);
    }
  }
  void moved(std::span<const Neighbour>, std::size_t, std::size_t) const {}

 private:
  std::span<const std::uint64_t> weights_;
};

}  // namespace

Order up_down_order(const Arcs& arcs, const Escape& escape) {
  Order order(arcs.count());
  std::vector<std::uint32_t> place(arcs.switches);
  for (std::uint32_t i = 0; i < arcs.switches; ++i) place[escape.sequence[i]] = i;
  std::uint32_t next = 0;
  const auto number = [&](std::uint32_t sw, bool up) {
    for (std::uint32_t a = arcs.begin[sw]; a < arcs.begin[sw + 1]; ++a)
      if ((place[arcs.head[a]] < place[sw]) == up) order[a] = next++;
  };
  for (std::uint32_t i = arcs.switches; i-- > 0;) number(escape.sequence[i], true);
  for (const std::uint32_t sw : escape.sequence) number(sw, false);
  return order;
}

Order places_back(const Arcs& arcs, const Order& order) {
  Order back(arcs.count());
  for (std::uint32_t a = 0; a < arcs.count(); ++a) back[a] = order[arcs.reverse[a]];
  return back;
}

void sift(const Arcs& arcs, const Escape& escape, std::span<const std::uint64_t> weights,
          unsigned sweeps, double noise, Rng& rng, Order& order) {
  std::uint64_t sum = 0;
  std::uint64_t turns = 0;
  for (const std::uint64_t weight : weights) {
    sum += weight;
    turns += weight > 0 ? 1 : 0;
  }
  if (turns == 0) return;
  const double mean = static_cast<double>(sum) / static_cast<double>(turns);
  Weights judge(weights);
  Mover mover(arcs, escape, judge, order);
  for (unsigned i = 0; i < sweeps; ++i) {
    const double fading = static_cast<double>(sweeps - 1 - i) / sweeps;
    const auto most = static_cast<std::int64_t>(noise * fading * mean);
    if (!mover.sweep(most, rng) && most == 0) return;
  }
}

}  // namespace weft::nue
