// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A job of ten thousand hosts starts: all send requests at the same time, some for whole
// tables, while the manager sweeps because another host left the fabric.
//
// 72 spines, and 144 leaves with 72 hosts each: 10,368 hosts; the manager runs on host 0
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.h"
#include "sa/paths/paths.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr std::size_t kCrowd = 10'000;
constexpr std::size_t kTables = 24;
constexpr std::size_t kServedPerInterval = 256;  // requests that one call of serve() handles
constexpr TimeNs kInterval = std::chrono::microseconds(100);
constexpr TimeNs kRetryPause = std::chrono::milliseconds(20);  // pause before a retry after BUSY

/// One host that waits for an answer.
struct Client {
  GmpTransport* endport_transport = nullptr;
  Gmp request;
  Lid wanted;                            // destination of a path request
  std::optional<RmppReceiver> receiver;  // for a table request
  TimeNs retry_at = TimeNs::max();
  bool done = false;
};

class Crowd {
 public:
  Crowd() : managed_(fabric_of("fattree2:k=144")) {
    options_.rmpp.sending_max = std::size_t{8} << 20;  // seven tables of nodes
  }

  void start() {
    managed_.start();
    ASSERT_TRUE(managed_.settle());
    const Fabric& known = managed_.known();
    const EndportId own_endport =
        *managed_.fabric().find_endport(guid_of_port(known, managed_.sm().snapshot()->sm));
    queries_ = &managed_.emulated().attach_gmps(own_endport, MgmtClass::kSubnAdm);
    server_.emplace(options_, send_by(*queries_));
    publish();
    for (std::uint32_t e = managed_.fabric().switch_count() + 1; clients_.size() < kCrowd; ++e) {
      Client client;
      client.endport_transport =
          &managed_.emulated().attach_gmps(EndportId(e), MgmtClass::kSubnAdm);
      clients_.push_back(std::move(client));
    }
  }

  void send_all() {
    Rng rng(kSeed);
    const Fabric& known = managed_.known();
    const auto other = [&] {
      return EndportId(known.switch_count() + static_cast<std::uint32_t>(rng.below(kCrowd)));
    };
    for (std::size_t i = 0; i < kCrowd; ++i) {
      Client& client = clients_[i];
      client.request.class_version = kSaClassVersion;
      client.request.transaction_id = i + 1;
      client.request.peer.lid = managed_.sm().snapshot()->sm_lid();
      if (i % (kCrowd / kTables) == 0 && i / (kCrowd / kTables) < kTables)
        request_nodes(client);
      else
        request_path(client, other(), other());
    }
  }

  /// Simulates one interval of kInterval: packets in flight arrive, the manager continues its
  /// sweep, the SA serves requests, and clients receive answers.
  void run_interval() {
    managed_.run_for(kInterval);
    publish();
    serve(*server_, *queries_, managed_.emulated().clock());
    bytes_most_ = std::max(bytes_most_, server_->bytes_under_way());
    for (Client& client : clients_)
      if (!client.done) receive_answers(client);
  }

  std::size_t waiting(bool for_tables) const {
    return static_cast<std::size_t>(std::ranges::count_if(clients_, [&](const Client& client) {
      return !client.done && client.receiver.has_value() == for_tables;
    }));
  }
  std::size_t bytes_most() const { return bytes_most_; }
  std::size_t busy_answers() const { return busy_; }
  SaServer& server() { return *server_; }
  ManagedSubnet& managed() { return managed_; }

