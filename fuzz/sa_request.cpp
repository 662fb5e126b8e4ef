// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any GMPs to the subnet administration: requests, segments, acknowledgements. The first byte
// selects the sender; at most 16 MADs of 256 bytes follow, and zeros pad the last MAD. All
// transfers end after at most 128 seconds without acknowledgements.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/log.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"
#include "fuzz_target.h"
#include "sa/server.h"

namespace {

/// A snapshot of a small subnet, made without an emulated fabric, in which every port has answered.
std::shared_ptr<const weft::Snapshot> small_subnet() {
  auto drawn = weft::generate("fattree2:k=4");
  const auto lids = weft::assign_lids(*drawn, weft::current_lids(*drawn), {.lmc = 1});
  auto snapshot = std::make_shared<weft::Snapshot>();
  snapshot->fabric = *drawn->with_lids(*lids);
  const weft::Fabric& fabric = snapshot->fabric;
  snapshot->routes.lfts = weft::Lfts(fabric.switch_count(), fabric.lid_top());
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const weft::NodeId node(n);
    weft::ObservedNode seen;
    seen.info.type = fabric.node(node).type;
    seen.info.node_guid = fabric.node(node).node_guid;
    seen.info.partition_cap = 64;
    seen.ports.resize(fabric.ports(node).size());
    seen.answered.assign(fabric.ports(node).size(), true);
    snapshot->nodes.push_back(seen);
  }
  snapshot->sm = weft::EndportId(fabric.switch_count());
  snapshot->managers.push_back({snapshot->sm_lid(), {}});
  return snapshot;
}

}  // namespace

WEFT_FUZZ_TARGET(sa_request, data, size) {
  static const auto snapshot = small_subnet();
  if (size < 1) return 0;
  std::size_t answers = 0;
  weft::SaOptions options;
  options.rmpp.sending_max = 1 << 20;
  options.answer_max = 1 << 20;
  weft::SaServer server(options, [&](const weft::Gmp&) { ++answers; });
  server.publish(snapshot);
  weft::TimeNs now{0};
  for (std::size_t at = 1; at < size && at < 16 * weft::kMadSize; at += weft::kMadSize) {
    std::array<std::byte, weft::kMadSize> mad{};
    std::memcpy(mad.data(), data + at, std::min(size - at, mad.size()));
    auto gmp = weft::decode_gmp(mad);
    if (!gmp) continue;
    gmp->peer.lid = weft::Lid(data[0] & 63);
    server.on_gmp(*gmp, now);
    server.step(now += std::chrono::milliseconds(300));
  }
  for (int i = 0; i < 64 && server.transfers_under_way() > 0; ++i)
    server.step(now += std::chrono::seconds(2));
  if (server.transfers_under_way() > 0) std::abort();  // each transfer must time out
  return 0;
}
