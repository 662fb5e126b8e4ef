// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/umad_port.h"

#include <endian.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "ib/port_info.h"

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
                                Lid(static_cast<std::uint16_t>(port->base_lid)),
                                Guid(be64toh(ca.node_guid)), be32toh(port->capmask)});
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

bool has_smps(const UmadPort& port) { return (port.capability_mask & cap_mask::kSmDisabled) == 0; }

/// The ports from which the port of the manager is selected: those with the GUID, if one is given,
/// and of these those with SMPs, if there are any.
std::vector<UmadPort> manager_candidates(std::span<const UmadPort> ports,
                                         std::optional<Guid> guid) {
  std::vector<UmadPort> found(ports.begin(), ports.end());
  if (guid) std::erase_if(found, [&](const UmadPort& port) { return port.guid != *guid; });
  if (std::ranges::any_of(found, has_smps)) std::erase_if(found, std::not_fn(has_smps));
  return found;
}

/// Adds the other ports with SMPs of the CA of the first port of `chosen`. The number of a port is
/// the first hop of its paths and must therefore be unique.
void append_ports_of_ca(std::span<const UmadPort> ports, std::vector<UmadPort>& chosen) {
  const Guid node = chosen.front().node_guid;
  if (node == Guid(0) || chosen.front().number == 0) return;
  for (const UmadPort& port : ports)
    if (port.node_guid == node && has_smps(port) &&
        std::ranges::find(chosen, port.number, &UmadPort::number) == chosen.end())
      chosen.push_back(port);
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

Result<UmadPorts> select_umad_ports(std::span<const UmadPort> ports, std::optional<Guid> guid,
                                    UmadPortUse use) {
  std::vector<UmadPort> candidates = manager_candidates(ports, guid);
  if (candidates.empty()) {
    std::string known;
    for (const UmadPort& port : ports)
      known += fmt::format("{} 0x{:016x} ({} port {})", known.empty() ? "" : ",", port.guid.value(),
                           port.device, port.number);
    return fail(Code::kEnvironment, "no local port has GUID 0x{:016x}; local ports:{}",
                guid->value(), known);
  }
  const auto up = std::ranges::find_if(
      candidates, [](const UmadPort& port) { return port.state > PortState::kDown; });
  const UmadPort& main = up == candidates.end() ? candidates.front() : *up;
  const auto partner = std::ranges::find_if(ports, [&](const UmadPort& port) {
    return !has_smps(port) && port.guid == main.guid && port.device != main.device;
  });
  const bool is_split = has_smps(main) && partner != ports.end() && main.guid != Guid(0);
  const bool has_planes = is_split || (main.capability_mask & cap_mask::kHierarchyInfo) != 0;
  UmadPorts result{{main}, {}};
  if (use == UmadPortUse::kAll || (use == UmadPortUse::kAuto && has_planes))
    append_ports_of_ca(ports, result.smps);
  result.gmps = is_split ? std::vector{*partner} : result.smps;
  return result;
}

Result<UmadPorts> choose_umad_ports(std::optional<Guid> guid, UmadPortUse use) {
  const auto ports = list_umad_ports();
  if (!ports) return forward(ports);
  return select_umad_ports(*ports, guid, use);
}

std::size_t index_of_port(std::span<const std::uint8_t> numbers, std::uint8_t number) {
  const auto found = std::ranges::find(numbers, number);
  return found == numbers.end() ? 0 : static_cast<std::size_t>(found - numbers.begin());
}

bool umad_link_is_up(const UmadPort& port) {
  const std::string path =
      fmt::format("/sys/class/infiniband/{}/ports/{}/state", port.device, port.number);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char state = 0;  // the file begins with the digit of the state, as in "4: ACTIVE"
  const bool is_read = ::read(file, &state, 1) == 1;
  ::close(file);
  return is_read && state >= '0' + static_cast<int>(PortState::kInit) && state <= '9';
}

}  // namespace weft
