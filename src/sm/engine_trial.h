// One engine by itself, as "auto" tries each of its candidates and `weft check` each of its rows:
// its routes are refused unless they pass the proof.
#pragma once

#include <string_view>

#include "congestion/quality.h"
#include "sm/automatic.h"
#include "sm/route_chain.h"

namespace weft {

struct EngineTrial {
  ChainResult chain;  // status says why it does not serve
  Quality quality;    // where it does
  Trial trial;
};
EngineTrial try_alone(const Fabric& fabric, std::string_view engine, const RoutingOptions& options,
                      EngineFinder find = &find_engine, const WantedMaps* wanted = nullptr);

}  // namespace weft
