// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulates a failure on an emulated subnet and its repair by the manager, for bench/repair.py. The
// fabric is brought up, all links of the failure fail at the same time, and the manager runs until
// it is settled. Prints one JSON object: processor time by stage, SMPs, blocks, and the time from
// the failure to the last SMP on the emulator's clock, which processor time does not advance.
//   repair_load FABRIC ENGINE FAILURE [--us-per-smp N] [--threads N] [--seed N] [--cut]
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <iostream>
#include <map>
#include <set>

#include "base/check.h"
#include "base/clock.h"
#include "base/large_vector.h"
#include "base/rng.h"
#include "emulator/emulated_fabric.h"
#include "fabric/builder.h"
#include "fabric/generators/spec.h"
#include "sm/subnet_manager.h"

namespace weft {
namespace {

constexpr std::uint16_t kAdaptiveDevice = 0xD2F0;  // Quantum
constexpr TimeNs kBringUpMax = std::chrono::minutes(60);
/// A repair has ended if no SMP was received for this time.
constexpr TimeNs kQuiet = std::chrono::seconds(2);

struct RepairOptions {
  std::string fabric, engine, failure;
  double us_per_smp = 1;
  unsigned threads = 1;
  std::uint64_t seed = 1;
  bool only_cut = false;
};

double seconds_of(TimeNs span) { return std::chrono::duration<double>(span).count(); }

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The generated fabric; its switches support adaptive routing.
Fabric adaptive_fabric(const std::string& spec) {
  const auto plain = generate(spec);
  if (!plain) throw CLI::ValidationError(plain.error().message);
  FabricBuilder builder;
  for (const Node& node : plain->nodes()) {
    Node copy = node;
    if (node.type == NodeType::kSwitch) copy.device_id = kAdaptiveDevice;
    builder.add_node(copy);
  }
  for (std::uint32_t p = 0; p < plain->port_count(); ++p) {
    const Port& port = plain->port(PortId(p));
    if (port.peer == kNoPort || port.peer < PortId(p)) continue;
    const Port& peer = plain->port(port.peer);
    CHECK(builder.connect(port.node.value(), port.num, peer.node.value(), peer.num).has_value());
  }
  return *builder.build();
}

/// Measures the real time that the emulator takes, and the time of the last received SMP. The
/// processor time is not measured: a read of its clock takes 1.5 us, and the three reads for each
/// SMP would take as long as the manager.
class MeasuredTransport final : public SmpTransport {
 public:
  MeasuredTransport(SmpTransport& wire, const Clock& clock) : wire_(wire), clock_(clock) {}

  Status send(const Smp& smp) override {
    const Measure measure(seconds_);
    return wire_.send(smp);
  }
  std::optional<Smp> receive() override {
    const Measure measure(seconds_);
    auto smp = wire_.receive();
    if (smp) last_ = clock_.now();
    return smp;
  }
  void wait_until(TimeNs deadline) override {
    const Measure measure(seconds_);
    wire_.wait_until(deadline);
  }
  double seconds() const { return seconds_; }
  TimeNs last_received() const { return last_; }

 private:
  struct Measure {
    explicit Measure(double& sum) : seconds(sum) {}
    ~Measure() { seconds += watch.seconds(); }
    double& seconds;
    Stopwatch watch;
  };
  SmpTransport& wire_;
  const Clock& clock_;
  double seconds_ = 0;
  TimeNs last_{0};
};

/// Hops from each switch to the nearest switch with hosts.
std::vector<unsigned> leaf_distances(const Fabric& fabric) {
  constexpr unsigned kUnseen = ~0u;
  std::vector<unsigned> distance(fabric.switch_count(), kUnseen);
  std::vector<SwitchId> queue;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) {
      distance[s] = 0;
      queue.emplace_back(s);
    }
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(queue[head]))
      if (distance[channel.to.value()] == kUnseen) {
        distance[channel.to.value()] = distance[queue[head].value()] + 1;
        queue.push_back(channel.to);
      }
  return distance;
}

/// The switches that fail; they do not include `own_switch`, the switch of the manager.
std::vector<SwitchId> failing_switches(const Fabric& fabric, const std::string& failure,
                                       SwitchId own_switch) {
  const auto distance = leaf_distances(fabric);
  const unsigned top = *std::ranges::max_element(distance);
  const auto last_of = [&](unsigned wanted) {
    for (std::uint32_t s = fabric.switch_count(); s-- > 0;)
      if (distance[s] == wanted && SwitchId(s) != own_switch) return SwitchId(s);
    return kNoSwitch;
  };
  if (failure == "spine") return {last_of(top)};
  std::vector<SwitchId> pod{last_of(0)};
  if (failure == "leaf") return pod;
  std::set<SwitchId> seen(pod.begin(), pod.end());
  for (std::size_t head = 0; head < pod.size(); ++head)
    for (const Channel& channel : fabric.channels_from(pod[head]))
      if (distance[channel.to.value()] < top && seen.insert(channel.to).second)
        pod.push_back(channel.to);
  CHECK(!seen.contains(own_switch));
  return pod;
}

