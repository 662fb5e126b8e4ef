// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "attack_run.h"

#include <malloc.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <mutex>

#include "base/log.h"
#include "mix.h"
#include "support/fabric_of.h"

namespace weft::attacks {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array kSpecs{"fattree2:k=4", "ring:n=5,hosts=2", "torus:3x3,hosts=2", "fattree2:k=8",
                            "dragonfly:a=2,h=2,p=2,g=4"};
constexpr std::uint64_t kMkey = 0x6D6B'6579'5EC2'E701;
constexpr std::uint64_t kSmKey = 0x736D'6B65'5EC2'E702;
constexpr std::uint64_t kSaKey = 0x7361'6B65'5EC2'E703;
constexpr TimeNs kRound = milliseconds(20);
constexpr std::size_t kGrowthMax = std::size_t{192} << 20;  // more than the SA stores at most

// Limits per second of virtual time and attacker; sweeps are counted for the whole subnet.
constexpr double kLinesPerSecond = 20;
constexpr double kSweepsPerSecond = 0.25;
constexpr std::uint64_t kSweepsOfFaults = 40;

/// Counts log lines, and writes each line to standard error if verbose.
class CountingSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit CountingSink(bool verbose) : verbose_(verbose) {}
  std::uint64_t lines() const { return lines_; }

 protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    ++lines_;
    if (verbose_)
      fmt::print(stderr, "{}\n", std::string_view(msg.payload.data(), msg.payload.size()));
  }
  void flush_() override {}

 private:
  const bool verbose_;
  std::uint64_t lines_ = 0;
};

struct Setting {
  std::string spec;
  SmOptions sm;
  SaOptions sa;
  unsigned attackers = 1;
  unsigned burst = 1;  // MADs that an attacker sends in each round
  std::vector<Attack> kinds;
  unsigned rounds = 0;
  bool impostor = false;  // the first attacker sets IsSM
  bool cuts = false;      // a cable is cut during the attacks

  std::string text() const {
    std::string kinds_text;
    for (const Attack kind : kinds)
      kinds_text += fmt::format("{}{}", kinds_text.empty() ? "" : ", ", name(kind));
    return fmt::format("{}, LMC {}, {} attackers, each {} MADs in {} ms, {} rounds{}{}: {}", spec,
                       sm.lmc, attackers, burst, kRound / milliseconds(1), rounds,
                       impostor ? ", an impostor" : "", cuts ? ", a cable is cut" : "", kinds_text);
  }
};

Setting draw(Rng& rng) {
  Setting setting;
  setting.spec = kSpecs[rng.below(kSpecs.size())];
  setting.sm.lmc = static_cast<std::uint8_t>(rng.below(3));
  setting.sm.m_key = Mkey(kMkey);
  setting.sm.m_key_protection_level = static_cast<std::uint8_t>(rng.below(3));
  setting.sm.sm_key = kSmKey;
  setting.sm.sm_priority = 3;
  setting.sm.babbling_port_policy = rng.chance(0.3);
  setting.sm.sa_key = rng.chance(0.2) ? 0 : kSaKey;
  setting.sa.sa_key = SmKey(setting.sm.sa_key);
  setting.attackers = 1 + static_cast<unsigned>(rng.below(3));
  setting.burst = 1 + static_cast<unsigned>(rng.below(30));
  setting.rounds = 500 + static_cast<unsigned>(rng.below(1500));
  setting.impostor = rng.chance(0.2);
  setting.cuts = rng.chance(0.5);
  for (std::size_t kind = 0; kind < kAttacks; ++kind)
    if (rng.chance(0.3)) setting.kinds.push_back(static_cast<Attack>(kind));
  if (setting.kinds.empty()) setting.kinds.push_back(static_cast<Attack>(rng.below(kAttacks)));
  return setting;
}

bool contains(std::span<const std::byte> bytes, std::uint64_t secret) {
  std::array<std::byte, 8> wanted;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = static_cast<std::byte>(secret >> (56 - 8 * i));
  return !std::ranges::search(bytes, wanted).empty();
}

class AttackRun {
 public:
  AttackRun(std::uint64_t seed, CountingSink& log)
      : rng_(seed),
        setting_(draw(rng_)),
        subnet_(fabric_of(setting_.spec), setting_.sm, setting_.sa),
        mix_(subnet_, rng_.next()),
        log_(log) {}

  AttackOutcome run();

