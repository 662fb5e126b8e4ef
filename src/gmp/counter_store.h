// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Totals of all ports in 64 bits, whatever the width of the hardware counters: the values of the
// first reading, or 0 after clear_totals(), plus all increases since. A reading adds its difference
// to the previous reading; if a counter has decreased, it was cleared or restarted and counts from
// zero, so that differences are never negative.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "ib/ids.h"
#include "ib/performance.h"

namespace weft {

struct PortTally {
  CounterValues total{};
  CounterValues previous{};     // values of the last reading
  CounterValues recent{};       // increase since the last mark_written()
  std::time_t since = 0;        // start of the time that `recent` covers; 0: unknown
  std::time_t last_reset = 0;   // time of the first reading or of the last clear_totals()
  std::time_t errors_read = 0;  // time of the last reading of CounterGroup::kErrors
  std::time_t data_read = 0;    // time of the last reading of CounterGroup::kData
  bool unwritten = true;        // a value of the port has changed since the last mark_written()
  bool operator==(const PortTally&) const = default;
};

struct NodeTally {
  std::string name;
  bool active = true;
  std::map<PortNum, PortTally> ports;
  bool operator==(const NodeTally&) const = default;
};

/// The group of counters of a reading.
enum class CounterGroup { kErrors, kData };

constexpr bool is_in(Counter counter, CounterGroup group) {
  return counts_errors(counter) == (group == CounterGroup::kErrors);
}

class CounterStore {
 public:
  /// Increase since the previous reading, and whether any counter decreased.
  struct Change {
    CounterValues delta{};
    bool has_decreased = false;
  };

  /// Records that the node is active and has this name.
  void set_active(Guid node, const std::string& name);
  /// Adds a reading of the counters of `group` and returns the increases. The first reading of a
  /// port counts from 0.
  Change take(Guid node, PortNum port, const CounterValues& read, CounterGroup group,
              std::time_t now);
  /// To be called when the hardware counters of the group were set to 0.
  void record_clear(Guid node, PortNum port, CounterGroup group);

  /// Whether the port was read or restored before.
  bool has(Guid node, PortNum port) const;
  void forget(Guid node) { nodes_.erase(node); }
  void set_inactive(Guid node) { nodes_[node].active = false; }
  /// Drops the inactive nodes and returns their number.
  std::size_t forget_inactive();
  /// Sets the totals to 0, and the times of the last reset and readings to `now`; the hardware
  /// counters are unchanged.
  void clear_totals(std::time_t now);

  const std::map<Guid, NodeTally>& nodes() const { return nodes_; }
  /// Restores a node from the database.
  void restore(Guid node, NodeTally tally) { nodes_[node] = std::move(tally); }
  /// Marks everything as written to the database.
  void mark_written();

 private:
  std::map<Guid, NodeTally> nodes_;
};

}  // namespace weft
