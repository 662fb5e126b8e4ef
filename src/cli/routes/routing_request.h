// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing options of a command line with the files that they name, read once and applied to any
// number of fabrics.
#pragma once

#include "cli/routes/routing_arguments.h"
#include "policy/route_chain.h"
#include "policy/routing_inputs.h"
#include "service/config/settings.h"

namespace weft::cli {

struct RoutingRequest {
  Settings settings;
  EngineChoice choice;
  RoutingInputs inputs;
};

/// Default settings of commands that route offline, shown in their help.
Settings offline_defaults();

/// Replaces `verify` of `settings` by the default of offline commands, applies the options, and
/// reads the files that they name. Offline commands program no switches: they report routes that
/// fail verification, and reject them only with --verify=enforce.
Result<RoutingRequest> read_request(const Assignments& assignments,
                                    std::vector<std::string>& warnings, Settings settings = {});

/// Reads the fabric. Assigns LIDs to endports without a valid range: 2^lmc LIDs to a CA or router
/// port, one LID to port 0 of a switch. A range is valid only if it has that size.
Result<Fabric> load_with_lids(const FabricArgument& argument, const RoutingRequest& request);

/// Routes a fabric with LIDs. Adds a warning for each GUID in the files that is not in the fabric.
ChainResult route(const RoutingRequest& request, const Fabric& fabric,
                  std::vector<std::string>& warnings, EngineFinder find = &find_engine);

/// Like route(), on one thread and without warnings. Of `before` only the engine is used: this
/// engine keeps entries of `previous_lfts` where possible. Always verifies, regardless of --verify:
/// the verdict counts the lost pairs.
ChainResult reroute(const RoutingRequest& request, const Fabric& fabric, const Routes& before,
                    Lfts previous_lfts, EngineFinder find = &find_engine);

}  // namespace weft::cli
