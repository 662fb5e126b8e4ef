// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The light sweep. It reads SwitchInfo of every switch, for PortStateChange, and PortInfo of the
// manager's own port. It repeats the requests that failed in the last sweep. It may also read
// VirtualizationInfo of CA ports with virtual ports, send requests of other parts of the manager,
// and read the port states of switches with SwitchPortStateTable. After a change it sends no
// further requests: see Extent and watch_port_states().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sm/discovery/port_state_reading.h"
#include "sm/discovery/smp_client.h"
#include "sm/observed.h"
#include "sm/retry_pauses.h"

namespace weft {

class LightSweep final : public SmpWork {
 public:
  /// Whether to stop at the first change, or only at the first change that is not a port state
  /// change.
  enum class Extent { kFirstChange, kEverySwitch };
  explicit LightSweep(const Observed& observed, Extent extent = Extent::kFirstChange)
      : observed_(observed), extent_(extent) {}

  /// Skips repeated requests, and ignores a PortStateChange that could not be cleared, until their
  /// pauses end. `pauses` must outlive this object.
  void use_pauses(const RetryPauses& pauses, TimeNs now) {
    pauses_ = &pauses;
    now_ = now;
  }

  /// Also reads whether the states of virtual ports have changed.
  void watch_vports();
  /// Also sends the requests of `work`, unless the sweep has stopped before. Their cookies must be
  /// below 2^32. `work` must outlive this object.
  void add(SmpWork& work) { more_.push_back(&work); }
  /// Also reads SwitchPortStateTable of switches that announce it, unless the sweep has stopped
  /// before; once begun, all tables are read. `memory` must outlive this object.
  void watch_port_states(PortStateMemory& memory, TimeNs now) {
    port_states_.emplace(observed_, memory, now);
  }

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Description of the first change; empty if there is none.
  const std::string& change() const { return change_; }
  /// The first change that is not a port state change: the LinearFDBTop of a switch or the state or
  /// LID of the manager's own port changed, one of them does not answer, answers with an error
  /// status other than BUSY or with invalid PortInfo, or a repeated request is answered. Empty if
  /// there is none.
  const std::string& beyond_ports() const { return beyond_ports_; }
  /// Names, as in RetryPauses, of repeated requests that are answered, and of switches with a
  /// PortStateChange that could not be cleared.
  const std::vector<std::string>& answering() const { return answering_; }
  /// Switches that report a port state change; all such switches only with kEverySwitch.
  const std::vector<NodeId>& changed_switches() const { return changed_switches_; }
  /// GUIDs of CA ports that report a change of virtual ports.
  const std::vector<Guid>& changed_vports() const { return changed_vports_; }

 private:
  enum class Asked : std::uint8_t { kSwitch, kOwnPort, kSilent, kVports, kMore, kPortStates };
  bool is_due(const std::string& name) const {
    return pauses_ == nullptr || pauses_->is_due(name, now_);
  }
  void skip_requests_not_due();
  void on_switch(std::uint32_t node, const Smp& answer);
  void on_own_port(const Smp& answer);
  bool next_after_switches(Smp& request, std::uint64_t& cookie);
  bool next_more(Smp& request, std::uint64_t& cookie);
  bool next_vports(Smp& request, std::uint64_t& cookie);
  void on_port_states(std::uint32_t number, const Smp& answer);
  void on_vports(std::uint32_t index, const Smp& answer);
  void found(std::string change, bool beyond_ports = true);

  const Observed& observed_;
  const Extent extent_;
  const RetryPauses* pauses_ = nullptr;
  TimeNs now_{0};
  std::vector<std::string> answering_;
  std::size_t at_ = 0;  // index of the switches, then the own port, then the repeated requests
  std::string change_;
  std::string beyond_ports_;
  std::vector<NodeId> changed_switches_;
  std::vector<EndportId> virtualized_;  // CA ports to be queried
  std::size_t vports_asked_ = 0;
  std::vector<Guid> changed_vports_;
  std::vector<SmpWork*> more_;
  std::optional<PortStateReading> port_states_;
  bool reads_port_states_ = false;  // the first block of a port state table was requested
};

}  // namespace weft
