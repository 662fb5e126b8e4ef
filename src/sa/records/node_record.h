// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NodeRecord: one record for each endport, with the NodeInfo of its node; on a request for the GUID
// of a virtual port, the record of this port.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.
#pragma once

namespace weft::sa {

struct Attribute;

extern const Attribute kNodeRecordAttribute;

}  // namespace weft::sa
