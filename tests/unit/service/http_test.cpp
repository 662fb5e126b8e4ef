// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// HTTP requests, addresses, tokens, endpoints, the cache, events, and replication over HTTP,
// without sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/letters.h"
#include "service/http/data/cables.h"
#include "service/http/data/partition_orders.h"
#include "service/http/data/queries.h"
#include "service/http/http_api.h"
#include "unit/service/published.h"

namespace weft {
namespace {

using testing::HasSubstr;

HttpHead head(std::string_view method, std::string_view target,
              std::vector<std::pair<std::string_view, std::string_view>> headers = {}) {
  return {method, target, 100, std::move(headers)};
}

TEST(CableOrders, RequireAPortFrom1To254) {
  const auto order_of = [](unsigned port) {
    return http_data::cable_order(CableOrder::Action::kCut, {{"node", "leaf"}, {"port", port}});
  };
  for (const unsigned good : {1u, 254u}) EXPECT_TRUE(order_of(good)) << good;
  for (const unsigned bad : {0u, 255u}) EXPECT_FALSE(order_of(bad)) << bad;
}

TEST(HttpHead, IsConvertedToARequest) {
  const auto request = request_of(head("HEAD", "/a%20b?x=1%262&y&=3&z=a+b%2",
                                       {{"HOST", "h:1"},
                                        {"Authorization", "bearer  t "},
                                        {"Last-Event-ID", "7"},
                                        {"If-None-Match", "\"1\""},
                                        {"Content-Type", "Application/JSON; charset=utf-8"},
                                        {"Content-Length", "65536"},
                                        {"Range", "bytes=0-1"}}));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_TRUE(request->head_only);
  EXPECT_EQ(request->path, "/a b");
  EXPECT_EQ(*request->find("x"), "1&2");
  EXPECT_EQ(*request->find("y"), "");
  EXPECT_EQ(*request->find("z"), "a b%2");
  EXPECT_EQ(request->query.size(), 3u);
  EXPECT_EQ(request->host, "h:1");
  EXPECT_EQ(request->token, "t");
  EXPECT_EQ(request->last_event, "7");
  EXPECT_EQ(request->have_tag, "\"1\"");
  EXPECT_EQ(request->body_type, "application/json");
  EXPECT_EQ(request->body_size, 65536u);
  EXPECT_EQ(request_of(head("GET", "/x%00y%zz"))->path, std::string("/x\0y%zz", 7));
  EXPECT_EQ(request_of(head("POST", "/x"))->body_size, 0u);
}

TEST(HttpHead, IsRejectedIfAmbiguousOrOversized) {
  const auto status = [](std::string_view name, std::string_view value) {
    const auto request = request_of(head("POST", "/x", {{name, value}}));
    return request ? 0 : request.error();
  };
  EXPECT_EQ(status("Content-Length", "65537"), 413);
  EXPECT_EQ(status("Content-Length", "65536"), 0);
  for (const char* length : {"-1", "+1", "0x1", "1,1", "", "18446744073709551616"})
    EXPECT_EQ(status("Content-Length", length), 400) << length;
  EXPECT_EQ(
      request_of(head("POST", "/x", {{"content-length", "1"}, {"CONTENT-LENGTH", "1"}})).error(),
      400);
  EXPECT_EQ(
      request_of(head("POST", "/x", {{"Transfer-Encoding", "x"}, {"Content-Length", "?"}})).error(),
      501);
  EXPECT_EQ(status("Host ", "h"), 400);
  EXPECT_EQ(status("", "h"), 400);
  EXPECT_EQ(status("Host", "h\rRange: x"), 400);
  EXPECT_EQ(status("Host", "h\n"), 400);
  EXPECT_EQ(status("Host", std::string_view("h\0", 2)), 400);
  EXPECT_EQ(status("X", "a\tb"), 0);
  for (const char* target : {"", "x", "http://h/x", "/a b", "/a\tb", "/\x7f", "*"})
    EXPECT_EQ(request_of(head("GET", target)).error(), 400) << target;
  HttpHead large = head("GET", "/x");
  large.size = kHttpHeadMax;
  EXPECT_TRUE(request_of(large));
  large.size = kHttpHeadMax + 1;
  EXPECT_EQ(request_of(large).error(), 431);
}

TEST(HttpAddress, IsAnAddressAndAPort) {
  EXPECT_TRUE(parse_http_address("127.0.0.1:9115")->loopback);
  EXPECT_TRUE(parse_http_address("127.1.2.3:0")->loopback);
  EXPECT_TRUE(parse_http_address("localhost:80")->loopback);
  EXPECT_TRUE(parse_http_address("[::1]:80")->loopback);
  EXPECT_FALSE(parse_http_address("[::]:80")->loopback);
  EXPECT_FALSE(parse_http_address("0.0.0.0:80")->loopback);
  EXPECT_EQ(parse_http_address("10.0.0.1:65535")->port, 65535);
  for (const char* wrong : {"", ":", "80", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                            "::1:80", "[]:80", "[127.0.0.1]:80", "host.example:80", "127.0.0.1:8x"})
    EXPECT_FALSE(parse_http_address(wrong)) << wrong;
  Settings settings;
  EXPECT_FALSE(http_options(settings)->has_value());
  settings.http = "0.0.0.0:0";
  EXPECT_THAT(http_options(settings).error().message, HasSubstr("set http_token_file"));
}

class Api : public testing::Test {
 protected:
  Api() : board_(Settings{}), ring_(std::make_shared<EventRing>()) {}

