// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/doctor/machine_checks.h"

#include <algorithm>
#include <map>
#include <set>

#include "service/http_options.h"

namespace weft::cli {
namespace {

constexpr unsigned kUsualLanes = 4;

class FindingList {
 public:
  void problem(std::string what, std::string fix) {
    all_.push_back({true, std::move(what), std::move(fix)});
  }
  void warning(std::string what, std::string fix) {
    all_.push_back({false, std::move(what), std::move(fix)});
  }
  std::vector<MachineFinding> take() { return std::move(all_); }

 private:
  std::vector<MachineFinding> all_;
};

void check_state(const std::string& name, const LocalPort& port, FindingList& found) {
  if (port.phys_state == "Disabled")
    return found.problem(name + " is disabled",
                         "enable the port: ibportstate -D 0 PORT enable, or on the switch");
  if (port.phys_state == "Polling" || port.state == "DOWN")
    return found.problem(name + " has no link: physical state " + port.phys_state,
                         "check the cable and the port at its other end");
  if (port.state == "INIT")
    found.warning(name + " is in state INIT: no subnet manager has configured it",
                  "start weft sm on a port of this fabric");
  else if (port.state == "ARMED")
    found.warning(name + " is in state ARMED: its configuration is not complete",
                  "read the log of the subnet manager");
}

void check_files(const std::string& name, const LocalPort& port, FindingList& found) {
  if (port.umad.empty())
    return found.problem(name + " has no device file for management packets (umad)",
                         "load the module: modprobe ib_umad");
  for (const auto& [file, usable] :
       {std::pair(&port.umad, port.umad_usable), std::pair(&port.issm, port.issm_usable)})
    if (!file->empty() && !usable)
      found.problem(*file + " cannot be opened by this user",
                    "run as root, or install 60-weft.rules of udev and join the group umad");
}

void check_other_managers(const std::string& name, const LocalPort& port, FindingList& found) {
  if (port.sm_lid == 0 || port.sm_lid == port.lid) return;
  found.warning(fmt::format("{} is managed by the subnet manager at LID {}", name, port.sm_lid),
                "weft sm will be its standby; to replace it, stop that manager, or set a higher "
                "sm_priority");
}

/// Reports active ports with fewer lanes than usual, or slower than another port of a board with
/// the same id.
void check_speeds(const LocalMachine& machine, FindingList& found) {
  std::map<std::string, double> best;
  for (const LocalDevice& device : machine.devices)
    for (const LocalPort& port : device.ports)
      if (port.state == "ACTIVE") best[device.board] = std::max(best[device.board], port.gbps);
  for (const LocalDevice& device : machine.devices)
    for (const LocalPort& port : device.ports) {
      if (port.state != "ACTIVE" || port.link_layer != "InfiniBand") continue;
      const std::string name = fmt::format("{} port {}", device.name, port.number);
      if (port.lanes > 0 && port.lanes < kUsualLanes)
        found.warning(fmt::format("{} runs on {} of {} lanes", name, port.lanes, kUsualLanes),
                      "clean or replace the cable, then: ibportstate -D 0 PORT reset");
      else if (!device.board.empty() && port.gbps < best[device.board])
        found.warning(fmt::format("{} runs at {} Gbit/s, another port of a board {} at {}", name,
                                  port.gbps, device.board, best[device.board]),
                      "check the cable, and LinkSpeedEnabled of both ends: smpquery portinfo");
    }
}

void check_firmware(const LocalMachine& machine, FindingList& found) {
  std::map<std::string, std::set<std::string>> versions;
  for (const LocalDevice& device : machine.devices)
    if (!device.board.empty() && !device.firmware.empty())
      versions[device.board].insert(device.firmware);
  for (const auto& [board, board_versions] : versions) {
    if (board_versions.size() < 2) continue;
    std::string list;
    for (const std::string& version : board_versions) list += (list.empty() ? "" : ", ") + version;
    found.warning(fmt::format("boards {} have different firmware: {}", board, list),
                  "update the boards with older firmware: mlxfwmanager, or mstflint");
  }
}

}  // namespace

std::vector<MachineFinding> findings_of(const LocalMachine& machine) {
  FindingList found;
  std::size_t usable = 0;
  for (const LocalDevice& device : machine.devices)
    for (const LocalPort& port : device.ports) {
      if (port.link_layer != "InfiniBand") continue;
      ++usable;
      const std::string name = fmt::format("{} port {}", device.name, port.number);
      check_state(name, port, found);
      check_files(name, port, found);
      check_other_managers(name, port, found);
    }
  if (machine.devices.empty())
    found.problem("this machine has no InfiniBand device",
                  "install the adapter and load its driver: modprobe mlx5_ib");
  else if (usable == 0)
    found.problem("no port of this machine is in InfiniBand mode",
                  "set LINK_TYPE to IB: mlxconfig -d DEVICE set LINK_TYPE_P1=1");
  check_speeds(machine, found);
  check_firmware(machine, found);
  for (const std::string& manager : machine.other_managers)
    found.warning("another subnet manager runs on this machine: " + manager,
                  "stop that manager before weft sm uses the same port");
  return found.take();
}

std::vector<MachineFinding> findings_of(const Settings& settings) {
  FindingList found;
  const auto address = parse_http_address(settings.http);
  if (address && !address->loopback && settings.http_certificate_file.empty())
    found.warning("http: tokens are readable on the network",
                  "set http_certificate_file and http_key_file");
  if (settings.trust_public_sa_key && settings.sa_key == 1)
    found.warning(
        "trust_public_sa_key: every port may query and change all of the subnet "
        "administration",
        "set sa_key to a secret, and trust_public_sa_key to FALSE");
  if (settings.m_key == 0 && !settings.m_key_per_port)
    found.warning("m_key 0: every host can configure switches and ports",
                  "set m_key_per_port and key_mgr_seed: docs/reference/keys.md");
  if (settings.no_clients_rereg)
    found.warning("no_clients_rereg: hosts do not join their groups again after a restart",
                  "set no_clients_rereg to FALSE");
  return found.take();
}

}  // namespace weft::cli
