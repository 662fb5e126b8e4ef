#include "service/http/http_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "service/http/http_cables.h"
#include "service/http/http_data.h"
#include "service/http/http_drawing.h"
#include "service/http/http_history.h"
#include "service/http/http_partitions.h"
#include "service/http/token.h"
#include "service/openapi_file.h"

namespace weft {
namespace {

using http_data::Json;
using Steady = std::chrono::steady_clock;

constexpr auto kCountersMaxAge = std::chrono::seconds(1);
constexpr auto kHeartbeat = std::chrono::seconds(15);
constexpr std::size_t kPageMax = 10'000;
constexpr std::size_t kEventsAtOnce = 256;
constexpr std::size_t kFoundMax = 1000;

HttpAnswer json_answer(const Json& json, int status = 200) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::make_shared<const std::string>(http_data::text(json));
  return answer;
}

HttpAnswer error_answer(int status, const std::string& what) {
  return json_answer({{"error", what}}, status);
}

HttpAnswer text_answer(int status, std::string text,
                       std::string type = "text/plain; charset=utf-8") {
  HttpAnswer answer;
  answer.status = status;
  answer.type = std::move(type);
  answer.body = std::make_shared<const std::string>(std::move(text));
  return answer;
}

HttpAnswer no_data_yet() { return error_answer(503, "no fabric data yet: no sweep has completed"); }

HttpAnswer no_guid(std::string_view found) {
  return error_answer(400, fmt::format("found {}, expected a GUID such as 0x0002c903000e0b72",
                                       weft::quoted(found)));
}

/// The name in a Host header, without port.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

/// Rejects DNS rebinding: a loopback listener accepts only loopback Host headers.
bool names_this_machine(std::string_view host) {
  const std::string_view name = host_name(host);
  if (name.empty() || name == "localhost") return true;
  const auto address = parse_http_address(std::string(name) + ":0");
  return address && address->loopback;
}

/// The event stream of one client.
class EventStream final : public HttpStream {
 public:
  EventStream(std::shared_ptr<const EventRing> ring, std::uint64_t last)
      : ring_(std::move(ring)), last_(last), sent_at_(Steady::now()) {}

  std::string next() override {
    std::string text = first_ ? "retry: 2000\n\n" : "";
    first_ = false;
    for (const EventRing::Entry& entry : ring_->after(last_, kEventsAtOnce)) {
      if (entry.id > last_ + 1)
        text += fmt::format("data: {{\"id\":{},\"event\":\"events_lost\",\"count\":{}}}\n\n",
                            entry.id - 1, entry.id - last_ - 1);
      text += fmt::format("id: {}\ndata: {}\n\n", entry.id, entry.line);
      last_ = entry.id;
    }
    const auto now = Steady::now();
    if (text.empty() && now - sent_at_ > kHeartbeat) text = ": heartbeat\n\n";
    if (!text.empty()) sent_at_ = now;
    return text;
  }

 private:
  const std::shared_ptr<const EventRing> ring_;
  std::uint64_t last_;
  bool first_ = true;
  Steady::time_point sent_at_;
};

}  // namespace

struct HttpApi::Call {
  const HttpRequest& request;
  std::string_view rest;  // of the path, after the path of the endpoint
  SmBoard::Posted posted;

  /// Fails with the error answer.
  tl::expected<std::uint64_t, HttpAnswer> number(const std::string& name, std::uint64_t otherwise,
                                                 std::uint64_t most) const {
    const std::string* text = request.find(name);
    if (text == nullptr) return otherwise;
    const auto value = parse_number<std::uint64_t>(*text);
    if (value && *value <= most) return *value;
    return tl::unexpected(
        error_answer(400, fmt::format("{}: found {}, expected a number from 0 to {}", name,
                                      weft::quoted(*text), most)));
  }
  tl::expected<http_data::Page, HttpAnswer> page() const {
    http_data::Page page;
    auto limit = number("limit", page.limit, kPageMax);
    if (!limit) return tl::unexpected(std::move(limit.error()));
    auto offset = number("offset", 0, UINT32_MAX);
    if (!offset) return tl::unexpected(std::move(offset.error()));
    return http_data::Page{*offset, *limit};
  }
  std::string_view text(const std::string& name) const {
    const std::string* found = request.find(name);
    return found == nullptr ? std::string_view() : *found;
  }
};

