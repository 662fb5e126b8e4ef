// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft emulate ACTION: cuts, restores and lists links of a running emulated fabric through the HTTP
// service of its subnet manager, or lists the devices of weft sm --emulate-devices.

#include <memory>

#include "base/text.h"
#include "cli/api_client.h"
#include "cli/common.h"
#include "cli/subcommands.h"
#include "emulator/devices/device_profiles.h"

namespace weft::cli {
namespace {

constexpr const char* kEmulationPath = "/api/v1/emulation/";

struct EmulateOptions {
  std::string action;
  std::string node;
  unsigned port = 0;
  bool json = false;
  ServerArgument server;
};

std::string end_text(const Json& end) {
  return fmt::format("{} ({}) port {}", weft::quoted(end.value("name", "")), end.value("node", ""),
                     end.value("port", 0));
}

std::string cable_text(const Json& cable) {
  return end_text(cable.at("a")) + " - " + end_text(cable.at("b"));
}

int list(const EmulateOptions& options, ApiClient& client) {
  const auto json = client.get(std::string(kEmulationPath) + "cut");
  if (!json) return report(json.error());
  if (options.json) {
    print(*json);
    return 0;
  }
  std::string text;
  for (const Json& cable : json->at("cables")) text += cable_text(cable) + "\n";
  append_to_stdout(text.empty() ? "no cable is cut\n" : text);
  return 0;
}

int change_link(const EmulateOptions& options, ApiClient& client) {
  const Json body{{"node", options.node}, {"port", options.port}};
  const auto outcome = client.send("POST", kEmulationPath + options.action, &body);
  if (!outcome) return report(outcome.error());
  if (options.json) {
    print(*outcome);
    return 0;
  }
  const bool cuts = options.action == "cut";
  const std::string_view done = outcome->value("changed", false) ? cuts ? "cut" : "restored"
                                : cuts                           ? "already cut"
                                                                 : "not cut";
  append_to_stdout(fmt::format("{}: {}\n", cable_text(outcome->at("cable")), done));
  return 0;
}

std::string_view kind_name(DeviceKind kind) {
  if (kind == DeviceKind::kSwitch) return "switch";
  return kind == DeviceKind::kCa ? "CA" : "aggregation node";
}

/// Lists the devices that `weft sm --emulate-devices` accepts.
int list_devices(bool as_json) {
  Json list = Json::array();
  std::string text;
  for (const DeviceProfile& profile : device_profiles()) {
    const std::string features = supported_features(profile);
    list.push_back({{"name", profile.name},
                    {"product", profile.product},
                    {"kind", kind_name(profile.kind)},
                    {"device_id", profile.ids[0]},
                    {"speed", name(profile.speed)},
                    {"supports", features}});
    text += fmt::format("{:<17} 0x{:04x}  {:<16}  {:<5}  {}\n", profile.name, profile.ids[0],
                        kind_name(profile.kind), name(profile.speed), features);
  }
  if (as_json)
    print({{"devices", std::move(list)}});
  else
    append_to_stdout(text);
  return 0;
}

int run_emulate(const EmulateOptions& options) {
  const bool lists_devices = options.action == "devices";
  const bool lists = options.action == "list" || lists_devices;
  if (lists != options.node.empty() || lists != (options.port == 0))
    return report({Code::kUsage, lists ? options.action + ": expected no arguments"
                                       : options.action + ": expected NODE and PORT"});
  if (lists_devices) return list_devices(options.json);
  auto client = ApiClient::open(options.server);
  if (!client) return report(client.error());
  return lists ? list(options, *client) : change_link(options, *client);
}

Run set_up_emulate(CLI::App& app) {
  auto options = std::make_shared<EmulateOptions>();
  app.add_option(
         "ACTION", options->action,
         "Cut a link (cut NODE PORT), restore it (mend NODE PORT), list cut links (list), or list "
         "the devices of weft sm --emulate-devices (devices)")
      ->required();
  restrict_to(app.get_option("ACTION"), {"cut", "mend", "list", "devices"});
  app.add_option("NODE", options->node,
                 "Node at either end of the link: node description, or GUID such as "
                 "0x0002c903000e0b72");
  app.add_option("PORT", options->port, "Port number of this node, 1 to 254")
      ->check(CLI::Range(1, 254));
  add_server(app, options->server);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_emulate(*options); };
}

}  // namespace

const Subcommand kEmulateSubcommand{"emulate", "Cut and restore links of a running emulated fabric",
                                    &set_up_emulate};

}  // namespace weft::cli
