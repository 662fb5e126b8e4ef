// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The processes that share a computation: one in `weft`, the ranks of an MPI job in `weft-mpi`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace weft::cli {

class Team {
 public:
  virtual ~Team() = default;
  virtual unsigned rank() const { return 0; }
  virtual unsigned size() const { return 1; }
  bool is_leader() const { return rank() == 0; }

  /// Copies the leader's bytes to all ranks.
  virtual void broadcast(std::vector<std::byte>&) {}

  /// Computes the items in [begin, end) and returns their encoded result for the leader.
  using Work = std::function<std::vector<std::byte>(std::uint64_t begin, std::uint64_t end)>;
  /// Receives results at the leader, in any order. Returning false ends the computation.
  using Collect = std::function<bool(std::span<const std::byte> result)>;

  /// Distributes the items 0 to n-1 over the ranks. The ranks of an MPI job compute their items in
  /// pieces so small that a stop discards little work; the team of one process computes all items
  /// in one piece. Returns false if `stop` is set; at the leader also if a collect() returned
  /// false.
  virtual bool share(std::uint64_t n, const Work& work, const Collect& collect,
                     const std::atomic<bool>& stop);

  /// Call it after an incomplete share(): at the end of the program, an MPI process then exits with
  /// EXIT_FAILURE and does not wait for other ranks, which may have ended already.
  virtual void abandon() {}
};

/// The team of this process.
Team& team();
/// Sets the team; call before any subcommand runs.
void set_team(Team& team);

}  // namespace weft::cli
