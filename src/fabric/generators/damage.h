// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The damage that a spec requests: dead=N switches and fail=N cables between switches, selected at
// random by the seed.
#pragma once

#include "fabric/generators/drawing.h"
#include "fabric/generators/parameters.h"

namespace weft {

/// Removes switches first, then cables between the remaining switches; each time the first switch
/// or cable that is allowed, in a random order that the seed determines. With connected=1, a
/// removal is allowed only if the remaining switches that were connected (all of them, not only
/// those with hosts) stay connected, and as many can be removed as connectivity permits. At least
/// one switch remains. Fails with kUsage if the spec requests more. Cost: O(switches + cables) for
/// each dead switch, and once for all failed cables.
Status damage(Drawing& drawing, const Parameters& parameters);

}  // namespace weft
