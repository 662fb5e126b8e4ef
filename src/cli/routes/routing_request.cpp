// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/routing_request.h"

#include "service/config/options.h"

namespace weft::cli {
namespace {

ChainResult chain(const RoutingRequest& request, const Fabric& fabric, RoutingOptions options,
                  VerifyMode mode, EngineFinder find) {
  return route_by_chain(fabric, request.choice, std::move(options), mode, find,
                        given(request.inputs));
}

}  // namespace

Settings offline_defaults() {
  Settings settings;
  settings.verify = "warn";
  return settings;
}

Result<RoutingRequest> read_request(const Assignments& assignments,
                                    std::vector<std::string>& warnings, Settings settings) {
  RoutingRequest request;
  request.settings = std::move(settings);
  request.settings.verify = offline_defaults().verify;
  if (const auto status = assign_all(assignments, request.settings, warnings); !status)
    return forward(status);
  auto choice = engine_choice(request.settings);
  if (!choice) return forward(choice);
  request.choice = std::move(*choice);
  auto inputs = routing_inputs(request.settings, warnings);
  if (!inputs) return forward(inputs);
  request.inputs = std::move(*inputs);
  return request;
}

Result<Fabric> load_with_lids(const FabricArgument& argument, const RoutingRequest& request) {
  auto input = load(argument);
  if (!input) return forward(input);
  return with_all_lids(std::move(input->fabric), static_cast<std::uint8_t>(request.settings.lmc));
}

ChainResult route(const RoutingRequest& request, const Fabric& fabric,
                  std::vector<std::string>& warnings, EngineFinder find) {
  return chain(request, fabric, resolve(request.inputs, fabric, warnings),
               verify_mode(request.settings), find);
}

ChainResult reroute(const RoutingRequest& request, const Fabric& fabric, const Routes& before,
                    Lfts previous_lfts, EngineFinder find) {
  std::vector<std::string> repeated;  // reported when the fabric without failures was routed
  RoutingOptions options = resolve(request.inputs, fabric, repeated);
  options.threads = 1;
  options.previous = std::move(previous_lfts);
  options.previous_engine = before.engine;
  const VerifyMode mode = verify_mode(request.settings);
  return chain(request, fabric, std::move(options),
               mode == VerifyMode::kOff ? VerifyMode::kWarn : mode, find);
}

}  // namespace weft::cli