namespace {

using Open = HttpApi::Endpoint::Open;

}  // namespace

std::span<const HttpApi::Endpoint> HttpApi::endpoints() {
  static constexpr Endpoint kEndpoints[] = {
      {"GET", "/healthz", &HttpApi::healthz, Open::kAlways, true},
      {"GET", "/readyz", &HttpApi::readyz, Open::kAlways, true},
      {"GET", "/metrics", &HttpApi::metrics},
      {"GET", "/api/v1/openapi.json", &HttpApi::openapi, Open::kReads, true},
      {"GET", "/api/v1/fabric", &HttpApi::fabric, Open::kReads, true},
      {"GET", "/api/v1/nodes", &HttpApi::nodes},
      {"GET", "/api/v1/node/", &HttpApi::node},
      {"GET", "/api/v1/ports", &HttpApi::ports},
      {"GET", "/api/v1/links", &HttpApi::links},
      {"GET", "/api/v1/routes/path", &HttpApi::path},
      {"GET", "/api/v1/partitions", &HttpApi::partitions},
      {"GET", "/api/v1/partition/", &HttpApi::partition},
      {"POST", "/api/v1/partitions", &HttpApi::create_partition, Open::kChanges},
      {"GET", "/api/v1/partitions/", &HttpApi::partition},
      {"PATCH", "/api/v1/partitions/", &HttpApi::change_partition, Open::kChanges},
      {"DELETE", "/api/v1/partitions/", &HttpApi::delete_partition, Open::kChanges},
      {"GET", "/api/v1/emulation/cut", &HttpApi::cut_cables},
      {"POST", "/api/v1/emulation/cut", &HttpApi::cut_cable, Open::kChanges},
      {"POST", "/api/v1/emulation/mend", &HttpApi::mend_cable, Open::kChanges},
      {"GET", "/api/v1/multicast", &HttpApi::multicast},
      {"GET", "/api/v1/subscriptions", &HttpApi::subscriptions},
      {"GET", "/api/v1/configuration", &HttpApi::configuration, Open::kReads, true},
      {"GET", "/api/v1/events", &HttpApi::events},
      {"GET", "/api/v1/events/stream", &HttpApi::event_stream, Open::kReads, true},
      {"GET", "/api/v1/drawing", &HttpApi::drawing},
      {"GET", "/api/v1/search", &HttpApi::search},
      {"GET", "/api/v1/errors", &HttpApi::errors},
      {"GET", "/api/v1/counters", &HttpApi::all_counters},
      {"GET", "/api/v1/counters/", &HttpApi::node_counters},
      {"GET", "/api/v1/history/events", &HttpApi::history_events},
      {"GET", "/api/v1/history/sweeps", &HttpApi::history_sweeps},
      {"GET", "/api/v1/history/counters/", &HttpApi::history_counters},
      {"GET", "/api/v1/engines", &HttpApi::engines},
      {"POST", "/api/v1/compare", &HttpApi::compare},
      {"POST", "/api/v1/what-if", &HttpApi::what_if},
      {"POST", "/api/v1/sweep", &HttpApi::sweep, Open::kChanges},
  };
  return kEndpoints;
}

HttpApi::HttpApi(HttpOptions options, SmBoard& board, std::shared_ptr<const EventRing> events)
    : options_(std::move(options)), board_(board), events_(std::move(events)) {}

namespace {

/// The cache key of of_snapshot().
std::string key_of(const HttpRequest& request) {
  std::string key = request.path;
  for (const auto& [name, value] : request.query) {
    key.append("\n").append(name);
    key.append("\n").append(value);
  }
  return key;
}

}  // namespace

HttpAnswer HttpApi::answer(const HttpRequest& request) {
  auto endpoint = endpoint_of(request);
  if (!endpoint) return std::move(endpoint.error());
  return (this->*(*endpoint)->run)(call_of(**endpoint, request));
}

std::optional<HttpAnswer> HttpApi::quick_answer(const HttpRequest& request) {
  auto endpoint = endpoint_of(request);
  if (!endpoint) return std::move(endpoint.error());
  const Call call = call_of(**endpoint, request);
  if ((*endpoint)->quick) return (this->*(*endpoint)->run)(call);
  if ((*endpoint)->method != "GET") return std::nullopt;
  const std::lock_guard lock(cache_mutex_);
  if (cache_snapshot_ != call.posted.snapshot) return std::nullopt;
  const auto found = cache_.find(key_of(request));
  if (found == cache_.end()) return std::nullopt;
  HttpAnswer answer;
  answer.body = found->second;
  return answer;
}

