// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configures the programmable congestion control of CA ports according to a policy. PpccWork
// generates the requests and handles their outcomes; the owner of the object sends the requests,
// with the key of the port.
//   work.begin(snapshot, policy, now);
//   while (work.next(request, ticket)) ...;   work.on_outcome(ticket, answer);
// First the capabilities of a port are queried, unless an earlier round received them. If the port
// announces programmable congestion control, its algorithms and the configuration of their slots
// are read. Then SLs that the policy does not have are removed from slots, slots of the policy
// receive their parameters and are enabled, and other slots are disabled. Only values that differ
// are written. A port receives no more requests in this round after an error, or after three
// requests without an answer; after one, if it is the request for the capabilities. Then, if no
// port of the same kind of device has answered before, no port of this kind is queried during a
// pause.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ib/gmp.h"
#include "ib/gmps/ppcc.h"
#include "policy/congestion_policy.h"
#include "sm/devices/answering_kinds.h"
#include "sm/pauses.h"
#include "sm/sweep_report.h"

namespace weft {

class PpccWork {
 public:
  static constexpr unsigned kTimeoutsMax = 3;

  /// Begins a round over all CA ports. There is no work if `snapshot` is null, or with
  /// CongestionUse::kIgnore.
  void begin(std::shared_ptr<const Snapshot> snapshot, const CongestionPolicy& policy, TimeNs now);

  /// Returns the next request and its ticket; false if no request is to be sent now.
  bool next(Gmp& request, std::uint64_t& ticket);
  /// Handles the outcome of the request with this ticket.
  void on_outcome(std::uint64_t ticket, const std::optional<Gmp>& answer);
  /// True if no request is outstanding or waiting.
  bool is_done() const { return outstanding_ == 0 && waiting_.empty(); }
  Guid port_of(std::uint64_t ticket) const { return devices_[ticket].port; }

  struct Counts {
    std::uint64_t ports = 0;    // ports of this round that announce the feature
    std::uint64_t enabled = 0;  // pairs of port and algorithm configured as in the policy
    std::uint64_t written = 0;  // Sets that an answer confirmed
    std::uint64_t failed = 0;   // ports with an error
    bool operator==(const Counts&) const = default;
  };
  const Counts& counts() const { return counts_; }
  /// Confirmed Sets of all rounds, including rounds that another begin() ended.
  std::uint64_t changes() const { return earlier_changes_ + counts_.written; }

 private:
  enum class Step : std::uint8_t {
    kCapabilities,
    kList,
    kRead,
    kRemoveSls,
    kReadValues,
    kWriteValues,
    kEnable
  };
  struct Slot {
    PpccAlgorithmId algorithm;
    PpccConfig held;                             // as read
    const CongestionSetting* wanted = nullptr;   // null: disabled
    std::optional<PpccParameters> parameters{};  // as read
  };
  struct Device {
    EndportId at{};
    Guid port{};
    Step step = Step::kCapabilities;
    std::uint32_t slot = 0;
    unsigned timeouts = 0;
    std::vector<Slot> slots{};
  };
  void add(EndportId at);
  void seek(std::uint32_t index);
  bool needs(const Device& device) const;
  void write(const Device& device, Gmp& request) const;
  void on_support(std::uint32_t index, const std::optional<Gmp>& answer);
  void take(Device& device, const Gmp& answer);
  void take_list(Device& device, const PpccConfig& config);
  void take_config(Device& device, const PpccConfig& config);
  void take_parameters(Device& device, const PpccParameters& parameters);
  void fail(Device& device, const std::string& why);
  void log_once(const Device& device, const std::string& why);
  const NodeInfo& node_of(const Device& device) const;

  std::shared_ptr<const Snapshot> snapshot_;
  CongestionPolicy policy_;
  std::map<PortId, std::vector<CongestionSetting>> wanted_;
  TimeNs now_{0};                      // start of the round
  std::vector<Device> devices_;        // the ticket of a request is an index into devices_
  std::deque<std::uint32_t> waiting_;  // indexes into devices_
  std::size_t outstanding_ = 0;
  std::map<Guid, bool> supports_;  // by port; only ports that answered
  AnsweringKinds kinds_;
  DevicePauses silent_;                 // ports without an answer about their capabilities
  std::map<Guid, std::string> logged_;  // the last logged failure of a port
  Counts counts_;
  std::uint64_t earlier_changes_ = 0;  // of the rounds before the current one
};

}  // namespace weft
