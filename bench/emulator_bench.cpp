// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Speed of the emulator: the discovery of every node and port, the writing of all blocks of all
// forwarding tables, and the writing of PortInfo of the cabled ports, by directed route with a
// window of outstanding SMPs. A request and its answer count as one SMP.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>

#include "base/check.h"
#include "emulator/emulated_fabric.h"
#include "fabric/generators/spec.h"
#include "ib/modifiers.h"
#include "ib/port_info.h"

namespace weft {
namespace {

constexpr std::size_t kWindow = 128;
EndportId first_host(const Fabric& fabric) { return EndportId(fabric.switch_count()); }

/// 3-level trees by their number of hosts. The last has 46,720 of the 49,151 unicast LIDs.
const Fabric& emulated_tree(std::int64_t hosts) {
  static const std::map<std::int64_t, std::string> kSpecs{
      {16, "fattree3:k=4"}, {1024, "fattree3:k=16"}, {43008, "fattree3:k=64,pods=42"}};
  static std::map<std::int64_t, Fabric> built;
  const auto found = built.find(hosts);
  if (found != built.end()) return found->second;
  auto fabric = generate(kSpecs.at(hosts));
  CHECK(fabric.has_value());
  CHECK(fabric->ca_count() == hosts);
  return built.emplace(hosts, std::move(*fabric)).first->second;
}

struct Target {
  NodeId node;
  std::uint8_t hop_count;
  HopPath path;
};

/// All nodes in order of discovery, each with a shortest directed path from the manager.
std::vector<Target> find_paths(const Fabric& fabric, EndportId from) {
  std::vector<bool> seen(fabric.node_count());
  std::vector<Target> targets{{fabric.endport(from).node, 0, {}}};
  seen[targets[0].node.value()] = true;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Target here = targets[i];
    if (i > 0 && !fabric.is_switch(here.node)) continue;
    for (const Port& port : fabric.ports(here.node)) {
      if (port.peer == kNoPort || seen[fabric.port(port.peer).node.value()]) continue;
      Target next = here;
      next.node = fabric.port(port.peer).node;
      next.path[++next.hop_count] = port.num.value();
      seen[next.node.value()] = true;
      targets.push_back(next);
    }
  }
  return targets;
}

/// Keeps at most kWindow SMPs outstanding, and folds the answers into a digest.
class SmpPipeline {
 public:
  explicit SmpPipeline(SmpTransport& transport) : transport_(transport) {}

  void submit(const Target& target, Method method, AttributeId attribute, std::uint32_t modifier,
              const SmpData& data = {}) {
    if (out_ >= kWindow) drain(kWindow - 1);
    smp_.method = method;
    smp_.attribute = attribute;
    smp_.modifier = modifier;
    smp_.hop_count = target.hop_count;
    smp_.initial_path = target.path;
    smp_.data = data;
    smp_.transaction_id = ++submitted_;
    CHECK(transport_.send(smp_).has_value());
    ++out_;
  }
  void drain(std::size_t left) {
    while (out_ > left) {
      transport_.wait_until(TimeNs::max());
      while (const auto answer = transport_.receive()) {
        CHECK(answer->status == 0);
        digest_ = digest_ * 31 + std::to_integer<std::uint64_t>(answer->data[35]) +
                  answer->transaction_id;
        --out_;
      }
    }
  }
  std::uint64_t submitted() const { return submitted_; }
  std::uint64_t digest() const { return digest_; }

