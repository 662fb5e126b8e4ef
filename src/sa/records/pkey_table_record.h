// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// P_KeyTableRecord: the blocks of the P_Key table of each port.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.
#pragma once

namespace weft::sa {

struct Attribute;

extern const Attribute kPkeyTableRecordAttribute;

}  // namespace weft::sa
