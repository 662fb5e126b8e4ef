// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "devices.h"

#include <array>

#include "base/rng.h"

namespace weft::simulation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

template <class Value, std::size_t Count>
Value one_of(Rng& rng, const std::array<Value, Count>& values) {
  return values[rng.below(Count)];
}

/// Draws each quirk independently of the others.
DeviceBehavior draw_quirks(Rng& rng) {
  DeviceBehavior quirks;
  quirks.answer_time =
      one_of(rng, std::array{TimeNs{0}, TimeNs{microseconds(10)}, TimeNs{microseconds(100)}});
  if (rng.below(2) == 0) quirks.queue_max = one_of(rng, std::array{4u, 8u, 16u});
  if (rng.below(3) == 0) {
    quirks.starting_for = milliseconds(1 + rng.below(3000));
    quirks.starting_answer_time = milliseconds(1 + rng.below(100));
  }
  if (rng.below(4) == 0) {
    quirks.late_every = static_cast<unsigned>(20 + rng.below(200));
    quirks.late_by = milliseconds(100 + rng.below(400));
  }
  quirks.extended_speeds = static_cast<ExtendedSpeeds>(rng.below(4));
  if (rng.below(3) == 0) {
    quirks.busy_every = static_cast<unsigned>(10 + rng.below(100));
    quirks.busy_burst = static_cast<unsigned>(1 + rng.below(4));
  }
  quirks.sl2vl_at_once = static_cast<OptimizedSl2VlQuirk>(rng.below(3));
  quirks.retrains_on_vl_change = rng.below(3) == 0;
  quirks.active_by_data = rng.below(3) == 0;
  quirks.clears_every_other_time = rng.below(4) == 0;
  quirks.trains_twice = rng.below(4) == 0;
  quirks.no_change_traps = rng.below(4) == 0;
  quirks.stores_thresholds = rng.below(3) != 0;
  return quirks;
}

}  // namespace

EmulatorOptions device_options(const WorldPlan& plan) {
  EmulatorOptions options;
  options.optimized_sl2vl = plan.mixed_devices;
  if (plan.adaptive)
    options.adaptive = plan.all_private ? AdaptiveSwitches::kAnswered : AdaptiveSwitches::kMixed;
  options.notifications = plan.adaptive;
  if (plan.private_lfts)
    options.private_lfts = plan.all_private ? FeatureDevices::kAll : FeatureDevices::kMixed;
  options.vports = plan.vports;
  options.vports_need_lids = plan.own_lids;
  const FeatureDevices agents = plan.all_agents ? FeatureDevices::kAll : FeatureDevices::kMixed;
  if (plan.class_keys) options.class_keys = agents;
  if (plan.ppcc) options.ppcc = agents;
  if (plan.dcqcn) options.dcqcn = agents;
  options.virtual_cas = VirtualCas::kMixed;
  options.planar = PlanarSupport::kMixed;
  if (plan.port_states) options.port_states = PortStateTables::kMixed;
  if (plan.sharp) options.sharp = FeatureDevices::kMixed;
  if (plan.recovery) options.recovery = FeatureDevices::kMixed;
  if (!plan.devices.empty()) options.devices = *parse_device_list(plan.devices);
  return options;
}

void set_quirks(EmulatedFabric& emulated, std::uint64_t seed) {
  Rng rng = Rng(seed).fork(79);
  std::array<DeviceBehavior, 4> kinds;  // the first kind has no quirks
  for (std::size_t i = 1; i < kinds.size(); ++i) kinds[i] = draw_quirks(rng);
  for (std::uint32_t n = 0; n < emulated.fabric().node_count(); ++n)
    emulated.set_behavior(NodeId(n), one_of(rng, kinds));
}

}  // namespace weft::simulation
