// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/link_of_rate.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace weft {
namespace {

constexpr double kTolerance = 0.03;
constexpr std::array kWidths{LinkWidth::k4x, LinkWidth::k1x, LinkWidth::k2x, LinkWidth::k8x,
                             LinkWidth::k12x};
constexpr std::array kSpeedsByRate{LinkSpeed::kSdr,   LinkSpeed::kDdr, LinkSpeed::kQdr,
                                   LinkSpeed::kFdr10, LinkSpeed::kFdr, LinkSpeed::kEdr,
                                   LinkSpeed::kHdr,   LinkSpeed::kNdr, LinkSpeed::kXdr};

}  // namespace

LinkOfRate link_of_rate(double gbps) {
  LinkOfRate below{LinkWidth::k1x, LinkSpeed::kSdr, false};
  double most = 0;
  for (const LinkWidth width : kWidths)
    for (const LinkSpeed speed : kSpeedsByRate) {
      const double rate = data_rate_100mbit(width, speed) / 10.0;
      if (std::abs(rate - gbps) <= kTolerance * gbps) return {width, speed, true};
      if (rate < gbps && rate > most) {
        most = rate;
        below = {width, speed, false};
      }
    }
  return below;
}

std::optional<double> parse_plain_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      text.starts_with('-'))
    return {};
  return value;
}

std::optional<double> parse_gbps(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == 0 || digits == std::string_view::npos) return {};
  const auto value = parse_plain_decimal(text.substr(0, digits));
  std::string_view unit = trim(text.substr(digits));
  double scale = 1e-9;
  constexpr std::string_view kPrefixes = "kKMG";
  constexpr std::array kScales{1e-6, 1e-6, 1e-3, 1.0};
  if (!unit.empty())
    if (const std::size_t prefix = kPrefixes.find(unit.front()); prefix != std::string_view::npos) {
      scale = kScales.at(prefix);
      unit.remove_prefix(1);
    }
  if (unit == "Bps" || unit == "B/s") {
    scale *= 8;
  } else if (unit != "bps" && unit != "b/s") {
    return {};
  }
  if (!value || *value <= 0) return {};
  return *value * scale;
}

}  // namespace weft
