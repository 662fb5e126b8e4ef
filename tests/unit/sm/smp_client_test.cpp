// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The SMP client: windows of requests, retries, transaction ids, and received traps.
#include "sm/discovery/smp_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "support/kernel_wire.h"

namespace weft {
namespace {

/// A transport that stores sent SMPs until the test answers or drops them.
class Wire final : public SmpTransport {
 public:
  Status send(const Smp& smp) override {
    if (broken) return fail(Code::kEnvironment, "the device is gone");
    sent.push_back(smp);
    return {};
  }
  std::optional<Smp> receive() override {
    if (arrived.empty()) return std::nullopt;
    Smp smp = arrived.front();
    arrived.pop_front();
    return smp;
  }
  void wait_until(TimeNs deadline) override {
    if (arrived.empty()) clock.advance_to(deadline);
  }

  void answer(const Smp& request, std::uint16_t status = 0) {
    Smp smp = request;
    smp.method = Method::kGetResp;
    smp.status = status;
    smp.returning = true;
    arrived.push_back(smp);
  }
  Smp take() {
    Smp smp = sent.front();
    sent.pop_front();
    return smp;
  }

  VirtualClock clock;
  std::deque<Smp> sent, arrived;
  bool broken = false;
};

/// Sends `total` requests for PortInfo, of ports 0, 1, 2...
class PortInfoRequests final : public SmpWork {
 public:
  explicit PortInfoRequests(unsigned total) : total_(total) {}
  bool next(Smp& request, std::uint64_t& cookie) override {
    if (submitted == total_) return false;
    request = Smp{};
    request.attribute = AttributeId::kPortInfo;
    request.modifier = submitted;
    cookie = submitted++;
    return true;
  }
  void answered(std::uint64_t cookie, const Smp& answer) override {
    EXPECT_EQ(cookie, answer.modifier);
    ++answers[cookie];
  }
  void failed(std::uint64_t cookie, const Error& why) override {
    EXPECT_TRUE(failures.emplace(cookie, why).second) << "request " << cookie << " failed twice";
  }

  unsigned submitted = 0;
  std::map<std::uint64_t, unsigned> answers;
  std::map<std::uint64_t, Error> failures;

 private:
  unsigned total_;
};

constexpr TimeNs kTick = std::chrono::milliseconds(1);

TEST(SmpClient, LimitsTheRequestsOnTheWire) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 4});
  PortInfoRequests work(10);
  EXPECT_TRUE(client.step(work, wire.clock.now() + kTick));
  EXPECT_EQ(wire.sent.size(), 4u);
  EXPECT_TRUE(client.step(work, wire.clock.now() + kTick));
  EXPECT_EQ(wire.sent.size(), 4u);
  while (true) {
    while (!wire.sent.empty()) wire.answer(wire.take());
    if (!client.step(work, wire.clock.now() + kTick)) break;
    EXPECT_LE(wire.sent.size(), 4u);
  }
  EXPECT_EQ(work.answers.size(), 10u);
  EXPECT_EQ(client.counts().sent, 10u);
  EXPECT_EQ(client.counts().answered, 10u);
}

TEST(SmpClient, AnswersMayComeInAnyOrder) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 8, .device_max = 0});
  PortInfoRequests work(8);
  client.step(work, wire.clock.now() + kTick);
  while (!wire.sent.empty()) {
    wire.answer(wire.sent.back());
    wire.sent.pop_back();
  }
  while (client.step(work, wire.clock.now() + kTick)) {
  }
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(work.answers[i], 1u) << i;
}