tl::expected<const HttpApi::Endpoint*, HttpAnswer> HttpApi::endpoint_of(
    const HttpRequest& request) const {
  const auto matches = [&](const Endpoint& endpoint) {
    const bool open_end = endpoint.path.back() == '/';
    return open_end ? request.path.starts_with(endpoint.path) &&
                          request.path.size() > endpoint.path.size()
                    : request.path == endpoint.path;
  };
  if (options_.address.loopback && !names_this_machine(request.host))
    return tl::unexpected(
        error_answer(421,
                     "this service is reachable from this machine only: use localhost as host "
                     "name"));
  const auto all = endpoints();
  auto found = all.end();
  std::string allowed;
  for (auto at = all.begin(); at != all.end(); ++at) {
    if (!matches(*at)) continue;
    if (at->method == request.method) found = at;
    allowed += (allowed.empty() ? "" : ", ") + std::string(at->method);
  }
  if (allowed.empty()) return tl::unexpected(page(request));
  if (found == all.end()) {
    HttpAnswer answer = error_answer(405, "expected " + allowed);
    answer.headers.emplace_back("Allow", allowed);
    return tl::unexpected(std::move(answer));
  }
  if (!is_allowed(*found, request)) return tl::unexpected(refuse(request));
  return &*found;
}

HttpApi::Call HttpApi::call_of(const Endpoint& endpoint, const HttpRequest& request) const {
  return {request, std::string_view(request.path).substr(endpoint.path.size()), board_.read()};
}

bool HttpApi::is_allowed(const Endpoint& endpoint, const HttpRequest& request) const {
  if (endpoint.open == Open::kAlways) return true;
  if (endpoint.open == Open::kReads && options_.address.loopback) return true;
  return !options_.token.empty() && same_token(request.token, options_.token);
}

HttpAnswer HttpApi::refuse(const HttpRequest& request) const {
  if (options_.token.empty())
    return error_answer(403, "read-only: no http_token_file is configured");
  HttpAnswer answer = error_answer(
      401, request.token.empty() ? "expected Authorization: Bearer TOKEN" : "wrong token");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  answer.penalty = !request.token.empty();
  return answer;
}

/// The page itself contains no fabric data and needs no token; the user enters it there.
HttpAnswer HttpApi::page(const HttpRequest& request) const {
  if (options_.page && options_.page->find(request.path) != nullptr) {
    if (request.method == "GET") return options_.page->answer(request);
    HttpAnswer answer = error_answer(405, "expected GET");
    answer.headers.emplace_back("Allow", "GET");
    return answer;
  }
  if (request.path == "/")
    return error_answer(404, "the page is not installed; /api/v1/openapi.json lists the endpoints");
  return error_answer(404, "unknown path " + weft::quoted(request.path));
}

HttpAnswer HttpApi::healthz(const Call&) { return text_answer(200, "ok\n"); }

HttpAnswer HttpApi::readyz(const Call& call) {
  const std::string why = reason_not_ready(call.posted);
  return why.empty() ? text_answer(200, "ready\n") : text_answer(503, why + "\n");
}

HttpAnswer HttpApi::metrics(const Call& call) {
  const auto& snapshot = call.posted.snapshot;
  const MetricsView view{
      call.posted,
      board_.sa_meter(),
      counters(),
      options_.version,
      events_->total(),
      board_.history_meter(),
      snapshot ? cached(snapshot, "families of /metrics", &snapshot_metrics) : nullptr};
  return text_answer(200, metrics_text(view), "text/plain; version=0.0.4; charset=utf-8");
}

PortCountsTable HttpApi::counters() {
  const std::lock_guard lock(counters_mutex_);
  const auto now = Steady::now();
  if (counters_at_ != Steady::time_point{} && now - counters_at_ < kCountersMaxAge)
    return counters_;
  const auto table = board_.counters_source.call();
  if (!table) return counters_ = nullptr;
  if (*table) counters_ = *table;  // on timeout keep the old counters
  counters_at_ = Steady::now();
  return counters_;
}

