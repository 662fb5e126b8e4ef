// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether the routes of a trial replace the active ones.
#pragma once

#include "sm/load/load_trial.h"

namespace weft {

struct SmContext;

/// Before routes are computed: with load-aware routing, the weights of its last change, also of an
/// earlier run (file guid2weight); otherwise none.
void recall_weights(SmContext& sm);

/// Counts and logs the trial; drops it if the active routes changed meanwhile. If its gain reaches
/// the threshold, its weights become those of the routing, and a heavy sweep is requested, which
/// computes, verifies and programs the routes like any others; returns true in this case.
bool decide(SmContext& sm, const LoadTrial& trial, LoadAwareCounts& counts);

}  // namespace weft