 private:
  static Guid guid_of_port(const Fabric& fabric, EndportId endport) {
    return fabric.port(fabric.endport(endport).port).guid;
  }
  void publish() {
    const auto snapshot = managed_.sm().snapshot();
    if (snapshot == published_) return;
    published_ = snapshot;
    server_->publish(snapshot);
  }
  void request_path(Client& client, EndportId from, EndportId to) {
    const Fabric& known = managed_.known();
    PathRecord record;
    record.sgid = make_gid(options_.subnet_prefix, guid_of_port(known, from));
    record.dgid = make_gid(options_.subnet_prefix, guid_of_port(known, to));
    client.wanted = known.endport(to).lid;
    client.request.method = Method::kGet;
    client.request.attribute = static_cast<std::uint16_t>(SaAttribute::kPathRecord);
    set_sa_header(client.request,
                  {SmKey(0), 0, 1u << sa::path_bit::kSgid | 1u << sa::path_bit::kDgid});
    std::ranges::copy(encode(record), sa_data(client.request).begin());
    EXPECT_TRUE(client.endport_transport->send(client.request));
  }
  void request_nodes(Client& client) {
    client.request.method = sa_method::kGetTable;
    client.request.attribute = static_cast<std::uint16_t>(SaAttribute::kNodeRecord);
    set_sa_header(client.request, {SmKey(0), 0, 0});
    client.receiver.emplace(RmppOptions{.request_max = std::size_t{16} << 20, .window = 64});
    EXPECT_TRUE(client.endport_transport->send(client.request));
  }
  void receive_answers(Client& client) {
    const TimeNs now = managed_.emulated().clock().now();
    if (client.retry_at <= now) {
      client.retry_at = TimeNs::max();
      EXPECT_TRUE(client.endport_transport->send(client.request));
    }
    while (const auto gmp = client.endport_transport->receive()) {
      if (gmp->transaction_id != client.request.transaction_id) continue;
      if (gmp->status == mad_status::kBusy) {
        ++busy_;
        client.retry_at = now + kRetryPause;
      } else if (!client.receiver) {
        EXPECT_EQ(gmp->status, mad_status::kGood);
        EXPECT_EQ(decode_path_record(sa_data(*gmp).first<PathRecord::kSize>()).dlid, client.wanted);
        client.done = true;
      } else if (const auto whole = client.receiver->on_data(*gmp, now, [&](const Gmp& ack) {
                   EXPECT_TRUE(client.endport_transport->send(ack));
                 })) {
        // The sweep removes one node; the table has the nodes before or after the removal.
        const std::size_t nodes = managed_.fabric().node_count();
        EXPECT_TRUE(whole->payload.size() == nodes * NodeRecord::kSize ||
                    whole->payload.size() == (nodes - 1) * NodeRecord::kSize)
            << whole->payload.size();
        client.done = true;
      }
    }
  }

  ManagedSubnet managed_;
  SaOptions options_;
  std::optional<SaServer> server_;
  GmpTransport* queries_ = nullptr;
  std::shared_ptr<const Snapshot> published_;
  std::vector<Client> clients_;
  std::size_t bytes_most_ = 0, busy_ = 0;
};

TEST(ManyClients, TenThousandHostsReceiveAnswersDuringASweep) {
  Crowd crowd;
  ASSERT_NO_FATAL_FAILURE(crowd.start());
  ManagedSubnet& managed = crowd.managed();
  managed.emulated().switch_off_node(NodeId(managed.fabric().node_count() - 1));
  managed.sm().request_heavy_sweep("a test");
  crowd.run_interval();
  crowd.send_all();
  // Gets do not wait for tables: 256 requests in each interval, and 20 further intervals for the
  // transport.
  constexpr std::size_t kIntervalsMax = kCrowd / kServedPerInterval + 20;
  EXPECT_FALSE(managed.sm().settled());
  std::size_t intervals = 0;
  for (; crowd.waiting(false) > 0 && intervals < kIntervalsMax; ++intervals) crowd.run_interval();
  EXPECT_EQ(crowd.waiting(false), 0u) << "after " << intervals << " intervals, seed " << kSeed;
  for (std::size_t i = 0; crowd.waiting(true) > 0 && i < 20'000; ++i) crowd.run_interval();
  EXPECT_EQ(crowd.waiting(true), 0u) << "seed " << kSeed;
  EXPECT_GT(crowd.busy_answers(), 0u);  // some clients received the status BUSY
  EXPECT_LE(crowd.bytes_most(), std::size_t{9} << 20);
  EXPECT_EQ(crowd.server().counts().malformed, 0u);
  for (unsigned i = 0; i < 100; ++i) crowd.run_interval();
  EXPECT_EQ(crowd.server().transfers_under_way(), 0u);
  EXPECT_EQ(crowd.server().bytes_under_way(), 0u);
}

}  // namespace
}  // namespace weft
