// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes that need no discovery: members of multicast groups and alias GUIDs requested by clients,
// and names, capabilities, virtual ports and planes that changed. The changes are collected for a
// short time, because many ports join at once when a job starts, and then applied by one update.
// After an update there is a pause of twice its duration, so that clients that join and leave
// without end do not prevent other work of the manager.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "policy/routing_inputs.h"
#include "sm/discovery/local_changes.h"
#include "sm/group_changes.h"
#include "sm/lids/alias_guids.h"

namespace weft {

class Updates {
 public:
  /// Sets members of multicast LIDs, in addition to those in the options.
  void set_groups(std::vector<FiledGroup> groups, TimeNs now) {
    groups_ = std::move(groups);
    request(now);
  }
  void change_groups(GroupChanges changes, TimeNs now) {
    std::move(changes).apply_to(groups_);
    request(now);
  }
  void set_aliases(AliasGuids aliases, TimeNs now) {
    aliases_ = std::move(aliases);
    request(now);
  }
  /// Requests that the name of a node is read. `at`: the time of the update, unless other requests
  /// cause an earlier update; 0: soon.
  void request_name(Guid node, TimeNs now, TimeNs at) {
    local_changes_.names.insert(node);
    request(now, at);
  }
  /// Requests that the capability mask of a port is read, as request_name() does.
  void request_capabilities(Guid port, TimeNs now, TimeNs at) {
    local_changes_.capabilities.insert(port);
    request(now, at);
  }

  /// Requests that the vports of a port are read. `details`: attributes other than their states
  /// changed.
  void request_vports(Guid port, bool details, TimeNs now, TimeNs at) {
    bool& all = local_changes_.vports[port];
    all = all || details;
    request(now, at);
  }

  /// Requests that HierarchyInfo of a node is read again.
  void request_hierarchy(Guid node, TimeNs now, TimeNs at) {
    local_changes_.hierarchy.insert(node);
    request(now, at);
  }

  /// Requests an update after kSettle; each further request restarts this time, at most until
  /// kSettleMax after the first request.
  void request(TimeNs now) {
    if (due_at_ == TimeNs::max()) since_ = now;
    due_at_ = std::min(now + kSettle, since_ + kSettleMax);
  }
  void request(TimeNs now, TimeNs at) {
    if (at <= now) return request(now);
    if (!is_pending()) since_ = at;
    due_at_ = std::min(due_at_, at);
  }
  /// The time of the next update; TimeNs::max() if none is pending.
  TimeNs due_at() const { return is_pending() ? std::max(due_at_, pause_ends_) : due_at_; }
  bool is_pending() const { return due_at_ != TimeNs::max(); }
  /// To be called when an update begins, or when a sweep computes trees for the current groups.
  void begin() { due_at_ = TimeNs::max(); }
  /// To be called when an update ended after `duration`.
  void pause_after(TimeNs duration, TimeNs now) { pause_ends_ = now + kPauses * duration; }

  const std::vector<FiledGroup>& groups() const { return groups_; }
  const AliasGuids& aliases() const { return aliases_; }
  void add(const LocalChanges& changes, TimeNs now) {
    for (const Guid node : changes.names) request_name(node, now, TimeNs{0});
    for (const Guid port : changes.capabilities) request_capabilities(port, now, TimeNs{0});
    for (const auto& [port, details] : changes.vports)
      request_vports(port, details, now, TimeNs{0});
    for (const Guid node : changes.hierarchy) request_hierarchy(node, now, TimeNs{0});
  }

  const LocalChanges& local_changes() const { return local_changes_; }
  /// To be called when the changes are read now, or when a discovery begins, which reads them.
  LocalChanges take_local_changes() { return std::exchange(local_changes_, {}); }
  std::string reason() const {
    return local_changes_.empty() ? "requests of clients" : "local changes of nodes";
  }

 private:
  static constexpr TimeNs kSettle = std::chrono::milliseconds(50);
  static constexpr TimeNs kSettleMax = std::chrono::milliseconds(500);
  static constexpr int kPauses = 2;  // pause, in durations of the previous update

  std::vector<FiledGroup> groups_;
  AliasGuids aliases_;
  LocalChanges local_changes_;
  TimeNs due_at_ = TimeNs::max();
  TimeNs since_{0};       // time of the first pending request
  TimeNs pause_ends_{0};  // end of the pause after the last update
};

}  // namespace weft
