// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about planarized devices that no source confirms. A correction for a real device
// changes this file only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::planes_unconfirmed {

// HierarchyInfo. The headers number the selectors of a template, but do not state the level of each
// selector. Assumed: level n of block b has the selector with number kLevels * b + n, so that block
// 0 has all selectors that planes need.

constexpr std::size_t kLevels = 13;
constexpr std::size_t block_of_selector(std::size_t selector) { return selector / kLevels; }
constexpr std::size_t level_of_selector(std::size_t selector) { return selector % kLevels; }

/// The number of a template is its GUID.
constexpr std::uint64_t template_number(std::uint64_t template_guid) { return template_guid; }

// If port 0 of a switch announces HierarchyInfo, all ports of the switch support it.

// EndPortPlaneFilter: element n is the LID of the CA's own port in plane n + 1; 0: the CA has no
// port in that plane.

// A device for SMPs only (smi1) has the plane ports with the numbers that the CA reports in
// NodeInfo, so that the first hop of a directed path is the number of a umad port
// (transport/umad_port.h).

// Fabric-management (FNM) ports. The headers state that the two FNM ports of each ASIC make a ring
// of the ASICs of a system, and do not state how a manager uses the links. Assumed: an FNM link
// carries directed-route SMPs in INIT, so the manager does not arm or activate it, and sends no
// data over it.

// The switch nodes of a system are its ASICs: they have the same system image GUID.

// A link between switches is an FNM link if ExtendedPortInfo of one of its ports has an FNM bit; a
// port of a CA is never such a port.

// Each port of a planarized CA has a LID of its own, as the specification requires of any port. It
// is not known whether firmware reports the same port GUID for all ports of an APort. (The library
// libibumad of rdma-core treats local ports with the same port GUID as parts of a planarized port.)
// Both are supported: ports of one CA may have the same port GUID if they announce HierarchyInfo.
constexpr bool may_share_guid(bool announces_hierarchy) { return announces_hierarchy; }

}  // namespace weft::planes_unconfirmed
