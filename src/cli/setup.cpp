// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft setup: writes a minimal configuration from three questions.

#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>

#include "base/file.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/doctor/report.h"
#include "cli/subcommands.h"

namespace weft::cli {
namespace {

constexpr unsigned kPriorityMax = 15;
constexpr const char* kTokenPath = "/etc/weft/http-token";

struct SetupOptions {
  std::string output = "-";
  std::string port;      // GUID, or the number in the list of ports
  std::string http;      // local, all or none
  std::string priority;  // 0 to 15
  DoctorFolders folders;
};

struct PortChoice {
  std::string guid;  // "0x" and 16 digits
  std::string text;
};

std::vector<PortChoice> port_choices(const LocalMachine& machine) {
  std::vector<PortChoice> choices;
  for (const LocalDevice& device : machine.devices)
    for (const LocalPort& port : device.ports)
      if (port.link_layer == "InfiniBand" && !port.guid.empty())
        choices.push_back({port.guid, fmt::format("{} port {}, {}, {}", device.name, port.number,
                                                  port.guid, port.state)});
  return choices;
}

/// Prompts until `accept` accepts the answer; an empty line or the end of the input selects the
/// default. There is no prompt for a value of the command line, which `accept` must accept.
Status ask(const std::string& question, const std::string& given, const std::string& otherwise,
           const std::function<bool(const std::string& answer)>& accept) {
  if (!given.empty())
    return accept(given) ? Status()
                         : fail(Code::kUsage, "{}: found {}", question, weft::quoted(given));
  while (true) {
    std::cerr << printable(question) << " [" << otherwise << "]: " << std::flush;
    std::string line;
    const bool is_end = !std::getline(std::cin, line);
    const std::string answer(trim(line));
    if (accept(answer.empty() ? otherwise : answer)) return {};
    if (is_end) return fail(Code::kUsage, "{}: no answer", question);
    std::cerr << "found " << weft::quoted(answer) << "\n";
  }
}

Result<std::string> configuration_by_answers(const SetupOptions& options,
                                             const std::vector<PortChoice>& choices) {
  std::string text = "# written by weft setup; check it with weft doctor and weft check\n";
  for (std::size_t i = 0; i < choices.size(); ++i)
    std::cerr << i + 1 << ": " << printable(choices[i].text) << "\n";
  const auto take_port = [&](const std::string& answer) {
    const auto place = parse_number<std::size_t>(answer);
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (answer == choices[i].guid || place == i + 1) {
        text += "guid " + choices[i].guid + "\n";
        return true;
      }
    return false;
  };
  Status status = ask(fmt::format("Port to manage from, 1 to {}, or its GUID", choices.size()),
                      options.port, "1", take_port);
  if (!status) return forward(status);
  status = ask("Priority among subnet managers, 0 to 15; the highest is master", options.priority,
               "0", [&](const std::string& answer) {
                 const auto priority = parse_number<unsigned>(answer);
                 if (!priority || *priority > kPriorityMax) return false;
                 text += fmt::format("sm_priority {}\n", *priority);
                 return true;
               });
  if (!status) return forward(status);
  status = ask("HTTP service for users of this machine (local), for others too (all), or none",
               options.http, "local", [&](const std::string& answer) {
                 if (answer == "local") text += "http 127.0.0.1:9115\n";
                 if (answer == "all")
                   text += fmt::format(
                       "# make the token: (umask 077; openssl rand -hex 16 > {0}); and set "
                       "http_certificate_file and http_key_file for TLS\n"
                       "http 0.0.0.0:9115\nhttp_token_file {0}\n",
                       kTokenPath);
                 return answer == "local" || answer == "all" || answer == "none";
               });
  if (!status) return forward(status);
  return text;
}

int run_setup(const SetupOptions& options) {
  std::error_code ignored;
  if (options.output != "-" && std::filesystem::exists(options.output, ignored))
    return report({Code::kUsage, options.output + " exists: name another file, or remove it"});
  const auto choices = port_choices(read_local_machine(options.folders));
  if (choices.empty())
    return report(
        {Code::kEnvironment, "this machine has no InfiniBand port: weft doctor lists the reasons"});
  const auto text = configuration_by_answers(options, choices);
  if (!text) return report(text.error());
  if (options.output == "-") {
    append_to_stdout(*text);
    return 0;
  }
  const Status written = write_file(options.output, *text, 0644);
  return written ? 0 : report(written.error());
}

Run set_up_setup(CLI::App& app) {
  auto options = std::make_shared<SetupOptions>();
  app.add_option("-o,--output", options->output,
                 "Write to this new file instead of standard output");
  app.add_option("--port", options->port, "Manage from the port with this GUID (default: ask)")
      ->option_text("GUID");
  app.add_option("--priority", options->priority, "Set the priority, 0 to 15 (default: ask)")
      ->option_text("N");
  app.add_option("--http", options->http,
                 "Set the users of the HTTP service: local, all or none (default: ask)")
      ->option_text("USERS");
  add_doctor_folders(app, options->folders);
  return [options] { return run_setup(*options); };
}

}  // namespace

const Subcommand kSetupSubcommand{"setup", "Write a minimal configuration from three questions",
                                  &set_up_setup};

}  // namespace weft::cli
