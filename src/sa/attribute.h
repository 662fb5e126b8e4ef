// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An attribute that the subnet administration serves: its methods with their handlers, the
// components by which requests select records, and the division of large tables into slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sa/filter.h"
#include "sa/query.h"
#include "sa/state.h"

namespace weft::sa {

/// Fills the answer and returns its status. The content of the answer is ignored unless the status
/// is good.
using Handler = std::uint16_t (*)(State& state, const SaQuery& query, SaAnswer& answer);

struct Attribute {
  SaAttribute id{};
  std::string_view name;
  std::size_t record_size = 0;              // on the wire
  std::span<const Component> components{};  // empty: the handler compares all fields
  Handler get = nullptr;                    // null: the method is not supported
  Handler table = nullptr;
  Handler set = nullptr;
  Handler remove = nullptr;
  Handler multi = nullptr;
  /// Number of parts of the table of a query: nodes, endports, or pairs of endports; null if the
  /// handler does not support slices.
  std::size_t (*parts)(const SaQuery& query) = nullptr;
  bool first_of_many = false;  // Get returns the first of several records
  bool trusted_only = false;   // refuses requests that are not trusted
};

}  // namespace weft::sa
