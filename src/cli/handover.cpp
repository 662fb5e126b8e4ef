// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft handover: the master hands over to the standby of the highest rank, once that standby has
// the complete state of the master, or at once with --force.
#include <chrono>
#include <memory>
#include <thread>

#include "base/printable.h"
#include "cli/api_client.h"
#include "cli/common.h"
#include "cli/subcommands.h"

namespace weft::cli {
namespace {

using HandoverTime = std::chrono::steady_clock::time_point;

constexpr const char* kHandoverPath = "/api/v1/handover";
constexpr auto kHandoverPause = std::chrono::milliseconds(100);
constexpr int kHttpConflict = 409;
constexpr unsigned kWaitDefault = 60;
constexpr unsigned kWaitMax = 86'400;

struct HandoverOptions {
  unsigned wait = kWaitDefault;  // seconds
  bool force = false;
  bool json = false;
  ServerArgument server;
};

/// Repeats the request while the master refuses it, since the standby may lack changes or be busy.
Result<Json> request_handover(ApiClient& client, const HandoverOptions& options, HandoverTime end) {
  const Json body{{"force", options.force}};
  while (true) {
    auto accepted = client.send("POST", kHandoverPath, &body);
    if (accepted || client.status() != kHttpConflict || std::chrono::steady_clock::now() >= end)
      return accepted;
    std::this_thread::sleep_for(kHandoverPause);
  }
}

/// Waits until the former master is standby and has found another master. Returns the new master.
Result<Json> await_handover(ApiClient& client, HandoverTime end) {
  while (true) {
    auto fabric = client.get("/api/v1/fabric");
    if (!fabric) return forward(fabric);
    if (fabric->value("state", "") == "STANDBY")
      for (const Json& manager : (*fabric)["managers"])
        if (manager.value("state", "") == "MASTER") return manager;
    if (std::chrono::steady_clock::now() >= end)
      return fail(Code::kTimeout,
                  "{}: found state {}, expected STANDBY and another manager as MASTER: see the "
                  "manager's log for the reason",
                  client.server(), fabric->value("state", ""));
    std::this_thread::sleep_for(kHandoverPause);
  }
}

int run_handover(const HandoverOptions& options) {
  auto client = ApiClient::open(options.server);
  if (!client) return report(client.error());
  const auto begun = std::chrono::steady_clock::now();
  const auto end = begun + std::chrono::seconds(options.wait);
  const auto accepted = request_handover(*client, options, end);
  if (!accepted) return report(accepted.error());
  const auto master = await_handover(*client, end);
  if (!master) return report(master.error());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  if (options.json) {
    print(Json{{"master", *master}, {"seconds", took.count()}});
    return 0;
  }
  const std::string name = (*master)["name"].is_string() ? (*master)["name"] : Json("");
  append_to_stdout(printable(fmt::format("{} {} is master after {:.1f} s\n",
                                         master->value("guid", ""), name, took.count()),
                             Lines::kMany));
  return 0;
}

Run set_up_handover(CLI::App& app) {
  auto options = std::make_shared<HandoverOptions>();
  app.add_option("--wait", options->wait,
                 "Maximum seconds to wait until the standby has the complete state and is master")
      ->option_text(fmt::format("SECONDS [{}]", kWaitDefault))
      ->check(CLI::Range(0u, kWaitMax));
  app.add_flag("--force", options->force,
               "Hand over even if the standby lacks state of the master: clients then register "
               "again");
  add_server(app, options->server);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_handover(*options); };
}

}  // namespace

const Subcommand kHandoverSubcommand{
    "handover", "Hand mastership over to a standby that has the whole state", &set_up_handover};

}  // namespace weft::cli
