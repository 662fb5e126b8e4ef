// The damage that a spec asks for: dead=N switches and fail=N cables between switches, drawn by
// seed.
#pragma once

#include "fabric/generators/drawing.h"
#include "fabric/generators/parameters.h"

namespace weft {

/// Takes switches away first, then cables between those that are left; each victim is the
/// first allowed in an order drawn by seed. With connected=1 a victim is allowed only if what is
/// left stays in one piece (every switch, not only those with hosts), and as many can be taken as
/// connectivity permits at all. Fails with kUsage when the spec asks for more. Cost: O(switches +
/// cables) for each dead switch, and once for all failed cables.
Status damage(Drawing& drawing, const Parameters& parameters);

}  // namespace weft
