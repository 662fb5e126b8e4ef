// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft events: lists fabric events from the history file of a subnet manager or from its HTTP
// service.

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "base/log.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/api_client.h"
#include "cli/command_runner.h"
#include "cli/common.h"
#include "cli/subcommands.h"
#include "service/history/history.h"

namespace weft::cli {
namespace {

constexpr auto kFollowInterval = std::chrono::seconds(1);  // interval of reads of a followed file
constexpr auto kCreationTimeout = std::chrono::seconds(2);
constexpr auto kCreationPoll = std::chrono::milliseconds(50);
constexpr std::size_t kLimitMax = 10'000;  // limit of the HTTP service

struct EventsOptions {
  std::string history;
  ServerArgument server;
  std::string since, until;
  std::vector<std::string> kinds;
  std::string node;
  std::size_t limit = 1000;
  bool json = false;
  bool follow = false;
  std::string run;  // shell command to run after new events
};

constexpr auto kQuietBeforeRun = std::chrono::seconds(1);
constexpr auto kRunAtLatest = std::chrono::seconds(10);

std::unique_ptr<CommandRunner> runner_of(const EventsOptions& options) {
  if (options.run.empty()) return nullptr;
  return std::make_unique<CommandRunner>(options.run, kQuietBeforeRun, kRunAtLatest);
}

std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

Result<HistoryQuery> query_of(const EventsOptions& options) {
  HistoryQuery query;
  for (const auto& [text, at, name] : {std::tuple(&options.since, &query.since_ns, "--since"),
                                       std::tuple(&options.until, &query.until_ns, "--until")}) {
    if (text->empty()) continue;
    const auto when = parse_when(*text, now_ns());
    if (!when) return fail(Code::kUsage, "{}: {}", name, when.error().message);
    *at = *when;
  }
  for (const std::string& list : options.kinds)
    for (const std::string_view kind : split(list, ','))
      if (!trim(kind).empty()) query.kinds.emplace_back(trim(kind));
  for (const std::string& kind : query.kinds)
    if (!is_event_kind(kind))
      return fail(Code::kUsage, "--kind: unknown kind {}: see docs/reference/events.md",
                  weft::quoted(kind));
  if (!options.node.empty()) {
    query.node = options.node.starts_with("0x") ? parse_guid(options.node) : std::nullopt;
    if (!query.node) query.name = options.node;
  }
  query.limit = options.limit;
  return query;
}

std::string text_of(const Json& event, const char* name) {
  const auto found = event.find(name);
  if (found == event.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// One line of text: time, kind, nodes and ports, then the other fields. All are untrusted input.
std::string event_line(const Json& event) {
  std::string when = text_of(event, "time");
  std::ranges::replace(when, 'T', ' ');
  std::string text = fmt::format("{:<19} {:<17}", when.substr(0, 19), text_of(event, "event"));
  const auto add_end = [&](const char* name, const char* guid, const char* port) {
    if (!event.contains(guid)) return;
    const std::string label = text_of(event, name);
    text += " " + (label.empty() ? text_of(event, guid) : label);
    if (event.contains(port)) text += " port " + text_of(event, port);
  };
  add_end("name", "node", "port");
  if (event.contains("peer")) text += " -";
  add_end("peer_name", "peer", "peer_port");
  const auto is_common_field = [](const std::string& key) {
    for (const char* common :
         {"id", "time", "event", "sweep", "node", "name", "port", "peer", "peer_name", "peer_port"})
      if (key == common) return true;
    return false;
  };
  for (const auto& [key, value] : event.items())
    if (!is_common_field(key))
      text +=
          (key == "text" || key == "link" || key == "reason" ? std::string(" ") : " " + key + " ") +
          text_of(event, key.c_str());
  return printable(text) + "\n";
}

class Printer {
 public:
  explicit Printer(const EventsOptions& options) : options_(options) {}
  void one(const Json& event) {
    last_ = std::max(last_, text_of(event, "time"));
    append_to_stdout(
        options_.json
            ? printable_json(event.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n"
            : event_line(event));
    std::fflush(stdout);
  }
  void all(const Json& events) {
    if (options_.json && !options_.follow) return print({{"events", events}});
    for (const Json& event : events) one(event);
  }
  const std::string& last() const { return last_; }

 private:
  const EventsOptions& options_;
  std::string last_;  // time of the last event
};

/// Opens the history; waits up to kCreationTimeout for a file that a manager is creating at its
/// start.
Result<HistoryReader> open_when_created(const std::string& path) {
  const auto until = std::chrono::steady_clock::now() + kCreationTimeout;
  for (bool warned = false;; warned = true) {
    auto reader = HistoryReader::open(path);
    if (reader || reader.error().code != Code::kTimeout) return reader;
    if (std::chrono::steady_clock::now() >= until)
      return fail(Code::kEnvironment, "{}: weft sm --history creates it", reader.error().message);
    if (!warned) log::warn("{}: waiting", reader.error().message);
    std::this_thread::sleep_for(kCreationPoll);
  }
}

int from_file(const EventsOptions& options, HistoryQuery query) {
  Printer printer(options);
  const auto runner = runner_of(options);
  for (bool is_first = true;; is_first = false) {
    auto reader = open_when_created(options.history);
    if (!reader) return report(reader.error());
    const auto events = reader->events(query);
    if (!events) return report(events.error());
    Json list = Json::array();
    for (const HistoryEvent& event : *events) {
      Json json{{"id", event.id}};
      if (const Json fields = Json::parse(event.line, nullptr, false); fields.is_object())
        json.update(fields);
      list.push_back(std::move(json));
      query.after_id = std::max(query.after_id, event.id);
    }
    if (!list.empty() || !options.follow) printer.all(list);
    if (!options.follow) return 0;
    if (runner && !is_first && !list.empty()) runner->note_event();
    query.limit = kLimitMax;
    std::this_thread::sleep_for(kFollowInterval);
  }
}

bool fits(const Json& event, const HistoryQuery& query) {
  if (!query.kinds.empty() &&
      std::ranges::find(query.kinds, text_of(event, "event")) == query.kinds.end())
    return false;
  if (query.node) {
    const std::string guid = fmt::format("0x{:016x}", query.node->value());
    if (text_of(event, "node") != guid && text_of(event, "peer") != guid) return false;
  }
  if (!query.name.empty() && text_of(event, "name") != query.name &&
      text_of(event, "peer_name") != query.name)
    return false;
  const auto at = parse_when(text_of(event, "time").substr(0, 19), 0);
  return at && *at >= query.since_ns - query.since_ns % kSecondNs && *at < query.until_ns;
}

std::string path_of(const HistoryQuery& query) {
  std::string path = fmt::format("/api/v1/history/events?limit={}", query.limit);
  if (query.since_ns > 0) path += fmt::format("&since={}", query.since_ns / kSecondNs);
  if (query.until_ns < INT64_MAX) path += fmt::format("&until={}", query.until_ns / kSecondNs);
  for (std::size_t i = 0; i < query.kinds.size(); ++i)
    path += (i == 0 ? "&kind=" : ",") + query.kinds[i];
  if (query.node) path += fmt::format("&node=0x{:016x}", query.node->value());
  if (!query.name.empty()) path += "&name=" + percent_encoded(query.name);
  return path;
}

/// The recent events that the service has in memory, for a manager without a history.
Result<Json> recent_events(ApiClient& client, const HistoryQuery& query) {
  auto ring = client.get("/api/v1/events?limit=4096");
  if (!ring) return forward(ring);
  log::warn("{} keeps no history (--history): showing at most its last {} events", client.server(),
            4096);
  Json list = Json::array();
  for (const Json& event : (*ring)["events"])
    if (fits(event, query)) list.push_back(event);
  while (list.size() > query.limit) list.erase(list.begin());
  return list;
}

int from_server(const EventsOptions& options, const HistoryQuery& query) {
  auto client = ApiClient::open(options.server);
  if (!client) return report(client.error());
  const auto seen = client->get("/api/v1/events?limit=0");
  if (!seen) return report(seen.error());
  auto past = client->get(path_of(query));
  if (!past && client->status() != 404) return report(past.error());
  auto list = past ? Result<Json>((*past)["events"]) : recent_events(*client, query);
  if (!list) return report(list.error());
  Printer printer(options);
  if (!list->empty() || !options.follow) printer.all(*list);
  if (!options.follow) return 0;
  constexpr std::string_view kData = "data: ";
  const std::string before = printer.last();
  const auto runner = runner_of(options);
  const auto followed = client->follow(
      "/api/v1/events/stream", seen->value("total", std::uint64_t{0}), [&](std::string_view line) {
        if (!line.starts_with(kData)) return true;
        const Json event = Json::parse(line.substr(kData.size()), nullptr, false);
        if (event.is_object() && fits(event, query) && text_of(event, "time") > before) {
          printer.one(event);
          if (runner) runner->note_event();
        }
        return true;
      });
  if (!followed) return report(followed.error());
  return report({Code::kEnvironment, client->server() + ": event stream closed"});
}

int run_events(const EventsOptions& options) {
  const auto query = query_of(options);
  if (!query) return report(query.error());
  if (options.follow && !options.until.empty())
    return report({Code::kUsage, "--follow and --until exclude each other"});
  if (!options.run.empty() && !options.follow)
    return report({Code::kUsage, "--run requires --follow"});
  if (options.history.empty()) return from_server(options, *query);
  if (!options.server.url.empty())
    return report({Code::kUsage, "--history and --server exclude each other"});
  return from_file(options, *query);
}

Run set_up_events(CLI::App& app) {
  auto options = std::make_shared<EventsOptions>();
  app.add_option("--history", options->history,
                 "Read this history file instead of the HTTP service")
      ->option_text("FILE");
  add_server(app, options->server);
  app.add_option("--since", options->since,
                 "Show events since this time: 30m, 2h, 7d (ago), 2026-11-21T14:30 (UTC)")
      ->option_text("WHEN");
  app.add_option("--until", options->until, "Show events before this time")->option_text("WHEN");
  app.add_option("--kind", options->kinds, "Show only these kinds, such as link_gone,error")
      ->option_text("KIND,..");
  app.add_option("--node", options->node, "Show only events of this node: GUID (0x..) or full name")
      ->option_text("NODE");
  app.add_option("--limit", options->limit, "Show at most the last N events (default: 1000)")
      ->check(CLI::Range(std::size_t{1}, kLimitMax))
      ->option_text("N");
  app.add_flag("--follow", options->follow, "Continue with new events");
  app.add_option("--run", options->run,
                 "With --follow: run this shell command after new events, when no further event "
                 "has occurred for 1 s, at the latest 10 s after the first event")
      ->option_text("COMMAND");
  app.add_flag("--json", options->json, "Print one JSON object; with --follow one per event");
  return [options] { return run_events(*options); };
}

}  // namespace

const Subcommand kEventsSubcommand{
    "events", "List fabric events from the history of a subnet manager", &set_up_events};

}  // namespace weft::cli
