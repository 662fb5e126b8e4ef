// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft doctor: lists conditions that prevent a subnet manager from working on this machine, and
// risky settings, each with a fix.

#include <algorithm>
#include <memory>

#include "base/printable.h"
#include "cli/doctor/report.h"
#include "cli/subcommands.h"

namespace weft::cli {
namespace {

constexpr int kExitFound = 1;

struct DoctorOptions {
  std::string config;
  DoctorFolders folders;
  bool json = false;
};

std::string devices_text(const LocalMachine& machine) {
  std::string text;
  for (const LocalDevice& device : machine.devices)
    for (const LocalPort& port : device.ports)
      text += fmt::format("{} port {}: {}, {}, {}, {} Gbit/s, LID {}, firmware {}\n", device.name,
                          port.number, port.link_layer, port.state, port.phys_state, port.gbps,
                          port.lid, device.firmware);
  return text;
}

int run_doctor(const DoctorOptions& options) {
  const LocalMachine machine = read_local_machine(options.folders);
  const std::vector<MachineFinding> findings = all_findings(machine, options.config);
  if (options.json) {
    print(machine_json(machine, findings));
  } else {
    std::string text = devices_text(machine);
    for (const MachineFinding& finding : findings)
      text += fmt::format("{}: {}\n  fix: {}\n", finding.is_problem ? "problem" : "warning",
                          finding.what, finding.fix);
    if (findings.empty()) text += "no problems and no warnings\n";
    append_to_stdout(printable(text, Lines::kMany));
  }
  return std::ranges::any_of(findings, &MachineFinding::is_problem) ? kExitFound : 0;
}

Run set_up_doctor(CLI::App& app) {
  auto options = std::make_shared<DoctorOptions>();
  app.add_option("-F,--config", options->config, "Check the settings in this configuration file")
      ->option_text(fmt::format("FILE [{}]", kDefaultConfig));
  add_doctor_folders(app, options->folders);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_doctor(*options); };
}

}  // namespace

const Subcommand kDoctorSubcommand{
    "doctor", "Check the devices, permissions and settings of this machine", &set_up_doctor};

}  // namespace weft::cli
