// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Specs of small fabrics from most generators, for property tests.
#pragma once

#include <array>
#include <span>

namespace weft {

/// Each fabric has 2 to 50 switches.
inline constexpr std::array kSmallSpecs{
    "fattree2:k=4",
    "fattree2:k=6,hosts=2,trunks=1",
    "fattree2:k=8,trunks=2",
    "fattree3:k=4",
    "fattree3:k=4,pods=3,fail=2,seed=3",
    "xgft:m=2x3x2,w=1x2x2",
    "torus:4x4,hosts=2",
    "torus:3x3x3",
    "torus:2x5,hosts=1,fail=2,seed=1",
    "mesh:3x4,hosts=2",
    "ring:n=6,hosts=2",
    "ring:n=2,hosts=2",
    "hypercube:n=4",
    "hyperx:3x4,hosts=2",
    "dragonfly:a=4,h=1,p=2",
    "dragonfly:a=2,h=2,p=2,g=4",
    "dragonflyplus:leaves=2,spines=2,h=2,hosts=2",
    "slimfly:q=5",
    "kautz:b=2,n=2",
    "full:n=5,hosts=2",
    "random:n=16,degree=4,hosts=2,seed=1",
    "random:n=32,degree=3,seed=7,dead=2,fail=2",
};

}  // namespace weft