HttpAnswer HttpApi::openapi(const Call&) {
  static const auto text = std::make_shared<const std::string>(openapi_file::kOpenapi_json);
  HttpAnswer answer;
  answer.body = text;
  return answer;
}

HttpAnswer HttpApi::fabric(const Call& call) {
  return json_answer(http_data::fabric(call.posted, options_.version));
}

/// Returns the cached text for a snapshot and `key`, or makes and caches it.
template <class Make>
std::shared_ptr<const std::string> HttpApi::cached(const std::shared_ptr<const Snapshot>& snapshot,
                                                   std::string key, Make make) {
  std::shared_ptr<const Snapshot> old;  // may be the last reference: destroyed outside the lock
  decltype(cache_) old_texts;
  {
    const std::lock_guard lock(cache_mutex_);
    if (cache_snapshot_ != snapshot) {
      old_texts.swap(cache_);
      cache_bytes_ = 0;
      old = std::exchange(cache_snapshot_, snapshot);
    }
    if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
  }
  auto text = std::make_shared<const std::string>(make(*snapshot));
  const std::lock_guard lock(cache_mutex_);
  const std::size_t size = key.size() + text->size();
  if (cache_snapshot_ == snapshot && cache_bytes_ + size <= kCacheMax &&
      cache_.emplace(std::move(key), text).second)
    cache_bytes_ += size;
  return text;
}

template <class Make>
HttpAnswer HttpApi::of_snapshot(const Call& call, Make make) {
  if (!call.posted.snapshot) return no_data_yet();
  HttpAnswer answer;
  answer.body = cached(call.posted.snapshot, key_of(call.request),
                       [&](const Snapshot& snapshot) { return http_data::text(make(snapshot)); });
  return answer;
}

HttpAnswer HttpApi::nodes(const Call& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  const std::string_view type = call.text("type");
  if (!type.empty() && type != "CA" && type != "SW" && type != "RTR")
    return error_answer(400,
                        fmt::format("type: found {}, expected CA, SW or RTR", weft::quoted(type)));
  return of_snapshot(call, [&](const Snapshot& snapshot) {
    return http_data::nodes(snapshot, type, call.text("name"), *page);
  });
}

HttpAnswer HttpApi::node(const Call& call) {
  if (!call.posted.snapshot) return no_data_yet();
  const auto guid = parse_number<std::uint64_t>(call.rest, 16);
  if (!guid) return no_guid(call.rest);
  const auto node = call.posted.snapshot->fabric.find_node(Guid(*guid));
  if (!node) return error_answer(404, fmt::format("no node has GUID {:#018x}", *guid));
  return of_snapshot(call,
                     [&](const Snapshot& snapshot) { return http_data::node(snapshot, *node); });
}

HttpAnswer HttpApi::ports(const Call& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return of_snapshot(call, [&](const Snapshot& snapshot) {
    return http_data::ports(snapshot, call.text("connected") == "true", *page);
  });
}

HttpAnswer HttpApi::links(const Call& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return of_snapshot(call,
                     [&](const Snapshot& snapshot) { return http_data::links(snapshot, *page); });
}

HttpAnswer HttpApi::path(const Call& call) {
  const std::string_view from = call.text("from"), to = call.text("to");
  if (from.empty() || to.empty())
    return error_answer(400, "expected from= and to=, each a GUID, a LID or a node's name");
  if (!call.posted.snapshot) return no_data_yet();
  const auto path = http_data::path(*call.posted.snapshot, from, to);
  if (path) return json_answer(*path);
  return error_answer(path.error().code == Code::kUsage ? 404 : 409, path.error().message);
}

HttpAnswer HttpApi::partitions(const Call& call) {
  return of_snapshot(call,
                     [](const Snapshot& snapshot) { return http_data::partitions(snapshot); });
}

HttpAnswer HttpApi::partition(const Call& call) {
  if (!call.posted.snapshot) return no_data_yet();
  const auto base = http_data::pkey_base(call.rest);
  if (!base) return error_answer(400, base.error().message);
  const auto json = http_data::partition(*call.posted.snapshot, *base);
  return json ? json_answer(*json) : error_answer(404, json.error().message);
}

HttpAnswer HttpApi::create_partition(const Call& call) {
  auto order = http_data::new_partition(Json::parse(call.request.body, nullptr, false));
  if (!order) return error_answer(400, order.error().message);
  return carry_out(std::move(*order), 201);
}

