// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Group numbers that are the same at all switches of the subnet. A fault routing notification (FRN)
// carries a group number, so all LIDs of one leaf have the same number.
#pragma once

#include <cstdint>
#include <vector>

#include "ib/ids.h"

namespace weft {

struct GroupNumbers {
  std::vector<std::uint16_t> of_lid;  // by LID; 0: none, because the entries of the LID are static
  std::vector<Lid> lid_of;            // by number, the lowest LID with the number; 0: none
  bool operator==(const GroupNumbers&) const = default;

  bool empty() const { return of_lid.empty(); }
  std::uint16_t number(Lid lid) const {
    return lid.value() < of_lid.size() ? of_lid[lid.value()] : std::uint16_t{0};
  }
};

}  // namespace weft
