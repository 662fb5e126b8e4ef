// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Time of a query to the subnet administration, from the received request to the complete answer,
// without transport. The subnet is a three-level tree that the subnet manager brought up on the
// emulator.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/log.h"
#include "base/rng.h"
#include "emulator/emulated_fabric.h"
#include "fabric/generators/spec.h"
#include "ib/sa_records.h"
#include "sa/paths/paths.h"
#include "sa/server.h"
#include "sm/subnet_manager.h"

namespace weft {
namespace {

constexpr std::uint32_t kSegmentWindow = 64;  // segments that the client permits

std::shared_ptr<const Snapshot> brought_up(const std::string& spec) {
  spdlog::set_level(spdlog::level::off);
  auto fabric = generate(spec);
  CHECK(fabric.has_value());
  EmulatedFabric emulated(*fabric);
  SmOptions options;
  options.routing_engine = {{"updn"}, false};
  const EndportId own_endport(fabric->switch_count());
  std::shared_ptr<const Snapshot> snapshot;
  {
    SubnetManager sm(emulated.attach(own_endport), emulated.clock(), options);
    while (!sm.settled()) sm.step();
    snapshot = sm.snapshot();
  }
  CHECK(snapshot != nullptr);
  return snapshot;
}

std::shared_ptr<const Snapshot> snapshot_of_tree(std::int64_t hosts) {
  static const std::map<std::int64_t, std::string> kSpecs{
      {16, "fattree3:k=4"}, {1024, "fattree3:k=16"}, {11664, "fattree3:k=36"}};
  static std::map<std::int64_t, std::shared_ptr<const Snapshot>> known;
  auto& snapshot = known[hosts];
  if (!snapshot) snapshot = brought_up(kSpecs.at(hosts));
  return snapshot;
}

/// A client that receives all answers.
class Client {
 public:
  explicit Client(std::shared_ptr<const Snapshot> snapshot)
      : snapshot_(std::move(snapshot)),
        server_(SaOptions{}, [this](const Gmp& gmp) { receive(gmp); }) {
    server_.publish(snapshot_);
  }

  Gmp request(Method method, SaAttribute attribute, std::uint64_t mask) {
    Gmp gmp;
    gmp.class_version = kSaClassVersion;
    gmp.method = method;
    gmp.attribute = static_cast<std::uint16_t>(attribute);
    gmp.peer.lid = hosts_lid(0);
    set_sa_header(gmp, {SmKey(0), 0, mask});
    return gmp;
  }
  Gmp path_request(Method method, std::size_t from, std::optional<std::size_t> to) {
    using namespace sa::path_bit;
    PathRecord record;
    record.sgid = gid(from);
    if (to) record.dgid = gid(*to);
    Gmp gmp = request(method, SaAttribute::kPathRecord, 1u << kSgid | (to ? 1u << kDgid : 0u));
    std::ranges::copy(encode(record), sa_data(gmp).begin());
    return gmp;
  }
  /// Sends the query, and acknowledges until all segments are received.
  void run(Gmp& gmp) {
    gmp.transaction_id = ++transaction_;
    done_ = false;
    server_.on_gmp(gmp, TimeNs{1});
    while (!done_) acknowledge();
    if (in_segments_) acknowledge();
  }
  std::size_t hosts() const { return snapshot_->fabric.ca_count(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t digest() const { return digest_; }

 private:
  const Endport& host(std::size_t index) const {
    const std::uint32_t switches = snapshot_->fabric.switch_count();
    return snapshot_->fabric.endport(EndportId(switches + static_cast<std::uint32_t>(index)));
  }
  Lid hosts_lid(std::size_t index) const { return host(index).lid; }
  Gid gid(std::size_t index) const {
    return make_gid(SaOptions{}.subnet_prefix, snapshot_->fabric.port(host(index).port).guid);
  }
  void receive(const Gmp& gmp) {
    CHECK(gmp.status == mad_status::kGood);
    const RmppHeader header = rmpp_header(gmp);
    in_segments_ = header.active;
    done_ = !header.active || header.last;
    bytes_ += kSaDataSize;
    digest_ = digest_ * 31 + std::to_integer<std::uint64_t>(sa_data(gmp)[41]);
    ack_ = gmp;
    ack_.method = sa_method::kGetTable;
    RmppHeader ack;
    ack.version = header.version;
    ack.type = RmppType::kAck;
    ack.active = true;
    ack.segment = header.segment;
    ack.length = header.segment + (done_ ? 0 : kSegmentWindow);
    set_rmpp_header(ack_, ack);
  }
  void acknowledge() {
    if (ack_.transaction_id == transaction_) server_.on_gmp(Gmp(ack_), TimeNs{1});
    server_.step(TimeNs{1});
  }

  std::shared_ptr<const Snapshot> snapshot_;
  SaServer server_;
  std::uint64_t transaction_ = 0;
  bool done_ = false, in_segments_ = false;
  Gmp ack_;
  std::size_t bytes_ = 0;
  std::uint64_t digest_ = 0;
};

void bm_get_path(benchmark::State& state) {
  Client client(snapshot_of_tree(state.range(0)));
  Rng rng(1);
  std::vector<Gmp> queries;
  for (unsigned i = 0; i < 4096; ++i)
    queries.push_back(
        client.path_request(Method::kGet, rng.below(client.hosts()), rng.below(client.hosts())));
  std::size_t next = 0;
  for (auto _ : state) client.run(queries[next++ % queries.size()]);
  state.SetItemsProcessed(state.iterations());
}

void table(benchmark::State& state, Client& client, Gmp query) {
  for (auto _ : state) client.run(query);
  state.SetBytesProcessed(static_cast<std::int64_t>(client.bytes()));
}

void bm_table_of_nodes(benchmark::State& state) {
  Client client(snapshot_of_tree(state.range(0)));
  table(state, client, client.request(sa_method::kGetTable, SaAttribute::kNodeRecord, 0));
}

void bm_table_of_paths(benchmark::State& state) {
  Client client(snapshot_of_tree(state.range(0)));
  table(state, client, client.path_request(sa_method::kGetTable, 0, std::nullopt));
}

BENCHMARK(bm_get_path)->ArgName("hosts")->Arg(16)->Arg(1024)->Arg(11664);
BENCHMARK(bm_table_of_nodes)
    ->ArgName("hosts")
    ->Arg(16)
    ->Arg(1024)
    ->Arg(11664)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_table_of_paths)
    ->ArgName("hosts")
    ->Arg(16)
    ->Arg(1024)
    ->Arg(11664)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weft