TEST(SmpClient, RetriesAfterBusyWithGrowingPauses) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 1});
  PortInfoRequests work(2);
  std::vector<TimeNs> times;
  for (unsigned tries = 0; tries < 4; ++tries) {
    while (wire.sent.empty()) ASSERT_TRUE(client.step(work, wire.clock.now() + kTick));
    times.push_back(wire.clock.now());
    const Smp request = wire.take();
    EXPECT_EQ(request.modifier, 0u);
    wire.answer(request, tries < 3 ? mad_status::kBusy : mad_status::kGood);
    if (tries < 3) wire.answer(request, mad_status::kBusy);  // duplicated in transit
  }
  while (client.step(work, wire.clock.now() + kTick))
    while (!wire.sent.empty()) wire.answer(wire.take());
  using std::chrono::milliseconds;
  EXPECT_EQ(times[1] - times[0], milliseconds(10));
  EXPECT_EQ(times[2] - times[1], milliseconds(20));
  EXPECT_EQ(times[3] - times[2], milliseconds(40));
  EXPECT_EQ(client.counts().busy, 3u);
  EXPECT_EQ(client.counts().stray, 3u);
  EXPECT_EQ(work.answers.size(), 2u);
}

TEST(SmpClient, ReturnsBusyIfTheDeviceStaysBusy) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 1});
  PortInfoRequests work(1);
  unsigned sent = 0;
  while (client.step(work, wire.clock.now() + kTick))
    while (!wire.sent.empty()) {
      wire.answer(wire.take(), mad_status::kBusy);
      ++sent;
    }
  EXPECT_EQ(sent, 19u);
  EXPECT_EQ(work.answers.size(), 1u);
  EXPECT_GE(wire.clock.now(), std::chrono::milliseconds(1270));
  EXPECT_LE(wire.clock.now(), std::chrono::milliseconds(1280));
}

TEST(SmpClient, RetriesThenFails) {
  Wire wire;
  SmpClient client(wire, wire.clock,
                   {.on_wire_max = 2, .timeout = std::chrono::milliseconds(200), .retries = 3});
  PortInfoRequests work(1);
  while (client.step(work, wire.clock.now() + kTick)) {
  }
  EXPECT_EQ(wire.sent.size(), 4u);  // the first try and three retries
  EXPECT_EQ(wire.clock.now(), std::chrono::milliseconds(800));
  EXPECT_EQ(client.counts().retried, 3u);
  EXPECT_EQ(client.counts().timed_out, 1u);
  ASSERT_EQ(work.failures.size(), 1u);
  EXPECT_EQ(work.failures[0].code, Code::kTimeout);
  for (Smp smp : wire.sent) {
    smp.transaction_id = wire.sent.front().transaction_id;
    EXPECT_EQ(smp, wire.sent.front());
  }
}

TEST(SmpClient, EveryTryHasADifferentTransactionId) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 2});
  PortInfoRequests work(2);
  while (client.step(work, wire.clock.now() + kTick)) {
  }
  std::set<std::uint32_t> ids;
  for (const Smp& smp : wire.sent) ids.insert(static_cast<std::uint32_t>(smp.transaction_id));
  EXPECT_EQ(wire.sent.size(), 8u);
  EXPECT_EQ(ids.size(), wire.sent.size());
}

/// ib_umad stores a request for a second, and refuses another request with the same transaction id.
TEST(SmpClient, TriesReachTheWireThroughAKernelThatRefusesDuplicates) {
  Wire wire;
  KernelWire kernel(wire, wire.clock);
  SmpClient client(kernel, wire.clock, {.on_wire_max = 2});
  PortInfoRequests work(1);
  client.step(work, TimeNs::max());  // times out once
  ASSERT_EQ(wire.sent.size(), 2u);
  wire.answer(wire.sent.back());
  while (client.step(work, wire.clock.now() + kTick)) {
  }
  EXPECT_EQ(work.answers[0], 1u);
  EXPECT_EQ(kernel.duplicates, 0u);
}

TEST(SmpClient, AnswersToEarlierTriesCountUntilTheRequestIsDone) {
  for (unsigned answered = 0; answered < 4; ++answered) {
    SCOPED_TRACE(answered);
    Wire wire;
    KernelWire kernel(wire, wire.clock);
    SmpClient client(kernel, wire.clock, {.on_wire_max = 1});
    PortInfoRequests work(2);
    for (int i = 0; i < 3; ++i) client.step(work, TimeNs::max());
    ASSERT_EQ(wire.sent.size(), 4u);
    wire.answer(wire.sent[answered]);
    client.step(work, wire.clock.now() + kTick);
    EXPECT_EQ(work.answers[0], 1u);
    for (unsigned i = 0; i < 4; ++i)
      if (i != answered) wire.answer(wire.sent[i]);
    client.step(work, wire.clock.now() + kTick);  // sends the second request
    EXPECT_EQ(client.counts().stray, 3u);
    EXPECT_EQ(work.answers.size(), 1u);
  }
}

