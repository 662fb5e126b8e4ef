// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Colours that are distinguishable with any colour vision: viridis for ordered values (Smith and
// van der Walt, 2015), the colours of Okabe and Ito (2008) for other values.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace weft {

/// Colours from dark to bright, at even steps.
inline constexpr std::array<std::string_view, 11> kLoadColours{
    "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c",
    "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"};

inline constexpr std::array<std::string_view, 7> kRunColours{
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999"};

/// Colour of highlighted paths and cables; differs from all kLoadColours.
inline constexpr std::string_view kPathColour = "#d5310c";

/// Colour of a load relative to the maximum, 0 to 1, on white: low is bright, high is dark.
std::string load_colour(double part);

inline std::string_view run_colour(std::size_t run) {
  return kRunColours[run % kRunColours.size()];
}

}  // namespace weft
