// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads which switches announce adaptive routing in GeneralInfo, and AdaptiveRoutingInfo of these
// switches.
#pragma once

#include <cstdint>
#include <deque>

#include "sm/adaptive/ar_memory.h"
#include "sm/devices/general_info.h"
#include "sm/discovery/smp_work.h"
#include "sm/observed.h"

namespace weft {

/// Which of the switches that may have GeneralInfo are queried.
enum class ArScope : std::uint8_t {
  kEach,
  kLikely,     // each switch with may_be_adaptive()
  kAllOrNone,  // as kLikely, until a switch does not announce adaptive routing, or a kind of
               // switches does not answer
};

/// Whether PortInfo of port 0 has the capabilities of switches with adaptive routing.
bool may_be_adaptive(const ObservedNode& sw);

/// Queries switches for GeneralInfo if it is not known. Queries AdaptiveRoutingInfo of switches
/// that announce adaptive routing each time, because a write of a plain table by any manager
/// disables adaptive routing on a switch. If a switch computes the group capacity for given
/// settings, queries the capacity after each change of the settings. If a switch also announces
/// private tables (pLFTs), queries PrivateLFTInfo each time.
class ArReading final : public SmpWork {
 public:
  /// The referenced objects must outlive this object.
  ArReading(const Observed& observed, AnnouncedCapabilities& announced, ArMemory& known,
            const ArConf& conf, ArScope scope);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

 private:
  enum class ArQuery : std::uint8_t { kDevice, kInfo, kCapacity, kPrivateInfo };
  struct Asked {
    ArQuery query{};
    std::uint32_t sw = 0;  // SwitchId
  };
  static std::uint64_t cookie_of(const Asked& asked) {
    return std::uint64_t{static_cast<std::uint8_t>(asked.query)} << 32 | asked.sw;
  }
  static Asked of_cookie(std::uint64_t cookie) {
    return {static_cast<ArQuery>(cookie >> 32), static_cast<std::uint32_t>(cookie)};
  }

  const NodeInfo& node(std::uint32_t sw) const { return observed_.nodes[sw].info; }
  void stop();
  void on_device(std::uint32_t sw, const DeviceCapabilities& announced);
  AdaptiveRoutingInfo settings_of(std::uint32_t sw) const;
  void on_info(std::uint32_t sw, const Smp& answer);
  void on_private_info(std::uint32_t sw, const Smp& answer);

  const Observed& observed_;
  const AnnouncedCapabilities& announced_;
  GeneralInfoQueries general_info_;
  ArMemory& known_;
  const ArConf& conf_;
  const ArScope scope_;
  std::deque<Asked> wanted_;
};

}  // namespace weft
