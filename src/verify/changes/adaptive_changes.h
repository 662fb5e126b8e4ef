// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The changes of adaptive routes, verified alone. A packet may take every choice at each switch:
// where choices are lost only, the others arrive as before; where there are more, no packet returns
// to the switch. Dependencies differ at switches with other choices, at those that send to them,
// and where packets of CAs begin or cease to pass.
#pragma once

#include <optional>

#include "verify/changes/proof_stages.h"

namespace weft {

/// Whether prove_adaptive_changes() may be called: all packets are on the lanes of one SL, which
/// every link has.
bool applies_to_adaptive(const Routes& routes, const Common& common);

/// From routes with a complete verdict. Nothing if that is not enough: if some packets may not
/// arrive, or if much has changed.
std::optional<ProvedChanges> prove_adaptive_changes(const ProvedRoutes& before,
                                                    const Fabric& fabric, const Routes& routes,
                                                    const Common& common,
                                                    const ChannelMatch& channels,
                                                    const VerifyOptions& options);

}  // namespace weft
