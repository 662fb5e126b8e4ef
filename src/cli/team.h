// The processes that share one job: a single one in `weft`, the ranks of an MPI job in `weft-mpi`.
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
  bool leads() const { return rank() == 0; }

  /// All get what the leader has.
  virtual void broadcast(std::vector<std::byte>&) {}

  /// Items in [begin, end) done; what came of them, to be handed to the leader.
  using Work = std::function<std::vector<std::byte>(std::uint64_t begin, std::uint64_t end)>;
  /// At the leader, in any order. False ends the job.
  using Collect = std::function<bool(std::span<const std::byte> result)>;

  /// Shares the items 0 to n-1, in pieces small enough that little is lost when the job is stopped.
  /// False, at the leader, where not everybody came to the end.
  virtual bool share(std::uint64_t n, const Work& work, const Collect& collect,
                     const std::atomic<bool>& stop);

  /// Leaves the job after a share() that did not come to its end; others may be gone already.
  virtual void abandon() {}
};

/// The one of this process.
Team& team();
/// To be called before anything is run.
void set_team(Team& team);

}  // namespace weft::cli
