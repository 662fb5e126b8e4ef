// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traces of programs: computations, messages and collectives of each rank, and their dependencies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "jobs/job.h"
#include "jobs/ranks.h"
#include "jobs/schedule.h"

namespace weft::jobs {

struct TraceOp {
  enum class Kind : std::uint8_t { kNothing, kCompute, kSend, kReceive, kCollective };
  Kind kind = Kind::kNothing;
  double amount = 0;            // picoseconds of a computation, else bytes
  std::int64_t peer = 0;        // the other rank; kAny: a receive from any rank
  std::int64_t tag = 0;         // kAny: a receive of any tag
  std::uint32_t processor = 0;  // for a computation; computations on one processor share its time
  Work work = Work::kAllReduce;
  std::string group;     // group of a collective; empty: all ranks
  std::size_t line = 0;  // line in the file; in a protobuf file the number of the node
};

struct TraceRank {
  static constexpr std::int64_t kAny = -1;
  std::string path;  // path of the rank's file
  std::vector<TraceOp> ops;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> after_end;    // op, predecessor
  std::vector<std::pair<std::uint32_t, std::uint32_t>> after_start;  // op, predecessor
};

struct Trace {
  std::vector<TraceRank> ranks;
};

/// Reads GOAL text (LogGOPSim; Hoefler, Siebert and Lumsdaine, Group operation assembly language,
/// 2009). Fails with kBadInput, naming the file and, except for a missing rank, the line and the
/// value found, or as LineReader if the file cannot be read.
Result<Trace> read_goal(const std::string& path);
Result<Trace> parse_goal(LineReader& lines);

/// Reads Chakra execution traces: PREFIX.0.et, PREFIX.1.et, .. with protobuf messages, or
/// PREFIX.0.json, .. with the same messages as JSON. Fails with kBadInput, naming file and node or
/// line; with kEnvironment if rank 0 has no file; or as read_file() if a file cannot be read.
Result<Trace> read_chakra(const std::string& prefix);
/// Parses the file of one rank. Does not check whether the ranks in messages exist.
Result<TraceRank> parse_chakra(const std::string& text, const std::string& path, bool is_json);

/// Adds the ops of a trace. Messages of more than 65,535 bytes wait for their receive, as in
/// LogGOPSim. A receive matches the first unmatched send of its source and tag; receives from any
/// source or of any tag match the remaining sends, in the order of sources, then of tags. Fails
/// with kBadInput, naming a send, receive or collective without a counterpart of the same size (for
/// collectives, also of the same kind). The first ops that are added mark the starts of the trace's
/// ops, rank by rank.
Status add_trace(Ranks& ranks, const Trace& trace);

/// The message for a cycle of dependencies (ScheduleBuilder::CycleText): "FILE:3: rank 0: the op
/// depends on itself, through FILE:5, ..". `first`: the first op that add_trace() added. Empty if
/// no op of the trace is on the cycle.
std::string cycle_text(const Trace& trace, OpId first, std::span<const OpId> cycle);

}  // namespace weft::jobs
