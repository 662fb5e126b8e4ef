// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of alarms, and alarms from the PMA of an emulated port to a webhook, to Alertmanager and
// to the HTTP API.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <condition_variable>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/log.h"
#include "base/rng.h"
#include "service/alarm_options.h"
#include "service/alarms/alarm_json.h"
#include "service/alarms/alarm_service.h"
#include "service/alarms/json_poster.h"
#include "service/http/http_api.h"
#include "service/metrics/metrics.h"
#include "sm/discovery/degraded_links.h"
#include "support/performance_subnet.h"
#include "support/tiny.h"
#include "support/wall_time.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr auto kAlarmWaitMax = 60s;
constexpr DeliveryPace kFast{1ms, 4ms, 1h};

/// A real HTTP service. It answers with the given statuses, then with 200, and stores the requests
/// that it answers with 200.
class Listener {
 public:
  explicit Listener(std::deque<int> statuses = {}) : statuses_(std::move(statuses)) {
    server_.Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      if (!statuses_.empty()) {
        response.status = statuses_.front();
        statuses_.pop_front();
      } else {
        received_.push_back(
            {request.path, request.get_header_value("Authorization"), Json::parse(request.body)});
      }
      ++requests_;
      changed_.notify_all();
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(1ms);
  }
  ~Listener() {
    server_.stop();
    thread_.join();
  }

  struct Received {
    std::string path, authorization;
    Json body;
  };
  PosterOptions options(const std::string& token = "") const {
    return {*parse_alarm_url("http://127.0.0.1:" + std::to_string(port_) + "/hook"), token, ""};
  }
  /// Waits until `count` requests were accepted. Returns all accepted requests.
  std::vector<Received> wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kAlarmWaitMax, [&] { return received_.size() >= count; }));
    return received_;
  }
  void wait_for_requests(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kAlarmWaitMax, [&] { return requests_ >= count; }));
  }

 private:
  std::deque<int> statuses_;
  httplib::Server server_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Received> received_;
  std::size_t requests_ = 0;
  std::thread thread_;
};

TEST(AlarmLimits, AreFourWordsOrOff) {
  EXPECT_EQ(parse_alarm_limits("1e-12 1e-13 2 critical"),
            (AlarmLimits{true, 1e-12, 1e-13, 2, Severity::kCritical}));
  EXPECT_EQ(parse_alarm_limits("off"), AlarmLimits{});
  for (const char* const wrong :
       {"", "1", "1 0 1", "1 2 1 warning", "0 0 1 warning", "-1 0 1 warning", "nan 0 1 warning",
        "inf 0 1 warning", "1 0 0 warning", "1 0 1001 warning", "1 0 1 loud", "1 0 1 warning x",
        "1x 0 1 warning"}) {
    const auto limits = parse_alarm_limits(wrong);
    ASSERT_FALSE(limits) << wrong;
    EXPECT_THAT(limits.error().message, HasSubstr("expected off, or RAISE CLEAR")) << wrong;
  }
}

TEST(AlarmLimits, AreOffForAllRulesWithoutAlarms) {
  Settings settings;
  for (const AlarmLimits& limits : alarm_limits(settings)) EXPECT_TRUE(limits.on);
  settings.alarms = false;
  for (const AlarmLimits& limits : alarm_limits(settings)) EXPECT_FALSE(limits.on);
}

TEST(AlarmUrl, HasAnOriginAndAPath) {
  EXPECT_EQ(parse_alarm_url("https://a.example:8443/x?y=1"),
            (AlarmUrl{"https://a.example:8443", "/x?y=1"}));
  EXPECT_EQ(parse_alarm_url("http://[::1]:9093"), (AlarmUrl{"http://[::1]:9093", "/"}));
  EXPECT_EQ(parse_alarm_url(""), AlarmUrl{});
  for (const char* const wrong : {"a.example", "ftp://a/", "http://", "http:///x", "http://u:p@a/",
                                  "http://a?x", "http://a/#x", "http://a/ x", "http://a/\n"})
    EXPECT_FALSE(parse_alarm_url(wrong)) << wrong;
  EXPECT_THAT(parse_alarm_url("http://u:secret@a/").error().message,
              testing::Not(HasSubstr("secret")));
}

