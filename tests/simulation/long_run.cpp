// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "long_run.h"

#include <malloc.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "world.h"

namespace weft::simulation {
namespace {

constexpr TimeNs kHour = std::chrono::hours(1);
constexpr double kGrowthMax = 0.01;  // relative growth of memory in the second half
constexpr double kSlowerMax = 1.5;   // ratio of processor time per hour, fourth to third quarter

struct Sample {
  World::Measurements measurements;
  double resident = 0;  // MB, including memory cached by the allocator
  double in_use = 0;    // MB allocated and not freed
  std::size_t descriptors = 0;
  double cpu_seconds = 0;
};

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096 / 1e6;
}

double megabytes_in_use() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd) / 1e6;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double per_sweep(const Sample& sample, const Sample& before) {
  const auto sweeps = sample.measurements.sweeps - before.measurements.sweeps;
  return sweeps == 0 ? 0
                     : (sample.measurements.sweep_seconds - before.measurements.sweep_seconds) /
                           static_cast<double>(sweeps);
}

/// Seconds of processor time per virtual hour; the samples must have different times.
double cpu_per_hour(const Sample& sample, const Sample& before) {
  const std::chrono::duration<double> span = sample.measurements.at - before.measurements.at;
  return (sample.cpu_seconds - before.cpu_seconds) / (span / kHour);
}

void print(const Sample& sample, const Sample& before) {
  std::cout << fmt::format("{:>5.0f} {:>12.1f} {:>12.2f} {:>12} {:>8} {:>14.4f} {:>9} {:>8.1f}\n",
                           std::chrono::duration<double>(sample.measurements.at) / kHour,
                           sample.resident, sample.in_use, sample.descriptors,
                           sample.measurements.sweeps - before.measurements.sweeps,
                           per_sweep(sample, before),
                           sample.measurements.answered - before.measurements.answered,
                           sample.cpu_seconds - before.cpu_seconds)
            << std::flush;
}

/// Least-squares slope of `of` over samples[from..].
template <class Of>
double slope(const std::vector<Sample>& samples, std::size_t from, Of of) {
  const auto n = static_cast<double>(samples.size() - from);
  double x_sum = 0, y_sum = 0, xy = 0, xx = 0;
  for (std::size_t i = from; i < samples.size(); ++i) {
    const auto x = static_cast<double>(i);
    x_sum += x;
    y_sum += of(samples[i]);
    xy += x * of(samples[i]);
    xx += x * x;
  }
  const double spread = n * xx - x_sum * x_sum;
  return spread == 0 ? 0 : (n * xy - x_sum * y_sum) / spread;
}

/// Prints the growth of memory, descriptors and processor time in the second half of the run.
/// Returns the first excessive growth as text, with its limit; empty if there is none.
std::string describe_growth(const std::vector<Sample>& samples) {
  const std::size_t from = samples.size() / 2;
  const auto hours = static_cast<double>(samples.size() - from);
  const double memory = slope(samples, from, [](const Sample& sample) { return sample.in_use; });
  const double resident =
      slope(samples, from, [](const Sample& sample) { return sample.resident; });
  const double descriptors = slope(
      samples, from, [](const Sample& sample) { return static_cast<double>(sample.descriptors); });
  const Sample& first = samples[from];
  const Sample& middle = samples[(from + samples.size()) / 2];
  const Sample& last = samples.back();
  const double early = cpu_per_hour(middle, first);  // third quarter
  const double late = cpu_per_hour(last, middle);    // fourth quarter
  std::cout << fmt::format(
      "memory in use {:+.3f} MB an hour, resident {:+.3f} MB an hour, descriptors {:+.3f} an hour; "
      "ratio of processor time per hour, fourth to third quarter: {:.2f}; seconds for a sweep: "
      "{:.4f} in the third quarter, {:.4f} in the fourth\n",
      memory, resident, descriptors, early > 0 ? late / early : 1, per_sweep(middle, first),
      per_sweep(last, middle));
  if (memory * hours > kGrowthMax * first.in_use)
    return fmt::format("growth of memory in use: found {:.3f} MB, expected at most {:.3f} MB",
                       memory * hours, kGrowthMax * first.in_use);
  if (descriptors * hours >= 1)
    return fmt::format("growth of open descriptors: found {:.2f}, expected less than 1",
                       descriptors * hours);
  if (late > kSlowerMax * early)
    return fmt::format(
        "processor time per hour of the fourth quarter: found {:.2f} s, expected at most {:.2f} s",
        late, kSlowerMax * early);
  return {};
}

}  // namespace

int run_long(std::uint64_t seed, const std::string& spec, double hours) {
  const TimeNs length(static_cast<std::int64_t>(hours * static_cast<double>(kHour.count())));
  World world(draw_churn(seed, spec, length));
  std::vector<Sample> samples;
  std::cout << " hour     RSS (MB)  in use (MB)  descriptors   sweeps  s for a sweep   answers  "
               "cpu (s)\n";
  world.watch(kHour, [&](const World::Measurements& measurements) {
    samples.push_back({measurements, resident_megabytes(), megabytes_in_use(), open_descriptors(),
                       cpu_seconds()});
    print(samples.back(), samples.size() > 1 ? samples[samples.size() - 2] : Sample{});
  });
  const Outcome outcome = world.run();
  std::cout << fmt::format("{:.1f} virtual hours, {} faults, {} MADs\n",
                           std::chrono::duration<double>(outcome.virtual_time) / kHour,
                           outcome.faults, outcome.mads);
  for (const auto& [what, count] : outcome.coverage)
    std::cout << fmt::format("{:>14}  {}\n", count, what);
  std::string wrong = outcome.failure;
  if (wrong.empty() && samples.size() >= 8) wrong = describe_growth(samples);
  std::cout << (wrong.empty() ? "passed" : "FAILED: " + wrong) << '\n';
  return wrong.empty() ? 0 : 1;
}

}  // namespace weft::simulation
