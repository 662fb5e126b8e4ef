// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Decides whether the weights of a trial replace the weights of the active routes, and restores the
// weights of earlier runs.
#pragma once

#include "sm/load/load_trial.h"

namespace weft {

struct SmContext;

/// To be called before routes are computed. With load-aware routing, restores the node weights of
/// the last change of routes, from the file guid2weight if the change was in an earlier run.
/// Without load-aware routing, removes all weights.
void recall_weights(SmContext& sm);

/// Discards the trial if the active routes changed meanwhile; otherwise counts and logs it. If the
/// gain reaches the threshold, routing uses the weights of the trial from then on. In this case a
/// heavy sweep is requested, which computes, verifies and programs the routes, and the function
/// returns true.
bool decide(SmContext& sm, const LoadTrial& trial, LoadAwareCounts& counts);

}  // namespace weft
