// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/sa_subnet.h"

#include <gtest/gtest.h>

namespace weft {

Gmp SaClient::request(Method method, SaAttribute attribute, std::uint64_t mask,
                      std::uint64_t sm_key) {
  Gmp gmp;
  gmp.class_version = kSaClassVersion;
  gmp.method = method;
  gmp.transaction_id = ++transaction_;
  gmp.attribute = static_cast<std::uint16_t>(attribute);
  gmp.peer.lid = sa_;
  set_sa_header(gmp, {SmKey(sm_key), 0, mask});
  return gmp;
}

std::optional<SaReply> SaClient::query(const Gmp& gmp, std::uint32_t window) {
  EXPECT_TRUE(transport_.send(gmp));
  RmppReceiver receiver({.window = window});
  const GmpSink back = [&](const Gmp& ack) { EXPECT_TRUE(transport_.send(ack)); };
  const TimeNs end = clock_.now() + std::chrono::seconds(20);
  while (clock_.now() < end) {
    step_();
    while (auto received = transport_.receive()) {
      if (received->transaction_id != gmp.transaction_id) continue;
      SaReply reply{
          *received, received->status, sa_header(*received).attribute_offset * std::size_t{8}, {}};
      if (!rmpp_header(*received).active) {
        reply.payload.assign(sa_data(*received).begin(), sa_data(*received).end());
        return reply;
      }
      if (rmpp_header(*received).type != RmppType::kData) return std::nullopt;
      if (auto whole = receiver.on_data(*received, clock_.now(), back)) {
        reply.payload = std::move(whole->payload);
        step_();
        return reply;
      }
    }
  }
  return std::nullopt;
}

void SaSubnet::start() {
  managed.start();
  ASSERT_TRUE(managed.settle());
  snapshot_ = managed.sm().snapshot();
  manager_endport_ = *managed.fabric().find_endport(
      snapshot().fabric.port(snapshot().fabric.endport(snapshot().sm).port).guid);
  queries_ = &managed.emulated().attach_gmps(manager_endport_, MgmtClass::kSubnAdm,
                                             managed.uses_all_ports());
  server.emplace(options, send_by(*queries_));
  server->publish(snapshot_);
  client.emplace(managed.emulated().attach_gmps(emulated_client_endport(), MgmtClass::kSubnAdm),
                 managed.emulated().clock(),
                 managed.emulated()
                     .port_info(managed.fabric().endport(emulated_client_endport()).port)
                     .master_sm_lid,
                 [this] { step_network(); });
}

EndportId SaSubnet::emulated_client_endport() {
  return EndportId(managed.fabric().endport_count() - 1);
}

EndportId SaSubnet::client_endport() {
  return *snapshot().fabric.find_endport(
      managed.fabric().port(managed.fabric().endport(emulated_client_endport()).port).guid);
}

void SaSubnet::step_network() {
  managed.emulated().run_for(std::chrono::milliseconds(1));
  serve(*server, *queries_, managed.emulated().clock());
  managed.emulated().run_for(std::chrono::milliseconds(1));
}

}  // namespace weft
