// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verification of static routes, on one VL (updn) and on several VLs (dfsssp), incremental
// verification of updn and ar_updn after one cable fails, and T: the time to copy all forwarding
// tables once with two threads. `multiple_of_T` is the verification's elapsed time divided by T of
// the same run, `processor_multiple` its processor time divided by the processor time of T. The
// arguments are the number of hosts (16, 3,456 or 43,008) and of threads.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "base/check.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "fabric/without.h"
#include "routes/carry_over.h"
#include "routing/engine.h"
#include "subnets.h"
#include "verify/proof.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr unsigned kThreadsOfT = 2;
constexpr unsigned kCopies = 5;

Fabric tree_with(std::int64_t hosts) {
  static const std::map<std::int64_t, std::string> kSpecs{
      {16, "fattree3:k=4"}, {3456, "fattree3:k=24"}, {43008, "xgft:m=32x32x42,w=1x32x32"}};
  return subnet_of(kSpecs.at(hosts));
}

/// Elapsed time, and processor time of all threads, which depends less on other processes of the
/// machine.
struct Cost {
  double elapsed = 1e9;
  double processor = 1e9;
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Runs `body` once. Lowers each member of `least` to the cost of this run if that is smaller.
template <class Body>
void measure(const Body& body, Cost& least) {
  const Stopwatch watch;
  const double before = processor_seconds();
  body();
  least.elapsed = std::min(least.elapsed, watch.seconds());
  least.processor = std::min(least.processor, processor_seconds() - before);
}

Cost cost_of_t(const Lfts& lfts) {
  Lfts copy = Lfts::unwritten(lfts.switch_count(), lfts.top());
  Cost least;
  for (unsigned i = 0; i < kCopies; ++i)
    measure(
        [&] {
          parallel_blocks(lfts.switch_count(),
                          (lfts.switch_count() + kThreadsOfT - 1) / kThreadsOfT, kThreadsOfT,
                          [&](std::size_t begin, std::size_t end) {
                            const SwitchId first(static_cast<std::uint32_t>(begin));
                            std::memcpy(copy.row(first).data(), lfts.row(first).data(),
                                        (end - begin) * lfts.row(first).size());
                          });
        },
        least);
  return least;
}

void report(const Cost& least, const Cost& t, benchmark::State& state) {
  state.counters["T_ms"] = t.elapsed * 1e3;
  state.counters["multiple_of_T"] = least.elapsed / t.elapsed;
  state.counters["processor_multiple"] = least.processor / t.processor;
}

void bm_verify(benchmark::State& state, const char* engine) {
  const Fabric fabric = tree_with(state.range(0));
  const auto routes = run_engine(*find_engine(engine), fabric, {});
  CHECK(routes.has_value());
  const auto threads = static_cast<unsigned>(state.range(1));
  const Cost t = cost_of_t(routes->lfts);
  Cost least;
  for (auto _ : state)
    measure([&] { CHECK(verify(fabric, *routes, {.threads = threads}).ok()); }, least);
  report(least, t, state);
  state.counters["vls"] = routes->vls;
}

/// Incremental verification of the routes after one cable between switches fails.
void bm_verify_cable(benchmark::State& state, const char* name) {
  const Fabric fabric = tree_with(state.range(0));
  const Engine& engine = *find_engine(name);
  const auto routes = run_engine(engine, fabric, {});
  CHECK(routes.has_value());
  const auto threads = static_cast<unsigned>(state.range(1));
  const Proof proof = prove(fabric, *routes, {.threads = threads});
  const Channel& cable = fabric.channel(ChannelId(fabric.channel_count() / 2));
  const PortId end = fabric.port_id(Fabric::node_of(cable.from), cable.from_port);
  const Fabric left = without(fabric, {}, std::span(&end, 1));
  RoutingOptions options;
  options.previous = carry_over(fabric, routes->lfts, left);
  options.previous_engine = routes->engine;
  const auto after = run_engine(engine, left, options);
  CHECK(after.has_value());
  const Cost t = cost_of_t(routes->lfts);
  Cost least;
  bool incremental = true;
  for (auto _ : state)
    measure(
        [&] {
          const auto changed = prove_changes({fabric, *routes, proof.verdict, proof.dependencies},
                                             left, *after, {.threads = threads});
          incremental = changed.has_value();
        },
        least);
  state.counters["incremental"] = incremental ? 1 : 0;
  report(least, t, state);
}

void settings(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"hosts", "threads"})
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
  for (const std::int64_t hosts : {16, 3456, 43008})
    for (const std::int64_t threads : {1, 2}) bench->Args({hosts, threads});
}

BENCHMARK_CAPTURE(bm_verify, updn, "updn")->Apply(settings);
BENCHMARK_CAPTURE(bm_verify_cable, updn, "updn")->Apply(settings);
BENCHMARK_CAPTURE(bm_verify_cable, ar_updn, "ar_updn")->Apply(settings);
BENCHMARK_CAPTURE(bm_verify, dfsssp, "dfsssp")->Apply(settings);

}  // namespace
}  // namespace weft
