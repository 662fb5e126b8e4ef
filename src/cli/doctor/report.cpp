// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/doctor/report.h"

#include <algorithm>
#include <filesystem>

#include "service/config/config_file.h"

namespace weft::cli {
namespace {

/// The findings about the configuration file. There are none if `path` is empty and kDefaultConfig
/// does not exist.
std::vector<MachineFinding> findings_of_file(std::string path) {
  std::error_code ignored;
  if (path.empty() && std::filesystem::exists(kDefaultConfig, ignored)) path = kDefaultConfig;
  if (path.empty()) return {};
  Settings settings;
  ConfigDiagnostics diagnostics;
  if (const Status read = read_config(path, settings, diagnostics); !read)
    return {{true, read.error().message, "weft check -F " + path + " lists all errors"}};
  return findings_of(settings);
}

Json devices_json(const LocalMachine& machine) {
  Json devices = Json::array();
  for (const LocalDevice& device : machine.devices) {
    Json ports = Json::array();
    for (const LocalPort& port : device.ports)
      ports.push_back({{"port", port.number},
                       {"guid", port.guid},
                       {"link_layer", port.link_layer},
                       {"state", port.state},
                       {"physical_state", port.phys_state},
                       {"gbps", port.gbps},
                       {"lid", port.lid},
                       {"sm_lid", port.sm_lid},
                       {"umad", port.umad}});
    devices.push_back({{"name", device.name},
                       {"firmware", device.firmware},
                       {"board", device.board},
                       {"ports", std::move(ports)}});
  }
  return devices;
}

}  // namespace

void add_doctor_folders(CLI::App& app, DoctorFolders& folders) {
  for (const auto& [name, folder, what] : {std::tuple("--sys", &folders.sys, "devices"),
                                           std::tuple("--dev", &folders.dev, "device files"),
                                           std::tuple("--proc", &folders.proc, "processes")})
    app.add_option(name, *folder,
                   fmt::format("Read {} from this folder (default: {})", what, *folder))
        ->option_text("FOLDER");
}

LocalMachine read_local_machine(const DoctorFolders& folders) {
  return read_local_machine(folders.sys, folders.dev, folders.proc);
}

std::vector<MachineFinding> all_findings(const LocalMachine& machine, const std::string& config) {
  std::vector<MachineFinding> findings = findings_of(machine);
  const auto of_file = findings_of_file(config);
  findings.insert(findings.end(), of_file.begin(), of_file.end());
  std::ranges::stable_sort(findings, std::greater{}, &MachineFinding::is_problem);
  return findings;
}

Json machine_json(const LocalMachine& machine, const std::vector<MachineFinding>& findings) {
  Json list = Json::array();
  for (const MachineFinding& finding : findings)
    list.push_back({{"severity", finding.is_problem ? "problem" : "warning"},
                    {"text", finding.what},
                    {"fix", finding.fix}});
  return {{"devices", devices_json(machine)}, {"findings", std::move(list)}};
}

}  // namespace weft::cli