  HttpOptions options() const {
    HttpOptions options;
    options.address = *parse_http_address(listens_on_all_addresses_ ? "0.0.0.0:0" : "127.0.0.1:0");
    options.secrets.access = HttpAccess({{Role::kAdminister, Secret(std::string_view("right"))}});
    return options;
  }
  HttpAnswer answer_to(const std::string& method, const std::string& path,
                       const std::string& token = "", const std::string& host = "localhost") {
    HttpApi api(options(), board_, ring_);
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.token = token;
    request.host = host;
    return api.answer(request);
  }
  int status(const std::string& method, const std::string& path, const std::string& token = "",
             const std::string& host = "localhost") {
    return answer_to(method, path, token, host).status;
  }
  void become_master() {
    SmStatus posted;
    posted.state = SmState::kMaster;
    board_.post(posted, nullptr);
  }

  SmBoard board_;
  std::shared_ptr<EventRing> ring_;
  bool listens_on_all_addresses_ = false;
};

TEST_F(Api, ChangesRequireTheToken) {
  become_master();
  EXPECT_EQ(status("POST", "/api/v1/sweep"), 401);
  EXPECT_FALSE(answer_to("POST", "/api/v1/sweep").penalty);
  EXPECT_TRUE(answer_to("POST", "/api/v1/sweep", "wrong").penalty);
  EXPECT_EQ(status("POST", "/api/v1/sweep", "righ"), 401);
  EXPECT_TRUE(board_.take_requests().empty());
  EXPECT_EQ(status("POST", "/api/v1/sweep", "right"), 202);
  EXPECT_THAT(board_.take_requests(), testing::ElementsAre(SmRequest{SmRequest::Kind::kHeavySweep,
                                                                     0, SmRequest::By::kHttp}));
  EXPECT_EQ(status("GET", "/api/v1/fabric"), 200);
}

TEST_F(Api, OtherAddressesRequireTheTokenExceptForHealthChecks) {
  listens_on_all_addresses_ = true;
  for (const http::HttpEndpoint& endpoint : http::endpoints()) {
    const int code = status(std::string(endpoint.method), std::string(endpoint.path) + "x");
    const int exact = status(std::string(endpoint.method), std::string(endpoint.path));
    if (endpoint.path == "/healthz" || endpoint.path == "/readyz") {
      EXPECT_NE(exact, 401) << endpoint.path;
    } else if (endpoint.path.ends_with('/')) {
      EXPECT_EQ(code, 401) << endpoint.path;
    } else {
      EXPECT_EQ(exact, 401) << endpoint.path;
    }
  }
  EXPECT_EQ(status("GET", "/metrics", "right", "weft.example"), 200);
}

TEST_F(Api, RejectsForeignHostNames) {
  EXPECT_EQ(status("GET", "/healthz", "", "evil.example"), 421);
  EXPECT_EQ(status("GET", "/healthz", "", "127.0.0.1.evil.example:80"), 421);
  for (const char* host : {"", "localhost:9115", "127.0.0.1:80", "127.9.9.9", "[::1]:80"})
    EXPECT_EQ(status("GET", "/healthz", "", host), 200) << host;
}

TEST_F(Api, HasNoDataBeforeTheFirstSweep) {
  for (const char* path : {"/readyz", "/api/v1/nodes", "/api/v1/ports", "/api/v1/links",
                           "/api/v1/partitions", "/api/v1/node/0x1", "/api/v1/multicast"})
    EXPECT_EQ(status("GET", path), 503) << path;
  EXPECT_EQ(status("GET", "/api/v1/fabric"), 200);
  EXPECT_EQ(status("POST", "/api/v1/sweep", "right"), 409);
}

TEST_F(Api, OpenApiListsTheEndpoints) {
  const auto document = nlohmann::json::parse(*answer_to("GET", "/api/v1/openapi.json").body);
  std::set<std::string> described, implemented;
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items())
      described.insert(method + " " + path.substr(0, path.find('{')));
  for (const http::HttpEndpoint& endpoint : http::endpoints())
    implemented.insert(lower(endpoint.method) + " " + std::string(endpoint.path));
  EXPECT_EQ(described, implemented);
}

TEST_F(Api, OpenApiHasTheSummariesOfTheEndpoints) {
  const auto document = nlohmann::json::parse(*answer_to("GET", "/api/v1/openapi.json").body);
  std::map<std::string, std::string> summaries;
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items())
      summaries[method + " " + path.substr(0, path.find('{'))] = operation["summary"];
  for (const http::HttpEndpoint& endpoint : http::endpoints())
    EXPECT_EQ(summaries[lower(endpoint.method) + " " + std::string(endpoint.path)],
              endpoint.answers);
}

