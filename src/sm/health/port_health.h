// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The record of unhealthy ports: counts findings at each port, and decides which ports are
// unhealthy. A port is identified by the end of its cable nearer to the manager, because the
// identity of a node that does not answer is unknown. This class sends no SMPs and reads no clock.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "sm/health/avoided_links.h"
#include "sm/health/health_options.h"

namespace weft {

/// A port, and the end of its cable nearer to the manager.
struct HealthPort {
  CableEnd near;           // end of the cable at the nearer switch
  CableEnd far;            // the port itself; GUID 0: it has not answered yet
  bool is_switch = false;  // the node of the port is a switch
  std::string name;        // name of the node; empty: unknown
  std::string near_name;   // name of the nearer switch
  bool operator==(const HealthPort&) const = default;
};

struct UnhealthyPort {
  HealthPort port;
  std::set<HealthCondition> conditions;
  HealthAction action = HealthAction::kReport;
  TimeNs since{0};  // when the first condition applied, on the manager's clock
  bool operator==(const UnhealthyPort&) const = default;
};

/// A port that became unhealthy, or healthy again.
struct HealthChange {
  UnhealthyPort port;  // current state, or the state before it became healthy
  bool is_unhealthy = false;
  std::string why;  // "flapping", "marked as healthy"
  bool operator==(const HealthChange&) const = default;
};

class PortHealth {
 public:
  using Finding = std::pair<HealthCondition, HealthPort>;

  /// Sets the options, and applies new marks. If `checks` is off, all ports are healthy.
  void configure(const HealthOptions& options, TimeNs now);
  /// Ends of links that marks of the file name, but that have not been found yet. Marks apply once,
  /// and again when the file changes; marks of healthy ports apply at once.
  const std::vector<CableEnd>& awaited_marks() const { return awaited_; }
  /// Marks the port as unhealthy, unless the action on marked ports is kIgnore; `named` is the end
  /// of the cable that the mark names.
  void mark_unhealthy(const HealthPort& port, const CableEnd& named, TimeNs now);

  /// Records a finding of kReboot, kNoisy or kIllegal.
  void note(const Finding& finding, TimeNs now);
  /// Kind of a sweep: a light sweep writes no settings, so it has no findings of kSetErr.
  enum class Sweep : std::uint8_t { kLight, kFull };
  /// Records the findings of a sweep: kFlapping, kUnresponsive and kSetErr, at most one of each for
  /// a port.
  void end_sweep(const std::vector<Finding>& findings, Sweep kind, TimeNs now);

  /// Records a condition that a switch reports at its own port `at`; nullopt: no condition. `port`
  /// is the port that counts as unhealthy. Of each port the last report counts.
  void report(const CableEnd& at, const HealthPort& port,
              const std::optional<HealthCondition>& condition, TimeNs now);
  using Reports = std::map<CableEnd, std::pair<CableEnd, HealthCondition>>;
  /// Reported conditions with the near end of the cable, by port of the switch.
  const Reports& reports() const { return reports_; }
  /// Removes the reports of switches that are not in the fabric.
  void forget_absent(const std::function<bool(Guid)>& is_present);

  /// Marks the port as healthy and resets its counts. `end` is either end of its cable. False if
  /// the port was not unhealthy.
  bool mark_healthy(const CableEnd& end);

  using Ports = std::map<CableEnd, UnhealthyPort>;  // by near end
  const Ports& unhealthy() const { return unhealthy_; }
  AvoidedLinks avoided() const;
  bool is_on() const { return options_.checks; }
  bool has_changes() const { return !changes_.empty(); }
  std::vector<HealthChange> take_changes() { return std::exchange(changes_, {}); }

 private:
  static constexpr std::size_t kPortsMax = 65536;  // ports with counts
  using Key = std::pair<CableEnd, HealthCondition>;
  struct Window {
    std::uint32_t sweeps = 0;  // bit 0: the last sweep
    HealthPort port;
  };

  const SweepLimit& sweep_limit(HealthCondition condition) const;
  void add_mark(const HealthMark& mark);
  void found(const Finding& finding, TimeNs now);
  void forget_counts(const CableEnd& near);
  void make_healthy(Ports::iterator port, std::string why);
  void settle(TimeNs now);
  bool holds(const CableEnd& near, HealthCondition condition, TimeNs now) const;
  HealthAction strongest(const UnhealthyPort& port) const;

  HealthOptions options_;
  Ports unhealthy_;
  std::map<Key, std::deque<TimeNs>> times_;  // times of kReboot and kNoisy
  struct Illegal {
    unsigned count = 0;
    TimeNs last{0};
  };
  std::map<CableEnd, Illegal> illegal_;
  std::vector<CableEnd> awaited_;  // see awaited_marks()
  std::map<Key, Window> windows_;
  Reports reports_;
  std::vector<HealthChange> changes_;
};

/// A port as text: "'leaf' (0x1) port 3, cabled to 'host' (0x2) port 1".
std::string describe(const HealthPort& port);

}  // namespace weft
