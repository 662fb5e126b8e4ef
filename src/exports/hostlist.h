// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes hostlists of Slurm: "n[001-016,019],login1". fabric/formats/slurm_topology.h reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Compares names in natural order: n2 before n10.
bool natural_less(std::string_view a, std::string_view b);

/// Compresses names to ranges of the numbers at their ends. The list is in natural order without
/// duplicates. Each number of a range has the digits of its value, filled with zeros to the width
/// of the first number, so that the list expands to the same names. Names must not contain brackets
/// or commas.
std::string compress_hostlist(std::vector<std::string> names);

}  // namespace weft
