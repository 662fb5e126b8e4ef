// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sets vendor-specific settings of switches. The capabilities of a switch are queried first, once.
// Of the settings that it announces, each is read in each heavy sweep, and written if it differs.
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

/// Settings that belong together, by number in the order of their requests.
class VendorSettings {
 public:
  virtual ~VendorSettings() = default;

  struct Address {
    AttributeId attribute{};
    std::uint32_t modifier = 0;
  };
  virtual std::uint8_t count() const = 0;
  virtual Address address(std::uint8_t setting) const = 0;
  /// Whether anything is configured for a switch (by SwitchId): its capabilities are needed then.
  virtual bool concerns(std::uint32_t sw) const = 0;
  /// Whether a setting is configured, announced by the switch, and for ports that the switch has.
  virtual bool applies(std::uint8_t setting, std::uint32_t sw,
                       const DeviceCapabilities& announced) const = 0;
  /// The attribute with the setting as configured; other fields are those that were read.
  virtual SmpData wanted(std::uint8_t setting, std::uint32_t sw, const SmpData& read) const = 0;
  /// The switch has the setting as wanted.
  virtual void confirmed(std::uint8_t, std::uint32_t) {}
  /// The message about a switch that did not take the setting.
  virtual std::string shortcoming(std::uint8_t setting, std::uint32_t sw) const = 0;
};

struct SettingReport {
  std::uint64_t capable = 0;  // switches with a setting
  std::uint64_t written = 0;  // settings
  std::vector<std::string> failures;
};

class SettingProgramming final : public SmpWork {
 public:
  /// `pauses`: of switches that did not take a setting. All must outlive this.
  SettingProgramming(const Observed& observed, VendorSettings& settings,
                     AnnouncedCapabilities& announced, DevicePauses& pauses, TimeNs now,
                     SettingReport& report);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// No queries are left.
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
  std::map<std::uint32_t, SmpData> writes_;  // by SwitchId: each has one request at a time
  std::deque<Query> queries_;
};

}  // namespace weft