TEST(HttpPartitions, ParsesPkeysLikePartitionsConf) {
  EXPECT_EQ(http_data::pkey_base("16"), 0x10);
  EXPECT_EQ(http_data::pkey_base("0x10"), 0x10);
  EXPECT_EQ(http_data::pkey_base("0x8010"), 0x10);
  EXPECT_THAT(http_data::pkey_base("80f").error().message,
              testing::HasSubstr("did you mean 0x80f"));
  for (const char* wrong : {"0", "0x8000", "65536", "0x10000", "", "blue"})
    EXPECT_FALSE(http_data::pkey_base(wrong)) << wrong;
}

TEST_F(Api, DefersPartitionChanges) {
  EXPECT_EQ(status("PATCH", "/api/v1/partitions/0x10"), 401);
  EXPECT_EQ(status("PUT", "/api/v1/partitions/0x10", "right"), 405);
  EXPECT_EQ(status("DELETE", "/api/v1/partitions/0x8000", "right"), 400);
  EXPECT_EQ(status("POST", "/api/v1/partitions", "right"), 400);
  HttpAnswer answer = answer_to("DELETE", "/api/v1/partitions/0x8010", "right");
  ASSERT_TRUE(answer.later);
}

TEST_F(Api, ReportsTheResultOfAPartitionChange) {
  HttpApi api(options(), board_, ring_);
  HttpRequest request;
  request.method = "DELETE";
  request.path = "/api/v1/partitions/0x8010";
  request.token = "right";
  EXPECT_EQ(api.answer(request).later().status, 503);  // no handler is registered
  Result<PartitionOutcome> outcome = fail(Code::kRejected, "not master");
  PartitionOrder received_order;
  board_.partitions_handler.set([&](const PartitionOrder& order) {
    received_order = order;
    return outcome;
  });
  for (const auto& [code, status] :
       std::initializer_list<std::pair<Code, int>>{{Code::kRejected, 409},
                                                   {Code::kBadInput, 409},
                                                   {Code::kUsage, 404},
                                                   {Code::kTimeout, 503},
                                                   {Code::kEnvironment, 500}}) {
    outcome = fail(code, "why");
    EXPECT_EQ(api.answer(request).later().status, status);
  }
  EXPECT_EQ(received_order.change.kind, PartitionChange::Kind::kDelete);
  EXPECT_EQ(received_order.change.base, 0x10);
  outcome = PartitionOutcome();
  EXPECT_EQ(api.answer(request).later().status, 202);
  outcome->applied = true;
  EXPECT_EQ(api.answer(request).later().status, 200);
}