HttpAnswer HttpApi::change_partition(const Call& call) {
  const auto base = http_data::pkey_base(call.rest);
  if (!base) return error_answer(400, base.error().message);
  auto order = http_data::other_members(*base, Json::parse(call.request.body, nullptr, false));
  if (!order) return error_answer(400, order.error().message);
  return carry_out(std::move(*order), 200);
}

HttpAnswer HttpApi::delete_partition(const Call& call) {
  const auto base = http_data::pkey_base(call.rest);
  if (!base) return error_answer(400, base.error().message);
  if (!trim(call.request.body).empty()) return error_answer(400, "expected an empty body");
  PartitionOrder order;
  order.change.kind = PartitionChange::Kind::kDelete;
  order.change.base = *base;
  return carry_out(std::move(order), 200);
}

namespace {

/// The answer for a change that the manager rejected or that failed.
HttpAnswer refused(const Error& error) {
  switch (error.code) {
    case Code::kUsage:
      return error_answer(404, error.message);
    case Code::kTimeout:
      return error_answer(503, error.message);
    case Code::kEnvironment:
      return error_answer(500, error.message);
    default:
      return error_answer(409, error.message);
  }
}

}  // namespace

/// May block until the end of a sweep, so it runs on the thread for requests to the manager.
HttpAnswer HttpApi::carry_out(PartitionOrder order, int done) {
  HttpAnswer answer;
  answer.later = [this, order = std::move(order), done] {
    const auto outcome = board_.partitions_handler.call(order);
    if (!outcome) return error_answer(503, "the manager is not running");
    if (!*outcome) return refused(outcome->error());
    const Json json = http_data::outcome(order.change.base, **outcome);
    return json_answer(json, (*outcome)->applied ? done : 202);
  };
  return answer;
}

HttpAnswer HttpApi::cut_cables(const Call&) {
  HttpAnswer answer;
  answer.later = [this] {
    const auto outcome = board_.cables_handler.call(CableOrder{});
    if (!outcome) return error_answer(503, "the manager is not running");
    if (!*outcome) return refused(outcome->error());
    return json_answer(http_data::cut_cables(**outcome));
  };
  return answer;
}

HttpAnswer HttpApi::cut_cable(const Call& call) {
  return carry_out_cable(CableOrder::Action::kCut, call);
}

HttpAnswer HttpApi::mend_cable(const Call& call) {
  return carry_out_cable(CableOrder::Action::kMend, call);
}

/// The manager's thread executes the order between two of its steps.
HttpAnswer HttpApi::carry_out_cable(CableOrder::Action action, const Call& call) {
  auto order = http_data::cable_order(action, Json::parse(call.request.body, nullptr, false));
  if (!order) return error_answer(400, order.error().message);
  HttpAnswer answer;
  answer.later = [this, order = std::move(*order)] {
    const auto outcome = board_.cables_handler.call(order);
    if (!outcome) return error_answer(503, "the manager is not running");
    if (!*outcome) return refused(outcome->error());
    return json_answer(http_data::cable_outcome(order.action, **outcome));
  };
  return answer;
}

/// Reads the state of the subnet administration on its thread: it changes between sweeps, so that
/// snapshots do not contain it.
template <class Read>
HttpAnswer HttpApi::of_queries(Read read) {
  auto json = std::make_shared<Json>();
  const auto done =
      board_.sa_access.call([json, read](const SaServer& server) { *json = read(server.state()); });
  if (!done) return error_answer(503, "the subnet administration is not running");
  if (!*done) return error_answer(503, "timeout: the subnet administration is busy");
  return json_answer(*json);
}

HttpAnswer HttpApi::multicast(const Call&) { return of_queries(&http_data::multicast); }
HttpAnswer HttpApi::subscriptions(const Call&) { return of_queries(&http_data::subscriptions); }

HttpAnswer HttpApi::configuration(const Call& call) {
  const std::lock_guard lock(configuration_mutex_);
  if (configuration_of_ != call.posted.settings) {
    configuration_ = json_answer(http_data::configuration(*call.posted.settings)).body;
    configuration_of_ = call.posted.settings;
  }
  HttpAnswer answer;
  answer.body = configuration_;
  return answer;
}

