// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GUIDInfoRecord: the GUIDs of each port, eight in a block. Index 0 is the port's own GUID. The
// GUIDs at other indexes are aliases; the component mask of a request selects the aliases that it
// sets or deletes.
// Source: InfiniBand Architecture Specification, volume 1, chapters 14.2.5.5 and 15.2.5.18.
#pragma once

namespace weft::sa {

struct Attribute;

extern const Attribute kGuidInfoRecordAttribute;

}  // namespace weft::sa
