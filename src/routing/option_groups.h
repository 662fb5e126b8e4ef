// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Groups of options that several engines share. The options of an engine extend a group or have
// members of their own; kSupports of each struct lists its options, and from() copies only these
// from the options of a request. The structs refer to the request, which must outlive them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/option_set.h"
#include "routing/options.h"
#include "routing/reweight/parameter.h"

namespace weft {

/// Options of balance/spread.h.
struct SpreadOptions {
  unsigned threads = 0;  // 0: all cores
  Balance balance = Balance::kGlobal;
  std::span<const EndportId> order{};         // -X: routed first, in this order
  std::span<const EndportId> ignored{};       // -i; sorted
  std::span<const std::uint8_t> port_rank{};  // -O: by ChannelId, lowest first; empty: ids
  bool port_shifting = false;
  std::uint64_t scatter_ports = 0;             // a seed; 0: off
  std::span<const EndportId> not_scattered{};  // sorted
  const Lfts* previous = nullptr;  // active tables: entries that need not change stay; or null
  const Fabric* previous_fabric = nullptr;  // fabric of `previous`; null: unknown

  static constexpr OptionSet kSupports{
      Option::kOrder,        Option::kNoScatter,    Option::kIgnored,     Option::kPortOrder,
      Option::kPortShifting, Option::kScatterPorts, Option::kLocalBalance};
  static SpreadOptions from(const RoutingOptions& all);
};

/// Options of engines with paths of least weight.
struct WeightedOptions : SpreadOptions {
  std::span<const std::uint64_t> hop_weights{};  // by ChannelId; empty: 1 each
  /// By EndportId, relative receive load, which the passes of --reweight count; empty: 1 each.
  std::span<const std::uint32_t> node_weights{};

  static constexpr OptionSet kSupports =
      SpreadOptions::kSupports |
      OptionSet{Option::kHopWeights, Option::kAvoidDegradedLinks, Option::kNodeWeights};
  static WeightedOptions from(const RoutingOptions& all);
};

/// Options of engines with up*/down* paths by ranks.
struct UpDownOptions : WeightedOptions {
  bool connect_roots = false;                      // -z
  std::span<const std::uint32_t> switch_rank{};    // -m: by SwitchId, a permutation; empty: ids
  unsigned reweight = 0;                           // kReweight
  std::optional<Routes>* before_passes = nullptr;  // RoutingOptions::before_passes

  static constexpr OptionSet kSupports =
      WeightedOptions::kSupports | OptionSet{Option::kConnectRoots, Option::kSwitchIds};
  static constexpr std::array kParameters{kReweight};
  static UpDownOptions from(const RoutingOptions& all);
};

/// Options of adaptive/groups.h.
struct GroupOptions {
  unsigned threads = 0;
  const AdaptiveOptions* adaptive = nullptr;     // null: the defaults
  std::span<const std::uint64_t> hop_weights{};  // by ChannelId, those of the tables

  static GroupOptions from(const RoutingOptions& all);
};

/// Options of multicast.h.
struct MulticastOptions {
  unsigned threads = 0;
  unsigned vls_max = 8;
  const TorusConfig* torus = nullptr;  // of the routes of torus-2QoS

  static MulticastOptions from(const RoutingOptions& all);
};

/// A pointer to the value; null if there is none.
template <class Value>
const Value* pointer_to(const std::optional<Value>& value) {
  return value ? &*value : nullptr;
}

}  // namespace weft
