// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A managed subnet on the emulator, its SA, and a client on another port: requests are GMPs routed
// by the switches, with an own RMPP receiver.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "../sm/managed.h"
#include "ib/sa_records.h"
#include "sa/server.h"

namespace weft {

struct SaReply {
  Gmp first;
  std::uint16_t status = 0;
  std::size_t offset = 0;            // distance between records in bytes
  std::vector<std::byte> payload{};  // complete payload

  std::size_t count() const { return offset == 0 ? 0 : payload.size() / offset; }
  template <class Record>
  RecordView<Record> at(std::size_t index) const {
    return std::span(payload).subspan(index * offset).template first<Record::kSize>();
  }
};

class SaFixture {
 public:
  explicit SaFixture(Fabric fabric, SaOptions sa_options = {})
      : managed(std::move(fabric)), options(std::move(sa_options)) {}

  /// Brings the subnet up and starts the SA on the manager's port.
  void start() {
    managed.start();
    ASSERT_TRUE(managed.settle());
    snapshot_ = managed.sm().snapshot();
    const Fabric& real = managed.fabric();
    seat_ = *real.find_endport(
        snapshot().fabric.port(snapshot().fabric.endport(snapshot().sm).port).guid);
    queries_ = &managed.emulated().attach_gmps(seat_, MgmtClass::kSubnAdm);
    server.emplace(options, send_by(*queries_));
    server->publish(snapshot_);
    // The client is the last host.
    client_ = &managed.emulated().attach_gmps(seat_of_client(), MgmtClass::kSubnAdm);
  }
  const Snapshot& snapshot() const { return *snapshot_; }
  /// The client's endport in the emulated fabric and in the snapshot.
  EndportId seat_of_client() { return EndportId(managed.fabric().endport_count() - 1); }
  EndportId client_endport() {
    return *snapshot().fabric.find_endport(
        managed.fabric().port(managed.fabric().endport(seat_of_client()).port).guid);
  }

  template <class Record>
  requires requires { Record::kSize; }
  Gmp request(Method method, SaAttribute attribute, std::uint64_t mask, const Record& record,
              std::uint64_t sm_key = 0) {
    Gmp gmp = request(method, attribute, mask, sm_key);
    std::ranges::copy(encode(record), sa_data(gmp).begin());
    return gmp;
  }
  Gmp request(Method method, SaAttribute attribute, std::uint64_t mask = 0,
              std::uint64_t sm_key = 0) {
    Gmp gmp;
    gmp.class_version = kSaClassVersion;
    gmp.method = method;
    gmp.transaction_id = ++transaction_;
    gmp.attribute = static_cast<std::uint16_t>(attribute);
    gmp.peer.lid = snapshot().sm_lid();
    set_sa_header(gmp, {SmKey(sm_key), 0, mask});
    return gmp;
  }

  /// Nothing if there is no answer or its transfer does not complete.
  std::optional<SaReply> query(const Gmp& gmp, std::uint32_t window = 8) {
    EXPECT_TRUE(client_->send(gmp));
    RmppReceiver receiver({.window = window});
    const GmpSink back = [&](const Gmp& ack) { EXPECT_TRUE(client_->send(ack)); };
    const TimeNs end = managed.emulated().clock().now() + std::chrono::seconds(20);
    while (managed.emulated().clock().now() < end) {
      turn();
      while (auto came = client_->receive()) {
        if (came->transaction_id != gmp.transaction_id) continue;
        SaReply reply{*came, came->status, sa_header(*came).attribute_offset * std::size_t{8}, {}};
        if (!rmpp_header(*came).active) {
          reply.payload.assign(sa_data(*came).begin(), sa_data(*came).end());
          return reply;
        }
        if (rmpp_header(*came).type != RmppType::kData) return std::nullopt;
        if (auto whole = receiver.on_data(*came, managed.emulated().clock().now(), back)) {
          reply.payload = std::move(whole->payload);
          turn();
          return reply;
        }
      }
    }
    return std::nullopt;
  }
  /// Delivers packets under way and lets the server do what is due.
  void turn() {
    managed.emulated().run_for(std::chrono::milliseconds(1));
    serve(*server, *queries_, managed.emulated().clock());
    managed.emulated().run_for(std::chrono::milliseconds(1));
  }
  GmpTransport& client() { return *client_; }
  GmpTransport& queries() { return *queries_; }

  Managed managed;
  SaOptions options;
  std::optional<SaServer> server;

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  EndportId seat_;
  GmpTransport* queries_ = nullptr;
  GmpTransport* client_ = nullptr;
  std::uint64_t transaction_ = 100;
};

}  // namespace weft