TEST(SmpClient, ALateAnswerToTheFirstTryCounts) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 1});
  PortInfoRequests work(1);
  client.step(work, TimeNs::max());  // times out once
  ASSERT_EQ(wire.sent.size(), 2u);
  wire.answer(wire.take());
  wire.answer(wire.take());
  while (client.step(work, wire.clock.now() + kTick)) {
  }
  EXPECT_EQ(work.answers[0], 1u);
  EXPECT_EQ(client.counts().stray, 1u);
}

TEST(SmpClient, AnswersWithoutARequestAreStrays) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 1});
  PortInfoRequests work(2);
  client.step(work, wire.clock.now() + kTick);
  Smp other = wire.sent.front();
  other.transaction_id += 1u << 20;
  wire.answer(other);
  other = wire.sent.front();
  other.attribute = AttributeId::kNodeInfo;
  wire.answer(other);
  other = wire.sent.front();
  other.modifier = 77;
  wire.answer(other);
  client.step(work, wire.clock.now() + kTick);
  EXPECT_TRUE(work.answers.empty());
  EXPECT_EQ(client.counts().stray, 3u);
}

TEST(SmpClient, ARestartedManagerIgnoresAnswersToItsPredecessor) {
  Wire wire;
  PortInfoRequests first(1), second(1);
  SmpClient before(wire, wire.clock, {.on_wire_max = 1});
  before.step(first, wire.clock.now() + kTick);
  const Smp old = wire.take();
  SmpClient after(wire, wire.clock, {.on_wire_max = 1});
  after.step(second, wire.clock.now() + kTick);
  wire.answer(old);
  after.step(second, wire.clock.now() + kTick);
  EXPECT_TRUE(second.answers.empty());
  EXPECT_EQ(after.counts().stray, 1u);
}

TEST(SmpClient, LimitsTheTrapsOfOnePort) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 1});
  Smp trap;
  trap.method = Method::kTrap;
  trap.attribute = AttributeId::kNotice;
  trap.slid = Lid(7);
  constexpr std::size_t kMost = SmpClient::kUnsolicited.shared / 2 + SmpClient::kUnsolicited.own;
  for (std::size_t i = 0; i < kMost + 5; ++i) wire.arrived.push_back(trap);
  client.wait(wire.clock.now() + kTick);
  std::size_t taken = 0;
  while (const auto smp = client.take_unsolicited()) {
    EXPECT_EQ(smp->method, Method::kTrap);
    ++taken;
  }
  EXPECT_EQ(taken, kMost);
  EXPECT_EQ(client.counts().overrun, 5u);
}

TEST(SmpClient, TrapsOfOnePortDoNotDisplaceTrapsOfOtherPorts) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 1});
  Smp trap;
  trap.method = Method::kTrap;
  trap.attribute = AttributeId::kNotice;
  trap.slid = Lid(7);
  for (std::size_t i = 0; i < 5000; ++i) wire.arrived.push_back(trap);
  trap.slid = Lid(8);
  wire.arrived.push_back(trap);
  client.wait(wire.clock.now() + kTick);
  EXPECT_EQ(client.take_unsolicited()->slid, Lid(8))
      << "the only trap of LID 8 must be returned first";
  EXPECT_EQ(client.take_unsolicited()->slid, Lid(7));
}

TEST(SmpClient, AbandonedWorkFailsOnceForEachRequest) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 2});
  PortInfoRequests work(5);
  client.step(work, wire.clock.now() + kTick);
  client.abandon(work, Error{Code::kTimeout, "was interrupted"});
  EXPECT_TRUE(client.idle());
  ASSERT_GT(work.submitted, 0u);
  EXPECT_EQ(work.failures.size(), work.submitted);
  const std::size_t failed = work.failures.size();
  for (int i = 0; i < 20; ++i) client.wait(wire.clock.now() + kTick);
  EXPECT_EQ(work.failures.size(), failed);
}

