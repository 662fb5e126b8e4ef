// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rng.h"

namespace weft::simulation {
namespace {

constexpr std::array<std::string_view, kKinds> kNames{
    "cut",       "flap",         "switch-off",      "reboot",
    "lose-smps", "delay-smps",   "corrupt-answers", "rename",
    "rates",     "kill-manager", "lose-cache",      "damage-cache",
    "old-cache", "full-disk",    "priority",        "reload",
    "engine",    "no-copies"};
/// Number of kinds of faults that every plan may have.
constexpr std::size_t kCommonKinds = 17;

/// The first half of the specs are small fabrics, which are selected most often.
constexpr std::array kSpecs{
    "fattree2:k=4",
    "torus:3x3,hosts=2",
    "ring:n=5,hosts=2",
    "mesh:3x3,hosts=1",
    "random:n=8,degree=3,hosts=2,seed=5",
    "hypercube:n=3",
    "fattree2:k=6",
    "kautz:b=2,n=2",
    "full:n=4,hosts=2",
    "dragonfly:a=2,h=1,p=2",
    "fattree3:k=4",
    "fattree2:k=8,trunks=2",
    "torus:4x4,hosts=2",
    "xgft:m=2x3x2,w=1x2x2",
    "hyperx:3x4,hosts=2",
    "random:n=24,degree=4,hosts=2,seed=9",
    "dragonfly:a=4,h=1,p=2",
    "dragonflyplus:leaves=2,spines=2,h=2,hosts=2",
    "slimfly:q=5",
    "torus:3x3x3,hosts=1",
    "fattree3:k=8",
    "torus:6x6,hosts=1",
};
constexpr std::size_t kSmall = kSpecs.size() / 2;
constexpr std::array kLarge{"fattree3:k=16", "torus:8x8x4,hosts=1", "dragonfly:a=8,h=4,p=4",
                            "random:n=128,degree=8,hosts=2,seed=1", "fattree3:k=20"};

TimeNs between(Rng& rng, TimeNs low, TimeNs high) {
  return low + TimeNs(static_cast<std::int64_t>(
                   rng.below(static_cast<std::uint64_t>((high - low).count()))));
}

FaultRates rates_of(std::uint64_t selector) {
  constexpr std::array<double, 4> kChances{0, 0.01, 0.05, 0.1};
  const double chance = kChances[selector % kChances.size()];
  switch (selector / kChances.size() % 3) {
    case 0:
      return {.lost = chance};
    case 1:
      return {.lost = chance, .doubled = chance};
    default:
      return {.lost = chance, .doubled = chance, .late = chance};
  }
}

Fault draw_fault(Rng& rng, TimeNs length) {
  Fault fault;
  fault.at = between(rng, TimeNs{0}, length);
  fault.kind = static_cast<Kind>(rng.below(kCommonKinds));
  fault.a = rng.next() >> 8;
  fault.b = rng.next() >> 8;
  // Durations of faults: too short to be detected, shorter than a sweep, and long.
  constexpr std::array kSpans{
      std::pair(TimeNs(std::chrono::milliseconds(1)), TimeNs(std::chrono::milliseconds(50))),
      std::pair(TimeNs(std::chrono::milliseconds(50)), 5 * kSecond),
      std::pair(5 * kSecond, 60 * kSecond)};
  const auto [low, high] = kSpans[rng.below(kSpans.size())];
  fault.span = between(rng, low, high);
  return fault;
}

}  // namespace

void use_private_tables(WorldPlan& plan) {
  plan.adaptive = plan.private_lfts = true;
  plan.all_private = Rng(plan.seed).fork(82).below(3) != 0;
  plan.engine = "dfp2";
  if (plan.all_private) plan.devices.clear();
}

namespace {

constexpr std::array kDevices{"switch-ib-2,quantum,connectx-5,connectx-6",
                              "quantum,quantum-2,connectx-6,connectx-7",
                              "switchx,switch-ib,quantum-2,connectx-3,connectx-7,bluefield-3",
                              "quantum-2,quantum-3,connectx-7,connectx-8"};

/// Draws features of current hardware, independently of the rest of the plan.
void draw_features(WorldPlan& plan, bool is_small) {
  Rng rng = Rng(plan.seed).fork(81);
  plan.adaptive = rng.below(3) == 0;
  if (rng.below(3) == 0) plan.vports = static_cast<std::uint16_t>(1 + rng.below(3));
  plan.vport_change = between(rng, kSecond / 10, 10 * kSecond);
  if (is_small && rng.below(4) == 0) plan.planes = static_cast<unsigned>(2 + rng.below(3));
  plan.port_states = rng.below(3) == 0;
  if (plan.adaptive && plan.spec.starts_with("dragonflyplus")) use_private_tables(plan);
  Rng more = Rng(plan.seed).fork(84);  // so that the draws above do not depend on the next ones
  plan.sharp = more.below(4) == 0;
  plan.recovery = more.below(4) == 0;
  if (more.below(3) == 0 && !plan.all_private) plan.devices = kDevices[more.below(kDevices.size())];
  const bool has_engine = more.below(2) == 0 && plan.adaptive && !plan.private_lfts;
  const auto engines = adaptive_engines_for(plan.spec);
  if (has_engine) plan.engine = engines[more.below(engines.size())];
}

}  // namespace

std::string_view name(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

bool has_corrupted_answers(const WorldPlan& plan) {
  return std::ranges::any_of(
      plan.faults, [](const Fault& fault) { return fault.kind == Kind::kCorruptAnswers; });
}

std::vector<std::string> engines_for(std::string_view spec) {
  std::vector<std::string> engines{"updn", "dnup", "nue", "dfsssp", "sssp", "lash"};
  if (spec.starts_with("fattree") || spec.starts_with("xgft")) {
    engines.emplace_back("ftree");
    engines.emplace_back("minhop");
  }
  if (spec.starts_with("mesh") || spec.starts_with("hypercube")) engines.emplace_back("dor");
  return engines;
}

std::vector<std::string> adaptive_engines_for(std::string_view spec) {
  std::vector<std::string> engines{"ar_updn", "ar_minhop"};
  if (spec.starts_with("dragonfly")) engines.emplace_back("ar_dfp");
  if (spec.starts_with("hyperx")) engines.emplace_back("kdor-ghc");
  if (spec.starts_with("hypercube") || spec.starts_with("mesh") || spec.starts_with("torus"))
    engines.emplace_back("kdor-hc");
  return engines;
}

WorldPlan draw(std::uint64_t seed) {
  Rng rng = Rng(seed).fork(77);
  WorldPlan plan;
  plan.seed = seed;
  const auto size = rng.below(100);
  plan.spec = size < 70   ? kSpecs[rng.below(kSmall)]
              : size < 98 ? kSpecs[kSmall + rng.below(kSpecs.size() - kSmall)]
                          : kLarge[rng.below(kLarge.size())];
  const auto engines = engines_for(plan.spec);
  plan.engine = plan.plain_engine = engines[rng.below(engines.size())];
  plan.lmc = static_cast<std::uint8_t>(rng.below(4) == 0 ? 1 + rng.below(2) : 0);
  plan.qos = rng.below(4) == 0;
  plan.partitions = rng.below(3) == 0;
  if (rng.below(3) == 0) {
    plan.m_key = 0x1234567890 + rng.below(1000);
    plan.m_key_protection = static_cast<std::uint8_t>(rng.below(3));
    plan.m_key_lease = static_cast<std::uint16_t>(rng.below(2) == 0 ? 0 : 5 + rng.below(60));
  }
  if (rng.below(2) == 0) plan.rates = rates_of(rng.below(12));
  plan.length = between(rng, 20 * kSecond, 600 * kSecond);
  const auto managers = rng.below(6);
  const std::uint32_t count = managers < 3 ? 1 : managers < 5 ? 2 : 3;
  for (std::uint32_t i = 0; i < count; ++i)
    plan.managers.push_back({i, static_cast<std::uint8_t>(rng.below(16)),
                             i == 0 ? TimeNs{0} : between(rng, TimeNs{0}, plan.length / 2)});
  plan.clients = static_cast<std::uint32_t>(rng.below(5));
  const auto faults = rng.below(16);
  for (std::uint64_t i = 0; i < faults; ++i) plan.faults.push_back(draw_fault(rng, plan.length));
  std::ranges::stable_sort(plan.faults, {}, &Fault::at);
  Rng devices = Rng(seed).fork(80);  // independent of the rest of the plan
  plan.mixed_devices = devices.below(3) == 0;
  plan.optimized_sl2vl = plan.mixed_devices && devices.below(2) == 0;
  draw_features(plan, size < 70);
  return plan;
}

WorldPlan draw_replicated(std::uint64_t seed) {
  WorldPlan plan = draw(seed);
  Rng rng = Rng(seed).fork(81);
  if (plan.managers.size() == 1)
    plan.managers.push_back(
        {1, static_cast<std::uint8_t>(rng.below(16)), between(rng, TimeNs{0}, plan.length / 4)});
  plan.replication = true;
  constexpr std::array kChances{0.0, 0.05, 0.3};
  plan.copies = {kChances[rng.below(3)], kChances[rng.below(3)], kChances[rng.below(3)]};
  constexpr std::array kConfirms{500, 10'000, 0};
  plan.confirm = std::chrono::milliseconds(kConfirms[rng.below(3)]);
  plan.clients = std::max(plan.clients, 3u);
  plan.client_pause = std::chrono::milliseconds(1000);
  for (auto left = 2 + rng.below(6); left > 0; --left) {
    Fault fault = draw_fault(rng, plan.length);
    fault.kind = rng.below(3) == 0 ? Kind::kNoCopies : Kind::kKillManager;
    plan.faults.push_back(fault);
  }
  std::ranges::stable_sort(plan.faults, {}, &Fault::at);
  return plan;
}

WorldPlan draw_private(std::uint64_t seed) {
  WorldPlan plan = draw(seed);
  plan.spec = Rng(seed).fork(83).below(2) == 0 ? "dragonflyplus:leaves=2,spines=2,h=2,hosts=2"
                                               : "dragonflyplus:leaves=3,spines=3,h=1,hosts=2";
  use_private_tables(plan);
  return plan;
}

WorldPlan draw_current(std::uint64_t seed) {
  WorldPlan plan = draw(seed);
  Rng rng = Rng(seed).fork(85);
  plan.own_lids = rng.below(4) != 0;
  if (plan.own_lids) plan.vports = static_cast<std::uint16_t>(1 + rng.below(4));
  plan.class_keys = rng.below(4) != 0;
  constexpr std::array kPeriods{0, 40, 120, 400};
  plan.key_period = std::chrono::seconds(kPeriods[rng.below(kPeriods.size())]);
  plan.ppcc = rng.below(3) != 0;
  plan.dcqcn = rng.below(3) != 0;
  plan.all_agents = rng.below(2) == 0;
  // Separate numbers, so that the draws above do not depend on the next ones.
  Rng more = Rng(seed).fork(86);
  const bool is_small = std::ranges::find(std::span(kSpecs).first(kSmall), plan.spec) !=
                        std::span(kSpecs).first(kSmall).end();
  if (is_small && plan.planes == 0 && more.below(2) == 0)
    plan.planes = static_cast<unsigned>(2 + more.below(3));
  plan.devices.clear();  // all_private requires features that the profiles lack
  const bool has_devices = more.below(2) == 0 && !plan.all_private;
  if (has_devices) plan.devices = kDevices[more.below(kDevices.size())];
  // A corrupted answer to GeneralInfo hides FNM ports until the device restarts.
  plan.fnm = plan.planes > 1 && Rng(seed).fork(87).below(2) == 0 && !has_corrupted_answers(plan);
  return plan;
}

std::string whole_spec(const WorldPlan& plan) {
  if (plan.planes == 0) return plan.spec;
  return fmt::format("{},planes={}{}", plan.spec, plan.planes, plan.fnm ? ",fnm=1" : "");
}

void remove_features(WorldPlan& plan) {
  plan.engine = plan.private_lfts ? "updn" : plan.plain_engine;
  plan.adaptive = plan.private_lfts = plan.all_private = false;
  plan.vports = 0;
  plan.own_lids = plan.class_keys = plan.ppcc = plan.dcqcn = false;
  plan.planes = 0;
  plan.fnm = false;
  plan.port_states = plan.sharp = plan.recovery = false;
  plan.devices.clear();
}

void make_uniform(WorldPlan& plan) {
  plan.mixed_devices = plan.optimized_sl2vl = false;
  remove_features(plan);
}

bool is_uniform(const WorldPlan& plan) {
  return !plan.mixed_devices && !plan.optimized_sl2vl && !plan.adaptive && plan.vports == 0 &&
         plan.planes == 0 && !plan.port_states && !plan.sharp && !plan.recovery &&
         !plan.has_agents() && plan.devices.empty();
}

WorldPlan draw_churn(std::uint64_t seed, std::string spec, TimeNs length) {
  constexpr TimeNs kHour = 3600 * kSecond;
  struct PeriodicFault {
    Kind kind;
    TimeNs every;
    TimeNs span;  // maximum
  };
  // Mean interval and maximum span of each kind of fault, for a fabric of some thousand cables.
  constexpr std::array kPeriodicFaults{
      PeriodicFault{Kind::kFlap, kHour / 12, 90 * kSecond},
      PeriodicFault{Kind::kReboot, kHour / 6, 300 * kSecond},
      PeriodicFault{Kind::kRename, kHour / 2, kSecond},
      PeriodicFault{Kind::kDelaySmps, kHour, 10 * kSecond},
      PeriodicFault{Kind::kRates, 2 * kHour, 60 * kSecond},
      PeriodicFault{Kind::kReload, 3 * kHour, kSecond},
      PeriodicFault{Kind::kKillManager, 4 * kHour, 30 * kSecond},
      PeriodicFault{Kind::kPriority, 6 * kHour, kSecond},
  };
  Rng rng = Rng(seed).fork(78);
  WorldPlan plan;
  plan.seed = seed;
  plan.spec = std::move(spec);
  plan.engine = plan.plain_engine = "updn";
  plan.partitions = true;
  plan.length = length;
  plan.managers = {{0, 9, TimeNs{0}}, {1, 5, kSecond}};
  plan.clients = 16;
  plan.client_pause = std::chrono::minutes(5);
  for (const PeriodicFault& periodic : kPeriodicFaults)
    for (TimeNs at = between(rng, TimeNs{0}, 2 * periodic.every); at < length;
         at += between(rng, TimeNs{0}, 2 * periodic.every))
      plan.faults.push_back({.at = at,
                             .kind = periodic.kind,
                             .a = rng.next() >> 8,
                             .b = rng.next() >> 8,
                             .span = between(rng, TimeNs{0}, periodic.span)});
  std::ranges::stable_sort(plan.faults, {}, &Fault::at);
  return plan;
}

std::string describe(const WorldPlan& plan) {
  std::string text =
      fmt::format("{} routed by {}, LMC {}{}{}", whole_spec(plan), plan.engine, plan.lmc,
                  plan.qos ? ", QoS" : "", plan.partitions ? ", partitions" : "");
  if (plan.m_key != 0)
    text += fmt::format(", {} at level {} with lease {} s",
                        plan.has_key_per_port() ? "M_Keys of each port" : "M_Key",
                        plan.m_key_protection, plan.m_key_lease);
  if (plan.rates != FaultRates{})
    text += fmt::format(", {:g} lost {:g} doubled {:g} late", plan.rates.lost, plan.rates.doubled,
                        plan.rates.late);
  if (plan.mixed_devices) text += ", mixed devices";
  if (plan.replication)
    text += fmt::format(
        ", replication with {:g} lost {:g} late {:g} repeated messages, confirmed within {} ms",
        plan.copies.lost, plan.copies.late, plan.copies.repeated, plan.confirm.count());
  if (plan.adaptive) text += ", adaptive routing";
  if (plan.private_lfts)
    text += fmt::format(" with private tables of {}switches", plan.all_private ? "all " : "some ");
  if (plan.port_states) text += ", tables of port states";
  if (plan.class_keys)
    text += fmt::format(", class keys with a period of {} s", plan.key_period.count());
  if (plan.ppcc) text += ", PPCC";
  if (plan.dcqcn) text += ", DCQCN";
  if (plan.has_agents() && !plan.all_agents) text += " of some devices";
  if (plan.sharp) text += ", SHARP";
  if (plan.recovery) text += ", recovery";
  if (!plan.devices.empty()) text += ", devices " + plan.devices;
  if (plan.vports > 0)
    text += fmt::format(", {} vports{} that change every {:.3f} s", plan.vports,
                        plan.own_lids ? " with LIDs" : "",
                        std::chrono::duration<double>(plan.vport_change).count());
  text += fmt::format(", {} clients, {:.1f} s\n", plan.clients,
                      std::chrono::duration<double>(plan.length).count());
  for (const ManagerPlan& manager : plan.managers)
    text += fmt::format("  manager on host {} with priority {} from {:.3f} s on\n", manager.host,
                        manager.priority, std::chrono::duration<double>(manager.start).count());
  for (std::size_t i = 0; i < plan.faults.size(); ++i) {
    const Fault& fault = plan.faults[i];
    text += fmt::format("  fault {} at {:.3f} s: {} {} {} for {:.3f} s\n", i,
                        std::chrono::duration<double>(fault.at).count(), name(fault.kind), fault.a,
                        fault.b, std::chrono::duration<double>(fault.span).count());
  }
  return text;
}

}  // namespace weft::simulation
