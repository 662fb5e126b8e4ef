// Who sends to whom: a pattern is a list of levels, and a level is a set of messages between ranks
// that start together. Ranks are numbers 0..n-1; which host a rank is, is not the pattern's
// business. Levels are made when they are asked for, since alltoall on ten thousand ranks has a
// hundred million messages.
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
  /// Puts a level's messages into `flows`, in place of what is there. Equal at every call, and
  /// safe from several threads at once.
  std::function<void(std::uint64_t level, std::vector<Flow>& flows)> fill;
  /// The size that weight 1 stands for: that of the largest message.
  std::uint32_t size_max = 1;
  /// Ranks below are those of the first pattern of ptrnvsptrn; all of them in other patterns.
  std::uint32_t first_ranks = 0;
  /// Rank i is the i-th chosen host, whatever the mapping says: the pattern was made for them.
  bool is_placed = false;
  /// What was adjusted: "bisect: 7 ranks, one sits out".
  std::vector<std::string> notes;
};

/// What a pattern is made of besides its own argument.
struct PatternInput {
  std::uint32_t ranks = 0;
  std::string argument;  // what stands behind the name's colon; empty where there is none
  Rng rng{0};
  /// For those made for a network: it, and the host of each rank. May be absent.
  const RoutedNetwork* network = nullptr;
  std::span<const std::uint32_t> hosts;
};

struct PatternKind {
  std::string_view name;
  std::string_view argument;  // as the help shows it: "N"; empty where there is none
  std::string_view summary;
  Result<Pattern> (*make)(const PatternInput& input);
};

/// All of them but ptrnvsptrn.
std::span<const PatternKind> pattern_kinds();

/// "bruck", "neighbor:4", "stencil2d:8x8", "trace:FILE", or "ptrnvsptrn" with two of those.
struct PatternSpec {
  std::string name = "bisect";
  std::string first = "null";  // of ptrnvsptrn
  std::string second = "null";
  std::uint32_t first_ranks = 0;  // 0: half of them
};

/// Fails with kUsage naming what was found and what was wanted.
Result<Pattern> make_pattern(const PatternSpec& spec, const PatternInput& input);

/// A pattern whose levels are all at hand.
Pattern listed(std::string name, std::uint32_t ranks, std::vector<std::vector<Flow>> levels);

/// NAME[:ARGUMENT] of every kind with its summary, for --help.
std::string patterns_help();

}  // namespace weft
