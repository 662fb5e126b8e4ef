// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A subnet under a flood, for bench/flood.py: some hosts send SA Gets, joins, traps and notices at
// a given rate, all other hosts query a path about once a second, and a cable is cut. The fabric is
// emulated. The processor time of manager and SA advances the virtual clock, the processor time of
// the hosts does not. Transmission times are those of the emulator. The kernel and its queues are
// not included. Unanswered queries that were sent between the cut and the repair are counted
// separately. Prints one JSON object.
//   flood_load [--fabric SPEC] [--seconds N] [--attackers N] [--rate MADS_PER_SECOND] [--seed N]
#include <malloc.h>
#include <spdlog/sinks/base_sink.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <mutex>

#include "../tests/attacks/mix.h"
#include "base/log.h"
#include "support/fabric_of.h"

namespace weft::attacks {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array kKinds{Attack::kPath, Attack::kPath,      Attack::kPath,     Attack::kJoin,
                            Attack::kJoin, Attack::kLinkState, Attack::kPriority, Attack::kTrap};
constexpr TimeNs kRound = milliseconds(1);
constexpr TimeNs kQueryTimeout = seconds(5);
constexpr unsigned kPauseUs = 1'000'000;     // mean pause between two queries of a host
constexpr TimeNs kRepairMax = seconds(120);  // time after which the cable counts as not repaired

class ByteSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::uint64_t bytes() const { return bytes_; }

 protected:
  void sink_it_(const spdlog::details::log_msg& msg) override { bytes_ += msg.payload.size() + 40; }
  void flush_() override {}

 private:
  std::uint64_t bytes_ = 0;  // includes date and level of each line
};

struct FloodOptions {
  std::string fabric = "fattree3:k=16";
  double seconds = 20;
  unsigned attackers = 10;
  unsigned rate = 5000;
  std::uint64_t seed = 1;
};

/// A host that queries a path, waits for the answer, and pauses.
struct Querier {
  Host* host = nullptr;
  TimeNs next{}, sent_at{};
  std::uint64_t transaction = 0;  // 0: no query is outstanding
};

class Flood {
 public:
  Flood(const FloodOptions& options, const ByteSink& log)
      : options_(options),
        log_(log),
        subnet_(fabric_of(options.fabric), sm_options()),
        rng_(options.seed),
        mix_(subnet_, rng_.next()) {}

  int run();

 private:
  static SmOptions sm_options() {
    SmOptions options;
    options.sm_key = 0x5EC2E7;
    return options;
  }
  void add_hosts();
  void round();
  void query(Querier& querier);
  bool is_cut_off(TimeNs sent_at) const;
  double repair();
  double percentile(double share);
  std::uint64_t disk_bytes() const;
  std::size_t memory() const { return mallinfo2().uordblks; }

  const FloodOptions options_;
  const ByteSink& log_;
  AttackedSubnet subnet_;
  Rng rng_;
  Mix mix_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<Host*> attackers_;
  std::vector<Querier> queriers_;
  std::vector<double> latencies_us_;
  std::uint64_t unanswered_ = 0, cut_off_ = 0, mads_ = 0;
  TimeNs cut_at_ = TimeNs::max(), repaired_at_ = TimeNs::max();
  double to_send_ = 0;  // MADs that each attacker must still send
  std::size_t memory_max_ = 0;
};

/// Adds attackers, spread over the fabric, and queriers on all other hosts.
void Flood::add_hosts() {
  const unsigned step = options_.attackers == 0 ? 0 : subnet_.hosts() / options_.attackers;
  for (unsigned number = 1; number < subnet_.hosts(); ++number) {
    hosts_.push_back(std::make_unique<Host>(subnet_, number));
    const bool attacks = step > 0 && number % step == 1 && attackers_.size() < options_.attackers;
    if (attacks)
      attackers_.push_back(hosts_.back().get());
    else
      queriers_.push_back({hosts_.back().get(), microseconds(rng_.below(kPauseUs))});
  }
  for (Querier& querier : queriers_) querier.next += subnet_.emulated().clock().now();
}

void Flood::query(Querier& querier) {
  const TimeNs now = subnet_.emulated().clock().now();
  while (querier.transaction != 0) {
    const auto received = querier.host->sa().transport().receive();
    if (!received) break;
    if (received->transaction_id != querier.transaction) continue;
    latencies_us_.push_back(
        std::chrono::duration<double, std::micro>(now - querier.sent_at).count());
    querier.transaction = 0;
    querier.next = now + microseconds(rng_.below(2 * kPauseUs));
  }
  if (querier.transaction != 0 && now - querier.sent_at > kQueryTimeout) {
    ++(is_cut_off(querier.sent_at) ? cut_off_ : unanswered_);
    querier.transaction = 0;
  }
  if (querier.transaction != 0 || now < querier.next) return;
  const Gmp gmp = querier.host->path_to(static_cast<unsigned>(rng_.below(subnet_.hosts())));
  querier.transaction = gmp.transaction_id;
  querier.sent_at = now;
  querier.host->send(gmp);
}

/// Whether a query was sent between the cut and the repair, or up to a millisecond before the cut.
bool Flood::is_cut_off(TimeNs sent_at) const {
  return sent_at + milliseconds(1) >= cut_at_ && sent_at <= repaired_at_;
}

