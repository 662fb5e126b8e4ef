// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Random attacks from seeds. With --seconds, each seed runs in a child process, so that a crash is
// reported too. Usage:
//   attack --seconds N [--first SEED] [--jobs J]   new seeds for N seconds
//   attack --seed SEED [-v]                        one seed
// With --seconds, prints each failing seed with the command that reproduces the failure. The exit
// status is 1 if a seed failed, or if no seed ran.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <map>
#include <thread>

#include "attack_run.h"
#include "base/clock.h"
#include "base/log.h"

namespace weft::attacks {
namespace {

constexpr unsigned kSecondsMax = 600;  // for one seed; a seed that takes longer counts as hung

int run_one(std::uint64_t seed, bool verbose) {
  const AttackOutcome outcome = run_attacks(seed, verbose);
  std::cout << fmt::format("seed {}: {}\n{} MADs, {}\n", seed, outcome.setting, outcome.mads,
                           outcome.failure.empty() ? "passed" : "FAILED: " + outcome.failure)
            << std::flush;
  return outcome.failure.empty() ? 0 : 1;
}

/// Runs a seed in a child process after fork(); prints only a failure. Returns the exit status.
int run_in_child(std::uint64_t seed) {
  alarm(kSecondsMax);
  const AttackOutcome outcome = run_attacks(seed);
  if (outcome.failure.empty()) return 0;
  std::cout << fmt::format("FAILED: attack --seed {}\n  {}\n  {}\n", seed, outcome.failure,
                           outcome.setting)
            << std::flush;
  return 1;
}

class Campaign {
 public:
  void begin(std::uint64_t seed) {
    const pid_t child = fork();
    if (child == 0) _exit(run_in_child(seed));
    if (child > 0) running_[child] = seed;
  }
  /// Waits until a running seed ends, counts its result, and reports a crash.
  void await() {
    int status = 0;
    const pid_t child = wait(&status);
    const auto at = running_.find(child);
    if (at == running_.end()) return;
    ++seeds_;
    if (status != 0) ++failed_;
    if (WIFSIGNALED(status))
      std::cout << fmt::format("FAILED: attack --seed {}\n  ended by signal {}\n", at->second,
                               WTERMSIG(status))
                << std::flush;
    running_.erase(at);
  }
  std::size_t running_count() const { return running_.size(); }
  int report(double seconds) const {
    std::cout << fmt::format("{} seeds in {:.0f} s, {} failed\n", seeds_, seconds, failed_);
    return failed_ == 0 && seeds_ > 0 ? 0 : 1;
  }

 private:
  std::map<pid_t, std::uint64_t> running_;
  std::uint64_t seeds_ = 0, failed_ = 0;
};

int run_campaign(double seconds, std::uint64_t first, unsigned jobs) {
  const Stopwatch watch;
  Campaign campaign;
  std::cout << "first seed " << first << std::endl;
  for (std::uint64_t seed = first; watch.seconds() < seconds; ++seed) {
    campaign.begin(seed);
    if (campaign.running_count() >= jobs) campaign.await();
  }
  while (campaign.running_count() > 0) campaign.await();
  return campaign.report(watch.seconds());
}

}  // namespace
}  // namespace weft::attacks

int main(int argc, char** argv) {
  using namespace weft::attacks;
  CLI::App app("Random attacks of hosts on the subnet manager, from seeds");
  double seconds = 60;
  std::uint64_t first =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::uint64_t seed = 0;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool verbose = false;
  app.add_option("--seconds", seconds, "Run new seeds for this time, in seconds (default: 60)");
  app.add_option("--first", first, "First seed (default: the time)");
  app.add_option("--jobs", jobs, "Seeds to run in parallel (default: number of cores)")
      ->check(CLI::PositiveNumber);
  auto* one = app.add_option("--seed", seed, "Run this seed");
  app.add_flag("-v", verbose, "Print the manager's log");
  CLI11_PARSE(app, argc, argv);
  return one->count() == 0 ? run_campaign(seconds, first, jobs) : run_one(seed, verbose);
}
