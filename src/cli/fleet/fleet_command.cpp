// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft fleet: the state, alarms and events of several subnet managers, once or as an HTTP service.

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "base/file.h"
#include "base/log.h"
#include "base/printable.h"
#include "cli/fleet/fleet_documents.h"
#include "cli/fleet/fleet_service.h"
#include "cli/interrupt.h"
#include "cli/subcommands.h"
#include "service/http/http_server.h"

namespace weft::cli {
namespace {

constexpr int kExitProblem = 1;
constexpr std::size_t kEventsShown = 1000;
constexpr std::size_t kNodesShown = 100;  // most nodes of each manager
constexpr auto kSignalPoll = std::chrono::milliseconds(100);

struct FleetOptions {
  std::string config;
  bool once = false, json = false;
  bool alarms = false, events = false;
  std::string search;
  unsigned interval = 10, timeout = 5;  // seconds
  std::string http = "127.0.0.1:9116";
  std::string token_file, certificate_file, key_file;

  PollTimes pace() const { return {std::chrono::seconds(interval), std::chrono::seconds(timeout)}; }
};

/// Ends the program without waiting for threads that wait for a manager or a resolver.
[[noreturn]] void end_program(int status) {
  std::fflush(stdout);
  std::fflush(stderr);
  ::_exit(status);
}

[[noreturn]] void show_once(const Fleet& fleet, const FleetOptions& options) {
  // Limits the time of the whole poll, which has three requests.
  fleet.wait_for_all(std::chrono::seconds(options.timeout));
  const auto members = fleet.members();
  const Json status = fleet_status(members, std::chrono::steady_clock::now());
  Json document;
  std::string text;
  if (options.alarms) {
    document = fleet_alarms(members);
    text = fleet_alarms_text(document);
  } else if (options.events) {
    document = fleet_events(members, kEventsShown);
    text = fleet_events_text(document);
  } else if (!options.search.empty()) {
    document = fleet_found(fleet.search(options.search, kNodesShown));
    text = fleet_found_text(document);
  } else {
    document = status;
    text = status_text(status);
  }
  if (options.json)
    print(document);
  else
    append_to_stdout(printable(text, Lines::kMany));
  end_program(is_fleet_good(status) ? 0 : kExitProblem);
}

Result<HttpOptions> fleet_http_options(const FleetOptions& options) {
  Settings settings;
  settings.http = options.http;
  settings.http_token_file = options.token_file;
  settings.http_certificate_file = options.certificate_file;
  settings.http_key_file = options.key_file;
  auto read = http_options(settings);
  if (!read) return forward(read);
  return std::move(**read);
}

[[noreturn]] void serve_fleet(const Fleet& fleet, const FleetOptions& options) {
  const auto read = fleet_http_options(options);
  if (!read) end_program(report(read.error()));
  FleetService service(fleet, *read);
  HttpServer::Handlers handlers;
  handlers.quick = [](const HttpRequest&) { return std::optional<HttpAnswer>(); };
  handlers.blocking = [&](const HttpRequest& request) { return service.answer(request); };
  auto server = HttpServer::open(read->address, std::move(handlers), {}, read->secrets.tls);
  if (!server) end_program(report(server.error()));
  const auto& interrupted = catch_interrupts();
  if (const auto started = (*server)->start(); !started) end_program(report(started.error()));
  append_to_stdout(fmt::format("fleet of {} managers: {} on {}:{}\n", fleet.members().size(),
                               read->secrets.tls ? "HTTPS" : "HTTP",
                               options.http.substr(0, options.http.rfind(':')), (*server)->port()));
  std::fflush(stdout);
  if (!read->address.loopback && !read->secrets.tls)
    log::warn(
        "HTTP is not encrypted: tokens are readable on the network: set "
        "--http-certificate-file and --http-key-file");
  while (!interrupted) std::this_thread::sleep_for(kSignalPoll);
  server->reset();
  end_program(0);
}

int run_fleet(const FleetOptions& options) {
  if (!options.once &&
      (options.json || options.alarms || options.events || !options.search.empty()))
    return report({Code::kUsage, "--json, --alarms, --events and --search require --once"});
  if (options.alarms + options.events + (options.search.empty() ? 0 : 1) > 1)
    return report({Code::kUsage, "--alarms, --events and --search exclude each other"});
  const auto text = read_file(options.config);
  if (!text) return report(text.error());
  const auto entries = parse_fleet(*text, options.config);
  if (!entries) return report(entries.error());
  const Fleet fleet(*entries, options.pace());
  if (options.once) show_once(fleet, options);
  serve_fleet(fleet, options);
}

Run set_up_fleet(CLI::App& app) {
  auto options = std::make_shared<FleetOptions>();
  app.add_option(
         "--config", options->config,
         "Read the managers from this file: lines NAME URL [token_file FILE] [ca_file FILE] "
         "[certificate_file FILE key_file FILE]")
      ->required()
      ->option_text("FILE");
  app.add_flag("--once", options->once, "Print the state once, instead of serving HTTP");
  app.add_flag("--alarms", options->alarms, "--once: list the alarms of all managers");
  app.add_flag("--events", options->events, "--once: list the last events of all managers");
  app.add_option(
         "--search", options->search,
         "--once: find nodes by a part of the name, a LID, or at least four digits of a GUID")
      ->option_text("TEXT");
  app.add_flag("--json", options->json, "--once: print one JSON object");
  app.add_option("--interval", options->interval, "Poll every N seconds (default: 10)")
      ->check(CLI::Range(1u, 86'400u))
      ->option_text("N");
  app.add_option("--timeout", options->timeout,
                 "Wait N seconds for an answer of a manager (default: 5)")
      ->check(CLI::Range(1u, 300u))
      ->option_text("N");
  app.add_option("--http", options->http, "Serve HTTP at this address")
      ->option_text("ADDRESS:PORT [127.0.0.1:9116]");
  app.add_option("--http-token-file", options->token_file,
                 "Require a token of this file unless the address is a loopback address")
      ->option_text("FILE");
  app.add_option("--http-certificate-file", options->certificate_file,
                 "Serve HTTPS with this certificate")
      ->option_text("FILE");
  app.add_option("--http-key-file", options->key_file, "Read the key of the certificate")
      ->option_text("FILE");
  return [options] { return run_fleet(*options); };
}

}  // namespace

const Subcommand kFleetSubcommand{
    "fleet", "Show status, alarms and events of several subnet managers", &set_up_fleet};

}  // namespace weft::cli