std::vector<ChannelId> failing_cables(const Fabric& fabric, const std::string& failure,
                                      std::uint64_t seed) {
  std::vector<ChannelId> cables = fabric.cables();
  if (failure == "cable") return {cables[cables.size() / 2]};
  Rng rng(seed);
  const std::size_t count = std::max<std::size_t>(1, cables.size() / 100);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(cables[i], cables[i + rng.below(cables.size() - i)]);
  cables.resize(count);
  return cables;
}

/// Sums over the sweeps up to the last sweep that wrote something. A trap that was lost on the cut
/// cable is repeated a second later, and the sweep that it causes finds no changes.
struct Repair {
  std::map<std::string, double> stages;  // seconds of real time, the emulator included
  std::uint64_t smps = 0, blocks = 0, port_sets = 0, sweeps = 0, rounds = 0;
  double processor = 0, emulator = 0;  // seconds
  TimeNs ended{0};
  bool incremental = true, up = false, wrote = false;
  std::string error;
};

class RepairLoad {
 public:
  explicit RepairLoad(const RepairOptions& options)
      : options_(options),
        fabric_(adaptive_fabric(options.fabric)),
        emulated_(fabric_, emulator_options(options)),
        wire_(emulated_.attach(EndportId(fabric_.switch_count())), emulated_.clock()),
        sm_(wire_, emulated_.clock(), sm_options(options)) {}

  int run();
  /// Prints the ends of the cables that fail, without a bring-up of the subnet.
  void print_cut() const;

 private:
  static EmulatorOptions emulator_options(const RepairOptions& options) {
    EmulatorOptions made;
    made.sma_time = TimeNs(static_cast<std::int64_t>(options.us_per_smp * 1000));
    made.adaptive = AdaptiveSwitches::kAnswered;
    return made;
  }
  static SmOptions sm_options(const RepairOptions& options) {
    SmOptions made;
    made.routing_engine = {{options.engine}, false};
    made.routing.plain.threads = options.threads;
    made.cache_dir.clear();
    made.sweep_interval = std::chrono::milliseconds(0);  // no light sweeps after the repair
    return made;
  }
  std::vector<SwitchId> switches_to_fail() const;
  std::vector<PortId> ports_to_cut() const;
  void fail();
  void add_sweep(Repair& repair) const;
  Repair repair();
  void print(const Repair& repair, TimeNs span) const;

  const RepairOptions options_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  MeasuredTransport wire_;
  SubnetManager sm_;
};

std::vector<SwitchId> RepairLoad::switches_to_fail() const {
  if (options_.failure == "cable" || options_.failure == "percent") return {};
  const SwitchId own_switch = fabric_.endport(EndportId(fabric_.switch_count())).sw;
  return failing_switches(fabric_, options_.failure, own_switch);
}

/// One port of each cable that fails, alone or with its switch.
std::vector<PortId> RepairLoad::ports_to_cut() const {
  std::vector<PortId> ports;
  for (const SwitchId sw : switches_to_fail())
    for (const Port& port : fabric_.ports(sw))
      if (port.peer != kNoPort) ports.push_back(fabric_.port_id(Fabric::node_of(sw), port.num));
  if (!ports.empty()) return ports;
  for (const ChannelId cable : failing_cables(fabric_, options_.failure, options_.seed)) {
    const Channel& channel = fabric_.channel(cable);
    ports.push_back(fabric_.port_id(Fabric::node_of(channel.from), channel.from_port));
  }
  return ports;
}

void RepairLoad::fail() {
  const std::vector<SwitchId> switches = switches_to_fail();
  for (const SwitchId sw : switches) emulated_.switch_off_node(Fabric::node_of(sw));
  if (switches.empty())
    for (const PortId port : ports_to_cut()) emulated_.cut_cable(port);
}

void RepairLoad::add_sweep(Repair& repair) const {
  const SweepReport& report = sm_.last_report();
  const auto& seconds = report.seconds;
  const std::array<std::pair<const char*, double>, 7> stages{{{"observe", seconds.observe},
                                                              {"read_tables", seconds.read_tables},
                                                              {"lids", seconds.lids},
                                                              {"route", seconds.route},
                                                              {"verify", seconds.verify},
                                                              {"plan", seconds.diff},
                                                              {"program", seconds.apply}}};
  for (const auto& [name, value] : stages) repair.stages[name] += value;
  repair.stages["order"] += report.transition.seconds;  // the order is a part of the plan
  repair.blocks += report.table_blocks_written();
  repair.rounds += report.transition.rounds;
  repair.port_sets += report.applied.done_in(Phase::kPorts);
  repair.incremental = repair.incremental && report.discovered_incrementally;
  repair.up = report.up;
  repair.error = report.error;
  repair.smps += report.smps.sent;
  repair.ended = wire_.last_received();
  repair.wrote = std::ranges::any_of(report.applied.done, [](std::uint64_t n) { return n > 0; });
  ++repair.sweeps;
}

