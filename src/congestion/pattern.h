// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Communication patterns: a pattern is a list of levels, and a level is a set of messages between
// ranks that start together. Ranks are numbers 0..n-1; a Study maps them to hosts. Levels are
// generated on request, since alltoall on ten thousand ranks has a hundred million messages.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"

namespace weft {

class RoutedNetwork;

/// One message.
struct Flow {
  std::uint32_t from = 0;  // ranks
  std::uint32_t to = 0;
  std::uint32_t size = 1;  // in units of the pattern
  bool operator==(const Flow&) const = default;
};

struct Pattern {
  std::string name;
  std::uint32_t ranks = 0;
  std::uint64_t levels = 0;
  /// Replaces `flows` by the messages of a level. Deterministic and thread-safe.
  std::function<void(std::uint64_t level, std::vector<Flow>& flows)> fill;
  /// The message size of weight 1: that of the largest message.
  std::uint32_t size_max = 1;
  /// Ranks below this belong to the first pattern of ptrnvsptrn; all ranks in other patterns.
  std::uint32_t first_ranks = 0;
  /// Rank i is the i-th chosen host, regardless of the mapping: the pattern was made for these
  /// hosts.
  bool is_placed = false;
  /// Adjustments: "pattern bisect: 7 ranks: an odd number, so the last rank is idle".
  std::vector<std::string> notes;
};

/// Input of the function that makes a pattern.
struct PatternInput {
  std::uint32_t ranks = 0;
  std::string argument;  // text after the name's colon; empty if there is none
  Rng rng{0};
  /// The network and the host of each rank, for patterns that depend on them. May be absent.
  const RoutedNetwork* network = nullptr;
  std::span<const std::uint32_t> hosts;
};

struct PatternKind {
  std::string_view name;
  std::string_view argument;  // placeholder for the help: "N"; empty if there is none
  std::string_view summary;
  Result<Pattern> (*make)(const PatternInput& input);
};

/// All kinds except ptrnvsptrn.
std::span<const PatternKind> pattern_kinds();

/// "bruck", "neighbor:4", "stencil2d:8x8", "trace:FILE", or "ptrnvsptrn" with two such patterns.
struct PatternSpec {
  std::string name = "bisect";
  std::string first = "null";  // first pattern of ptrnvsptrn
  std::string second = "null";
  std::uint32_t first_ranks = 0;  // 0: half of the ranks
};

/// Fails with kUsage on an unknown name or an invalid argument, naming the value found and the
/// value expected; a trace also with the error of its file.
Result<Pattern> make_pattern(const PatternSpec& spec, const PatternInput& input);

/// A pattern with all levels in memory.
Pattern pattern_of_levels(std::string name, std::uint32_t ranks,
                          std::vector<std::vector<Flow>> levels);

/// NAME[:ARGUMENT] of every kind with its summary, for --help.
std::string patterns_help();

}  // namespace weft
