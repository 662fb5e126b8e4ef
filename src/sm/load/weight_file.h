// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file that keeps the weights of load-aware routing across restarts: guid2weight, a line
// `0xGUID WEIGHT` for each CA port with a weight above 1.
#pragma once

#include <string>
#include <vector>

#include "base/files/cached_file.h"
#include "base/result.h"
#include "policy/measured_weights.h"

namespace weft {

using WeightMemory = std::vector<MeasuredWeight>;  // in the order of the file

/// Content of the file; empty if there is none. A line that is malformed or repeats a GUID is
/// dropped with a warning that names file and line; after kWeightWarningsMax warnings only the
/// number of further warnings is returned. Fails with kEnvironment if the file cannot be opened.
Result<WeightMemory> read_weights(const std::string& path, std::vector<std::string>& warnings);
inline constexpr std::size_t kWeightWarningsMax = 20;

/// A line of the file, without the line end.
std::string weight_line(const MeasuredWeight& weight);

/// Writes a temporary file and renames it. Fails with kEnvironment naming the path.
Status write_weights(const std::string& path, const WeightMemory& weights);

inline constexpr CachedFormat<WeightMemory> kGuid2Weight{"guid2weight", "measured weights",
                                                         read_weights, write_weights};

}  // namespace weft
