// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether the routes of a trial replace the active ones.
#pragma once

#include "sm/load/load_trial.h"

namespace weft {

struct SmContext;

/// To be called before routes are computed: with load-aware routing, restores the weights of its
/// last change, which may be from an earlier run (file guid2weight); otherwise removes all weights.
void recall_weights(SmContext& sm);

/// Discards the trial if the active routes changed meanwhile; otherwise counts and logs it. If its
/// gain reaches the threshold, its weights become the weights of the routing, and a heavy sweep is
/// requested, which computes, verifies and programs the routes like any other routes. Returns true
/// in this case.
bool decide(SmContext& sm, const LoadTrial& trial, LoadAwareCounts& counts);

}  // namespace weft