TEST_F(Api, CableRequestsRequireTheToken) {
  EXPECT_EQ(status("POST", "/api/v1/emulation/cut"), 401);
  EXPECT_EQ(status("POST", "/api/v1/emulation/mend", "wrong"), 401);
  EXPECT_EQ(status("GET", "/api/v1/emulation/mend", "right"), 405);
  HttpApi api(options(), board_, ring_);
  HttpRequest request;
  request.method = "GET";
  request.path = "/api/v1/emulation/cut";
  EXPECT_EQ(api.answer(request).later().status, 503) << "no handler is registered";
}

TEST_F(Api, ReportsErrorsOfCableRequests) {
  HttpApi api(options(), board_, ring_);
  for (const auto& [body, word] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "JSON object"},
           {"[]", "JSON object"},
           {R"({"port": 1})", "node: expected text"},
           {R"({"node": 7, "port": 1})", "node: expected text"},
           {R"({"node": "sw"})", "port: expected a number"},
           {R"({"node": "sw", "port": -1})", "port: expected a number"},
           {R"({"node": "sw", "port": 255})", "port: expected a number"},
           {R"({"node": "sw", "port": "1"})", "port: expected a number"},
           {R"({"node": "sw", "port": 1, "wire": 2})", "unknown member 'wire'"}}) {
    HttpRequest request;
    request.method = "POST";
    request.path = "/api/v1/emulation/cut";
    request.token = "right";
    request.body = body;
    const HttpAnswer answer = api.answer(request);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(*answer.body, HasSubstr(word)) << body;
  }
}

TEST_F(Api, PassesCableRequestsToTheManager) {
  HttpApi api(options(), board_, ring_);
  HttpRequest request;
  request.method = "POST";
  request.path = "/api/v1/emulation/mend";
  request.token = "right";
  request.body = R"({"node": "leaf 1", "port": 3})";
  Result<CableOutcome> outcome = fail(Code::kRejected, "the fabric is not emulated");
  CableOrder received_order;
  board_.cables_handler.set([&](const CableOrder& order) {
    received_order = order;
    return outcome;
  });
  EXPECT_EQ(api.answer(request).later().status, 409);
  EXPECT_EQ(received_order, (CableOrder{CableOrder::Action::kReconnect, "leaf 1", 3}));
  outcome = fail(Code::kUsage, "no such node");
  EXPECT_EQ(api.answer(request).later().status, 404);
  outcome = fail(Code::kTimeout, "busy");
  EXPECT_EQ(api.answer(request).later().status, 503);
  const NamedCable cable{{Guid(1), "leaf 1", PortNum(3)}, {Guid(2), "spine", PortNum(1)}};
  outcome = CableOutcome{true, cable, {cable}};
  const HttpAnswer done = api.answer(request).later();
  EXPECT_EQ(done.status, 200);
  const auto json = nlohmann::json::parse(*done.body);
  EXPECT_EQ(json["action"], "mend");
  EXPECT_EQ(json["changed"], true);
  EXPECT_EQ(json["cut_now"], 1);
  EXPECT_EQ(json["cable"]["b"]["node"], "0x0000000000000002");
  request.method = "GET";
  request.path = "/api/v1/emulation/cut";
  const auto listed = nlohmann::json::parse(*api.answer(request).later().body);
  EXPECT_EQ(received_order.action, CableOrder::Action::kList);
  EXPECT_EQ(listed["cables"][0]["a"]["name"], "leaf 1");
  EXPECT_EQ(listed["cables"][0]["a"]["port"], 3);
}

