// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of the multicast groups that clients requested, as the subnet administration passes them
// to the manager.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "policy/group_file.h"

namespace weft {

struct GroupChanges {
  bool all = false;                // these are all groups; else those that changed
  std::vector<FiledGroup> groups;  // without ports: the multicast LID is no longer in use

  bool empty() const { return !all && groups.empty(); }
  /// Adds later changes.
  void add(GroupChanges later) {
    if (later.all) {
      *this = std::move(later);
    } else {
      std::ranges::move(later.groups, std::back_inserter(groups));
    }
  }
  /// Applies the changes to groups in order of LID.
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
