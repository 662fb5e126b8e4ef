// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plan of a simulation, drawn from a seed: a fabric, options of its managers, clients, and a
// schedule of faults. All are plain values, so that a failing plan can be reduced and run again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "emulator/options.h"

namespace weft::simulation {

inline constexpr TimeNs kSecond = std::chrono::seconds(1);

enum class Kind : std::uint8_t {
  kCut,             // cable a, until the repair at the end
  kFlap,            // cable a, restored after `span`
  kSwitchOff,       // node a, until the repair at the end
  kReboot,          // node a, which returns with empty tables after `span`
  kLoseSmps,        // SMPs from node a are lost for `span`
  kDelaySmps,       // SMPs from node a are late for `span`
  kCorruptAnswers,  // answers to managers are corrupted for `span`
  kRename,          // node a gets another node description
  kRates,           // fault rates of the wire, selected by a and b, for `span`
  kKillManager,     // manager a, at once or after some of its SMPs (b); restarted after `span`
  kLoseCache,       // as kKillManager; the files of the manager are deleted
  kDamageCache,     // as kKillManager; the files are truncated or partly overwritten
  kOldCache,        // as kKillManager; the files are replaced by their copy from the first kill
  kFullDisk,        // manager a cannot write its files for `span`
  kPriority,        // manager a gets priority b
  kReload,          // SIGHUP to manager a
  kEngine,          // all managers route by engine a from now on
  kNoCopies,        // no connections for replication between managers for `span`
};
inline constexpr std::size_t kKinds = 18;
std::string_view name(Kind kind);

/// a and b are drawn from a large range and used modulo the number of objects.
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

/// Probabilities of faults of messages between managers that replicate.
struct CopyRates {
  double lost = 0, late = 0, repeated = 0;
};

struct WorldPlan {
  std::uint64_t seed = 0;
  std::string spec;  // spec of the fabric, without planes
  unsigned planes = 0;
  bool fnm = false;  // systems of switches in planes have FNM rings
  std::string engine;
  std::string plain_engine;  // engine without adaptive routing
  std::uint8_t lmc = 0;
  bool qos = false;
  bool partitions = false;
  std::uint64_t m_key = 0;
  std::uint8_t m_key_protection = 0;
  std::uint16_t m_key_lease = 0;  // seconds
  /// Whether each port has a derived key. False with protection level 2, since managers without
  /// files then get no answer from any port.
  bool has_key_per_port() const { return m_key % 3 == 1 && m_key_protection < 2; }
  FaultRates rates;              // at the start of the run
  bool mixed_devices = false;    // nodes have quirks (devices.h), managers the limits of ib_umad
  bool optimized_sl2vl = false;  // managers use OptimizedSLtoVLMappingProgramming
  bool replication = false;
  CopyRates copies;
  std::chrono::milliseconds confirm{0};  // replication_confirm_ms
  /// The managers use adaptive routing. Some switches support adaptive routing and FRN, some only
  /// adaptive routing, and some neither.
  bool adaptive = false;
  /// The engine is dfp2. Some switches with adaptive routing support private tables (pLFTs), some a
  /// part, some none, and some do not respond; if `all_private`, all switches support both.
  bool private_lfts = false;
  bool all_private = false;
  /// Number of virtual ports of each CA port. Some CAs support all attributes of virtual ports,
  /// some a part, some none, and some do not respond.
  std::uint16_t vports = 0;
  /// The managers read SwitchPortStateTable in light sweeps. Some switches support this attribute,
  /// some do not announce it, some refuse it, and some do not respond.
  bool port_states = false;
  /// Some switches support the setting of SHARP, or fast recovery and port recovery, some a part,
  /// some none, and some do not respond to the settings.
  bool sharp = false, recovery = false;
  /// Names of devices (emulator/devices), which nodes emulate in turn; empty: nodes without
  /// device.
  std::string devices;
  bool own_lids = false;  // each virtual port requires a LID of its own
  /// Devices have keys of the classes 0x21, 0x0A and 0x0C, which the managers change at this
  /// interval (0: never); CA ports have programmable congestion control, and all devices DCQCN.
  /// All devices support these features if `all_agents`, otherwise a part of them.
  bool class_keys = false, ppcc = false, dcqcn = false, all_agents = false;
  std::chrono::seconds key_period{0};
  bool has_agents() const { return class_keys || ppcc || dcqcn; }
  TimeNs vport_change{};  // virtual ports appear, disappear and move at this interval
  std::vector<ManagerPlan> managers;
  std::uint32_t clients = 0;
  std::chrono::milliseconds client_pause{5000};  // maximum between two requests
  std::vector<Fault> faults;                     // sorted by time
  TimeNs length{};                               // time until all faults are repaired
};

WorldPlan draw(std::uint64_t seed);
/// The plan of draw() with at least two managers that replicate, with more clients, and with more
/// failures of managers and of connections between managers.
WorldPlan draw_replicated(std::uint64_t seed);

/// The plan of draw() on a dragonfly+ with private tables.
WorldPlan draw_private(std::uint64_t seed);

/// The plan of draw() with virtual ports that require LIDs of their own, class keys, programmable
/// congestion control and DCQCN, each in most plans; with planes in more than half of the small
/// fabrics, FNM rings in half of the fabrics with planes and without corrupted answers, and device
/// profiles in half of the plans without private tables on all switches.
WorldPlan draw_current(std::uint64_t seed);

/// An ordinary cluster over many hours: cables flap, hosts reboot frequently and switches
/// sometimes, the two managers are killed and restarted, and clients send requests. All cables,
/// nodes and managers return after a limited time.
WorldPlan draw_churn(std::uint64_t seed, std::string spec, TimeNs length);

/// Whether managers receive corrupted answers at some time.
bool has_corrupted_answers(const WorldPlan& plan);

/// Engines that a plan may use on the fabric with this spec.
std::vector<std::string> engines_for(std::string_view spec);

/// The spec of the fabric with its planes and FNM rings.
std::string whole_spec(const WorldPlan& plan);

/// Engines of adaptive routing that a plan may use on the fabric with this spec.
std::vector<std::string> adaptive_engines_for(std::string_view spec);

/// Removes what draw_features() and draw_current() added: planes, adaptive routing, virtual ports
/// and their LIDs, class keys, congestion control, tables of port states, SHARP, recovery and
/// devices.
void remove_features(WorldPlan& plan);
/// Selects dfp2 on switches with private tables: on all switches for two of three seeds, otherwise
/// on a part of the switches.
void use_private_tables(WorldPlan& plan);
/// Makes all devices one kind, without the features that remove_features() removes.
void make_uniform(WorldPlan& plan);
bool is_uniform(const WorldPlan& plan);

/// Readable text of several lines.
std::string describe(const WorldPlan& plan);

}  // namespace weft::simulation
