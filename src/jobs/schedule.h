// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The ops of jobs (messages and delays) and their dependencies. They form a directed acyclic graph
// in flat arrays, with 32 bytes for a message with two predecessors.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/units.h"

namespace weft::jobs {

using OpId = std::uint32_t;
inline constexpr OpId kNoOp = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoChannel = 0xFFFFFFFF;
inline constexpr std::uint32_t kDelay = 0xFFFFFFFF;  // value for a delay, which has no connection

/// A pair of hosts between which messages are sent, and the channels inside servers that the
/// messages also cross. These channels are numbered from 0, see Schedule::inner_capacity.
struct Connection {
  std::uint32_t from = 0;  // hosts of the network; equal: messages do not leave the host
  std::uint32_t to = 0;
  std::uint32_t first_inner = kNoChannel;
  std::uint32_t second_inner = kNoChannel;
  std::uint32_t job = 0;
  bool computes = false;  // a message over a processor's channel, without start-up time
  bool operator==(const Connection&) const = default;
};

struct Op {
  double amount = 0;                  // bytes of a message, picoseconds of a delay
  std::uint32_t connection = kDelay;  // index of a connection, or kDelay
  std::uint32_t predecessors = 0;     // number of predecessors
  std::uint32_t first_successor = 0;  // index into Schedule::successors
  std::uint32_t phase = 0;
};

/// A part of a job that results list separately: consecutive ops.
struct Phase {
  std::string name;
  std::uint32_t job = 0;
};

/// A job: the consecutive ops from `first` to before `end`.
struct ScheduledJob {
  std::string name;
  OpId first = 0;
  OpId end = 0;
  Picoseconds start = 0;
  Picoseconds start_up = 0;     // start-up time of each message
  Picoseconds hop_latency = 0;  // latency of each channel of the static path
};

/// A message that does not end, and uses at most `rate` bytes per picosecond.
struct Stream {
  Connection connection;
  double rate = 0;
};

struct Schedule {
  std::vector<Op> ops;  // the last one is unused and marks the end of the successors
  std::vector<OpId> successors;
  std::vector<Connection> connections;
  std::vector<Phase> phases;
  std::vector<ScheduledJob> jobs;
  std::vector<double> inner_capacity;  // channels inside servers, bytes per picosecond
  std::vector<Stream> background;

  std::uint32_t op_count() const { return static_cast<std::uint32_t>(ops.size() - 1); }
  std::span<const OpId> successors_of(OpId op) const {
    return std::span(successors)
        .subspan(ops[op].first_successor, ops[op + 1].first_successor - ops[op].first_successor);
  }
};

class ScheduleBuilder {
 public:
  /// Begins a job, to which all following ops belong.
  void begin_job(ScheduledJob job);
  /// Begins a phase of the job.
  void begin_phase(const std::string& name);

  std::uint32_t connect(Connection connection);
  std::uint32_t add_inner_channel(double bytes_per_picosecond);
  OpId send(std::uint32_t connection, double bytes);
  OpId delay(Picoseconds time);
  /// `op` starts after `on` ends; no effect if `on` is kNoOp.
  void depend(OpId op, OpId on) {
    if (on != kNoOp) edges_.push_back({on, op});
  }
  /// Returns an op that ends when all of `ops` have ended. If only one of `ops` is not kNoOp, this
  /// op is returned; if all are kNoOp, kNoOp.
  OpId join(std::span<const OpId> ops);
  void add_background(Stream stream) { schedule_.background.push_back(stream); }

  std::uint32_t op_count() const { return static_cast<std::uint32_t>(schedule_.ops.size()); }
  std::uint32_t job_index() const { return static_cast<std::uint32_t>(schedule_.jobs.size() - 1); }

  /// Largest number of ops of a schedule: ids have 32 bits, and memory is limited.
  static constexpr std::uint32_t kOpsMax = 200'000'000;

  /// Returns the message about ops in a cycle: each op waits for the previous one, and the first op
  /// waits for the last. If the text is empty, finish() uses its own message.
  using CycleText = std::function<std::string(std::span<const OpId>)>;

  /// Fails with kBadInput on a cycle of dependencies. The message is that of `text_of`, or names
  /// the job and an op by its position in the job. The builder is empty after success.
  Result<Schedule> finish(const CycleText& text_of = {});

 private:
  struct Edge {
    OpId before;
    OpId after;
  };
  OpId add(double amount, std::uint32_t connection);
  Status check_acyclic(const CycleText& text_of) const;
  std::vector<OpId> cycle_among(std::span<const std::uint32_t> waiting) const;

  Schedule schedule_;
  std::vector<Edge> edges_;
};

}  // namespace weft::jobs
