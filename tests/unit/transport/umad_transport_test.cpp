// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The transport on several ports, with functions of libibumad that this program replaces: sent MADs
// are recorded, and tests deliver MADs to a port.
#include "transport/umad_transport.h"

#include <gtest/gtest.h>
#include <infiniband/umad.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace {

using Bytes = std::vector<std::byte>;

/// The umad ports of the test. The handle of a port is ten times the number of the port.
struct FakeUmad {
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<int, int> refused_opens;                           // errno by port number
  std::map<std::tuple<int, int>, int> agents;                 // by handle and class
  std::map<int, std::deque<std::pair<int, Bytes>>> received;  // agent and umad, by handle
  std::vector<std::pair<int, int>> sent;                      // handle and class
  std::deque<Bytes> sent_umads;
  int next_agent = 0;
};
FakeUmad fake;

}  // namespace

extern "C" {
int umad_open_port(const char*, int number) {
  const std::lock_guard lock(fake.mutex);
  const auto refused = fake.refused_opens.find(number);
  return refused == fake.refused_opens.end() ? 10 * number : -refused->second;
}
int umad_close_port(int) { return 0; }
int umad_register(int port, int mgmt_class, int, uint8_t, long*) {
  const std::lock_guard lock(fake.mutex);
  return fake.agents[{port, mgmt_class}] = fake.next_agent++;
}
int umad_unregister(int, int) { return 0; }
int umad_get_issm_path(const char*, int, char*, int) { return -1; }
int umad_send(int port, int agent, void* umad, int length, int, int) {
  const std::lock_guard lock(fake.mutex);
  for (const auto& [key, registered] : fake.agents)
    if (registered == agent && std::get<0>(key) == port)
      fake.sent.push_back({port, std::get<1>(key)});
  const auto* bytes = static_cast<const std::byte*>(umad);
  fake.sent_umads.emplace_back(bytes, bytes + umad_size() + static_cast<std::size_t>(length));
  return 0;
}
int umad_recv(int port, void* umad, int* length, int) {
  std::unique_lock lock(fake.mutex);
  auto& queue = fake.received[port];
  fake.arrived.wait_for(lock, std::chrono::milliseconds(1), [&] { return !queue.empty(); });
  if (queue.empty()) return -EWOULDBLOCK;
  const auto [agent, bytes] = queue.front();
  queue.pop_front();
  std::memcpy(umad, bytes.data(), bytes.size());
  *length = static_cast<int>(weft::kMadSize);
  return agent;
}
}  // extern "C"

namespace weft {
namespace {

using testing::Test;

constexpr int kDirectedClass = 0x81, kRoutedClass = 1, kSaClass = 3;

class TransportOnTwoPorts : public Test {
 protected:
  TransportOnTwoPorts() {
    const std::lock_guard lock(fake.mutex);
    fake.refused_opens.clear();
    fake.agents.clear();
    fake.received.clear();
    fake.sent.clear();
    fake.sent_umads.clear();
  }
  static UmadPort port(int number, const std::string& device = "a") {
    return {device, number, Guid(10), PortState::kActive, Lid(1), Guid(1), 0};
  }
  void open(const UmadPorts& ports) {
    UmadOptions options;
    options.announce_sm = false;
    options.classes = {{MgmtClass::kSubnAdm, 2, {Method::kGet}}};
    auto opened = UmadTransport::open(ports, options);
    ASSERT_TRUE(opened) << opened.error().message;
    transport = std::move(*opened);
  }
  void open_both() { open({{port(1), port(2)}, {port(1), port(2)}}); }
  static void deliver(int number, int mgmt_class, const std::array<std::byte, kMadSize>& mad,
                      Lid from) {
    Bytes umad(umad_size() + kMadSize);
    std::memcpy(umad_get_mad(umad.data()), mad.data(), mad.size());
    umad_set_addr(umad.data(), from.value(), 1, 0, 0);
    const std::lock_guard lock(fake.mutex);
    fake.received[10 * number].push_back({fake.agents.at({10 * number, mgmt_class}), umad});
    fake.arrived.notify_all();
  }
  template <class Transport>
  static auto received(Transport& from) {
    auto got = from.receive();
    for (unsigned tries = 0; !got && tries < 100; ++tries) {
      from.wait_until(RealClock().now() + std::chrono::milliseconds(100));
      got = from.receive();
    }
    return got;
  }
  static std::pair<int, int> last_sent() {
    const std::lock_guard lock(fake.mutex);
    return fake.sent.back();
  }
  static Smp directed(std::uint8_t first_hop) {
    Smp smp;
    smp.hop_count = first_hop == 0 ? 0 : 1;
    smp.initial_path[1] = first_hop;
    return smp;
  }

