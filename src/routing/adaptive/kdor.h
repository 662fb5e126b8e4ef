// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Dimension order with adaptive selection among the dimensions of a block (dimension_blocks.h), on
// at most three virtual lanes: kdor-hc on hypercubes, meshes and tori, kdor-ghc on generalized
// hypercubes (HyperX). The topology is detected from the links. If this results in larger groups,
// if a link or switch is missing, on other fabrics, with too few lanes or SLs for rings, with rings
// and a switch without hosts, and with a LID matrix or hop weights, groups contain all shortest
// paths that fit on three lanes. A switch with private tables may then have other groups for each
// lane. If three lanes do not suffice, more lanes are used, and if the lanes of the fabric do not
// suffice, up*/down* paths.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/adaptive/ar_minhop.h"

namespace weft {

inline constexpr unsigned kKdorLanes = 3;

/// Both functions fail as route_ar_minhop() does, with a LID matrix only.
Result<Routes> route_kdor_hc(const Fabric& fabric, const ArMinhopOptions& options);
Result<Routes> route_kdor_ghc(const Fabric& fabric, const ArMinhopOptions& options);

}  // namespace weft
