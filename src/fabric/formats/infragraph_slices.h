// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Slices of InfraGraph, with the meaning of Python's slices, except that an end above the count is
// refused: "nic", "nic[3]", "nic[0:4]", "nic[0:8:2]".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct InfraSlice {
  std::string name;
  bool is_single = false;              // has the form [begin]
  std::optional<std::uint32_t> begin;  // default: 0
  std::optional<std::uint32_t> end;    // exclusive; default: the count
  std::uint32_t step = 1;

  /// The numbers that the slice selects of `count` components or instances; nothing if `end` is
  /// above `count`, or a single number is not below `count`.
  std::optional<std::vector<std::uint32_t>> of(std::uint32_t count) const;
};

/// Parses a slice. Returns nothing for other texts, and for negative numbers and steps of 0.
std::optional<InfraSlice> parse_infra_slice(std::string_view text);

}  // namespace weft
