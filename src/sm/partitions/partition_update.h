// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of a partition as clients of UFM's interface request them: they do not know whether the
// partition or its members exist. Each is a sequence of edits of partition_edit.h.
#pragma once

#include "sm/partitions/partition_edit.h"

namespace weft {

/// Completes a change of kMembers.
struct PartitionUpdate {
  bool creates = false;        // a missing partition, with the name and ipoib of the change
  bool must_be_new = false;    // fails if the partition exists
  bool replaces = false;       // `set` of the change has all members
  bool deletes_empty = false;  // delete the partition after the removal of its last member
  PartitionChange::Flags flags{};
};

/// Ports to remove that are no members are ignored, and so is the removal from a missing partition.
/// Fails as edit_partitions() does, and with kBadInput if the partition exists and must be new, or
/// if a keyword or port group among the members cannot be replaced.
Result<EditedPartitions> update_partitions(const std::optional<std::string>& text,
                                           const std::string& path, const PartitionChange& change,
                                           const PartitionUpdate& update, const MeansPort& means);

}  // namespace weft
