// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Congestion control as a state machine without threads or sleeping. At publish(), to be called
// after every heavy sweep and incremental discovery, and when the options or the version of the
// keys change, it sends MADs in three steps, with a bounded number of MADs on the wire. It first
// sets the class keys. With congestion_control, it then writes the configured settings to all
// switches, and settings and congestion control table to all CA ports. It does not read these
// settings, so it does not detect the restart of a device between two sweeps. The last step is
// programmable congestion control and DCQCN.
//   CongestionManager cc(transport, clock, options);   cc.publish(snapshot);   cc.step();
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmp/class_key_manager.h"
#include "gmp/class_key_work.h"
#include "gmp/congestion_meter.h"
#include "gmp/gmp_client.h"
#include "gmp/options.h"
#include "gmp/vendor_congestion_work.h"
#include "sm/sweep_report.h"

namespace weft {

class CongestionManager {
 public:
  /// `meter` receives the counts, and may be read by other threads.
  CongestionManager(GmpTransport& transport, const Clock& clock, CongestionOptions options,
                    std::shared_ptr<CongestionMeter> meter = std::make_shared<CongestionMeter>());

  /// Sets the subnet and sends the settings to all its devices. Null means that the manager is not
  /// master; then no settings are sent.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  /// If the options differ from the current options, sends all settings to all devices again,
  /// without waiting for a sweep.
  void set_options(CongestionOptions options);

  /// Processes received MADs and sends requests up to the limit; does not wait for answers. Writes
  /// the key file at the end of a round of keys.
  void step();
  /// Time of the next step() if nothing is received before.
  TimeNs next_event() const;
  /// True if all requests were sent, and each was answered or has failed.
  bool settled() const {
    return key_work_.is_done() && next_task_ == tasks_.size() && vendor_.is_done() &&
           client_.outstanding() == 0;
  }
  const ClassKeyWork& keys() const { return key_work_; }
  const CongestionMeter& counts() const { return *meter_; }
  const VendorCongestionWork::Counts& ppcc_counts() const { return vendor_.ppcc_counts(); }
  const VendorCongestionWork::Counts& dcqcn_counts() const { return vendor_.dcqcn_counts(); }

 private:
  struct Task {
    EndportId to;
    CongestionAttribute attribute{};
    std::uint32_t block = 0;  // block of the table
  };

  void plan();
  void step_keys();
  void step_vendor();
  void end_vendor_round();
  void set_key(Gmp& request, Guid port) const;
  Gmp request(const Task& task) const;
  void on_outcome(const GmpClient::Outcome& outcome);

  const Clock& clock_;
  CongestionOptions options_;
  GmpClient client_;
  ClassKeyWork key_work_{KeyedClass::kCongestion};
  ClassKeyFile key_file_;
  KeyVersion key_version_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<Task> tasks_;  // the ticket of a request is an index into tasks_
  std::size_t next_task_ = 0;
  VendorCongestionWork vendor_;
  bool is_vendor_round_ = false;  // the end of the round is not counted yet
  std::set<Guid> logged_;         // ports with a logged failure
  const std::shared_ptr<CongestionMeter> meter_;
};

}  // namespace weft
