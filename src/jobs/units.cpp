// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace weft::jobs {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kSizes{Unit{"", 1},
                            Unit{"B", 1},
                            Unit{"kB", 1e3},
                            Unit{"KB", 1e3},
                            Unit{"MB", 1e6},
                            Unit{"GB", 1e9},
                            Unit{"TB", 1e12},
                            Unit{"KiB", 1024.0},
                            Unit{"MiB", 1048576.0},
                            Unit{"GiB", 1 << 30},
                            Unit{"TiB", 1099511627776.0}};
constexpr std::array kTimes{Unit{"ps", 1}, Unit{"ns", 1e3}, Unit{"us", 1e6}, Unit{"ms", 1e9},
                            Unit{"s", 1e12}};
constexpr std::array kRates{Unit{"B/s", 1},        Unit{"kB/s", 1e3},     Unit{"MB/s", 1e6},
                            Unit{"GB/s", 1e9},     Unit{"TB/s", 1e12},    Unit{"Mb/s", 1e6 / 8},
                            Unit{"Gb/s", 1e9 / 8}, Unit{"Tb/s", 1e12 / 8}};

struct Scaled {
  double value;
  std::string_view unit;
};

std::optional<Scaled> split_unit(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value) || std::signbit(value)) return std::nullopt;
  return Scaled{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::optional<double> parse_scaled(std::string_view text, std::span<const Unit> units) {
  const auto scaled = split_unit(text);
  if (!scaled) return std::nullopt;
  for (const Unit& unit : units)
    if (unit.name == scaled->unit) return scaled->value * unit.factor;
  return std::nullopt;
}

std::string with_unit(double value, std::span<const Unit> units) {
  const Unit* best = &units.front();
  for (const Unit& unit : units)
    if (value >= unit.factor) best = &unit;
  return fmt::format("{:.4g} {}", value / best->factor, best->name);
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto bytes = parse_scaled(text, kSizes);
  constexpr double kBytesMax = 1152921504606846976.0;
  if (!bytes || *bytes > kBytesMax || *bytes != std::floor(*bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

std::optional<Picoseconds> parse_time(std::string_view text) {
  if (text == "0") return 0;
  const auto time = parse_scaled(text, kTimes);
  if (!time || *time > static_cast<double>(kOpTimeMax)) return std::nullopt;
  return std::llround(*time);
}

std::optional<double> parse_rate(std::string_view text) {
  const auto rate = parse_scaled(text, kRates);
  constexpr double kRateMax = 1e15;
  if (!rate || *rate > kRateMax) return std::nullopt;
  return rate;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<double> parse_decimal(std::string_view text) {
  const auto scaled = split_unit(text);
  if (!scaled || !scaled->unit.empty()) return std::nullopt;
  return scaled->value;
}

std::string time_text(double seconds) { return with_unit(seconds * kPicosecondsPerSecond, kTimes); }

std::string rate_text(double bytes_per_second) {
  return with_unit(bytes_per_second, std::span(kRates).first(5));
}

}  // namespace weft::jobs