/// Queriers poll for answers more often than attackers send, for a fine resolution of latencies.
void Flood::round() {
  constexpr int kParts = 200;  // polls of queriers in one round
  const TimeNs begin = subnet_.emulated().clock().now();
  const auto burst = static_cast<unsigned>(to_send_);
  to_send_ -= burst;
  for (Host* attacker : attackers_) {
    mix_.send(*attacker, kKinds, burst);
    mads_ += burst;
  }
  for (int part = 0; part < kParts; ++part) {
    for (Querier& querier : queriers_) query(querier);
    subnet_.run_for(kRound / kParts);
  }
  for (Host* attacker : attackers_) attacker->drain();
  to_send_ += options_.rate *
              std::chrono::duration<double>(subnet_.emulated().clock().now() - begin).count();
  memory_max_ = std::max(memory_max_, memory());
}

/// Seconds from the cut of a cable between switches until routes without the cable are programmed;
/// -1 if no such routes are programmed in time.
double Flood::repair() {
  const auto before = subnet_.sm().snapshot();
  const Channel& channel = subnet_.fabric().channel(subnet_.fabric().cables().front());
  const TimeNs begin = cut_at_ = subnet_.emulated().clock().now();
  subnet_.emulated().cut_cable(
      subnet_.fabric().port_id(Fabric::node_of(channel.from), channel.from_port));
  while (subnet_.emulated().clock().now() - begin < kRepairMax) {
    round();
    const auto now = subnet_.sm().snapshot();
    if (!now || now->fabric.channel_count() >= before->fabric.channel_count()) continue;
    repaired_at_ = subnet_.emulated().clock().now();
    return std::chrono::duration<double>(repaired_at_ - begin).count();
  }
  return -1;
}

double Flood::percentile(double share) {
  if (latencies_us_.empty()) return -1;
  const auto at = std::min(
      latencies_us_.size() - 1,
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(latencies_us_.size()))));
  std::ranges::nth_element(latencies_us_, latencies_us_.begin() + static_cast<std::ptrdiff_t>(at));
  return latencies_us_[at];
}

std::uint64_t Flood::disk_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(subnet_.cache_folder()))
    if (entry.is_regular_file()) sum += entry.file_size();
  return sum;
}

int Flood::run() {
  if (!subnet_.start()) {
    std::cerr << "flood_load: " << options_.fabric << " does not come up\n";
    return 1;
  }
  add_hosts();
  subnet_.charge_time();
  const std::size_t memory_before = memory();
  const std::uint64_t log_before = log_.bytes(), disk_before = disk_bytes();
  const std::uint64_t sweeps = subnet_.sm().heavy_sweeps(), events = subnet_.occurrences();
  const TimeNs begin = subnet_.emulated().clock().now();
  const auto span =
      std::chrono::duration_cast<TimeNs>(std::chrono::duration<double>(options_.seconds));
  while (subnet_.emulated().clock().now() - begin < span / 2) round();
  const double repaired = repair();
  while (subnet_.emulated().clock().now() - begin < span) round();
  const TimeNs elapsed = subnet_.emulated().clock().now() - begin;
  const auto share_of = [&](TimeNs busy) {
    return static_cast<double>(busy.count()) / static_cast<double>(elapsed.count());
  };
  const double p50 = percentile(0.5), p99 = percentile(0.99);
  std::cout
      << fmt::format(
             "{{\"hosts\": {}, \"attackers\": {}, \"mads\": {}, \"seconds\": {:.3f}, \"queries\": "
             "{}, "
             "\"unanswered\": {}, \"cut_off\": {}, \"dropped_over_share\": {}, \"p50_us\": {:.1f}, "
             "\"p99_us\": {:.1f}, \"repair_s\": {:.4f}, "
             "\"memory_growth\": {}, \"log_bytes\": {}, \"disk_bytes\": {}, \"events\": {}, "
             "\"sweeps\": {}, \"sa_busy\": {:.3f}, \"sa_longest_us\": {:.0f}, \"sm_busy\": {:.3f}, "
             "\"is_master\": {}}}",
             subnet_.hosts(), attackers_.size(), mads_,
             std::chrono::duration<double>(subnet_.emulated().clock().now() - begin).count(),
             latencies_us_.size(), unanswered_, cut_off_, subnet_.sa().counts().dropped_over_share,
             p50, p99, repaired, memory_max_ - std::min(memory_max_, memory_before),
             log_.bytes() - log_before, disk_bytes() - std::min(disk_bytes(), disk_before),
             subnet_.occurrences() - events, subnet_.sm().heavy_sweeps() - sweeps,
             share_of(subnet_.busy().sa),
             std::chrono::duration<double, std::micro>(subnet_.busy().sa_longest).count(),
             share_of(subnet_.busy().sm), subnet_.sm().state() == SmState::kMaster)
      << std::endl;
  return 0;
}

}  // namespace
}  // namespace weft::attacks

int main(int argc, char** argv) {
  using namespace weft::attacks;
  CLI::App app("An emulated subnet under a flood of MADs");
  FloodOptions options;
  app.add_option("--fabric", options.fabric, "Generator spec (default: fattree3:k=16)");
  app.add_option("--seconds", options.seconds, "Virtual time, in seconds (default: 20)")
      ->check(CLI::PositiveNumber);
  app.add_option("--attackers", options.attackers, "Hosts that flood (default: 10)");
  app.add_option("--rate", options.rate, "MADs per second of each attacker (default: 5000)");
  app.add_option("--seed", options.seed, "Seed (default: 1)");
  CLI11_PARSE(app, argc, argv);
  const auto sink = std::make_shared<ByteSink>();
  auto logger = std::make_shared<spdlog::logger>("flood", sink);
  logger->set_level(spdlog::level::info);
  spdlog::set_default_logger(logger);
  return std::make_unique<Flood>(options, *sink)->run();
}
