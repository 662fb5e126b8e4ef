// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Nue: deadlock-free on any connected fabric with one or more virtual lanes, with paths as short as
// possible. Source: Domke, Hoefler, Matsuoka, "Routing on the Dependency Graph", HPDC 2016;
// docs/reference/engines/nue.md lists the differences.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"
#include "routing/reweight/parameter.h"

namespace weft {

inline constexpr EngineParameter kNueVls{
    .name = "nue_max_num_vls",
    .option = "--nue_max_num_vls",
    .by_default = 1,
    .most = 255,
    .about = "Maximum number of VLs for nue; 0: all VLs of the ports."};
inline constexpr EngineParameter kNueSwitches{
    .name = "nue_include_switches",
    .option = "--nue_include_switches",
    .is_flag = true,
    .about = "Count switches as senders and receivers of data (nue)."};

struct NueOptions : SpreadOptions {
  std::uint64_t seed = 0;
  unsigned vls_max = 8;
  bool ignore_replies = false;
  unsigned vls = 1;               // 0: all data VLs of the ports
  bool include_switches = false;  // balance port 0 of switches like hosts
  unsigned reweight = 0;          // kReweight
  /// Weights of channels, by ChannelId. Used only to avoid degraded links
  /// (shapes/degraded_links.h).
  std::span<const std::uint64_t> hop_weights{};
  std::optional<Routes>* before_passes = nullptr;  // RoutingOptions::before_passes

  static constexpr OptionSet kSupports =
      SpreadOptions::kSupports | OptionSet{Option::kAvoidDegradedLinks};
  static constexpr std::array kParameters{kNueVls, kNueSwitches, kReweight};
  static NueOptions from(const RoutingOptions& all);
};

/// Never fails. Uses at most options.vls VLs (0: as many as the ports have), and no more than
/// options.vls_max. The connected parts of a fabric are routed separately.
Result<Routes> route_nue(const Fabric& fabric, const NueOptions& options);

}  // namespace weft
