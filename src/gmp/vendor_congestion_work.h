// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configures the vendor-specific congestion control of devices according to a policy: programmable
// congestion control (PPCC) of CA ports, and DCQCN of CA ports and switches. VendorCongestionWork
// generates the requests and handles their outcomes; the owner of the object sends the requests,
// with the key of the port.
//   work.begin(snapshot, policy, now);
//   while (work.next(request, ticket)) ...;   work.on_outcome(ticket, answer);
// First the capabilities of a port are queried, unless an earlier round received them (AgentRound
// states when ports without an answer are queried again). Switches are queried only if the policy
// configures their DCQCN. Then each feature that the port announces is configured, one after
// another. If the port refuses a request of a feature, the feature gets no more requests in this
// round; after three requests without an answer the port gets none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmp/devices/agent_round.h"
#include "gmp/devices/dcqcn_device.h"
#include "gmp/devices/ppcc_port.h"
#include "ib/gmp.h"
#include "ib/gmps/ppcc.h"
#include "policy/congestion_policy.h"
#include "sm/sweep_report.h"

namespace weft {

class VendorCongestionWork {
 public:
  static constexpr unsigned kTimeoutsMax = 3;

  /// Begins a round over all devices. There is no work if `snapshot` is null, or with
  /// CongestionUse::kIgnore.
  void begin(std::shared_ptr<const Snapshot> snapshot, const CongestionPolicy& policy, TimeNs now);

  /// Returns the next request and its ticket; false if no request is to be sent now.
  bool next(Gmp& request, std::uint64_t& ticket);
  /// Handles the outcome of the request with this ticket.
  void on_outcome(std::uint64_t ticket, const std::optional<Gmp>& answer);
  /// True if no request is outstanding or waiting.
  bool is_done() const { return round_.is_done(); }
  Guid port_of(std::uint64_t ticket) const {
    return round_.port(static_cast<std::uint32_t>(ticket));
  }

  /// Counts of one feature.
  struct Counts {
    /// Ports of this round that announce the feature; DCQCN: which the policy also configures.
    std::uint64_t ports = 0;
    /// PPCC: pairs of port and algorithm configured as in the policy. DCQCN: CA ports and switches
    /// configured as in the policy.
    std::uint64_t enabled = 0;
    std::uint64_t written = 0;  // Sets that an answer confirmed
    std::uint64_t failed = 0;   // ports with an error
    bool operator==(const Counts&) const = default;
  };
  const Counts& ppcc_counts() const { return ppcc_counts_; }
  const Counts& dcqcn_counts() const { return dcqcn_counts_; }
  /// Confirmed Sets of all rounds, including rounds that another begin() ended.
  std::uint64_t ppcc_changes() const { return earlier_ppcc_changes_ + ppcc_counts_.written; }
  std::uint64_t dcqcn_changes() const { return earlier_dcqcn_changes_ + dcqcn_counts_.written; }

 private:
  struct Device {
    bool is_known = false;  // the capabilities were received
    unsigned timeouts = 0;
    std::optional<PpccPort> ppcc{};  // none: not announced, or ended; also for DCQCN
    std::optional<DcqcnDevice> dcqcn{};
  };
  void add(EndportId at);
  void on_capabilities(std::uint32_t index, const Gmp& answer);
  void start(std::uint32_t index, const EnhancedCongestionInfo& announced);
  void go_on(std::uint32_t index);
  Status take_ppcc(std::uint32_t index, const Gmp& answer);
  Status take_dcqcn(std::uint32_t index, const Gmp& answer);
  bool states_planes(EndportId ca) const;
  void fail_feature(std::uint32_t index, const std::string& why);

  AgentRound round_;
  CongestionPolicy policy_;
  std::map<PortId, std::vector<CongestionSetting>> wanted_ppcc_;
  std::map<EndportId, DcqcnSettings> wanted_dcqcn_;
  std::vector<Device> devices_;  // by index in round_, which is the ticket of a request
  std::map<Guid, EnhancedCongestionInfo> announced_;  // by port; only ports that answered
  Counts ppcc_counts_, dcqcn_counts_;
  std::uint64_t earlier_ppcc_changes_ = 0;  // of the rounds before the current one
  std::uint64_t earlier_dcqcn_changes_ = 0;
};

}  // namespace weft
