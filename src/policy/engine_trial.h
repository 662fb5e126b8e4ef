// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trial of one engine. Each candidate of "auto" and each row of `weft check` is such a trial.
// Routes that do not pass the verifier are rejected.
#pragma once

#include <span>
#include <string_view>

#include "congestion/quality/quality.h"
#include "policy/automatic.h"
#include "policy/route_chain.h"

namespace weft {

struct EngineTrial {
  ChainResult chain;  // its status has the reason if the engine failed
  Quality quality;    // valid if the engine succeeded
  Trial trial;
};
/// Computes, verifies and measures the routes of one engine. `measured`: earlier trials with the
/// same fabric, options and objective; figures are copied from a trial with equal tables, SLs and
/// SL2VL.
EngineTrial try_alone(const Fabric& fabric, std::string_view engine, const RoutingOptions& options,
                      Objective objective, EngineFinder find = &find_engine,
                      const ChainVerification& verification = {},
                      std::span<const EngineTrial> measured = {});

}  // namespace weft