HttpAnswer HttpApi::events(const Call& call) {
  auto limit = call.number("limit", 1000, EventRing::kKept);
  if (!limit) return std::move(limit.error());
  auto after = call.number("after", 0, UINT64_MAX);
  if (!after) return std::move(after.error());
  const std::uint64_t total = events_->total();
  // Without `after`: the last `limit` events.
  const std::uint64_t from = call.request.find("after") || total < *limit ? *after : total - *limit;
  std::string text = fmt::format("{{\"total\":{},\"events\":[", total);
  for (const EventRing::Entry& entry : events_->after(from, *limit)) {
    if (text.back() != '[') text += ",\n";
    text += entry.line;
  }
  return text_answer(200, text + "]}\n", "application/json");
}

HttpAnswer HttpApi::event_stream(const Call& call) {
  std::uint64_t last = events_->total();
  if (call.request.last_event) {
    const auto id = parse_number<std::uint64_t>(*call.request.last_event);
    if (!id) return error_answer(400, "Last-Event-ID: expected a number");
    last = std::min(last, *id);
  }
  HttpAnswer answer;
  answer.stream = std::make_unique<EventStream>(events_, last);
  return answer;
}

HttpAnswer HttpApi::sweep(const Call& call) {
  using Kind = SmRequest::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 3> kKinds{
      {{"heavy", Kind::kHeavySweep}, {"light", Kind::kLightSweep}, {"reroute", Kind::kReroute}}};
  std::string wanted = "heavy";
  if (!trim(call.request.body).empty()) {
    const Json body = Json::parse(call.request.body, nullptr, false);
    if (!body.is_object() || body.size() > 1 ||
        (body.size() == 1 && (!body.contains("kind") || !body["kind"].is_string())))
      return error_answer(400, "expected a JSON object such as {\"kind\": \"heavy\"}, or nothing");
    wanted = body.value("kind", wanted);
  }
  const auto found = std::ranges::find(kKinds, wanted, [](const auto& kind) { return kind.first; });
  if (found == kKinds.end())
    return error_answer(
        400, fmt::format("kind: found {}, expected heavy, light or reroute", weft::quoted(wanted)));
  if (!call.posted.status.sweeping) return error_answer(409, "sweeps are disabled");
  if (call.posted.status.state != SmState::kMaster)
    return error_answer(409, "only the master sweeps");
  if (!board_.add_request({found->second, 0, SmRequest::By::kHttp}))
    return error_answer(503, "too many pending requests");
  return json_answer({{"accepted", wanted}}, 202);
}

/// Large fabrics take seconds: concurrent requests get 503.
HttpAnswer HttpApi::drawing(const Call& call) {
  const std::unique_lock lock(drawing_mutex_, std::try_to_lock);
  if (!lock) return error_answer(503, "another drawing is being computed: try again");
  return of_snapshot(call, [](const Snapshot& snapshot) { return http_data::drawing(snapshot); });
}

HttpAnswer HttpApi::search(const Call& call) {
  auto limit = call.number("limit", 20, kFoundMax);
  if (!limit) return std::move(limit.error());
  const std::string_view wanted = trim(call.text("q"));
  if (wanted.empty()) return error_answer(400, "expected q=, part of a name, a GUID or a LID");
  if (!call.posted.snapshot) return no_data_yet();
  return json_answer(http_data::search(*call.posted.snapshot, wanted, *limit));
}

HttpAnswer HttpApi::errors(const Call& call) {
  if (!call.posted.snapshot) return no_data_yet();
  return json_answer(http_data::errors(call.posted.snapshot->fabric, counters()));
}

HttpAnswer HttpApi::node_counters(const Call& call) {
  const auto guid = parse_number<std::uint64_t>(call.rest, 16);
  if (!guid) return no_guid(call.rest);
  return json_answer(http_data::counters(Guid(*guid), counters()));
}

HttpAnswer HttpApi::all_counters(const Call& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return json_answer(http_data::all_counters(counters(), *page));
}

