// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MultiPathRecord: paths from several source ports to several destination ports in one query.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.20.
#pragma once

namespace weft::sa {

struct Attribute;

extern const Attribute kMultiPathRecordAttribute;

}  // namespace weft::sa
