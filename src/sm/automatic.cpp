#include "sm/automatic.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft {
namespace {

constexpr double kAsGood = 0.995;
// A table entry costs about 0.1 us to route, prove and measure.
constexpr std::uint64_t kEntriesForAll = 20'000'000;
constexpr std::size_t kOfLarge = 3;

}  // namespace

std::vector<std::string_view> candidates_for(const Fabric& fabric, const Topology& topology,
                                             bool torus_described) {
  std::vector<std::string_view> names;
  switch (topology.kind) {
    case TopologyKind::kSingleSwitch:
      return {"minhop"};
    case TopologyKind::kTree:
    case TopologyKind::kQuasiTree:
      names = {"ftree", "updn", "minhop", "nue", "dfsssp", "lash"};
      break;
    case TopologyKind::kHypercube:
    case TopologyKind::kMesh:
      names = {"dor", "nue", "lash", "dfsssp", "updn"};
      break;
    case TopologyKind::kTorus:
      names = {"lash", "dfsssp", "nue", "updn"};
      break;
    case TopologyKind::kDragonfly:
    case TopologyKind::kDragonflyPlus:
      names = {"dfp", "dfsssp", "lash", "nue", "updn"};
      break;
    case TopologyKind::kHyperX:
    case TopologyKind::kIrregular:
      names = {"dfsssp", "lash", "nue", "updn", "dnup"};
      break;
  }
  if (torus_described) names.insert(names.begin(), "torus-2QoS");
  if (std::uint64_t{fabric.switch_count()} * fabric.endport_count() > kEntriesForAll)
    names.resize(std::min(names.size(), kOfLarge));
  return names;
}

std::size_t best_of(const std::vector<Trial>& trials) {
  const double most = std::ranges::max(trials, {}, &Trial::ebb).ebb;
  return static_cast<std::size_t>(
      std::ranges::find_if(trials,
                           [&](const Trial& trial) { return trial.ebb >= kAsGood * most; }) -
      trials.begin());
}

std::string tell(const Topology& topology, const std::vector<Trial>& trials, std::size_t best) {
  const auto figures = [](const Trial& trial) {
    return fmt::format("effective bisection {:.3f}, {} VL{}", trial.ebb, trial.vls,
                       trial.vls == 1 ? "" : "s");
  };
  std::string text =
      fmt::format("{}: {} ({})", topology.about, trials[best].engine, figures(trials[best]));
  const Trial* next = nullptr;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (i != best && (next == nullptr || trials[i].ebb > next->ebb)) next = &trials[i];
  if (next == nullptr) return text + "; no other engine serves";
  return text + fmt::format("; next best {} ({})", next->engine, figures(*next));
}

}  // namespace weft
