// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DCQCN of an emulated CA port or switch: it stores the attributes, which have no effect. Also the
// attribute that announces DCQCN and programmable congestion control (PPCC).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "emulator/feature_support.h"
#include "ib/gmp.h"
#include "ib/gmps/dcqcn.h"

namespace weft {

struct DcqcnAgent {
  static constexpr std::uint32_t kBufferBytes = 1u << 24;  // of a switch
  /// By attribute and modifier; other attributes have zeros.
  std::map<std::pair<std::uint16_t, std::uint32_t>, CongestionData> held{};
  std::uint64_t sets = 0;     // Sets that were applied
  bool ignores_sets = false;  // responds to a Set with the unchanged values
  bool lacks_planes = false;  // does not announce control for each plane
};

namespace emulator {

constexpr bool is_of_dcqcn(std::uint16_t attribute) {
  return (attribute >= kDcqcnSwitchGeneral && attribute <= kDcqcnPortProfiles) ||
         attribute == kDcqcnSlMap ||
         (attribute >= kDcqcnCaGeneral && attribute <= kDcqcnNotificationPoint);
}

struct DcqcnDeviceForm {
  bool is_switch = false;
  std::uint8_t ports = 0;
  bool has_planes = false;  // a CA that announces planes
};

/// Serves a Get or Set of an attribute of is_of_dcqcn(), in place, and returns the status. None: no
/// response is sent. Refuses an averaging time above the maximum, a port that the switch lacks, and
/// control for each plane on a CA without planes.
std::optional<std::uint16_t> serve_dcqcn(Gmp& gmp, FeatureSupport support,
                                         const DcqcnDeviceForm& form, DcqcnAgent& agent);

/// As above, for EnhancedCongestionInfo, which has the support of both features.
std::optional<std::uint16_t> serve_enhanced_info(Gmp& gmp, FeatureSupport ppcc,
                                                 FeatureSupport dcqcn, bool has_planes);

}  // namespace emulator
}  // namespace weft
