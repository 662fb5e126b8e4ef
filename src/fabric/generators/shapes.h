// The shapes that generators draw, one function each; the table in spec.cpp names them.
#pragma once

#include "fabric/generators/parameters.h"

namespace weft {

// Fat trees as extended generalised fat trees (Öhring et al., 1995): trees.cpp
Result<Drawing> draw_xgft(const Parameters& parameters);
Result<Drawing> draw_fattree2(const Parameters& parameters);
Result<Drawing> draw_fattree3(const Parameters& parameters);

// Grids: grids.cpp
Result<Drawing> draw_torus(const Parameters& parameters);
Result<Drawing> draw_mesh(const Parameters& parameters);
Result<Drawing> draw_ring(const Parameters& parameters);
Result<Drawing> draw_hypercube(const Parameters& parameters);
Result<Drawing> draw_hyperx(const Parameters& parameters);

// Groups: dragonflies.cpp
Result<Drawing> draw_dragonfly(const Parameters& parameters);
Result<Drawing> draw_dragonfly_plus(const Parameters& parameters);

// Algebra and chance: graphs.cpp
Result<Drawing> draw_full(const Parameters& parameters);
Result<Drawing> draw_kautz(const Parameters& parameters);
Result<Drawing> draw_slimfly(const Parameters& parameters);
Result<Drawing> draw_random(const Parameters& parameters);

/// hosts=N hosts on each switch, named after a running number.
void add_hosts(Drawing& drawing, unsigned per_switch);

}  // namespace weft
