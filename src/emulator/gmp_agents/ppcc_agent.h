// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Programmable congestion control of an emulated CA port: it stores the settings of slots, and
// refuses an SL that another enabled slot has. The algorithms have no effect.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emulator/feature_support.h"
#include "ib/gmp.h"
#include "ib/gmps/ppcc.h"

namespace weft {

struct PpccAgent {
  /// By slot; id 0: an empty slot.
  std::array<PpccAlgorithmId, PpccConfig::kSlots> algorithms{
      {{0x101, 1, 2}, {0x102, 1, 0}, {0x201, 2, 4}}};
  std::array<PpccConfig, PpccConfig::kSlots> configs{};  // settings of slots, by slot
  std::array<PpccParameters, PpccConfig::kSlots> parameters{};
  std::uint64_t sets = 0;     // Sets that were applied
  bool ignores_sets = false;  // responds to a Set with the unchanged values
};

namespace emulator {

constexpr bool is_of_ppcc(std::uint16_t attribute) {
  return attribute == kPpccConfig || attribute == kPpccParameters;
}

/// Serves a Get or Set of an attribute of is_of_ppcc(), in place, and returns the status. None: no
/// response is sent.
std::optional<std::uint16_t> serve_ppcc(Gmp& gmp, FeatureSupport support, PpccAgent& agent);

}  // namespace emulator
}  // namespace weft
