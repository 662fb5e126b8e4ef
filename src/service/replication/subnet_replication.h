// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Exchange of state between a subnet manager and replication (docs/reference/replication.md), on
// the manager's thread. A master posts its LIDs, keys, cables, node weights, AR group numbers and
// registered ports, and the registrations of the subnet administration. A standby stores the files
// of the master. A standby that takes over uses the registrations of the previous master.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sa/registrations.h"
#include "service/replication/replication.h"
#include "sm/subnet_manager.h"

namespace weft::replication {

struct FiledPart;

class SubnetReplication {
 public:
  using Copy = Replication::Copy;

  /// `replication` must outlive this object and have loaded the copy of an earlier run.
  /// `cache_dir`: folder of persistent files; empty: no files are stored.
  SubnetReplication(Replication& replication, std::string cache_dir);
  SubnetReplication(const SubnetReplication&) = delete;
  SubnetReplication& operator=(const SubnetReplication&) = delete;

  // Set all functions before step().
  /// Passes the registrations of the previous master to the subnet administration, which uses them
  /// from its next view on; null: no registrations.
  std::function<void(std::shared_ptr<const sa::Saved>)> inherit;
  /// Called when a term of this manager begins; the function must post the parts that this class
  /// does not post.
  std::function<void()> on_term_begun;
  /// Called when a standby has a new complete copy of its master.
  std::function<void(SubnetManager&, const Copy&)> on_copy;
  /// Called when a takeover uses the copy.
  std::function<void()> on_take_over;
  /// Returns a unique identifier for a term, also after a restart of the manager.
  std::function<std::string()> new_epoch;

  /// Call after each step of the manager, before the step of the subnet administration.
  void step(SubnetManager& sm);
  /// Whether this manager is master and its term has begun.
  bool has_term() const { return has_term_; }
  /// Number of takeovers after which clients need not register again.
  std::uint64_t complete_takeovers() const { return complete_takeovers_; }
  /// Posts the registrations of the subnet administration.
  void post(sa::Registrations all);

 private:
  void change_state(SubnetManager& sm, SmState before);
  void take_over(SubnetManager& sm);
  void begin_term(const SubnetManager& sm);
  void post_subnet(const SubnetManager& sm);
  void keep_files(SubnetManager& sm, const Copy& copy);
  void query_polled_manager(SubnetManager& sm, std::optional<Replication::Time> lost);
  bool keep_file(const Copy& copy, const FiledPart& filed);
  bool may_succeed(Guid standby);
  bool has_state(Guid standby, Replication::Time met) const;
  void watch_successors(SubnetManager& sm);
  void query_new_standbys(SubnetManager& sm);

  Replication& replication_;
  const std::string cache_dir_;
  SmState state_ = SmState::kDiscovering;
  bool has_term_ = false;
  bool has_set_check_ = false;  // the successor check of the manager is set
  std::uint64_t complete_takeovers_ = 0;
  std::uint64_t posted_sweeps_ = 0;
  std::uint64_t kept_version_ = 0;
  std::array<std::string, kParts> kept_;  // checksums of the stored files
  std::optional<Replication::Time>
      queried_for_;  // time of the loss of the connection for which the master is queried
  Replication::Time next_query_{};
  unsigned queries_left_ = 0;
  struct Successor {
    Replication::Time met{};
    bool accepted = false;
  };
  std::map<Guid, Successor> successors_;  // standbys of higher rank than this master
  struct UnknownStandby {
    Replication::Time next{};  // time of the next query
    std::chrono::milliseconds pause{};
  };
  /// Managers that copy the state, but are not STANDBY in the list of managers.
  std::map<Guid, UnknownStandby> unknown_standbys_;
  Replication::Time next_search_{};
};

}  // namespace weft::replication