namespace {

std::int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

/// Each request opens its own connection to the file, besides that of the writer.
template <class Read>
HttpAnswer HttpApi::of_history(const Call& call, std::optional<Guid> node, Read read) {
  const std::string& path = call.posted.settings->history_file;
  if (path.empty()) return error_answer(404, "no history: start weft sm with --history FILE");
  HistoryQuery query;
  auto limit = call.number("limit", query.limit, kPageMax);
  if (!limit) return std::move(limit.error());
  query.limit = *limit;
  for (const auto& [name, at] :
       {std::pair("since", &query.since_ns), std::pair("until", &query.until_ns)}) {
    if (call.text(name).empty()) continue;
    const auto when = parse_when(call.text(name), now_ns());
    if (!when) return error_answer(400, fmt::format("{}: {}", name, when.error().message));
    *at = *when;
  }
  for (const std::string_view kind : split(call.text("kind"), ',')) {
    if (trim(kind).empty()) continue;
    if (!is_event_kind(trim(kind)))
      return error_answer(400, fmt::format("kind: unknown event kind {}", weft::quoted(kind)));
    query.kinds.emplace_back(trim(kind));
  }
  query.name = call.text("name");
  query.node = node;
  if (!node && !call.text("node").empty()) {
    const auto guid = parse_number<std::uint64_t>(call.text("node"), 16);
    if (!guid) return no_guid(call.text("node"));
    query.node = Guid(*guid);
  }
  const auto json = read(path, query);
  return json ? json_answer(*json) : error_answer(503, json.error().message);
}

HttpAnswer HttpApi::history_events(const Call& call) {
  return of_history(call, std::nullopt, &http_data::history_events);
}

HttpAnswer HttpApi::history_sweeps(const Call& call) {
  return of_history(call, std::nullopt, &http_data::history_sweeps);
}

HttpAnswer HttpApi::history_counters(const Call& call) {
  const auto guid = parse_number<std::uint64_t>(call.rest, 16);
  if (!guid) return no_guid(call.rest);
  return of_history(call, Guid(*guid), &http_data::history_counters);
}

HttpAnswer HttpApi::engines(const Call& call) {
  return of_snapshot(call, [](const Snapshot& snapshot) { return engines_json(snapshot); });
}

namespace {

/// The body of a request for a study. Requires the type application/json, which pages of other
/// origins cannot send without a CORS preflight.
tl::expected<Json, HttpAnswer> study_body(const HttpRequest& request) {
  if (request.body_type != "application/json")
    return tl::unexpected(error_answer(415, "expected Content-Type: application/json"));
  Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object()) return tl::unexpected(error_answer(400, "expected a JSON object"));
  return body;
}

}  // namespace

HttpAnswer HttpApi::study(const Call& call, const Studies::Study& study) {
  auto done = studies_.run(call.posted.snapshot->fabric, study);
  if (done) return json_answer(*done);
  const Code code = done.error().code;
  const int status = code == Code::kTimeout ? 503 : code == Code::kUsage ? 400 : 409;
  return error_answer(status, done.error().message);
}

HttpAnswer HttpApi::compare(const Call& call) {
  auto body = study_body(call.request);
  if (!body) return std::move(body.error());
  if (body->size() != 1 || !body->contains("engine") || !(*body)["engine"].is_string())
    return error_answer(400, "expected an engine, such as {\"engine\": \"nue\"}");
  if (!call.posted.snapshot) return no_data_yet();
  return study(call, [&] {
    return compare_engine(*call.posted.snapshot, *call.posted.settings, (*body)["engine"]);
  });
}

HttpAnswer HttpApi::what_if(const Call& call) {
  auto body = study_body(call.request);
  if (!body) return std::move(body.error());
  const auto wrong = [] {
    return error_answer(400,
                        "expected {\"node\": \"GUID\", \"port\": 7}, or a switch without port");
  };
  const bool has_port = body->contains("port");
  if (body->size() != (has_port ? 2u : 1u) || !body->contains("node") ||
      !(*body)["node"].is_string())
    return wrong();
  const auto guid = parse_number<std::uint64_t>((*body)["node"].get<std::string>(), 16);
  std::optional<PortNum> port;
  if (has_port) {
    const Json& num = (*body)["port"];
    if (!num.is_number_unsigned() || num.get<std::uint64_t>() > UINT8_MAX) return wrong();
    port = PortNum(num.get<std::uint8_t>());
  }
  if (!guid) return wrong();
  if (!call.posted.snapshot) return no_data_yet();
  const auto failure = failure_at(call.posted.snapshot->fabric, Guid(*guid), port);
  if (!failure) return error_answer(404, failure.error().message);
  return study(
      call, [&] { return weft::what_if(*call.posted.snapshot, *call.posted.settings, *failure); });
}

}  // namespace weft
