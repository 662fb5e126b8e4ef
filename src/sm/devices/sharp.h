// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Enables or disables SHARP in the switches for which sharp_enabled or device_configuration_file
// says so. A switch is asked for its capabilities first, once; only one that announces SHARP gets
// further requests. Its setting is read in each heavy sweep, and written if it differs.
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
struct SharpMemory {
  std::map<Guid, bool> capable;  // by node GUID: whether a switch announces SHARP
  AnsweringKinds kinds;
  DevicePauses pauses;  // of switches with a failed ExtendedPortInfo
};

struct SharpReport {
  std::uint64_t capable = 0;  // of the switches with a setting
  std::uint64_t enabled = 0;
  std::uint64_t written = 0;
  std::vector<std::string> failures;
};

class SharpProgramming final : public SmpWork {
 public:
  /// References must outlive this.
  SharpProgramming(const Observed& observed, const SmOptions& options, SharpMemory& memory,
                   TimeNs now, SharpReport& report);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Nothing is to be asked.
  bool is_empty() const { return queries_.empty(); }

 private:
  enum class Kind : std::uint8_t { kCapabilities, kRead, kWrite };
  struct Query {
    Kind kind{};
    std::uint32_t sw = 0;  // SwitchId
  };
  const NodeInfo& node(std::uint32_t sw) const { return observed_.nodes[sw].info; }
  void on_setting(const Query& query, const Smp& answer);
  void on_failure(const Query& query, const std::string& why);

  const Observed& observed_;
  SharpMemory& memory_;
  const TimeNs now_;
  SharpReport& report_;
  std::map<std::uint32_t, bool> wanted_;     // by SwitchId
  std::map<std::uint32_t, SmpData> writes_;  // ExtendedPortInfo by SwitchId
  std::deque<Query> queries_;
};

}  // namespace weft
