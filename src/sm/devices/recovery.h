// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sets fast recovery and port recovery policies in switches, as fast_recovery_enabled and
// port_recovery_policy_enabled require. A switch is queried for its capabilities once. The settings
// of announced capabilities are read in each heavy sweep, and written if they differ.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "ib/vendor/device_capabilities.h"
#include "sm/device_pauses.h"
#include "sm/devices/answering_kinds.h"
#include "sm/discovery/smp_work.h"
#include "sm/observed.h"
#include "sm/options.h"

namespace weft {

/// Kept from sweep to sweep.
struct RecoveryMemory {
  std::map<Guid, DeviceCapabilities> devices;  // by node GUID: what switches announce
  AnsweringKinds kinds;
  DevicePauses pauses;  // of switches that did not accept a setting
};

struct RecoveryReport {
  std::uint64_t capable = 0;  // switches with a setting
  std::uint64_t written = 0;  // settings
  std::vector<std::string> failures;
};

class RecoveryProgramming final : public SmpWork {
 public:
  /// References must outlive this.
  RecoveryProgramming(const Observed& observed, const SmOptions& options, RecoveryMemory& memory,
                      TimeNs now, RecoveryReport& report);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// No switch is to be queried.
  bool is_empty() const { return queries_.empty(); }

 private:
  enum class Kind : std::uint8_t { kCapabilities, kRead, kWrite };
  struct Query {
    Kind kind{};
    std::uint8_t setting = 0;  // number in the table of settings
    std::uint32_t sw = 0;      // SwitchId
  };
  const NodeInfo& node(std::uint32_t sw) const { return observed_.nodes[sw].info; }
  bool may_be_asked(std::uint32_t sw) const;
  bool applies(std::uint8_t setting, std::uint32_t sw) const;
  bool any_applies(std::uint32_t sw) const;
  void read_from(std::uint8_t setting, std::uint32_t sw);
  SmpData wanted(std::uint8_t setting, std::uint32_t sw, const SmpData& read) const;
  void on_setting(const Query& query, const Smp& answer);
  void on_failure(const Query& query, const std::string& why);

  const Observed& observed_;
  const SmOptions& options_;
  RecoveryMemory& memory_;
  const TimeNs now_;
  RecoveryReport& report_;
  std::map<std::uint32_t, SmpData> writes_;  // by SwitchId: each has one request at a time
  std::deque<Query> queries_;
};

}  // namespace weft
