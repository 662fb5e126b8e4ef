// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// VLArbitrationTableRecord: the blocks of the VL arbitration tables of each port.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.
#pragma once

namespace weft::sa {

struct Attribute;

extern const Attribute kVlArbRecordAttribute;

}  // namespace weft::sa