/// Steps the manager until no SMP was received for kQuiet. Returns the sums of its sweeps, up to
/// the last sweep that wrote something or failed.
Repair RepairLoad::repair() {
  Repair all, repaired;
  std::uint64_t ended = sm_.heavy_sweeps();
  const double processor = processor_seconds(), emulator = wire_.seconds();
  const TimeNs begin = emulated_.clock().now();
  TimeNs active = begin;
  while (emulated_.clock().now() - active < kQuiet &&
         emulated_.clock().now() - begin < kBringUpMax) {
    sm_.step(emulated_.clock().now() + std::chrono::milliseconds(1));
    if (sm_.heavy_sweeps() != ended) {
      ended = sm_.heavy_sweeps();
      add_sweep(all);
      all.emulator = wire_.seconds() - emulator;
      all.processor = processor_seconds() - processor - all.emulator;
      if (all.wrote || !all.up) repaired = all;
    }
    active = std::max(active, wire_.last_received());
    if (!sm_.settled()) active = emulated_.clock().now();
  }
  return repaired;
}

void RepairLoad::print(const Repair& repair, TimeNs span) const {
  std::string stages;
  for (const auto& [name, seconds] : repair.stages)
    stages += fmt::format("{}\"{}\": {:.6f}", stages.empty() ? "" : ", ", name, seconds);
  std::cout << fmt::format(
                   "{{\"fabric\": \"{}\", \"hosts\": {}, \"switches\": {}, \"engine\": \"{}\", "
                   "\"failure\": \"{}\", \"us_per_smp\": {}, \"up\": {}, \"error\": \"{}\", "
                   "\"processor_seconds\": {:.6f}, \"emulator_seconds\": {:.6f}, \"stages\": "
                   "{{{}}}, \"smps\": {}, \"blocks\": {}, \"port_sets\": {}, \"rounds\": {}, "
                   "\"sweeps\": {}, \"incremental\": {}, \"wire_seconds\": {:.6f}}}",
                   options_.fabric, fabric_.ca_count(), fabric_.switch_count(), options_.engine,
                   options_.failure, options_.us_per_smp, repair.up, repair.error, repair.processor,
                   repair.emulator, stages, repair.smps, repair.blocks, repair.port_sets,
                   repair.rounds, repair.sweeps, repair.incremental, seconds_of(span))
            << std::endl;
}

void RepairLoad::print_cut() const {
  std::string ends;
  for (const PortId id : ports_to_cut()) {
    const Port& port = fabric_.port(id);
    ends += fmt::format("{}[\"{:016x}\", {}]", ends.empty() ? "" : ", ",
                        fabric_.node(port.node).node_guid.value(), port.num.value());
  }
  std::cout << fmt::format("{{\"cut\": [{}]}}", ends) << std::endl;
}

int RepairLoad::run() {
  keep_freed_blocks(kFreedTablesKept);  // as weft sm does
  while (!sm_.settled() && emulated_.clock().now() < kBringUpMax) sm_.step();
  if (!sm_.last_report().up) {
    std::cerr << fmt::format("repair_load: {} with {} does not come up: {}\n", options_.fabric,
                             options_.engine, sm_.last_report().error);
    return 1;
  }
  const TimeNs pause = emulated_.clock().now() + std::chrono::seconds(1);
  while (emulated_.clock().now() < pause) sm_.step(pause);
  fail();
  const TimeNs begin = emulated_.clock().now();
  const Repair done = repair();
  print(done, done.ended - begin);
  return done.up && done.sweeps > 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  using namespace weft;
  CLI::App app("A failure on an emulated subnet and its repair");
  RepairOptions options;
  app.add_option("fabric", options.fabric, "Generator spec")->required();
  app.add_option("engine", options.engine, "Routing engine")->required();
  app.add_option("failure", options.failure,
                 "cable, spine, leaf, pod, or percent: 1% of the cables")
      ->required()
      ->check(CLI::IsMember({"cable", "spine", "leaf", "pod", "percent"}));
  app.add_option("--us-per-smp", options.us_per_smp,
                 "Time of an agent for one SMP, in us (default: 1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "Threads of routing and verification (default: 1)");
  app.add_option("--seed", options.seed, "Seed of the cables (default: 1)");
  app.add_flag("--cut", options.only_cut, "Print the cables that fail, and nothing else");
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(spdlog::level::off);
  try {
    const auto load = std::make_unique<RepairLoad>(options);
    if (!options.only_cut) return load->run();
    load->print_cut();
    return 0;
  } catch (const CLI::Error& error) {
    return app.exit(error);
  }
}
