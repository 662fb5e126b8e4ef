// What a command line wants routed and how: OpenSM's routing options, read once, applied to one
// fabric after another.
#pragma once

#include "cli/routing_arguments.h"
#include "service/settings.h"
#include "sm/route_chain.h"
#include "sm/routing_inputs.h"

namespace weft::cli {

struct RoutingRequest {
  Settings settings;
  EngineChoice choice;
  RoutingInputs inputs;
};

/// The defaults of commands that route offline, for their help.
Settings offline_defaults();

/// Reads the options, over `settings`, and the files that they name; warnings go to `warnings`.
/// Routes that fail the judge are shown rather than refused, unless --verify=enforce is asked for:
/// offline nothing is programmed.
Result<RoutingRequest> read_request(const Assignments& assignments,
                                    std::vector<std::string>& warnings, Settings settings = {});

/// The fabric of the argument with LIDs, 2^lmc for each endport.
Result<Fabric> load_lidded(const FabricArgument& argument, const RoutingRequest& request);

/// Routes a fabric with LIDs. GUIDs of files that it does not have are warned of.
ChainResult route(const RoutingRequest& request, const Fabric& fabric,
                  std::vector<std::string>& warnings);

/// The same on one thread, keeping of the tables in force what need not change. It is judged
/// whatever --verify says: the verdict tells what was lost.
ChainResult reroute(const RoutingRequest& request, const Fabric& fabric, const Routes& before,
                    Lfts previous);

}  // namespace weft::cli
