// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies only the changes of adaptive routes. A packet may take every choice at each switch. If
// choices are only removed, packets arrive by the other choices as before; if choices are added, no
// packet may return to the switch. Dependencies differ at switches with other choices, at switches
// that send to such switches, and where packets of CAs begin or cease to pass.
#pragma once

#include <optional>

#include "verify/changes/proof_stages.h"

namespace weft {

/// Whether prove_adaptive_changes() may be called: all packets are on the VLs of one SL, and every
/// link has these VLs.
bool applies_to_adaptive(const Routes& routes, const Common& common);

/// Proves the changes since routes with a complete verdict. None if some packets may not arrive, or
/// if too much has changed.
std::optional<ProvedChanges> prove_adaptive_changes(const ProvedRoutes& before,
                                                    const Fabric& fabric, const Routes& routes,
                                                    const Common& common,
                                                    const ChannelMatch& channels,
                                                    const VerifyOptions& options);

}  // namespace weft