 private:
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }
  void receive_answers(Host& attacker);
  void answer_as_manager(Host& attacker, const Smp& request);
  void check_rates();
  void check_service(unsigned round);
  void check_end();
  bool may_be_disabled(unsigned host) const;
  bool has_settled();
  PortId any_cable();

  Rng rng_;
  const Setting setting_;
  AttackedSubnet subnet_;
  Mix mix_;
  CountingSink& log_;
  std::vector<std::unique_ptr<Host>> attackers_;
  std::optional<Host> ordinary_;
  std::uint64_t sweeps_ = 0, occurrences_ = 0, lines_ = 0, mads_ = 0;
  std::size_t memory_ = 0;
  TimeNs begin_{}, fault_until_{};
  std::string failure_;
};

void AttackRun::answer_as_manager(Host& attacker, const Smp& request) {
  Smp answer = request;
  answer.method = Method::kGetResp;
  answer.returning = request.mgmt_class == MgmtClass::kSmpDirected;
  std::swap(answer.slid, answer.dlid);
  if (answer.returning) answer.hop_pointer = static_cast<std::uint8_t>(request.hop_count + 1);
  answer.data = encode(SmInfo{subnet_.guid(attacker.number()), SmKey(rng_.below(2)),
                              static_cast<std::uint32_t>(rng_.below(1000)), 15,
                              static_cast<SmState>(rng_.below(4))});
  static_cast<void>(attacker.smps().send(answer));
}

/// Receives the MADs for an attacker. Fails if a GMP contains a key, or if an SMP contains the
/// SM_Key or the SA_Key. An impostor answers SMInfo requests.
void AttackRun::receive_answers(Host& attacker) {
  while (const auto gmp = attacker.sa().transport().receive()) {
    for (const std::uint64_t secret : {kMkey, kSmKey, kSaKey})
      if (contains(gmp->data, secret))
        fail(fmt::format("attribute 0x{:x} of the SA discloses a key", gmp->attribute));
  }
  while (const auto smp = attacker.smps().receive()) {
    if (contains(smp->data, kSmKey) || contains(smp->data, kSaKey))
      fail(fmt::format("an SMP with attribute 0x{:x} discloses a key",
                       static_cast<unsigned>(smp->attribute)));
    const bool is_request = smp->method == Method::kGet || smp->method == Method::kSet;
    if (is_request && smp->attribute == AttributeId::kSmInfo && setting_.impostor)
      answer_as_manager(attacker, *smp);
  }
}

void AttackRun::check_rates() {
  const double passed =
      std::chrono::duration<double>(subnet_.emulated().clock().now() - begin_).count();
  const auto faults = setting_.cuts ? kSweepsOfFaults : kSweepsOfFaults / 4;
  const std::uint64_t swept = subnet_.sm().heavy_sweeps() - sweeps_;
  const double sweeps_max = kSweepsPerSecond * passed + static_cast<double>(faults);
  if (static_cast<double>(swept) > sweeps_max)
    fail(fmt::format("{} heavy sweeps in {:.0f} s, expected at most {:.0f}", swept, passed,
                     sweeps_max));
  const double lines_max = (kLinesPerSecond * passed + 500) * setting_.attackers + 2000;
  if (static_cast<double>(log_.lines() - lines_) > lines_max)
    fail(fmt::format("{} log lines in {:.0f} s, expected at most {:.0f}", log_.lines() - lines_,
                     passed, lines_max));
  if (static_cast<double>(subnet_.occurrences() - occurrences_) > lines_max)
    fail(fmt::format("{} events in {:.0f} s, expected at most {:.0f}",
                     subnet_.occurrences() - occurrences_, passed, lines_max));
  const std::size_t grown = mallinfo2().uordblks - std::min(memory_, mallinfo2().uordblks);
  if (grown > kGrowthMax)
    fail(fmt::format("memory has grown by {} bytes, expected at most {}", grown, kGrowthMax));
}

void AttackRun::check_service(unsigned round) {
  if (subnet_.sm().stopped()) return fail("the manager has stopped");
  if (subnet_.sm().state() != SmState::kMaster) fail("the manager is no longer master");
  if (round % 50 != 0 || subnet_.emulated().clock().now() < fault_until_) return;
  const unsigned other = static_cast<unsigned>(rng_.below(subnet_.hosts()));
  const TimeNs asked = subnet_.emulated().clock().now();
  if (!ordinary_->gets_path(other) && !may_be_disabled(other))
    fail(fmt::format("no path to host {}", other));
  const TimeNs elapsed = subnet_.emulated().clock().now() - asked;
  if (elapsed > seconds(2))
    fail(fmt::format("the answer with a path came after {} ms", elapsed / milliseconds(1)));
}