TEST(SmpClient, ReportsARefusedSendAfterRetries) {
  Wire wire;
  wire.broken = true;
  SmpClient client(wire, wire.clock, {.on_wire_max = 4});
  PortInfoRequests lost(1);
  while (client.step(lost, wire.clock.now() + kTick)) {
  }
  ASSERT_EQ(lost.failures.size(), 1u);
  EXPECT_EQ(lost.failures[0].message, "the device is gone");
  EXPECT_EQ(client.counts().refused, 4u);

  PortInfoRequests saved(1);
  client.step(saved, wire.clock.now() + kTick);
  wire.broken = false;
  client.step(saved, TimeNs::max());  // sends the second try
  ASSERT_EQ(wire.sent.size(), 1u);
  wire.answer(wire.take());
  while (client.step(saved, wire.clock.now() + kTick)) {
  }
  EXPECT_EQ(saved.answers[0], 1u);
}

/// Requests in this order along paths of one hop, through the ports `devices` of the manager's
/// node.
class RequestsByDevice final : public SmpWork {
 public:
  explicit RequestsByDevice(std::vector<std::uint8_t> devices) : devices_(std::move(devices)) {}
  bool next(Smp& request, std::uint64_t& cookie) override {
    if (submitted == devices_.size()) return false;
    request = Smp{};
    request.attribute = AttributeId::kPortInfo;
    request.modifier = static_cast<std::uint32_t>(submitted);
    request.hop_count = 1;
    request.initial_path[1] = devices_[submitted];
    cookie = submitted++;
    return true;
  }
  void answered(std::uint64_t cookie, const Smp&) override { answers.push_back(cookie); }
  void failed(std::uint64_t cookie, const Error&) override { failures.push_back(cookie); }

  std::size_t submitted = 0;
  std::vector<std::uint64_t> answers, failures;

 private:
  const std::vector<std::uint8_t> devices_;
};

std::size_t sent_to(const Wire& wire, std::uint8_t device) {
  return static_cast<std::size_t>(std::ranges::count_if(
      wire.sent, [&](const Smp& smp) { return smp.initial_path[1] == device; }));
}

TEST(SmpClient, LimitsTheRequestsToEachDevice) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 16, .device_max = 3});
  std::vector<std::uint8_t> devices(20, 1);
  devices.insert(devices.end(), {2, 3, 2, 2, 2});
  RequestsByDevice work(devices);
  client.step(work, wire.clock.now() + kTick);
  EXPECT_EQ(sent_to(wire, 1), 3u);
  EXPECT_EQ(sent_to(wire, 2), 3u) << "requests to other devices must not wait for device 1";
  EXPECT_EQ(sent_to(wire, 3), 1u);
  EXPECT_EQ(work.submitted, devices.size());
  std::vector<std::uint32_t> order;  // of the requests to device 1
  do {
    EXPECT_LE(sent_to(wire, 1), 3u);
    while (!wire.sent.empty()) {
      if (wire.sent.front().initial_path[1] == 1) order.push_back(wire.sent.front().modifier);
      wire.answer(wire.take());
    }
  } while (client.step(work, wire.clock.now() + kTick));
  EXPECT_EQ(work.answers.size(), devices.size());
  EXPECT_EQ(order.size(), 20u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

/// Requests with these attributes to one device.
class RequestsByAttribute final : public SmpWork {
 public:
  explicit RequestsByAttribute(std::vector<AttributeId> attributes)
      : attributes_(std::move(attributes)) {}
  bool next(Smp& request, std::uint64_t& cookie) override {
    if (submitted == attributes_.size()) return false;
    request = Smp{};
    request.attribute = attributes_[submitted];
    request.modifier = static_cast<std::uint32_t>(submitted);
    cookie = submitted++;
    return true;
  }
  void answered(std::uint64_t cookie, const Smp&) override { answers.push_back(cookie); }
  void failed(std::uint64_t, const Error&) override {}

  std::size_t submitted = 0;
  std::vector<std::uint64_t> answers;

 private:
  const std::vector<AttributeId> attributes_;
};

std::size_t vendor_specific(const Wire& wire) {
  return static_cast<std::size_t>(std::ranges::count_if(
      wire.sent, [](const Smp& smp) { return static_cast<unsigned>(smp.attribute) >= 0xFF00; }));
}

TEST(SmpClient, LimitsTheVendorSpecificRequestsToADevice) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 16});
  constexpr AttributeId kVendor{0xFF21};
  std::vector<AttributeId> attributes(2, AttributeId::kPortInfo);
  attributes.insert(attributes.end(), 9, kVendor);
  attributes.insert(attributes.end(), 9, AttributeId::kPortInfo);
  RequestsByAttribute work(attributes);
  client.step(work, wire.clock.now() + kTick);
  EXPECT_EQ(wire.sent.size(), 4u);
  EXPECT_EQ(vendor_specific(wire), 2u);
  std::vector<std::uint32_t> order;
  std::size_t sent_max = 0;
  do {
    EXPECT_LE(vendor_specific(wire), 2u);
    sent_max = std::max(sent_max, wire.sent.size());
    while (!wire.sent.empty()) {
      order.push_back(wire.sent.front().modifier);
      wire.answer(wire.take());
    }
  } while (client.step(work, wire.clock.now() + kTick));
  EXPECT_EQ(sent_max, 4u) << "the limit of other requests stays";
  EXPECT_EQ(work.answers.size(), attributes.size());
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(SmpClient, WithoutAVendorLimitTheWindowOfTheDeviceApplies) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 16, .device_max = 3, .vendor_max = 0});
  RequestsByAttribute work(std::vector<AttributeId>(9, AttributeId{0xFF21}));
  client.step(work, wire.clock.now() + kTick);
  EXPECT_EQ(wire.sent.size(), 3u);
}

