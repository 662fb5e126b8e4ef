// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the three files of a routing chain, separated by 0 bytes: port groups,
// topologies, steps. Also reads the second part as settings of devices and the third part as
// tenants. With an accepted chain the engine routes a small fabric, or returns an error message.
#include <unistd.h>
#include <algorithm>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "check_result.h"
#include "fuzz_target.h"
#include "policy/device_configuration.h"
#include "policy/routing_inputs.h"
#include "policy/tenants.h"
#include "routing/engine.h"
#include "small_fabric.h"
#include "verify/verify.h"

namespace {

constexpr unsigned kLmc = 1;

/// Writes the bytes up to the next 0 to a file, and removes them and the 0 from `bytes`.
void put_next(std::string_view& bytes, const std::string& path) {
  const auto part = bytes.substr(0, bytes.find('\0'));
  std::ofstream(path, std::ios::binary | std::ios::trunc) << part;
  bytes.remove_prefix(std::min(part.size() + 1, bytes.size()));
}

}  // namespace

WEFT_FUZZ_TARGET(chain_policy, data, size) {
  static const weft::Fabric fabric = small_fabric();
  static const std::string base = "/dev/shm/weft-fuzz-chain-" + std::to_string(getpid()) + "-";
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  put_next(bytes, base + "groups");
  put_next(bytes, base + "topologies");
  put_next(bytes, base + "steps");

  weft::RoutingInputs inputs;
  if (!take(weft::read_port_groups(base + "groups"), inputs.port_groups)) return 0;
  for (const weft::PortGroup& group : inputs.port_groups.groups) {
    const auto ports = weft::ports_of_group(inputs.port_groups, group.name, fabric);
    if (ports.size() != fabric.port_count()) std::abort();
    for (const weft::EndportId id : weft::endports_of_group(inputs.port_groups, group.name, fabric))
      if (id.value() >= fabric.endport_count()) std::abort();
  }
  std::shared_ptr<const weft::Tenants> tenants;
  if (take(weft::read_tenants(base + "steps"), tenants) &&
      tenants->of(weft::Guid(1)).value_or(0) >= std::max<std::size_t>(1, tenants->all.size()))
    std::abort();
  weft::DeviceConfiguration devices;
  if (take(weft::read_device_configuration(base + "topologies", inputs.port_groups), devices) &&
      !devices.empty() &&
      weft::settings_of_devices(devices, inputs.port_groups, fabric).size() != fabric.node_count())
    std::abort();
  if (!take(weft::read_topologies(base + "topologies", inputs.port_groups), inputs.topologies))
    return 0;
  std::vector<weft::FiledStep> steps;
  if (!take(weft::read_steps(base + "steps", inputs.topologies, kLmc), steps)) return 0;
  for (weft::FiledStep& step : steps) inputs.chain.push_back({std::move(step)});

  std::vector<std::string> warnings;
  const auto options = weft::resolve(inputs, fabric, warnings);
  const auto routes = weft::run_engine(*weft::find_engine("chain"), fabric, options);
  if (!routes) {
    if (routes.error().message.empty()) std::abort();
    return 0;
  }
  // A step may overwrite routes of another step. The verifier must accept any such routes as input.
  if (weft::verify(fabric, *routes, {.threads = 1}).ca_to_ca.pairs == 0) std::abort();
  return 0;
}