TEST_F(Api, CacheIsUpdatedWithThePostedState) {
  HttpOptions options;
  options.address = *parse_http_address("127.0.0.1:0");
  HttpApi api(options, board_, ring_);
  const auto request = [](const std::string& path) {
    HttpRequest get;
    get.method = "GET";
    get.path = path;
    get.host = "localhost";
    return get;
  };
  const auto body = [&](const std::string& path) { return api.answer(request(path)).body; };
  SmStatus status;
  status.state = SmState::kMaster;
  board_.post(status, std::make_shared<const Snapshot>(published("fattree2:k=4")));
  const auto nodes = body("/api/v1/nodes");
  EXPECT_EQ(body("/api/v1/nodes"), nodes);
  EXPECT_THAT(*body("/metrics"), HasSubstr("\nweft_fabric_hosts 8\n"));
  EXPECT_THAT(*body("/api/v1/configuration"), HasSubstr(R"({"key":"max_wire_smps","value":"64")"));
  EXPECT_EQ(body("/api/v1/configuration"), body("/api/v1/configuration"));

  status.priority = 9;
  board_.post(status, std::make_shared<const Snapshot>(published("fattree2:k=6")));
  Settings settings;
  settings.max_wire_smps = 77;
  board_.post(settings);
  EXPECT_NE(*body("/api/v1/nodes"), *nodes);
  const std::string metrics = *body("/metrics");
  EXPECT_THAT(metrics, HasSubstr("\nweft_fabric_hosts 18\n"));
  EXPECT_THAT(metrics, HasSubstr("\nweft_sm_priority 9\n"));
  EXPECT_THAT(*body("/api/v1/configuration"), HasSubstr(R"({"key":"max_wire_smps","value":"77")"));
  board_.post(status, nullptr);
  EXPECT_EQ(api.answer(request("/api/v1/nodes")).status, 503);
  EXPECT_THAT(*body("/metrics"), testing::Not(HasSubstr("weft_fabric_hosts")));
}

TEST_F(Api, AnswersQuicklyFromTheCache) {
  HttpApi api(options(), board_, ring_);
  HttpRequest request;
  request.method = "GET";
  request.path = "/api/v1/nodes";
  request.host = "localhost";
  request.query = {{"limit", "3"}};
  EXPECT_FALSE(api.quick_answer(request));  // no snapshot yet
  SmStatus status;
  status.state = SmState::kMaster;
  board_.post(status, std::make_shared<const Snapshot>(published("fattree2:k=4")));
  EXPECT_FALSE(api.quick_answer(request));
  const auto made = api.answer(request).body;
  EXPECT_EQ(api.quick_answer(request)->body, made);
  request.query = {{"limit", "4"}};
  EXPECT_FALSE(api.quick_answer(request));
  request.query = {{"limit", "3"}};
  board_.post(status, std::make_shared<const Snapshot>(published("fattree2:k=6")));
  EXPECT_FALSE(api.quick_answer(request));

  // The cache applies to GET only, and authentication is checked first.
  request.query.clear();
  request.path = "/api/v1/partitions";
  (void)api.answer(request);
  EXPECT_TRUE(api.quick_answer(request));
  request.method = "POST";
  EXPECT_EQ(api.quick_answer(request)->status, 401);
  request.token = "right";
  EXPECT_FALSE(api.quick_answer(request));
  request.method = "GET";
  request.host = "evil.example";
  EXPECT_EQ(api.quick_answer(request)->status, 421);
  request.host = "localhost";
  for (const char* path :
       {"/healthz", "/readyz", "/api/v1/fabric", "/api/v1/configuration", "/none"}) {
    request.path = path;
    ASSERT_TRUE(api.quick_answer(request)) << path;
    EXPECT_EQ(api.quick_answer(request)->status, api.answer(request).status) << path;
  }
}

