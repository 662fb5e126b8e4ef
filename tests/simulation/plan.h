// What a seed makes of the world: a fabric, the options of its managers, clients, and a schedule of
// faults. Plain values, so that a failing world can be made smaller and run again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "emulator/options.h"

namespace weft::simulation {

enum class Kind : std::uint8_t {
  kCut,          // cable a, for good
  kFlap,         // cable a, out and in again after `span`
  kDie,          // node a, for good
  kReboot,       // node a, back with empty tables after `span`
  kMute,         // what node a says is lost for `span`
  kSlow,         // what node a says comes late for `span`
  kGarble,       // what node a answers has wrong bits for `span`
  kRename,       // node a
  kRates,        // the wire is as bad as a, for `span`
  kKillManager,  // manager a, after b more SMPs of its own; back after `span`
  kLoseCache,    // as kKillManager, and its files are gone
  kDamageCache,  // as kKillManager, and its files are cut and overwritten
  kOldCache,     // as kKillManager, and its files are those of its first day
  kFullDisk,     // manager a cannot write its files for `span`
  kPriority,     // of manager a: b
  kReload,       // SIGHUP to manager a
  kEngine,       // all managers route by engine a from now on
};
inline constexpr std::size_t kKinds = 17;
std::string_view name(Kind kind);

/// Numbers a and b are drawn from a large range and taken modulo what there is.
struct Fault {
  TimeNs at{};
  Kind kind{};
  std::uint64_t a = 0, b = 0;
  TimeNs span{};
};

struct ManagerPlan {
  std::uint32_t host = 0;
  std::uint8_t priority = 0;
  TimeNs start{};
};

struct WorldPlan {
  std::uint64_t seed = 0;
  std::string spec;  // of the fabric
  std::string engine;
  std::uint8_t lmc = 0;
  bool qos = false;
  bool partitions = false;
  std::uint64_t m_key = 0;
  std::uint8_t m_key_protection = 0;
  std::uint16_t m_key_lease = 0;  // seconds
  FaultRates rates;               // from the first moment on
  bool mixed_devices = false;     // nodes have quirks (devices.h), managers ib_umad's limits
  bool optimized_sl2vl = false;   // managers use it
  std::vector<ManagerPlan> managers;
  std::uint32_t clients = 0;
  std::chrono::milliseconds client_pause{5000};  // between two questions, at most
  std::vector<Fault> faults;                     // by time
  TimeNs length{};                               // of the troubled time; then all is mended
};

WorldPlan draw(std::uint64_t seed);

/// An ordinary machine over many hours: cables flap and hosts are rebooted all the time, now and
/// then a switch; both managers are replaced in turn, and users ask. Nothing is mended by hand.
WorldPlan draw_churn(std::uint64_t seed, std::string spec, TimeNs length);

/// Whether managers read wrong bits at some time.
bool is_garbled(const WorldPlan& plan);

/// Engines that kEngine may choose on the plan's fabric.
std::vector<std::string> engines_for(std::string_view spec);

/// Several lines for people.
std::string describe(const WorldPlan& plan);

}  // namespace weft::simulation
