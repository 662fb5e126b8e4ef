// Slurm's hostlists, written: "n[001-016,019],login1". fabric/formats/slurm_topology.h reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Names in the order of people: n2 before n10.
bool natural_less(std::string_view a, std::string_view b);

/// The names, each once and in natural order, with runs of numbers at their ends as ranges. Numbers
/// with zeros in front are in a range with others of their width only, so that expanding it gives
/// the same names again. Names must hold neither brackets nor commas.
std::string compress_hostlist(std::vector<std::string> names);

}  // namespace weft
