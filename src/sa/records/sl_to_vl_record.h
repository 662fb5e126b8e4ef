// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SLtoVLMappingTableRecord: the programmed SL2VL table of each pair of ports of a switch, and of
// each endport of the other nodes.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.
#pragma once

namespace weft::sa {

struct Attribute;

extern const Attribute kSlToVlRecordAttribute;

}  // namespace weft::sa
