// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// LIDs that no endport of the fabric has, and that share the path of an endport's LID: the LIDs of
// virtual ports. At every switch, the entries of such a LID are copies of the entries of the
// endport's LID, so the proof for the endport's LID also applies to the copy.
#pragma once

#include <compare>
#include <span>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "routes/routes.h"

namespace weft {

struct LidCopy {
  Lid lid;
  Lid of;  // the LID of the endport
  auto operator<=>(const LidCopy&) const = default;
};

/// Removes the entries of LIDs that no endport has, extends the tables if a LID exceeds them, and
/// copies the entries of all forwarding tables, with the group numbers of leaves. `copies`: sorted;
/// no LID of an endport, and `of` is a LID of an endport.
void copy_lids(const Fabric& fabric, std::span<const LidCopy> copies, Routes& routes);

}  // namespace weft
