// Counters of all ports since they were first read or cleared: 64 bits, whatever the width of what
// the hardware has. A reading is the difference to the one before; a counter that went back was
// cleared or began anew, and counts from zero, so that no difference is ever negative.
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
  CounterValues previous{};  // as last read
  CounterValues recent{};    // counted since written()
  std::time_t last_reset = 0;
  std::time_t errors_read = 0;
  std::time_t data_read = 0;
  bool unwritten = true;  // something differs from what was last written down
  bool operator==(const PortTally&) const = default;
};

struct NodeTally {
  std::string name;
  bool active = true;
  std::map<PortNum, PortTally> ports;
  bool operator==(const NodeTally&) const = default;
};

/// Which half of the counters a reading is about.
enum class CounterGroup { kErrors, kData };

constexpr bool is_in(Counter counter, CounterGroup group) {
  return counts_errors(counter) == (group == CounterGroup::kErrors);
}

class CounterStore {
 public:
  /// What a reading added, and whether a counter was found below what it had been.
  struct Change {
    CounterValues delta{};
    bool went_back = false;
  };

  /// The node is there, under this name.
  void see(Guid node, const std::string& name);
  Change take(Guid node, PortNum port, const CounterValues& read, CounterGroup group,
              std::time_t now);
  /// The hardware's counters of the group were set to 0.
  void cleared(Guid node, PortNum port, CounterGroup group);

  /// The port has been read before.
  bool has(Guid node, PortNum port) const;
  void forget(Guid node) { nodes_.erase(node); }
  void set_inactive(Guid node) { nodes_[node].active = false; }
  std::size_t forget_inactive();
  /// Totals begin anew; the hardware's counters stay.
  void clear_totals(std::time_t now);

  const std::map<Guid, NodeTally>& nodes() const { return nodes_; }
  /// Puts back what a database kept.
  void restore(Guid node, NodeTally tally) { nodes_[node] = std::move(tally); }
  /// All of it is in the database now.
  void written();

 private:
  std::map<Guid, NodeTally> nodes_;
};

}  // namespace weft
