// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MCMemberRecord: queries, joining and leaving of multicast groups; and PathRecords to groups. The
// checks, their order and their statuses are OpenSM's (docs/reference/sa.md).
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.17.
#pragma once

#include "sa/query.h"

namespace weft::sa {

struct Attribute;
struct State;

extern const Attribute kMcMemberRecordAttribute;

/// Adds to the answer the PathRecord to the group with the MGID `wanted.dgid`, from a member of the
/// group or from an unspecified source. Adds nothing if the group does not exist or does not match
/// the request. Returns the status, which is always good.
std::uint16_t multicast_path(const State& state, const SaQuery& query, const PathRecord& wanted,
                             SaAnswer& answer);

}  // namespace weft::sa
