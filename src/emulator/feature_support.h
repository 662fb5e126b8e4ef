// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which vendor-specific features a device of an emulated fabric supports, all or in part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/options.h"

namespace weft::emulator {

enum class Feature : std::uint8_t { kSharp, kRecovery, kClassKeys, kPpcc, kPrivateLfts, kDcqcn };

enum class FeatureSupport : std::uint8_t {
  kRefused,  // error status, also to the attribute that announces the feature
  kFull,
  kPart,             // not announced; recovery: policies only; pLFTs: without selection by SL
  kWithoutSettings,  // announced, but no response to the settings
  kSilent            // no response, not even to the attribute that announces the feature
};

/// The support of devices in turn, with FeatureDevices::kMixed: by Feature, then by node id modulo
/// kMixedPeriod.
inline constexpr std::size_t kMixedPeriod = 4;
inline constexpr std::array<std::array<FeatureSupport, kMixedPeriod>, 6> kMixedSupport{{
    {FeatureSupport::kFull, FeatureSupport::kPart, FeatureSupport::kWithoutSettings,
     FeatureSupport::kRefused},
    {FeatureSupport::kFull, FeatureSupport::kPart, FeatureSupport::kWithoutSettings,
     FeatureSupport::kRefused},
    {FeatureSupport::kFull, FeatureSupport::kPart, FeatureSupport::kSilent,
     FeatureSupport::kRefused},
    {FeatureSupport::kFull, FeatureSupport::kPart, FeatureSupport::kWithoutSettings,
     FeatureSupport::kRefused},
    {FeatureSupport::kFull, FeatureSupport::kPart, FeatureSupport::kWithoutSettings,
     FeatureSupport::kRefused},
    {FeatureSupport::kFull, FeatureSupport::kPart, FeatureSupport::kWithoutSettings,
     FeatureSupport::kRefused},
}};

constexpr FeatureSupport feature_support(Feature feature, FeatureDevices devices, NodeId node) {
  switch (devices) {
    case FeatureDevices::kNone:
      return FeatureSupport::kRefused;
    case FeatureDevices::kAll:
      return FeatureSupport::kFull;
    case FeatureDevices::kSilent:
      return FeatureSupport::kSilent;
    case FeatureDevices::kMixed:
      break;
  }
  return kMixedSupport[static_cast<std::size_t>(feature)][node.value() % kMixedPeriod];
}

}  // namespace weft::emulator