TEST(AlarmReceivers, RequireAReadableTokenFileOfTheWebhook) {
  Settings settings;
  settings.perfmgr = true;
  settings.alarm_webhook_token_file = "/nowhere/token";
  AlarmService alarms(alarm_limits(settings));
  EXPECT_THAT(add_alarm_receivers(settings, alarms).error().message,
              HasSubstr("requires alarm_webhook"));
  settings.alarm_webhook = "http://127.0.0.1:1/";
  EXPECT_THAT(add_alarm_receivers(settings, alarms).error().message,
              HasSubstr("alarm_webhook_token_file: "));
  settings.alarm_webhook_token_file.clear();
  settings.alarm_alertmanager = "http://127.0.0.1:1/";
  EXPECT_TRUE(add_alarm_receivers(settings, alarms));
  EXPECT_THAT(alarms.meters(), SizeIs(2));
}

TEST(AlarmReceivers, RequireCounters) {
  Settings settings;
  EXPECT_TRUE(alarm_options(settings)->webhook.url.origin.empty());
  for (std::string Settings::*const url :
       {&Settings::alarm_webhook, &Settings::alarm_alertmanager}) {
    settings = {};
    settings.*url = "http://127.0.0.1:1/";
    EXPECT_THAT(alarm_options(settings).error().message, HasSubstr("requires perfmgr"));
    settings.perfmgr = true;
    EXPECT_TRUE(alarm_options(settings));
  }
}

//  S0 - S1, with a host on each. Counters are read every 10 s.
class PortAlarms : public testing::Test {
 protected:
  PortAlarms() : reading_(Tiny(2).link(0, 1).hosts(0).hosts(1).build()) {
    reading_.start();
    watch();
    alarms_.on_change = [this](const AlarmChange& change) { changes_.push_back(change); };
  }
  void watch() {
    reading_.manager->on_reading = [this](const CounterStore& store, const Snapshot& snapshot,
                                          TimeNs now) { alarms_.take(store, snapshot, now); };
  }
  /// Reads the counters `count` times, and adds `errors` to `counter` of the port of S0 on the
  /// cable before each reading.
  void read(std::uint64_t errors, unsigned count = 1, Counter counter = Counter::kSymbolErrors) {
    for (unsigned i = 0; i < count; ++i) {
      reading_.device_counters(cable_, counter) += errors;
      reading_.time += 10;
      reading_.sweep();
    }
  }
  std::vector<std::string> active() {
    std::vector<std::string> ids;
    for (const Alarm& alarm : alarms_.book().list().active) ids.push_back(alarm_id(alarm));
    return ids;
  }

  Settings settings_;
  PerformanceSubnet reading_;
  AlarmService alarms_{alarm_limits(settings_)};
  std::vector<AlarmChange> changes_;
  const PortId cable_ = reading_.port("S0", 1);
};

TEST_F(PortAlarms, OfADegradingPortReachAWebhookWithinTwoReadings) {
  Listener listener;
  alarms_.add(std::make_unique<Webhook>(listener.options("word"), kFast));
  alarms_.start();
  read(7);  // the baseline
  read(0, 3);
  EXPECT_THAT(active(), IsEmpty());
  read(100, 2);
  ASSERT_THAT(active(), testing::ElementsAre("bit_error_rate:0x0000000000000100:1"));
  const auto received = listener.wait(1);
  EXPECT_EQ(received[0].path, "/hook");
  EXPECT_EQ(received[0].authorization, "Bearer word");
  const Json change = received[0].body["changes"][0];
  EXPECT_EQ(change["change"], "raised");
  EXPECT_EQ(change["rule"], "bit_error_rate");
  EXPECT_EQ(change["severity"], "critical");
  EXPECT_EQ(change["name"], "S0");
  EXPECT_EQ(change["port"], 1);
  EXPECT_EQ(change["peer_name"], "S1");
  EXPECT_EQ(change["limit"], 1e-12);
  const Port& port = reading_.managed.fabric().port(cable_);
  const double bits = data_rate_100mbit(port.width, port.speed) * 1e8 * 10;
  EXPECT_NEAR(change["value"].get<double>(), 100 / bits, 10 / bits);
  EXPECT_EQ(received[0].body["lost"], 0);
}