/// Two requests along each of these paths; an empty path is a request to LID 7.
class RequestsAlongPaths final : public SmpWork {
 public:
  explicit RequestsAlongPaths(std::vector<std::vector<std::uint8_t>> paths)
      : paths_(std::move(paths)) {}
  bool next(Smp& request, std::uint64_t& cookie) override {
    if (submitted == 2 * paths_.size()) return false;
    const auto& path = paths_[submitted / 2];
    request = Smp{};
    request.attribute = AttributeId::kNodeInfo;
    request.mgmt_class = path.empty() ? MgmtClass::kSmpLidRouted : MgmtClass::kSmpDirected;
    request.dlid = Lid(7);
    request.hop_count = static_cast<std::uint8_t>(path.size());
    std::ranges::copy(path, request.initial_path.begin() + 1);
    cookie = submitted++;
    return true;
  }
  void answered(std::uint64_t, const Smp&) override {}
  void failed(std::uint64_t, const Error&) override {}

  std::size_t submitted = 0;

 private:
  const std::vector<std::vector<std::uint8_t>> paths_;
};

TEST(SmpClient, DevicesDifferByEachHopOfTheirPaths) {
  std::vector<std::vector<std::uint8_t>> paths{{}, {7}, {7, 0}, {0, 7}};
  for (const std::size_t hops : {8, 9, 16, 63})
    for (const std::size_t at : {std::size_t{0}, hops / 2, hops - 1}) {
      paths.emplace_back(hops, std::uint8_t{1});
      paths.back()[at] = 2;
    }
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 64, .device_max = 1});
  RequestsAlongPaths work(paths);
  client.step(work, wire.clock.now() + kTick);
  EXPECT_EQ(work.submitted, 2 * paths.size());
  EXPECT_EQ(wire.sent.size(), paths.size())
      << "exactly one request must be on the wire to each device";
}

TEST(SmpClient, QueuesABoundedNumberOfRequests) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 16, .device_max = 2});
  RequestsByDevice work(std::vector<std::uint8_t>(2 * SmpClient::kHeldMax, 1));
  client.step(work, wire.clock.now() + kTick);
  EXPECT_EQ(wire.sent.size(), 2u);
  EXPECT_EQ(work.submitted, 2 + SmpClient::kHeldMax);
  client.abandon();
  EXPECT_TRUE(client.idle());
  wire.sent.clear();
  RequestsByDevice none({});
  EXPECT_FALSE(client.step(none, wire.clock.now() + kTick));
  EXPECT_TRUE(wire.sent.empty());
}

