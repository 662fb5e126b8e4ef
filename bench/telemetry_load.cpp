// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures the load of the performance manager: it reads the counters of all ports of an emulated
// fabric. An agent needs a fixed time for each answer, and answers SMPs and counter queries one
// after another. Prints one JSON object: virtual time and processor time of a reading, outstanding
// requests, and durations of heavy sweeps without and during readings. bench/telemetry.py runs this
// program.
// Usage: telemetry_load GENERATOR INTERVAL_S [READINGS] [ANSWER_US] [DATABASE]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "emulator/emulated_fabric.h"
#include "fabric/generators/spec.h"
#include "gmp/performance_manager.h"
#include "sm/subnet_manager.h"

namespace weft {
namespace {

constexpr int kSweeps = 5;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double seconds(TimeNs time) { return std::chrono::duration<double>(time).count(); }

class Telemetry {
 public:
  Telemetry(const Fabric& fabric, TimeNs interval, TimeNs answer_time, std::string database)
      : interval_(interval), emulated_(fabric, devices(answer_time)) {
    SmOptions options;
    options.cache_dir.clear();
    options.routing_engine = {{"updn"}, false};
    options.sweep_interval = std::chrono::hours(24);
    const EndportId where(fabric.switch_count());
    sm_.emplace(emulated_.attach(where), emulated_.clock(), options);
    wire_ = &emulated_.attach_gmps(where, MgmtClass::kPerf);
    options_.perfmgr = true;
    options_.sweep_time = std::chrono::duration_cast<std::chrono::seconds>(interval);
    options_.log_errors = false;
    options_.database_file = std::move(database);
    while (!sm_->settled()) sm_->step();
    CHECK(sm_->snapshot() != nullptr);
  }

  /// Runs several heavy sweeps, and returns their durations in virtual seconds.
  std::vector<double> sweeps() {
    std::vector<double> times;
    for (int i = 0; i < kSweeps; ++i) {
      run(std::chrono::milliseconds(137 * i + 1));
      const TimeNs begin = now();
      const std::uint64_t before = sm_->heavy_sweeps();
      sm_->request_full_discovery("measurement");
      while (sm_->heavy_sweeps() == before || !sm_->settled()) step(now() + interval_);
      times.push_back(seconds(now() - begin));
    }
    return times;
  }

  void start_readings() {
    pm_.emplace(*wire_, emulated_.clock(), options_);
    pm_->on_reading = [this](const CounterStore&, const Snapshot&, TimeNs at) { ended_ = at; };
    pm_->publish(sm_->snapshot());
    run_one();  // the first reading includes ClassPortInfo of all agents
  }

  struct Reading {
    double virtual_s = 0, manager_cpu_s = 0;
    std::uint64_t requests = 0, silent = 0;
    std::size_t outstanding = 0;
  };
  Reading run_one() {
    while (!pm_->is_sweeping()) step(now() + interval_);
    const TimeNs begin = now();
    const auto before = pm_->counts();
    const double cpu = manager_cpu_;
    outstanding_ = 0;
    const std::uint64_t sweeps = pm_->counts().sweeps;
    while (pm_->counts().sweeps == sweeps) step(now() + interval_);
    return {seconds(ended_ - begin), manager_cpu_ - cpu, pm_->counts().queries - before.queries,
            pm_->counts().silent - before.silent, outstanding_};
  }

 private:
  static EmulatorOptions devices(TimeNs answer_time) {
    EmulatorOptions options;
    options.sma_time = options.gma_time = answer_time;
    return options;
  }
  TimeNs now() { return emulated_.clock().now(); }

  void run(TimeNs time) {
    const TimeNs end = now() + time;
    while (now() < end) step(end);
  }

  /// Steps the performance manager, then the subnet manager until the next event.
  void step(TimeNs deadline) {
    if (pm_) {
      const double begin = processor_seconds();
      pm_->step();
      manager_cpu_ += processor_seconds() - begin;
      outstanding_ = std::max(outstanding_, pm_->outstanding());
      deadline = std::min(deadline, std::max(pm_->next_event(), now() + TimeNs{1}));
    }
    sm_->step(deadline);
    sm_->take_occurrences();
  }

  const TimeNs interval_;
  EmulatedFabric emulated_;
  PerformanceOptions options_;
  GmpTransport* wire_ = nullptr;
  std::optional<SubnetManager> sm_;
  std::optional<PerformanceManager> pm_;
  TimeNs ended_{};
  double manager_cpu_ = 0;
  std::size_t outstanding_ = 0;
};

std::string list_of(const std::vector<double>& values) {
  return fmt::format("[{:.6f}]", fmt::join(values, ", "));
}

int measure(int count, char** words) {
  spdlog::set_level(spdlog::level::off);
  if (count < 3) return 2;
  const auto word = [&](int at, int otherwise) {
    return count > at ? std::atoi(words[at]) : otherwise;
  };
  const auto fabric = generate(words[1]);
  CHECK(fabric.has_value());
  Telemetry telemetry(*fabric, std::chrono::seconds(word(2, 1)),
                      std::chrono::microseconds(word(4, 200)), count > 5 ? words[5] : "");
  const std::vector<double> alone = telemetry.sweeps();
  telemetry.start_readings();
  std::vector<double> virtual_s, cpu_s;
  Telemetry::Reading last;
  std::uint64_t silent = 0;
  std::size_t outstanding = 0;
  for (int i = 0; i < word(3, 10); ++i) {
    last = telemetry.run_one();
    virtual_s.push_back(last.virtual_s);
    cpu_s.push_back(last.manager_cpu_s);
    silent += last.silent;
    outstanding = std::max(outstanding, last.outstanding);
  }
  const std::vector<double> with = telemetry.sweeps();
  fmt::print(
      "{{\"fabric\": \"{}\", \"hosts\": {}, \"switches\": {}, \"interval_s\": {}, \"answer_us\": "
      "{}, "
      "\"requests\": {}, \"silent\": {}, \"outstanding\": {}, \"reading_s\": {}, "
      "\"manager_cpu_s\": "
      "{}, \"sweep_alone_s\": {}, \"sweep_with_s\": {}}}\n",
      words[1], fabric->ca_count(), fabric->switch_count(), word(2, 1), word(4, 200), last.requests,
      silent, outstanding, list_of(virtual_s), list_of(cpu_s), list_of(alone), list_of(with));
  return 0;
}

}  // namespace
}  // namespace weft

int main(int count, char** words) { return weft::measure(count, words); }