/// True if the manager may disable the port of this host: babbling_port_policy disables the port of
/// a host that sends many error traps.
bool AttackRun::may_be_disabled(unsigned host) const {
  return setting_.sm.babbling_port_policy &&
         std::ranges::any_of(attackers_,
                             [&](const auto& attacker) { return attacker->number() == host; });
}

PortId AttackRun::any_cable() {
  const auto cables = subnet_.fabric().cables();
  const Channel& channel = subnet_.fabric().channel(cables[rng_.below(cables.size())]);
  return subnet_.fabric().port_id(Fabric::node_of(channel.from), channel.from_port);
}

bool AttackRun::has_settled() {
  return subnet_.sm().settled() && subnet_.sm().snapshot() && subnet_.sm().last_report().up &&
         subnet_.sa().transfers_under_way() == 0 && subnet_.sa().waiting() == 0;
}

/// Checks that after the attacks no work is pending and the manager's snapshot contains the whole
/// subnet, except hosts that the manager may disable.
void AttackRun::check_end() {
  const bool settles = subnet_.run_until(
      [&] {
        for (const auto& attacker : attackers_) receive_answers(*attacker);
        return has_settled();
      },
      std::chrono::minutes(5));
  if (!settles)
    return fail(fmt::format("pending at the end: {} transfers, {} requests, {}",
                            subnet_.sa().transfers_under_way(), subnet_.sa().waiting(),
                            subnet_.sm().last_report().error));
  const Snapshot& snapshot = *subnet_.sm().snapshot();
  if (!snapshot.verdict.ok()) fail("the routes are not verified");
  std::uint32_t missing = subnet_.fabric().endport_count() - snapshot.fabric.endport_count();
  for (unsigned host = 0; host < subnet_.hosts(); ++host) {
    if (ordinary_->gets_path(host)) continue;
    if (!may_be_disabled(host))
      fail(fmt::format("no path to host {} at the end", host));
    else
      --missing;
  }
  if (missing != 0) fail(fmt::format("{} endports are missing", missing));
}

AttackOutcome AttackRun::run() {
  if (!subnet_.start()) return {"the subnet does not come up", setting_.text()};
  ordinary_.emplace(subnet_, 1);
  for (unsigned i = 0; i < setting_.attackers; ++i)
    attackers_.push_back(std::make_unique<Host>(subnet_, 2 + i, setting_.impostor && i == 0));
  sweeps_ = subnet_.sm().heavy_sweeps();
  occurrences_ = subnet_.occurrences();
  lines_ = log_.lines();
  memory_ = mallinfo2().uordblks;
  begin_ = subnet_.emulated().clock().now();
  const PortId cable = any_cable();
  for (unsigned round = 0; round < setting_.rounds && failure_.empty(); ++round) {
    for (const auto& attacker : attackers_) mix_.send(*attacker, setting_.kinds, setting_.burst);
    mads_ += std::uint64_t{setting_.attackers} * setting_.burst;
    subnet_.run_for(kRound);
    for (const auto& attacker : attackers_) receive_answers(*attacker);
    const bool cuts = setting_.cuts && round == setting_.rounds / 3;
    const bool reconnects = setting_.cuts && round == 2 * setting_.rounds / 3;
    if (cuts) subnet_.emulated().cut_cable(cable);
    if (reconnects) subnet_.emulated().restore_cable(cable);
    if (cuts || reconnects) fault_until_ = subnet_.emulated().clock().now() + seconds(15);
    check_service(round);
    check_rates();
  }
  if (setting_.cuts) subnet_.emulated().restore_cable(cable);
  if (failure_.empty()) check_end();
  attackers_.clear();
  ordinary_.reset();
  return {failure_, setting_.text(), mads_};
}

}  // namespace

AttackOutcome run_attacks(std::uint64_t seed, bool verbose) {
  const auto before = spdlog::default_logger();
  const auto sink = std::make_shared<CountingSink>(verbose);
  const auto logger = std::make_shared<spdlog::logger>("attack", sink);
  logger->set_level(spdlog::level::info);
  spdlog::set_default_logger(logger);
  const AttackOutcome outcome = std::make_unique<AttackRun>(seed, *sink)->run();
  spdlog::set_default_logger(before);
  return outcome;
}

}  // namespace weft::attacks