TEST_F(Api, ListsEventsOfTheRing) {
  Event event;
  event.text = "x";
  for (std::size_t i = 0; i < EventRing::kKept + 10; ++i) ring_->add(event, {});
  EXPECT_EQ(ring_->total(), EventRing::kKept + 10);
  EXPECT_EQ(ring_->after(0, 5).front().id, 11u);
  EXPECT_EQ(ring_->after(100, 2).front().id, 101u);
  EXPECT_EQ(ring_->after(100, 2).size(), 2u);
  EXPECT_TRUE(ring_->after(EventRing::kKept + 10, 5).empty());
  EXPECT_TRUE(ring_->after(UINT64_MAX, 5).empty());
  const auto json = nlohmann::json::parse(*answer_to("GET", "/api/v1/events").body);
  EXPECT_EQ(json["events"].size(), 1000u);
  EXPECT_EQ(json["events"].back()["id"], json["total"]);
  HttpAnswer stream = answer_to("GET", "/api/v1/events/stream");
  EXPECT_EQ(stream.stream->next(), "retry: 2000\n\n");
  EXPECT_EQ(stream.stream->next(), "");
  ring_->add(event, {});
  EXPECT_THAT(stream.stream->next(), HasSubstr("id: 4107\ndata: {\"id\":4107,"));
}

// ---- Replication

class ReplicationApi : public Api {
 protected:
  static constexpr const char* kChanges = "/api/v1/replication/changes";
  /// Posts the state of this manager and of another manager.
  void post_managers(SmState own, std::uint8_t other_priority) {
    SmStatus status;
    status.state = own;
    status.managers = {{.guid = Guid(1), .state = own, .priority = 5, .self = true},
                       {.guid = Guid(2), .state = SmState::kStandby, .priority = other_priority}};
    board_.post(std::move(status), nullptr);
  }
  int hand_over(const std::string& body = "") {
    HttpApi api(options(), board_, ring_);
    HttpRequest request;
    request.method = "POST";
    request.path = "/api/v1/handover";
    request.token = "right";
    request.host = "localhost";
    request.body = body;
    HttpAnswer answer = api.answer(request);
    return answer.later ? answer.later().status : answer.status;
  }
};

TEST_F(ReplicationApi, RequiresTheRoleAdministerAndEncryption) {
  EXPECT_EQ(answer_to("GET", kChanges).status, 401);
  EXPECT_EQ(answer_to("GET", kChanges, "wrong").status, 401);
  EXPECT_EQ(answer_to("GET", kChanges, "right").status, 409);  // replication is off
  board_.replication.set(
      std::make_shared<replication::Replication>(replication::Replication::Options{}));
  EXPECT_EQ(answer_to("GET", kChanges, "right").status, 400);  // no GUID
  listens_on_all_addresses_ = true;
  const HttpAnswer plain = answer_to("GET", kChanges, "right");
  EXPECT_EQ(plain.status, 403);
  EXPECT_THAT(*plain.body, HasSubstr("http_certificate_file"));
}

TEST_F(ReplicationApi, ShowsWhetherReplicationIsEnabled) {
  EXPECT_THAT(*answer_to("GET", "/api/v1/replication").body, HasSubstr("\"enabled\":false"));
  board_.replication.set(
      std::make_shared<replication::Replication>(replication::Replication::Options{}));
  EXPECT_THAT(*answer_to("GET", "/api/v1/replication").body,
              HasSubstr("\"enabled\":true,\"role\":\"none\""));
}

