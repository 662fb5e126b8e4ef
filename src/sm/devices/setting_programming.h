// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Programs vendor-specific settings of switches. The capabilities of a switch are queried first.
// Each heavy sweep reads the settings that the switch announces, and writes settings that differ.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sm/devices/general_info.h"
#include "sm/discovery/smp_work.h"
#include "sm/observed.h"
#include "sm/pauses.h"

namespace weft {

/// A list of settings. The index of a setting is its place in the order of the requests.
class VendorSettings {
 public:
  virtual ~VendorSettings() = default;

  struct Address {
    AttributeId attribute{};
    std::uint32_t modifier = 0;
  };
  virtual std::uint8_t count() const = 0;
  virtual Address address(std::uint8_t setting) const = 0;
  /// Whether a setting is configured for a switch (SwitchId), so that its capabilities are queried.
  virtual bool concerns(std::uint32_t sw) const = 0;
  /// Whether a setting is configured, the switch announces it, and the switch has ports for it.
  virtual bool applies(std::uint8_t setting, std::uint32_t sw,
                       const DeviceCapabilities& announced) const = 0;
  /// Called with the attribute that was read, before wanted().
  virtual void note_read(std::uint8_t, std::uint32_t, const SmpData&) {}
  /// The attribute with the configured setting; other fields have the values that were read.
  virtual SmpData wanted(std::uint8_t setting, std::uint32_t sw, const SmpData& read) const = 0;
  /// Called when the switch has the configured setting.
  virtual void confirmed(std::uint8_t, std::uint32_t) {}
  /// The message about a switch that did not accept the setting.
  virtual std::string shortcoming(std::uint8_t setting, std::uint32_t sw) const = 0;
};

struct SettingReport {
  std::uint64_t capable = 0;  // number of switches with a setting that applies
  std::uint64_t written = 0;  // number of settings written and confirmed
  std::vector<std::string> failures;
};

class SettingProgramming final : public SmpWork {
 public:
  /// `pauses`: pauses of switches that did not accept a setting. The referenced objects must
  /// outlive this object.
  SettingProgramming(const Observed& observed, VendorSettings& settings,
                     AnnouncedCapabilities& announced, DevicePauses& pauses, TimeNs now,
                     SettingReport& report);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Whether no queries are left to send.
  bool is_empty() const { return general_info_.is_empty() && queries_.empty(); }

 private:
  enum class Kind : std::uint8_t { kCapabilities, kRead, kWrite };
  struct Query {
    Kind kind{};
    std::uint8_t setting = 0;
    std::uint32_t sw = 0;  // SwitchId
  };
  static std::uint64_t cookie_of(const Query& query);
  static Query of_cookie(std::uint64_t cookie);

  const NodeInfo& node(std::uint32_t sw) const { return observed_.nodes[sw].info; }
  std::uint8_t first_from(std::uint8_t setting, std::uint32_t sw) const;
  void begin(std::uint32_t sw);
  void read_from(std::uint8_t setting, std::uint32_t sw);
  void on_setting(const Query& query, const Smp& answer);
  void on_failure(const Query& query, const std::string& why);

  const Observed& observed_;
  VendorSettings& settings_;
  const AnnouncedCapabilities& announced_;
  GeneralInfoQueries general_info_;
  DevicePauses& pauses_;
  const TimeNs now_;
  SettingReport& report_;
  std::map<std::uint32_t, SmpData> writes_;  // by SwitchId; a switch has one request at a time
  std::deque<Query> queries_;
};

}  // namespace weft
