// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Times, sizes and rates of jobs, and their text forms. Simulated time is a whole number of
// picoseconds, so that messages of equal size that start together end at exactly the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::jobs {

using Picoseconds = std::int64_t;

inline constexpr Picoseconds kNever = INT64_MAX;
/// 10^6 s: the longest time of a single op.
inline constexpr Picoseconds kOpTimeMax = 1'000'000'000'000'000'000;
inline constexpr double kPicosecondsPerSecond = 1e12;

inline double seconds_of(Picoseconds time) {
  return static_cast<double>(time) / kPicosecondsPerSecond;
}

/// Parses "4096", "64kB", "1.5GiB": a whole number of bytes up to 2^60, with decimal (B, kB or KB,
/// MB, GB, TB) or binary (KiB, MiB, GiB, TiB) units. This and the following functions return
/// nullopt if the text is invalid.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// Parses a time up to 10^6 s: "0", "20ps", "250ns", "1.5us", "2ms", "1s".
std::optional<Picoseconds> parse_time(std::string_view text);

/// Parses a rate up to 10^15 bytes per second: "50GB/s", "400Gb/s".
std::optional<double> parse_rate(std::string_view text);

/// Parses "true" or "false".
std::optional<bool> parse_boolean(std::string_view text);

/// Parses a finite decimal number that is not negative.
std::optional<double> parse_decimal(std::string_view text);

/// Texts for people: "12.3 ms", "45.6 GB/s".
std::string time_text(double seconds);
std::string rate_text(double bytes_per_second);

}  // namespace weft::jobs