TEST_F(ReplicationApi, HandsOverOnlyToAStandbyInStep) {
  post_managers(SmState::kStandby, 1);
  EXPECT_EQ(hand_over(), 409);
  post_managers(SmState::kMaster, 0);
  EXPECT_EQ(hand_over("{\"force\": true}"), 409);  // the other manager would hand over back
  post_managers(SmState::kMaster, 1);
  EXPECT_EQ(hand_over(), 409);  // no replication
  for (const char* body : {"[]", "{\"force\": 1}", "{\"to\": 1}", "{\"force\": true, \"to\": 1}"})
    EXPECT_EQ(hand_over(body), 400) << body;
  EXPECT_EQ(hand_over("{\"force\": true}"), 202);
  EXPECT_EQ(board_.take_requests(),
            (std::vector<SmRequest>{{SmRequest::Kind::kHandOver, 0, SmRequest::By::kHttp}}));
  const auto replication =
      std::make_shared<replication::Replication>(replication::Replication::Options{});
  board_.replication.set(replication);
  replication->begin_term(Guid(1), "0123456789abcdef");
  EXPECT_EQ(hand_over(), 409);
  replication->start();
  for (std::size_t part = 0; part < replication::kParts; ++part)
    replication->post(static_cast<replication::Part>(part), {{"a", "1"}});
  for (std::uint64_t after = 0; after < replication::kParts;) {
    std::promise<void> answered;
    replication->poll({Guid(2), "", "0123456789abcdef", after, std::chrono::minutes(1)},
                      [&](int, const std::string& body) {
                        const auto json = nlohmann::json::parse(body, nullptr, false);
                        if (json.contains("last")) after = json["last"].get<std::uint64_t>();
                        answered.set_value();
                      });
    answered.get_future().wait();
  }
  EXPECT_EQ(hand_over(), 409);  // not confirmed yet
  std::atomic<bool> is_polling = true;
  std::function<void()> request = [&] {
    replication->poll(
        {Guid(2), "", "0123456789abcdef", replication::kParts, std::chrono::minutes(1)},
        [&](int status, const std::string&) {
          if (is_polling && status == 200) request();
        });
  };
  request();
  for (int i = 0; i < 24'000 && hand_over() != 202; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(hand_over(), 202);
  // The last request waits, so the standby counts as in step.
  is_polling = false;
  EXPECT_EQ(hand_over(), 409);
  replication->close();
}

TEST(ReplicationOptions, RequireAnHttpServiceThatPeersCanUse) {
  Settings settings;
  EXPECT_TRUE(check_replication(settings, std::nullopt));
  settings.replication_peers = "https://sm2:9115";
  settings.replication_token_file = "/token";
  EXPECT_THAT(check_replication(settings, std::nullopt).error().message, HasSubstr("set http"));
  HttpOptions http;
  http.address = *parse_http_address("127.0.0.1:0");
  EXPECT_THAT(check_replication(settings, http).error().message, HasSubstr("need a role"));
  http.secrets.access = HttpAccess({{Role::kAdminister, Secret(std::string_view("right"))}});
  EXPECT_TRUE(check_replication(settings, http));
  http.address = *parse_http_address("0.0.0.0:0");
  EXPECT_THAT(check_replication(settings, http).error().message, HasSubstr("secret keys"));
  http.address = *parse_http_address("[::1]:0");
  settings.replication_key_file = "/key";
  EXPECT_THAT(check_replication(settings, http).error().message, HasSubstr("expected both"));
  settings.replication_key_file = settings.replication_token_file = "";
  EXPECT_THAT(check_replication(settings, http).error().message, HasSubstr("identify"));
}

TEST(HttpServices, HaveANameAndALease) {
  sa::State state;
  sa::Service service;
  service.record.id = 0x10;
  service.record.gid[15] = std::byte{7};
  service.record.pkey = Pkey(0xFFFF);
  service.record.lease = 3600;
  std::ranges::fill(service.record.name, std::byte{'n'});  // without a zero byte
  ASSERT_TRUE(state.services.put(service));
  service.record.id = 0x11;
  service.record.lease = sa::Services::kForEver;
  service.record.name = {std::byte{'d'}, std::byte{'b'}};
  service.registrant[15] = std::byte{9};
  ASSERT_TRUE(state.services.put(service));
  const auto services = http_data::services(state)["services"];
  ASSERT_EQ(services.size(), 2u);
  EXPECT_EQ(services[1]["name"], std::string(64, 'n'));
  EXPECT_EQ(services[1]["lease_s"], 3600);
  const nlohmann::ordered_json second = {
      {"id", "0x0000000000000011"}, {"gid", "00000000000000000000000000000007"},
      {"pkey", "0xffff"},           {"name", "db"},
      {"lease_s", nullptr},         {"registrant", "00000000000000000000000000000009"}};
  EXPECT_EQ(services[0], second);
}

}  // namespace
}  // namespace weft
