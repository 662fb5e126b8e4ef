// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The HTTP process, and the part of the manager that serves it, over real sockets in one process.
// The test acts as the starter and the HTTP process, or as the manager.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "service/front/front_bodies.h"
#include "service/front/front_channel.h"
#include "service/front/front_host.h"
#include "service/front/front_service.h"
#include "service/front/front_wire.h"

namespace weft::front {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto kWaitMax = 60s;  // limit after which a test fails
constexpr const char* kToken = "administer-0123456789abcdef";

std::uint8_t number(Kind kind) { return static_cast<std::uint8_t>(kind); }

bool becomes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kWaitMax;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

HttpRequest get(const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  request.host = "localhost";
  request.address = "127.0.0.1";
  return request;
}

HttpRequest order_sweep(const std::string& token) {
  HttpRequest request = get("/api/v1/sweep");
  request.method = "POST";
  request.token = token;
  return request;
}

TEST(FrontWire, RequestsAreEqualAfterEncodingAndDecoding) {
  HttpRequest request = get("/a b");
  request.query = {{"x", "1"}, {"x", "2"}, {"", std::string("\0", 1)}};
  request.token = "t";
  request.last_event = "7";
  request.have_tag = "\"1\"";
  request.body_type = "application/json";
  request.body = std::string(kHttpBodyMax, '{');
  request.address = "fe80::1%3";
  request.certificate = "alice";
  request.has_valid_certificate = true;
  const auto received = decode_request(encode(Request{9, request}));
  ASSERT_TRUE(received);
  EXPECT_EQ(received->id, 9U);
  const HttpRequest& same = received->request;
  EXPECT_EQ(std::tie(same.method, same.head_only, same.path, same.query, same.token, same.host),
            std::tie(request.method, request.head_only, request.path, request.query, request.token,
                     request.host));
  EXPECT_EQ(std::tie(same.last_event, same.have_tag, same.body_type, same.body, same.address,
                     same.certificate, same.has_valid_certificate),
            std::tie(request.last_event, request.have_tag, request.body_type, request.body,
                     request.address, request.certificate, request.has_valid_certificate));
  EXPECT_EQ(same.body_size, kHttpBodyMax);
}

TEST(FrontWire, RejectsCutAndExtendedMessages) {
  FrontSetup setup;
  setup.tls = HttpTlsTexts{"c", Secret(std::string_view("k")), ""};
  setup.page = {{"/index.html", std::make_shared<const std::string>("<p>")}};
  Answer answer{5, http::text_answer(200, "text")};
  answer.answer.headers = {{"ETag", "1"}};
  const std::vector<EventRing::Entry> events{{4, "{}"}, {5, "{}"}};
  const auto check = [](const std::string& bytes, const auto& decode) {
    EXPECT_TRUE(decode(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(decode(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(decode(bytes + "x"));
  };
  check(encode(setup), [](std::string_view bytes) { return decode_setup(bytes).has_value(); });
  check(encode(*setup.tls), [](std::string_view bytes) { return decode_tls(bytes).has_value(); });
  check(encode(Request{1, get("/")}),
        [](std::string_view bytes) { return decode_request(bytes).has_value(); });
  check(encode(answer), [](std::string_view bytes) { return decode_answer(bytes).has_value(); });
  check(encode(events), [](std::string_view bytes) { return decode_events(bytes).has_value(); });
}

TEST(FrontWire, RejectsFieldsThatNoHttpServerSends) {
  const auto reason = [](const std::function<void(HttpRequest&)>& change) {
    HttpRequest request = get("/");
    change(request);
    const auto received = decode_request(encode(Request{1, request}));
    return received ? "" : received.error().message;
  };
  EXPECT_EQ(reason([](HttpRequest&) {}), "");
  EXPECT_THAT(reason([](HttpRequest& r) { r.method = ""; }), HasSubstr("invalid method"));
  EXPECT_THAT(reason([](HttpRequest& r) { r.method = "GET\n"; }), HasSubstr("invalid method"));
  EXPECT_THAT(reason([](HttpRequest& r) { r.path = "x"; }), HasSubstr("invalid path"));
  EXPECT_THAT(reason([](HttpRequest& r) { r.path = "/" + std::string(kHttpHeadMax, 'x'); }),
              HasSubstr("invalid path"));
  EXPECT_THAT(reason([](HttpRequest& r) { r.body = std::string(kHttpBodyMax + 1, 'x'); }),
              HasSubstr("invalid body"));
  EXPECT_THAT(reason([](HttpRequest& r) { r.address = "127.0.0.1\n{}"; }),
              HasSubstr("invalid address"));
  EXPECT_THAT(reason([](HttpRequest& r) { r.token = std::string(kHttpHeadMax + 1, 'x'); }),
              HasSubstr("invalid token"));
  const auto many = [](HttpRequest& r) {
    for (int i = 0; i < 5000; ++i) r.query.emplace("a", "");
  };
  EXPECT_THAT(reason(many), HasSubstr("invalid number of parameters"));
}

TEST(FrontWire, RejectsEventsWithAMissingId) {
  EXPECT_FALSE(decode_events(encode(std::vector<EventRing::Entry>{{4, "{}"}, {6, "{}"}})));
}

struct Ends {
  Ends() {
    auto pair = socket_pair();
    a = std::make_unique<Channel>(std::move(pair->first));
    b = std::make_unique<Channel>(std::move(pair->second));
  }
  std::unique_ptr<Channel> a, b;
};

TEST(FrontChannel, CarriesLargeMessagesInSealedFiles) {
  Ends ends;
  const std::string large(3'000'000, 'x');
  ASSERT_TRUE(ends.a->send_any(Kind::kSetup, large, {}, 1s));
  Message message;
  ASSERT_EQ(ends.b->receive(message, true), Channel::Got::kMessage);
  EXPECT_EQ(message.kind, number(Kind::kSetup));
  EXPECT_TRUE(message.bytes == large);
  EXPECT_TRUE(message.descriptors.empty());
  EXPECT_EQ(ends.b->receive(message, true), Channel::Got::kNothing);
}

TEST(FrontChannel, RefusesFilesThatCanStillChange) {
  auto sealed = sealed_file("abc");
  ASSERT_TRUE(sealed);
  EXPECT_EQ(content_of(sealed->get(), 3).value_or(""), "abc");
  EXPECT_FALSE(content_of(sealed->get(), 2));
  EXPECT_LT(::pwrite(sealed->get(), "x", 1, 0), 0);
  const Descriptor open(::memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::write(open.get(), "abc", 3), 3);
  EXPECT_FALSE(content_of(open.get(), 3));
  Ends ends;
  const std::uint64_t size = 3;
  const int passed = open.get();
  ASSERT_TRUE(ends.a->send(number(Kind::kSetup) | 0x80,
                           {reinterpret_cast<const char*>(&size), sizeof size}, {&passed, 1}, 1s));
  Message message;
  EXPECT_EQ(ends.b->receive(message, true), Channel::Got::kInvalid);
}

TEST(FrontChannel, RefusesDescriptorsAndLongMessages) {
  Ends ends;
  Message message;
  const int passed = STDERR_FILENO;
  ASSERT_TRUE(ends.a->send(number(Kind::kReady), {}, {&passed, 1}, 1s));
  EXPECT_EQ(ends.b->receive(message, false), Channel::Got::kInvalid);
  EXPECT_TRUE(message.descriptors.empty());
  ASSERT_TRUE(ends.a->send(number(Kind::kRequest), std::string(kMessageMax, 'x'), {}, 1s));
  EXPECT_EQ(ends.b->receive(message, false), Channel::Got::kInvalid);
  ASSERT_TRUE(ends.a->send(number(Kind::kRequest), std::string(kMessageMax - 1, 'x'), {}, 1s));
  EXPECT_EQ(ends.b->receive(message, false), Channel::Got::kMessage);
  ends.a.reset();
  EXPECT_EQ(ends.b->receive(message, false), Channel::Got::kClosed);
}

TEST(FrontBodies, OneBodyHasOneFileWhileTheBodyExists) {
  BodyFiles files;
  auto body = std::make_shared<const std::string>("abc");
  const auto first = files.file_of(body), second = files.file_of(body);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->id, second->id);
  EXPECT_EQ(first->descriptor, second->descriptor);
  EXPECT_NE(files.file_of(std::make_shared<const std::string>("abc"))->id, first->id);
  EXPECT_EQ(files.count(), 1U);
  body.reset();
  EXPECT_EQ(files.count(), 0U);
}

/// The manager's part is under test; the test acts as the starter and the HTTP process.
class Host : public testing::Test {
 protected:
  Host() : board_(Settings{}), ring_(std::make_shared<EventRing>()) {
    SmStatus status;
    status.state = SmState::kMaster;
    board_.post(status, nullptr);
  }
  void start(const HostLimits& limits = {}) {
    HttpOptions options;
    options.address = *parse_http_address("127.0.0.1:0");
    options.secrets.access = HttpAccess({{Role::kAdminister, Secret(std::string_view(kToken))}});
    api_ = std::make_unique<HttpApi>(options, board_, ring_);
    auto listener = listen_for_http(options.address);
    FrontSetup setup;
    setup.page = {{"/index.html", std::make_shared<const std::string>("<p>")}};
    host_ = std::make_unique<FrontHost>(*api_, ring_, *listener, setup, limits);
    ring_->on_entry_added = [this] { host_->wake(); };
    auto ends = socket_pair();
    control_ = std::make_unique<Channel>(std::move(ends->second));
    ASSERT_TRUE(host_->start({-1, std::move(ends->first)}));
  }
  void begin(bool is_ready = true) {
    auto ends = socket_pair();
    const Started started{1234};
    const int passed = ends->first.get();
    ASSERT_TRUE(control_->send(static_cast<std::uint8_t>(Control::kStarted),
                               {reinterpret_cast<const char*>(&started), sizeof started},
                               {&passed, 1}, 1s));
    process_ = std::make_unique<Channel>(std::move(ends->second));
    const Message setup = next(Kind::kSetup);
    EXPECT_EQ(setup.descriptors.size(), 1U);
    EXPECT_EQ(decode_setup(setup.bytes)->page.size(), 1U);
    if (is_ready) {
      ASSERT_TRUE(process_->send(number(Kind::kReady), {}, {}, 1s));
      (void)next(Kind::kManagerHeartbeat);
    }
  }
  /// Returns the next message of this kind, or an empty message if none arrives.
  Message next(Kind kind) {
    Message message;
    const bool arrived = becomes_true([&] {
      return process_->receive(message, true) == Channel::Got::kMessage &&
             message.kind == number(kind);
    });
    EXPECT_TRUE(arrived) << "no message of kind " << static_cast<int>(kind);
    return arrived ? std::move(message) : Message();
  }
  void send(const HttpRequest& request, std::uint64_t id = 1) {
    EXPECT_TRUE(process_->send(number(Kind::kRequest), encode(Request{id, request}), {}, 10s));
  }
  int status_of(const HttpRequest& request) {
    send(request);
    const auto answer = decode_answer(next(Kind::kAnswer).bytes);
    return answer ? answer->answer.status : 0;
  }
  bool is_killed() {
    Message message;
    return becomes_true([&] {
      return control_->receive(message, false) == Channel::Got::kMessage &&
             message.kind == static_cast<std::uint8_t>(Control::kKill);
    });
  }
  /// Acts as a new HTTP process that performs `act`. Returns whether the manager then requests to
  /// kill this process.
  bool is_killed_after(const std::function<void()>& act, bool is_ready = true) {
    begin(is_ready);
    act();
    return is_killed();
  }

  SmBoard board_;
  std::shared_ptr<EventRing> ring_;
  std::unique_ptr<HttpApi> api_;
  std::unique_ptr<FrontHost> host_;
  std::unique_ptr<Channel> control_, process_;
};

TEST_F(Host, AnswersRequests) {
  start();
  begin();
  EXPECT_EQ(status_of(get("/healthz")), 200);
  EXPECT_EQ(status_of(get("/api/v1/nodes")), 503);  // no snapshot yet
  EXPECT_EQ(status_of(get("/metrics")), 200);
  EXPECT_EQ(status_of(get("/nothing")), 404);
}

TEST_F(Host, SendsALargeBodyOnceAsAFileThatCannotBeChanged) {
  start();
  begin();
  std::uint64_t file = 0;
  for (int i = 0; i < 2; ++i) {
    send(get("/api/v1/openapi.json"));
    const Message message = next(Kind::kAnswer);
    const auto answer = decode_answer(message.bytes);
    ASSERT_TRUE(answer && message.descriptors.size() == 1);
    EXPECT_EQ(answer->answer.body, nullptr);
    EXPECT_THAT(content_of(message.descriptors[0].get(), answer->file_size).value_or(""),
                HasSubstr("openapi"));
    EXPECT_TRUE(file == 0 || file == answer->file_id);
    file = answer->file_id;
  }
}

TEST_F(Host, GrantsNoRoleWithoutAValidToken) {
  start();
  begin();
  EXPECT_EQ(status_of(order_sweep("")), 401);
  EXPECT_EQ(status_of(order_sweep("administer-0123456789abcdeg")), 401);
  HttpRequest forged = order_sweep("");
  forged.certificate = "administer";
  forged.has_valid_certificate = true;
  EXPECT_EQ(status_of(forged), 401);
  EXPECT_TRUE(board_.take_requests().empty());
  EXPECT_EQ(status_of(order_sweep(kToken)), 202);
  EXPECT_EQ(board_.take_requests().size(), 1U);
}

TEST_F(Host, KillsAProcessThatSendsAForbiddenMessage) {
  start();
  const auto sends = [&](std::uint8_t kind, const std::string& bytes) {
    return [this, kind, bytes] { (void)process_->send(kind, bytes, {}, 1s); };
  };
  EXPECT_TRUE(is_killed_after(sends(number(Kind::kRequest), "garbage")));
  EXPECT_TRUE(is_killed_after(sends(number(Kind::kRequest), std::string(1000, '\xff'))));
  EXPECT_TRUE(is_killed_after(sends(number(Kind::kRequest), std::string(kMessageMax, 'x'))));
  EXPECT_TRUE(is_killed_after(sends(99, "")));
  EXPECT_TRUE(is_killed_after(sends(number(Kind::kAnswer), encode(Answer{}))));
  EXPECT_TRUE(is_killed_after(sends(number(Kind::kRequest) | 0x80, std::string(8, '\xff'))));
  EXPECT_TRUE(is_killed_after(sends(number(Kind::kReady), "")));        // kReady is sent twice
  EXPECT_TRUE(is_killed_after([&] { send(get("/healthz")); }, false));  // a request precedes kReady
  EXPECT_TRUE(is_killed_after([&] {
    const int passed = STDERR_FILENO;
    (void)process_->send(number(Kind::kFrontHeartbeat), {}, {&passed, 1}, 1s);
  }));
  begin();
  EXPECT_EQ(status_of(get("/healthz")), 200);
}

TEST_F(Host, KillsAProcessThatDoesNotRespond) {
  start({.silence_max = 100ms});
  EXPECT_TRUE(is_killed_after([] {}, false));
}

TEST_F(Host, KillsAProcessThatReadsNoAnswers) {
  start({.send_max = 50ms});
  begin();
  for (int i = 0; i < 10'000; ++i)
    if (!process_->send(number(Kind::kRequest), encode(Request{1, get("/healthz")}), {}, 10s))
      break;
  EXPECT_TRUE(is_killed());
}

TEST_F(Host, KillsAProcessWithTooManyRequests) {
  start({.requests_max = 3});
  SyncCall<Result<CableOutcome>(CableOrder)>& cables = board_.cables_handler;
  std::atomic<bool> is_released = false;
  cables.set([&](const CableOrder&) -> Result<CableOutcome> {
    while (!is_released) std::this_thread::sleep_for(1ms);
    return CableOutcome{};
  });
  begin();
  for (std::uint64_t id = 1; id <= 4; ++id) send(get("/api/v1/emulation/cut"), id);
  EXPECT_TRUE(is_killed());
  is_released = true;
  host_.reset();
}

TEST_F(Host, SendsAllEventsToEachProcess) {
  start();
  for (std::uint64_t id = 1; id <= 600; ++id)
    ring_->put({id, "{\"id\":" + std::to_string(id) + "}"});
  for (int run = 0; run < 2; ++run) {
    begin(false);
    ASSERT_TRUE(process_->send(number(Kind::kReady), {}, {}, 1s));
    std::uint64_t last = 0;
    while (last < 600) {
      const auto entries = decode_events(next(Kind::kEvents).bytes);
      ASSERT_TRUE(entries && !entries->empty());
      EXPECT_EQ(entries->front().id, last + 1);
      last = entries->back().id;
    }
  }
  ring_->put({601, "{}"});
  EXPECT_EQ(decode_events(next(Kind::kEvents).bytes)->front().id, 601U);
}

/// The HTTP process is under test; the test acts as the manager.
class Service : public testing::Test {
 protected:
  void start(const ServiceLimits& limits) {
    FrontSetup setup;
    setup.page = {{"/index.html", std::make_shared<const std::string>("<p>page")}};
    service_ = std::make_unique<FrontService>(*ends_.b, setup, limits);
    const auto listener = listen_for_http(*parse_http_address("127.0.0.1:0"));
    port_ = listener->port;
    ASSERT_TRUE(service_->start(*listener, nullptr));
    thread_ = std::thread([this] {
      service_->run();
      has_ended_ = true;
    });
  }
  ~Service() override {
    ends_.a.reset();
    if (thread_.joinable()) thread_.join();
  }
  /// Sends a GET request and returns the bytes of the answer: none if the connection fails.
  std::string answer_to(const std::string& path, const std::string& host = "localhost") const {
    const Descriptor peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    if (::connect(peer.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      return "";
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    (void)!::send(peer.get(), request.data(), request.size(), MSG_NOSIGNAL);
    std::string answer;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::read(peer.get(), part.data(), part.size())) > 0;)
      answer.append(part.data(), static_cast<std::size_t>(got));
    return answer;
  }
  /// Answers the next request with this text, followed by the path of the request.
  void answer_next(const std::string& text) {
    Message message;
    ASSERT_TRUE(becomes_true([&] {
      return ends_.a->receive(message, false) == Channel::Got::kMessage &&
             message.kind == number(Kind::kRequest);
    }));
    const auto request = decode_request(message.bytes);
    ASSERT_TRUE(request);
    Answer answer{request->id, http::text_answer(200, text + request->request.path)};
    ASSERT_TRUE(ends_.a->send(number(Kind::kAnswer), encode(answer), {}, 1s));
  }

  Ends ends_;
  std::unique_ptr<FrontService> service_;
  std::uint16_t port_ = 0;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

TEST_F(Service, ServesThePageAndSendsOtherRequestsToTheManager) {
  start({});
  EXPECT_THAT(answer_to("/"), HasSubstr("<p>page"));
  EXPECT_THAT(answer_to("/healthz"), HasSubstr("200 OK"));
  EXPECT_THAT(answer_to("/", "evil.example"), HasSubstr("HTTP/1.1 421"));
  std::thread manager([&] { answer_next("answer to "); });
  EXPECT_THAT(answer_to("/metrics"), HasSubstr("answer to /metrics"));
  manager.join();
}

TEST_F(Service, ReportsAManagerThatDoesNotRespond) {
  start({.silence_max = 300ms});
  EXPECT_TRUE(becomes_true([&] { return answer_to("/healthz").find("HTTP/1.1 503") == 0; }));
  EXPECT_THAT(answer_to("/healthz"), HasSubstr("the subnet manager has not responded for"));
  EXPECT_THAT(answer_to("/metrics"), HasSubstr("HTTP/1.1 503"));
  EXPECT_THAT(answer_to("/"), HasSubstr("<p>page"));
  ASSERT_TRUE(ends_.a->send(number(Kind::kManagerHeartbeat), {}, {}, 1s));
  EXPECT_TRUE(becomes_true([&] {
    (void)ends_.a->send(number(Kind::kManagerHeartbeat), {}, {}, 1s);
    return answer_to("/healthz").find("HTTP/1.1 200") == 0;
  }));
}

TEST_F(Service, AnswersWith503AfterTheDeadline) {
  start({.answer_max = 100ms});
  EXPECT_THAT(answer_to("/metrics"), HasSubstr("HTTP/1.1 503"));
}

TEST_F(Service, EndsWithTheManager) {
  start({});
  ends_.a.reset();
  EXPECT_TRUE(becomes_true([&] { return has_ended_.load(); }));
}

TEST_F(Service, EndsOnAnInvalidMessage) {
  start({});
  ASSERT_TRUE(ends_.a->send(number(Kind::kAnswer), "garbage", {}, 1s));
  EXPECT_TRUE(becomes_true([&] { return has_ended_.load(); }));
}

}  // namespace
}  // namespace weft::front
