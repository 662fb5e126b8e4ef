// Congestion control as a state machine without threads or sleeping: after every heavy sweep it
// writes the administrator's settings to all switches, and to all ports of CAs settings and the
// table of delays, with a bounded number of MADs on the wire. What a device holds is not read: one
// that was switched on again between two sweeps looks like before.
//   CongestionManager cc(transport, clock, options);   cc.publish(snapshot);   cc.step();
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmp/gmp_client.h"
#include "gmp/options.h"
#include "sm/sweep_report.h"

namespace weft {

class CongestionManager {
 public:
  struct Counts {
    std::uint64_t sent = 0;      // MADs, without repetitions
    std::uint64_t answered = 0;  // with a good status
    std::uint64_t refused = 0;   // with another
    std::uint64_t silent = 0;    // no answer
  };

  CongestionManager(GmpTransport& transport, const Clock& clock, CongestionOptions options);

  /// Settings go to all of it; null: nobody gets anything, as from a manager that is not master.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  /// Other settings go to everybody at once.
  void set_options(CongestionOptions options);

  /// Takes in what has arrived and sends what there is room for; never waits.
  void step();
  /// When step() has something to do, if nothing comes before.
  TimeNs next_event() const;
  /// Every MAD is answered or given up.
  bool settled() const { return next_task_ == tasks_.size() && client_.outstanding() == 0; }
  const Counts& counts() const { return counts_; }

 private:
  struct Task {
    EndportId to;
    CongestionAttribute attribute{};
    std::uint32_t block = 0;  // of the table
  };

  void plan();
  Gmp request(const Task& task) const;
  void on_outcome(const GmpClient::Outcome& outcome);

  CongestionOptions options_;
  GmpClient client_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<Task> tasks_;  // a ticket is an index
  std::size_t next_task_ = 0;
  std::set<Guid> named_;  // ports that were said not to take their settings
  Counts counts_;
};

}  // namespace weft
