// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of the multicast groups that clients requested, passed from the SA to the manager.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "policy/group_file.h"

namespace weft {

struct GroupChanges {
  bool all = false;                // true: `groups` has all groups; false: only changed groups
  std::vector<FiledGroup> groups;  // a group without ports: its MLID is no longer in use

  bool empty() const { return !all && groups.empty(); }
  /// Adds later changes.
  void add(GroupChanges later) {
    if (later.all) {
      *this = std::move(later);
    } else {
      std::ranges::move(later.groups, std::back_inserter(groups));
    }
  }
  /// Applies the changes to `held`, which is sorted by MLID.
  void apply_to(std::vector<FiledGroup>& held) && {
    if (all) held.clear();
    for (FiledGroup& group : groups) {
      const auto at = std::ranges::lower_bound(held, group.mlid, {}, &FiledGroup::mlid);
      const bool is_held = at != held.end() && at->mlid == group.mlid;
      if (group.members.empty() && group.senders.empty()) {
        if (is_held) held.erase(at);
      } else if (is_held) {
        *at = std::move(group);
      } else {
        held.insert(at, std::move(group));
      }
    }
  }
};

}  // namespace weft