/// One kind of degradation of a port: the range of errors of a counter in each reading of 10 s.
struct Degradation {
  const char* rule;
  Counter counter;
  std::uint64_t least, most;
};
constexpr std::array<Degradation, 5> kDegradations{{
    {"bit_error_rate", Counter::kSymbolErrors, 20, 5'000},
    {"link_downed", Counter::kLinkDowned, 2, 5},
    {"link_recovery", Counter::kLinkErrorRecovery, 5, 9},
    {"receive_errors", Counter::kRcvErrors, 5, 500},
    {"discards", Counter::kXmitDiscards, 150, 5'000},
}};

/// Builds a random subnet with a few ports that degrade from a random reading on in a random way;
/// in every third reading one other port has a few symbol errors. Expects alarms of the degraded
/// ports only.
void degrade_and_read(std::uint64_t seed) {
  constexpr std::array kFabrics{"fattree2:k=4", "ring:n=5,hosts=2", "torus:3x3,hosts=2",
                                "dragonfly:a=2,h=1,p=2"};
  Rng rng(seed);
  const std::string spec = kFabrics[rng.below(kFabrics.size())];
  SCOPED_TRACE(fmt::format("seed {}, {}", seed, spec));
  PerformanceSubnet subnet(fabric_of(spec));
  AlarmService alarms(alarm_limits(Settings()));
  const Fabric& fabric = subnet.managed.fabric();
  // By port: kind, and number of the first degraded reading.
  std::map<PortId, std::pair<const Degradation*, unsigned>> degraded;
  std::vector<PortId> cables;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p)
    if (fabric.port(PortId(p)).peer != kNoPort) cables.push_back(PortId(p));
  for (int i = 0; i < 4; ++i)
    degraded[cables[rng.below(cables.size())]] = {&kDegradations[rng.below(kDegradations.size())],
                                                  static_cast<unsigned>(2 + rng.below(4))};
  const auto id_of = [&](PortId port, const Degradation& kind) {
    return fmt::format("{}:0x{:016x}:{}", kind.rule, subnet.guid(port).value(),
                       fabric.port(port).num.value());
  };
  subnet.start();
  subnet.manager->on_reading = [&](const CounterStore& store, const Snapshot& snapshot,
                                   TimeNs now) { alarms.take(store, snapshot, now); };
  for (unsigned reading = 0; reading < 9; ++reading) {
    std::set<std::string> expected_alarms;
    for (const auto& [port, degradation] : degraded) {
      if (reading < degradation.second) continue;
      subnet.device_counters(port, degradation.first->counter) +=
          degradation.first->least +
          rng.below(degradation.first->most - degradation.first->least + 1);
      if (reading >= degradation.second + 1)
        expected_alarms.insert(id_of(port, *degradation.first));
    }
    const PortId other = cables[rng.below(cables.size())];
    if (reading % 3 == 0 && !degraded.contains(other))
      subnet.device_counters(other, Counter::kSymbolErrors) += 1 + rng.below(9);
    subnet.time += 10;
    subnet.sweep();
    std::set<std::string> active;
    for (const Alarm& alarm : alarms.book().list().active) active.insert(alarm_id(alarm));
    for (const std::string& id : expected_alarms)
      EXPECT_TRUE(active.contains(id)) << id << " is not active at reading " << reading;
    for (const std::string& id : active)
      EXPECT_TRUE(std::ranges::any_of(degraded,
                                      [&](const auto& entry) {
                                        return reading >= entry.second.second &&
                                               id == id_of(entry.first, *entry.second.first);
                                      }))
          << id << " is active for a port that does not degrade, at reading " << reading;
  }
}

TEST(DegradingPorts, RaiseAlarmsWithinTwoReadingsOnRandomSubnets) {
  spdlog::set_level(spdlog::level::off);
  for (std::uint64_t seed = 1; seed <= 24; ++seed) degrade_and_read(seed);
}

TEST_F(PortAlarms, BeginAndEndAfterConsecutiveReadings) {
  read(0);
  read(100);
  read(0);
  read(100);
  EXPECT_THAT(active(), IsEmpty()) << "no two consecutive readings exceed the limit";
  read(100);
  EXPECT_THAT(active(), SizeIs(1));
  read(0);
  read(100);
  read(0);
  EXPECT_THAT(active(), SizeIs(1));
  read(0);
  EXPECT_THAT(active(), IsEmpty());
  ASSERT_THAT(changes_, SizeIs(2));
  EXPECT_EQ(changes_[1].kind, AlarmChange::Kind::kCleared);
  EXPECT_THAT(alarms_.book().list().ended, SizeIs(1));
}

TEST_F(PortAlarms, RemainActiveBetweenTheLimits) {
  settings_.alarm_receive_errors = "5 1 1 warning";
  alarms_.set_limits(alarm_limits(settings_));
  read(0, 2, Counter::kRcvErrors);
  read(40, 1, Counter::kRcvErrors);
  EXPECT_THAT(active(), IsEmpty()) << "4 errors per second are below the limit";
  read(60, 1, Counter::kRcvErrors);
  read(30, 3, Counter::kRcvErrors);
  EXPECT_THAT(active(), SizeIs(1)) << "3 errors per second are above the lower limit";
  read(5, 1, Counter::kRcvErrors);
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(PortAlarms, OfLinkFailuresLastForAnHour) {
  read(0);
  read(1, 1, Counter::kLinkDowned);
  EXPECT_THAT(active(), IsEmpty());
  read(0, 30);
  read(1, 1, Counter::kLinkDowned);
  EXPECT_THAT(active(), testing::ElementsAre("link_downed:0x0000000000000100:1"));
  read(0, 350);
  EXPECT_THAT(active(), SizeIs(1)) << "the second failure is less than an hour ago";
  read(0, 12);
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(PortAlarms, RemainActiveWhileAnAgentDoesNotAnswer) {
  read(0);
  read(100, 2);
  reading_.agent(cable_).answers = false;
  read(0, 5);
  EXPECT_THAT(active(), SizeIs(1));
  reading_.agent(cable_).answers = true;
  read(0, 2);
  EXPECT_THAT(active(), IsEmpty());
}

TEST_F(PortAlarms, IgnoreClearedTotals) {
  read(5000);
  reading_.manager->clear_counters();
  read(0, 3);
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(PortAlarms, EndWithTheRuleOrWithMastership) {
  read(0);
  read(100, 2);
  settings_.alarm_bit_error_rate = "off";
  alarms_.set_limits(alarm_limits(settings_));
  EXPECT_THAT(active(), IsEmpty());
  EXPECT_THAT(alarm_text(changes_.back().alarm), HasSubstr("the rule is off"));
  settings_.alarm_bit_error_rate = Settings().alarm_bit_error_rate;
  alarms_.set_limits(alarm_limits(settings_));
  read(100, 2);
  EXPECT_THAT(active(), SizeIs(1));
  alarms_.forget("this manager is no longer master");
  EXPECT_THAT(active(), IsEmpty());
  read(100, 2);
  EXPECT_THAT(active(), IsEmpty()) << "the first reading is a baseline again";
  read(100);
  EXPECT_THAT(active(), SizeIs(1));
}

TEST_F(PortAlarms, OfLoadAreRaisedAboveTheLimit) {
  const Port& port = reading_.managed.fabric().port(cable_);
  const double words = data_rate_100mbit(port.width, port.speed) * 1e8 / 32;
  settings_.alarm_load = "90 80 1 info";
  alarms_.set_limits(alarm_limits(settings_));
  read(0, 2);
  read(static_cast<std::uint64_t>(words * 7), 2, Counter::kXmitData);
  EXPECT_THAT(active(), IsEmpty()) << "a load of 70 % is below the limit";
  read(static_cast<std::uint64_t>(words * 9.9), 1, Counter::kXmitData);
  EXPECT_THAT(active(), testing::ElementsAre("load:0x0000000000000100:1"));
}

TEST_F(PortAlarms, AreReportedAsEvents) {
  read(0);
  read(100, 2);
  ASSERT_THAT(changes_, SizeIs(1));
  const Json event = Json::parse(json_line(event_of(changes_[0]), at_second(0)));
  EXPECT_EQ(event["event"], "alarm_raised");
  EXPECT_EQ(event["rule"], "bit_error_rate");
  EXPECT_EQ(event["name"], "S0");
  EXPECT_EQ(event["port"], 1);
  EXPECT_EQ(event["peer_name"], "S1");
  EXPECT_THAT(event["text"].get<std::string>(), HasSubstr("bit_error_rate critical: "));
}

TEST(SlowLinkAlarm, ComparesTheRateWithTheRateOfBothEnds) {
  ObservedNode near, far;
  PortInfo info;
  info.link_width_supported = info.link_width_enabled = 3;  // 1x and 4x
  info.link_speed_supported = info.link_speed_enabled = 7;  // SDR to QDR
  info.link_width_active = static_cast<std::uint8_t>(LinkWidth::k4x);
  info.link_speed_active = 4;
  near.ports.resize(2, info);
  far.ports.resize(2, info);
  EXPECT_EQ(rate_share(near, PortNum(1), far, PortNum(1)), 1);
  near.ports[1].link_width_active = static_cast<std::uint8_t>(LinkWidth::k1x);
  EXPECT_EQ(rate_share(near, PortNum(1), far, PortNum(1)), 0.25);
  far.ports[1].link_width_enabled = 1;
  EXPECT_EQ(rate_share(near, PortNum(1), far, PortNum(1)), 1) << "both ends enable only 1x";
  near.ports[1].link_speed_active = 2;
  EXPECT_EQ(rate_share(near, PortNum(1), far, PortNum(1)), 0.5);
}

Alarm alarm_of(std::uint64_t node) {
  Alarm alarm;
  alarm.node = Guid(node);
  alarm.name = "S\xff\"1";
  alarm.port = PortNum(3);
  alarm.value = alarm.worst = 2e-11;
  alarm.limit = 1e-12;
  alarm.raised = at_second(1'000);
  return alarm;
}

TEST(AlarmBook, KeepsAcknowledgementsUntilTheAlarmEnds) {
  AlarmBook book;
  std::vector<AlarmChange::Kind> kinds;
  book.set_listener([&](const AlarmChange& change) { kinds.push_back(change.kind); });
  const std::string id = alarm_id(alarm_of(1));
  EXPECT_EQ(book.acknowledge(id, true, "").error().code, Code::kUsage);
  book.raise(alarm_of(1));
  EXPECT_EQ(book.acknowledge(id, true, "cable ordered")->comment, "cable ordered");
  EXPECT_EQ(book.counts().acknowledged[0], 1u);
  EXPECT_TRUE(book.acknowledge(id, true, "cable here"));
  EXPECT_EQ(book.acknowledge(id, false, "x")->comment, "");
  book.set_value(id, 1e-13);
  EXPECT_EQ(book.list().active[0].worst, 2e-11);
  book.clear(id, "", at_second(2'000));
  book.raise(alarm_of(1));
  EXPECT_FALSE(book.list().active[0].acknowledged);
  using enum AlarmChange::Kind;
  EXPECT_THAT(kinds, testing::ElementsAre(kRaised, kAcknowledged, kCleared, kRaised));
}

TEST(AlarmBook, LimitsActiveAndEndedAlarms) {
  AlarmBook book;
  for (std::uint64_t i = 0; i < AlarmBook::kActiveMax; ++i) ASSERT_TRUE(book.raise(alarm_of(i)));
  EXPECT_FALSE(book.raise(alarm_of(AlarmBook::kActiveMax)));
  EXPECT_EQ(book.list().not_listed, 1u);
  for (std::uint64_t i = 0; i < AlarmBook::kActiveMax; ++i)
    book.clear(alarm_id(alarm_of(i)), "", at_second(2'000));
  EXPECT_THAT(book.list().ended, SizeIs(AlarmBook::kEndedMax));
  EXPECT_THAT(book.list().active, IsEmpty());
}

TEST(AlarmDelivery, IsRepeatedAfterFailures) {
  Listener listener({503, 500, 429, 408});
  Webhook webhook(listener.options(), kFast);
  webhook.start();
  webhook.take({AlarmChange::Kind::kRaised, alarm_of(1)});
  const auto received = listener.wait(1);
  EXPECT_EQ(received[0].body["changes"][0]["name"], "S\xEF\xBF\xBD\"1");
  EXPECT_EQ(webhook.meter()->failed, 4u);
  EXPECT_EQ(webhook.meter()->lost, 0u);
}

TEST(AlarmDelivery, DropsAndCountsAlarmsThatTheReceiverRefuses) {
  Listener listener({400});
  Webhook webhook(listener.options(), kFast);
  webhook.start();
  webhook.take({AlarmChange::Kind::kRaised, alarm_of(1)});
  listener.wait_for_requests(1);
  webhook.take({AlarmChange::Kind::kCleared, alarm_of(1)});
  const auto received = listener.wait(1);
  EXPECT_EQ(received[0].body["changes"][0]["change"], "cleared");
  EXPECT_EQ(received[0].body["lost"], 1);
  EXPECT_EQ(webhook.meter()->lost, 1u);
}

TEST(AlarmDelivery, StatesTheReasonIfThereIsNoResponse) {
  JsonPoster poster({*parse_alarm_url("http://127.0.0.1:1/"), "", ""});  // no process listens
  const Status status = poster.post("/", "{}");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "no connection");
}

TEST(AlarmDelivery, DoesNotBlockAndCountsChangesBeyondTheQueue) {
  // No process listens on this port.
  PosterOptions options{*parse_alarm_url("http://127.0.0.1:1/"), "", ""};
  Webhook webhook(options, kFast);
  webhook.start();
  for (std::size_t i = 0; i < Webhook::kQueueMax + 10; ++i)
    webhook.take({AlarmChange::Kind::kRaised, alarm_of(i)});
  EXPECT_EQ(webhook.meter()->lost, 10u);
}

TEST(AlarmDelivery, SendsActiveAndEndedAlarmsToAlertmanager) {
  Listener listener({503});
  AlarmBook book;
  Alarm alarm = alarm_of(1);
  alarm.peer = Guid(2);
  alarm.peer_name = "S2";
  alarm.peer_port = PortNum(4);
  book.raise(alarm);
  Alertmanager receiver(listener.options(), book, kFast);
  receiver.start();
  auto received = listener.wait(1);
  EXPECT_EQ(received[0].path, "/hook/api/v2/alerts");
  ASSERT_THAT(received[0].body, SizeIs(1));
  const Json alert = received[0].body[0];
  EXPECT_EQ(alert["labels"]["alertname"], "WeftBitErrorRate");
  EXPECT_EQ(alert["labels"]["severity"], "warning");
  EXPECT_EQ(alert["labels"]["guid"], "0x0000000000000001");
  EXPECT_EQ(alert["labels"]["port"], "3");
  EXPECT_EQ(alert["startsAt"], "1970-01-01T00:16:40.000000Z");
  EXPECT_GT(alert["endsAt"], time_text(std::chrono::system_clock::now()));
  EXPECT_THAT(alert["annotations"]["summary"].get<std::string>(), HasSubstr("S2 port 4"));
  const WallTime ended = std::chrono::system_clock::now();
  book.clear(alarm_id(alarm), "", ended);
  receiver.take({});
  received = listener.wait(2);
  EXPECT_EQ(received[1].body[0]["endsAt"], time_text(ended));
}

class AlarmApi : public testing::Test {
 protected:
  AlarmApi() : board_(Settings{}), ring_(std::make_shared<EventRing>()) {}
  HttpAnswer answer_to(const std::string& method, const std::string& path,
                       const std::string& body = "", const std::string& token = "operator",
                       bool with_ended = false) {
    HttpOptions options;
    options.address = *parse_http_address("127.0.0.1:0");
    options.secrets.access = HttpAccess({{Role::kRead, Secret(std::string_view("reader"))},
                                         {Role::kOperate, Secret(std::string_view("operator"))}});
    HttpApi api(std::move(options), board_, ring_);
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.token = token;
    request.host = "localhost";
    request.body = body;
    if (with_ended) request.query.emplace("ended", "true");
    return api.answer(request);
  }

  SmBoard board_;
  std::shared_ptr<EventRing> ring_;
};

TEST_F(AlarmApi, RequiresAPerformanceManager) {
  EXPECT_EQ(answer_to("GET", "/api/v1/alarms").status, 409);
  EXPECT_EQ(answer_to("PATCH", "/api/v1/alarms/x", R"({"acknowledged": true})").status, 409);
}

TEST_F(AlarmApi, ListsAndAcknowledgesAlarms) {
  board_.alarms = std::make_shared<AlarmBook>();
  board_.alarms->raise(alarm_of(1));
  Json list = Json::parse(*answer_to("GET", "/api/v1/alarms").body);
  EXPECT_EQ(list["total"], 1);
  EXPECT_EQ(list["unacknowledged"], 1);
  EXPECT_THAT(list["rules"], SizeIs(kAlarmRuleCount));
  const std::string id = list["alarms"][0]["id"];
  const std::string path = "/api/v1/alarms/" + id;
  EXPECT_EQ(answer_to("PATCH", path, R"({"acknowledged": true})", "reader").status, 403);
  EXPECT_EQ(answer_to("PATCH", path + "0", R"({"acknowledged": true})").status, 404);
  for (const char* const wrong :
       {"", "[]", "{}", R"({"acknowledged": 1})", R"({"acknowledged": true, "comment": 1})",
        R"({"acknowledged": true, "colour": 1})"})
    EXPECT_EQ(answer_to("PATCH", path, wrong).status, 400) << wrong;
  EXPECT_EQ(answer_to("PATCH", path,
                      R"({"acknowledged": true, "comment": ")" + std::string(257, 'x') + "\"}")
                .status,
            400);
  EXPECT_EQ(answer_to("PATCH", path, R"({"acknowledged": true, "comment": "known"})").status, 200);
  list = Json::parse(*answer_to("GET", "/api/v1/alarms").body);
  EXPECT_EQ(list["unacknowledged"], 0);
  EXPECT_EQ(list["alarms"][0]["comment"], "known");
  EXPECT_THAT(*answer_to("GET", "/metrics").body,
              HasSubstr("weft_alarms{rule=\"bit_error_rate\"} 1\n"));
  EXPECT_THAT(*answer_to("GET", "/metrics").body,
              HasSubstr("weft_alarms_acknowledged{rule=\"bit_error_rate\"} 1\n"));
  board_.alarms->clear(id, "gone", at_second(2'000));
  list = Json::parse(*answer_to("GET", "/api/v1/alarms").body);
  EXPECT_EQ(list["total"], 0);
  EXPECT_EQ(list["ended"], Json::array()) << "ended alarms were not requested";
  list = Json::parse(*answer_to("GET", "/api/v1/alarms", "", "operator", true).body);
  EXPECT_THAT(list["ended"], SizeIs(1));
}

}  // namespace
}  // namespace weft
