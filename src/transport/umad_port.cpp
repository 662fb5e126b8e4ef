// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/umad_port.h"

#include <endian.h>
#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace weft {
namespace {

constexpr int kDevicesMax = UMAD_MAX_DEVICES;

struct LocalPorts {
  std::vector<UmadPort> infiniband;
  std::vector<std::string> others;  // "DEVICE port N (LINK LAYER)"
};

void append_ports(const char* device, LocalPorts& found) {
  umad_ca_t ca{};
  if (umad_get_ca(device, &ca) < 0) return;
  for (int number = 0; number < UMAD_CA_MAX_PORTS; ++number) {
    const umad_port_t* port = ca.ports[number];
    if (port == nullptr) continue;
    const std::string_view layer = port->link_layer;
    if (!layer.empty() && layer != "InfiniBand" && layer != "IB") {
      found.others.push_back(fmt::format("{} port {} ({})", device, number, layer));
      continue;
    }
    found.infiniband.push_back({device, number, Guid(be64toh(port->port_guid)),
                                static_cast<PortState>(port->state),
                                Lid(static_cast<std::uint16_t>(port->base_lid))});
  }
  umad_release_ca(&ca);
}

Result<LocalPorts> local_ports() {
  if (umad_init() < 0)
    return fail(Code::kEnvironment,
                "no InfiniBand user MAD support (is ib_umad loaded, or run under ibsim-run?)");
  char names[kDevicesMax][UMAD_CA_NAME_LEN] = {};
  const int devices = umad_get_cas_names(names, kDevicesMax);
  LocalPorts found;
  for (int i = 0; i < devices; ++i) append_ports(names[i], found);
  return found;
}

}  // namespace

Result<std::vector<UmadPort>> list_umad_ports() {
  auto found = local_ports();
  if (!found) return forward(found);
  if (!found->infiniband.empty()) return std::move(found->infiniband);
  if (found->others.empty())
    return fail(Code::kEnvironment,
                "this machine has no InfiniBand port: no device in /sys/class/infiniband (is the "
                "adapter's driver loaded?)");
  std::string others;
  for (const std::string& port : found->others) others += (others.empty() ? "" : ", ") + port;
  return fail(Code::kEnvironment,
              "this machine has no InfiniBand port: found {}, expected the link layer InfiniBand",
              others);
}

Result<UmadPort> choose_umad_port(std::optional<Guid> guid) {
  const auto ports = list_umad_ports();
  if (!ports) return forward(ports);
  if (guid) {
    const auto found = std::ranges::find(*ports, *guid, &UmadPort::guid);
    if (found != ports->end()) return *found;
    std::string known;
    for (const UmadPort& port : *ports)
      known += fmt::format("{} 0x{:016x} ({} port {})", known.empty() ? "" : ",", port.guid.value(),
                           port.device, port.number);
    return fail(Code::kEnvironment, "no local port has GUID 0x{:016x}; local ports:{}",
                guid->value(), known);
  }
  const auto up = std::ranges::find_if(
      *ports, [](const UmadPort& port) { return port.state > PortState::kDown; });
  return up == ports->end() ? ports->front() : *up;
}

}  // namespace weft
