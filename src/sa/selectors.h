// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requirements on MTU, rate and packet life time in queries and joins: a value and a comparison.
#pragma once

#include <cstdint>
#include <optional>

#include "ib/rates.h"
#include "ib/sa_records.h"

namespace weft::sa {

inline constexpr std::uint8_t kMtuCodeMax = 5;
constexpr bool is_mtu(std::uint8_t code) { return code != 0 && code <= kMtuCodeMax; }
inline bool is_rate(std::uint8_t code) { return data_rate_of(code) != 0; }

struct Selected {
  Selector selector{};
  std::uint8_t value = 0;
};

/// The highest value up to `is` that satisfies a requirement; empty if there is none. `measure`
/// returns a number by which values are compared. `lower` returns the next lower value, 0 if there
/// is none.
template <class Measure, class Lower>
std::optional<std::uint8_t> meet(const Selected& wanted, std::uint8_t is, Measure measure,
                                 Lower lower) {
  switch (wanted.selector) {
    case Selector::kGreater:
      if (measure(is) <= measure(wanted.value)) return std::nullopt;
      return is;
    case Selector::kLess: {
      if (measure(is) < measure(wanted.value)) return is;
      const std::uint8_t less = lower(wanted.value);
      if (less == 0) return std::nullopt;
      return less;
    }
    case Selector::kExactly:
      if (measure(is) < measure(wanted.value)) return std::nullopt;
      return wanted.value;
    case Selector::kBest:
      return is;
  }
  return std::nullopt;
}

inline std::uint8_t number_itself(std::uint8_t value) { return value; }
inline std::uint8_t number_below(std::uint8_t value) {
  return static_cast<std::uint8_t>(value == 0 ? 0 : value - 1);
}

/// Whether a fixed value satisfies a requirement; "largest available" accepts any.
template <class Measure>
bool fits(const Selected& wanted, std::uint8_t is, Measure measure) {
  switch (wanted.selector) {
    case Selector::kGreater:
      return measure(is) > measure(wanted.value);
    case Selector::kLess:
      return measure(is) < measure(wanted.value);
    case Selector::kExactly:
      return is == wanted.value;
    case Selector::kBest:
      return true;
  }
  return false;
}

}  // namespace weft::sa