TEST(SmpClient, WithoutADeviceWindowTheTotalApplies) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 16, .device_max = 0});
  RequestsByDevice work(std::vector<std::uint8_t>(20, 1));
  client.step(work, wire.clock.now() + kTick);
  EXPECT_EQ(wire.sent.size(), 16u);
}

/// A burst that a full queue drops halves the window once. Each full window of answers increases
/// the window by one.
TEST(SmpClient, ATimeoutHalvesAndAnswersIncreaseTheWindowOfADevice) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 16, .device_max = 8});
  RequestsByDevice work(std::vector<std::uint8_t>(100, 1));
  client.step(work, TimeNs::max());  // eight requests time out, and are sent again
  ASSERT_EQ(wire.sent.size(), 16u);
  EXPECT_EQ(client.counts().window_cuts, 1u);
  wire.sent.erase(wire.sent.begin(), wire.sent.begin() + 8);
  std::vector<std::size_t> on_wire;
  while (!work.answers.empty() || on_wire.empty()) {
    const std::size_t now = wire.sent.size();
    on_wire.push_back(now);
    while (!wire.sent.empty()) wire.answer(wire.take());
    work.answers.clear();
    if (!client.step(work, wire.clock.now() + kTick)) break;
    client.step(work, wire.clock.now() + kTick);
  }
  ASSERT_GE(on_wire.size(), 6u);
  EXPECT_EQ(on_wire[0], 8u) << "retries must not wait for the window";
  EXPECT_LT(on_wire[1], 8u);
  EXPECT_TRUE(std::ranges::is_sorted(on_wire.begin() + 1, on_wire.begin() + 5));
  EXPECT_EQ(*std::max_element(on_wire.begin() + 1, on_wire.end()), 8u);
  EXPECT_TRUE(work.failures.empty());
}

TEST(SmpClient, RequestsToADeviceWithoutAnswerFailTogether) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 16, .device_max = 4});
  RequestsByDevice work(std::vector<std::uint8_t>(50, 1));
  while (client.step(work, wire.clock.now() + kTick)) {
  }
  EXPECT_EQ(work.failures.size(), 50u);
  EXPECT_EQ(wire.clock.now(), std::chrono::milliseconds(800));
  EXPECT_EQ(client.counts().timed_out, 50u);
  EXPECT_EQ(wire.sent.size(), 16u);
}

TEST(SmpClient, AbandonDropsOutstandingRequests) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 4});
  PortInfoRequests work(4);
  client.step(work, wire.clock.now() + kTick);
  EXPECT_FALSE(client.idle());
  client.abandon();
  EXPECT_TRUE(client.idle());
  while (!wire.sent.empty()) wire.answer(wire.take());
  PortInfoRequests none(0);
  client.step(none, wire.clock.now() + kTick);
  client.wait(wire.clock.now() + kTick);
  EXPECT_EQ(client.counts().stray, 4u);
  EXPECT_TRUE(work.answers.empty());
}

TEST(SmpClient, WindUpReceivesAnswersWithoutRetries) {
  Wire wire;
  SmpClient client(wire, wire.clock, {.on_wire_max = 4, .timeout = std::chrono::milliseconds(10)});
  PortInfoRequests work(8);
  client.step(work, wire.clock.now() + kTick);
  ASSERT_EQ(wire.sent.size(), 4u);
  for (int i = 0; i < 3; ++i) wire.answer(wire.take());
  const TimeNs end = wire.clock.now() + std::chrono::milliseconds(100);
  client.wind_up(end);  // the fourth answer does not arrive
  EXPECT_TRUE(client.idle());
  EXPECT_EQ(wire.clock.now(), end);
  EXPECT_EQ(client.counts().answered, 3u);
  EXPECT_EQ(client.counts().sent, 4u);
  EXPECT_TRUE(work.answers.empty()) << "abandoned work must get no answers";
}

}  // namespace
}  // namespace weft
