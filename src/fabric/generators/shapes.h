// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The topologies that generators create, one function each. The table in spec.cpp has their names
// and parameters, docs/reference/generators.md their ports.
#pragma once

#include "fabric/generators/drawing.h"
#include "fabric/generators/parameters.h"

namespace weft {

// Trees.
Result<Drawing> draw_fattree2(const Parameters& parameters);
Result<Drawing> draw_fattree3(const Parameters& parameters);
Result<Drawing> draw_xgft(const Parameters& parameters);

// Rails: hosts with several adapters.
Result<Drawing> draw_rail(const Parameters& parameters);
Result<Drawing> draw_rail_only(const Parameters& parameters);
Result<Drawing> draw_multiplane(const Parameters& parameters);
Result<Drawing> draw_superpod_h100(const Parameters& parameters);
Result<Drawing> draw_superpod_b200(const Parameters& parameters);
Result<Drawing> draw_superpod_b300(const Parameters& parameters);
Result<Drawing> draw_superpod_b300_xdr(const Parameters& parameters);

// Grids and similar topologies.
Result<Drawing> draw_torus(const Parameters& parameters);
Result<Drawing> draw_mesh(const Parameters& parameters);
Result<Drawing> draw_ring(const Parameters& parameters);
Result<Drawing> draw_line(const Parameters& parameters);
Result<Drawing> draw_hypercube(const Parameters& parameters);
Result<Drawing> draw_hyperx(const Parameters& parameters);
Result<Drawing> draw_hammingmesh(const Parameters& parameters);

// Groups.
Result<Drawing> draw_dragonfly(const Parameters& parameters);
Result<Drawing> draw_dragonfly_plus(const Parameters& parameters);

// Algebraic, random and complete graphs.
Result<Drawing> draw_slimfly(const Parameters& parameters);
Result<Drawing> draw_polarfly(const Parameters& parameters);
Result<Drawing> draw_kautz(const Parameters& parameters);
Result<Drawing> draw_random(const Parameters& parameters);
Result<Drawing> draw_jellyfish(const Parameters& parameters);
Result<Drawing> draw_full(const Parameters& parameters);

}  // namespace weft