  std::unique_ptr<UmadTransport> transport;
};

using Sent = std::pair<int, int>;

TEST_F(TransportOnTwoPorts, SendsSmpsByTheFirstHopOfTheirPath) {
  open_both();
  EXPECT_EQ(transport->more_ports(), std::vector{PortNum(2)});
  for (const int hop : {2, 1}) {
    ASSERT_TRUE(transport->send(directed(static_cast<std::uint8_t>(hop))));
    EXPECT_EQ(last_sent(), Sent(10 * hop, kDirectedClass));
  }
  ASSERT_TRUE(transport->send(directed(0)));
  EXPECT_EQ(last_sent(), Sent(10, kDirectedClass)) << "to the own node: by the first port";
  Smp routed;
  routed.mgmt_class = MgmtClass::kSmpLidRouted;
  routed.port = 2;
  ASSERT_TRUE(transport->send(routed));
  EXPECT_EQ(last_sent(), Sent(20, kRoutedClass));
}

/// TrapRepress and responses to other managers are copies of the received SMP.
TEST_F(TransportOnTwoPorts, AnswersSmpsByThePortOfTheirArrival) {
  open_both();
  for (const int number : {2, 1}) {
    Smp trap;
    trap.mgmt_class = MgmtClass::kSmpLidRouted;
    trap.method = Method::kTrap;
    deliver(number, kRoutedClass, encode(trap), Lid(7));
    auto got = received(*transport);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->slid, Lid(7));
    got->method = Method::kTrapRepress;
    ASSERT_TRUE(transport->send(*got));
    EXPECT_EQ(last_sent(), Sent(10 * number, kRoutedClass));
  }
}

TEST_F(TransportOnTwoPorts, AnswersGmpsByThePortOfTheirArrival) {
  open_both();
  GmpTransport& queries = transport->gmps(MgmtClass::kSubnAdm);
  for (const int number : {2, 1}) {
    Gmp query;
    query.class_version = 2;
    deliver(number, kSaClass, encode(query), Lid(9));
    auto got = received(queries);
    ASSERT_TRUE(got);
    got->method = Method::kGetResp;
    ASSERT_TRUE(queries.send(*got));
    EXPECT_EQ(last_sent(), Sent(10 * number, kSaClass));
  }
  Gmp request;
  request.class_version = 2;
  request.peer.port = 2;
  ASSERT_TRUE(queries.send(request));
  EXPECT_EQ(last_sent(), Sent(20, kSaClass));
  request.peer.port = 0;
  ASSERT_TRUE(queries.send(request));
  EXPECT_EQ(last_sent(), Sent(10, kSaClass)) << "any port: the first";
}

TEST_F(TransportOnTwoPorts, UsesTheDeviceForGmps) {
  open({{port(1, "smi"), port(2, "smi")}, {port(5, "gmps")}});
  EXPECT_EQ(fake.agents.count({10, kSaClass}) + fake.agents.count({20, kSaClass}), 0u)
      << "a device for SMPs has no agents of other classes";
  EXPECT_EQ(fake.agents.count({50, kDirectedClass}), 0u);
  Gmp request;
  request.class_version = 2;
  request.peer.port = 2;  // the plane; the port for GMPs has all planes
  ASSERT_TRUE(transport->gmps(MgmtClass::kSubnAdm).send(request));
  EXPECT_EQ(last_sent(), Sent(50, kSaClass));
}

TEST_F(TransportOnTwoPorts, WorksWithoutAFurtherPortThatCannotBeOpened) {
  fake.refused_opens[2] = EACCES;
  open_both();
  EXPECT_TRUE(transport->more_ports().empty());
  ASSERT_TRUE(transport->send(directed(2)));
  EXPECT_EQ(last_sent(), Sent(10, kDirectedClass));
}

TEST_F(TransportOnTwoPorts, RequiresTheFirstPort) {
  fake.refused_opens[1] = EACCES;
  const auto opened = UmadTransport::open({{port(1), port(2)}, {port(1), port(2)}});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "a port 1: cannot be opened: Permission denied");
}

}  // namespace
}  // namespace weft
