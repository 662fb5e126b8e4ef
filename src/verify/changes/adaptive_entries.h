// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the differences between two sets of adaptive routes of one subnet: the choices of a switch
// for a LID.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/table_changes.h"

namespace weft {

/// The entries, sorted, of LIDs with an owner that have other choices, or a choice that lost or
/// received a channel. None if there are more than `most` entries, or if a table ends before the
/// highest LID of the fabric. Both routes must be adaptive.
std::optional<std::vector<ChangedEntry>> changed_choices(const Fabric& fabric, const Routes& before,
                                                         const Routes& now,
                                                         const ChannelMatch& channels,
                                                         std::size_t most, unsigned threads);

}  // namespace weft