 private:
  SmpTransport& transport_;
  Smp smp_;
  std::size_t out_ = 0;
  std::uint64_t submitted_ = 0;
  std::uint64_t digest_ = 0;
};

void report(benchmark::State& state, const SmpPipeline& pipeline, const EmulatedFabric& emulated) {
  state.counters["smps"] = static_cast<double>(pipeline.submitted());
  state.counters["smps_per_s"] = benchmark::Counter(static_cast<double>(pipeline.submitted()),
                                                    benchmark::Counter::kIsIterationInvariantRate);
  state.counters["digest"] = static_cast<double>(pipeline.digest() & 0xFFFFFFFF);
  state.counters["lft_blocks"] = static_cast<double>(emulated.counters().lft_blocks_written());
}

void bm_discover(benchmark::State& state) {
  const Fabric& fabric = emulated_tree(state.range(0));
  const auto targets = find_paths(fabric, first_host(fabric));
  CHECK(targets.size() == fabric.node_count());
  for (auto _ : state) {
    state.PauseTiming();
    EmulatedFabric emulated(fabric);
    SmpPipeline pipeline(emulated.attach(first_host(fabric)));
    state.ResumeTiming();
    for (const Target& target : targets) {
      pipeline.submit(target, Method::kGet, AttributeId::kNodeInfo, 0);
      pipeline.submit(target, Method::kGet, AttributeId::kNodeDescription, 0);
      const bool is_switch = fabric.is_switch(target.node);
      if (is_switch) pipeline.submit(target, Method::kGet, AttributeId::kSwitchInfo, 0);
      const unsigned ports = is_switch ? fabric.node(target.node).port_count : 0u;
      for (unsigned port = 0; port <= ports; ++port)
        pipeline.submit(target, Method::kGet, AttributeId::kPortInfo, port);
    }
    pipeline.drain(0);
    report(state, pipeline, emulated);
  }
}

void bm_write_lfts(benchmark::State& state) {
  const Fabric& fabric = emulated_tree(state.range(0));
  const auto targets = find_paths(fabric, first_host(fabric));
  const std::uint32_t blocks = (fabric.endport_count() + 64) / 64;
  for (auto _ : state) {
    state.PauseTiming();
    EmulatedFabric emulated(fabric);
    SmpPipeline pipeline(emulated.attach(first_host(fabric)));
    SmpData data;
    data.fill(std::byte{7});
    state.ResumeTiming();
    for (const Target& target : targets) {
      if (!fabric.is_switch(target.node)) continue;
      for (std::uint32_t block = 0; block < blocks; ++block)
        pipeline.submit(target, Method::kSet, AttributeId::kLinearForwardingTable,
                        modifier::linear_forwarding_table(block), data);
    }
    pipeline.drain(0);
    CHECK(emulated.counters().lft_blocks_written() ==
          std::uint64_t{blocks} * fabric.switch_count());
    report(state, pipeline, emulated);
  }
}

/// Writes PortInfo of every cabled port except those of the manager's node, first with the state
/// ARMED and then with ACTIVE, as a bring-up does.
void bm_set_ports(benchmark::State& state) {
  const Fabric& fabric = emulated_tree(state.range(0));
  const auto targets = find_paths(fabric, first_host(fabric));
  for (auto _ : state) {
    state.PauseTiming();
    EmulatedFabric emulated(fabric);
    SmpPipeline pipeline(emulated.attach(first_host(fabric)));
    state.ResumeTiming();
    for (const PortState wanted : {PortState::kArmed, PortState::kActive}) {
      for (const Target& target : targets) {
        for (const Port& port : fabric.ports(target.node)) {
          if (port.peer == kNoPort || (!fabric.is_switch(target.node) && target.hop_count == 0))
            continue;
          PortInfo info = emulated.port_info(fabric.port_id(target.node, port.num));
          info.state = wanted;
          info.phys_state = PhysState::kNoChange;
          pipeline.submit(target, Method::kSet, AttributeId::kPortInfo, port.num.value(),
                          encode(info));
        }
      }
      pipeline.drain(0);
    }
    report(state, pipeline, emulated);
  }
}

#define TREES ArgName("hosts")->Arg(16)->Arg(1024)->Arg(43008)->Unit(benchmark::kMillisecond)
BENCHMARK(bm_discover)->TREES;
BENCHMARK(bm_write_lfts)->TREES;
BENCHMARK(bm_set_ports)->TREES;

}  // namespace
}  // namespace weft
