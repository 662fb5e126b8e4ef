// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ranks of a job while its schedule is built: their places, the connections between them, and the
// ops that must end before the next ops of a rank start.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "jobs/job.h"
#include "jobs/placement.h"
#include "jobs/schedule.h"

namespace weft::jobs {

/// The ops that the next op of a rank waits for, for instance its last send and its last receive.
using Front = std::array<OpId, 2>;
inline constexpr Front kNoFront{kNoOp, kNoOp};

/// Ranks of a job, in the order of a collective.
using Group = std::vector<std::uint32_t>;

class Ranks {
 public:
  Ranks(ScheduleBuilder& builder, const JobSpec& job, const Servers& servers,
        std::vector<RankPlace> places);

  ScheduleBuilder& builder() { return builder_; }
  const JobSpec& job() const { return job_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(places_.size()); }
  std::uint32_t server(std::uint32_t rank) const { return places_[rank].server; }
  const RankPlace& place(std::uint32_t rank) const { return places_[rank]; }

  /// Makes a new connection between the hosts of two ranks, or inside their server. With `pxn`, a
  /// message to another rail is sent from the host on the rail of the destination in the server of
  /// `from`.
  std::uint32_t connect(std::uint32_t from, std::uint32_t to);
  /// Makes a new connection between the hosts of both servers on one rail (modulo the number of
  /// rails), or inside the server of both ranks.
  std::uint32_t connect_on_rail(std::uint32_t from, std::uint32_t to, std::uint32_t rail);
  /// Returns the connection that an earlier call made for the same pair, or makes it by connect().
  std::uint32_t connection(std::uint32_t from, std::uint32_t to);

  /// Makes a connection that represents a new processor of a rank. A message of n bytes on this
  /// connection is a computation of n picoseconds.
  std::uint32_t processor(std::uint32_t rank);

  /// Adds a message that starts when the fronts of both ranks have ended.
  OpId send(std::uint32_t connection, double bytes, const Front& from, const Front& to);

  /// Whether all ranks of the group are in one server.
  bool is_local(std::span<const std::uint32_t> group) const;

 private:
  std::uint32_t host_on_rail(std::uint32_t server, std::uint32_t rail) const;
  Connection inner(std::uint32_t from, std::uint32_t to) const;

  ScheduleBuilder& builder_;
  const JobSpec& job_;
  const Servers& servers_;
  std::vector<RankPlace> places_;
  std::uint32_t first_inner_ = kNoChannel;  // two channels for each rank: out, in
  std::unordered_map<std::uint64_t, std::uint32_t> connections_;
};

}  // namespace weft::jobs
