// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A number with a type of its own, so that ids of different kinds cannot be confused.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>

namespace weft {

template <class Tag, class Rep>
class Strong {
 public:
  using rep = Rep;
  constexpr Strong() = default;
  constexpr explicit Strong(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const Strong&) const = default;

 private:
  Rep value_{};
};

}  // namespace weft

template <class Tag, class Rep>
struct std::hash<weft::Strong<Tag, Rep>> {
  std::size_t operator()(const weft::Strong<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
