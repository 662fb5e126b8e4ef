// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of a partition by clients of UFM's interface, whether or not the partition and its
// members exist. Each change is a sequence of edits of partition_edit.h.
#pragma once

#include "sm/partitions/partition_edit.h"

namespace weft {

/// Additional parameters of a kMembers change.
struct PartitionUpdate {
  bool creates = false;        // create the partition if missing, with name and ipoib of the change
  bool must_be_new = false;    // fail if the partition exists
  bool replaces = false;       // `set` of the change has all members; remove the others
  bool deletes_empty = false;  // delete the partition after the removal of its last member, if it
                               // has no multicast groups other than the broadcast group
  PartitionChange::Flags flags{};
};

/// Returns the changed content of the file. Ignores ports to remove that are not members, and
/// removals from a missing partition. Fails as edit_partitions() does. Also fails with kBadInput if
/// the partition exists and must be new, or if all members are to be replaced and the partition has
/// members by keyword or port group.
Result<EditedPartitions> update_partitions(const std::optional<std::string>& text,
                                           const std::string& path, const PartitionChange& change,
                                           const PartitionUpdate& update,
                                           const IncludesPort& includes_port);

}  // namespace weft
