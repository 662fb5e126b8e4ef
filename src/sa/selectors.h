// Demands on MTU, rate and packet life time as queries and joins make them: a value, and how what
// is there must compare to it.
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

/// What of `is` remains under a demand; nothing where it cannot be met. `measure` makes values
/// comparable, `lower` gives the value below another, 0 where there is none.
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

/// Whether a value that cannot change fits a demand; "largest available" is met by any.
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
