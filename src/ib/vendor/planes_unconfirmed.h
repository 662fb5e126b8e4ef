// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about planarized devices that no source confirms. A correction for a real device
// changes this file only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::planes_unconfirmed {

// HierarchyInfo. The headers number the selectors of a template; how it packs them into levels they
// leave open. Assumed: level n of block b has the selector with number kLevels * b + n, so that
// block 0 holds all that planes need.

constexpr std::size_t level_of_selector(std::size_t selector) { return selector; }

/// The template's number is its GUID.
constexpr std::uint64_t template_number(std::uint64_t template_guid) { return template_guid; }

// A port 0 with HierarchyInfo announces it for all ports of its switch.

// EndPortPlaneFilter: element n is the LID of the CA's own port in plane n + 1; 0: the CA has none.

// Each port of a planarized CA has a LID and a port GUID of its own, as the specification requires
// of any port. Whether firmware reports one GUID for the APort is open.

}  // namespace weft::planes_unconfirmed
