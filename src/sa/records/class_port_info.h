// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ClassPortInfo: the capabilities of the subnet administration.
// Source: InfiniBand Architecture Specification, volume 1, chapter 13.4.8.1.
#pragma once

namespace weft::sa {

struct Attribute;

extern const Attribute kClassPortInfoAttribute;

}  // namespace weft::sa
