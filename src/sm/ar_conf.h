// ar_mgr.conf: what an administrator says of adaptive routing.
//   ENABLE: true
//   AR_MODE: bounded
//   SWITCH 0x0002c90000000100 { ENABLE: false; }
// Case matters; '#' begins a comment; a line or ';' ends a statement. Format: manual of MLNX_OFED,
// "ar_mgr".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ib/ids.h"
#include "routing/adaptive/options.h"

namespace weft {

struct ArSwitchConf {
  std::optional<bool> enable{};
  std::optional<std::uint32_t> ageing_time_us{};
  bool operator==(const ArSwitchConf&) const = default;
};

struct ArConf {
  bool enable = true;
  std::optional<ArAlgorithm> algorithm{};  // nothing: what suits the engine
  bool df_plus = false;                    // AR_ALGORITHM: DF_PLUS
  ArState mode = ArState::kBounded;
  std::uint32_t ageing_time_us = 30;
  std::uint32_t max_errors = 10;     // more than these
  std::uint32_t error_window_s = 5;  // within so long end the cycle; 0: they do not
  std::string log_file{};            // empty: none
  std::uint32_t log_size_mb = 5;     // at which it begins anew; 0: never
  std::map<Guid, ArSwitchConf> switches{};
  bool operator==(const ArConf&) const = default;

  bool enabled_at(Guid sw) const {
    const auto own = switches.find(sw);
    return enable && (own == switches.end() || own->second.enable.value_or(true));
  }
  std::uint32_t ageing_time_at(Guid sw) const {
    const auto own = switches.find(sw);
    return own == switches.end() ? ageing_time_us
                                 : own->second.ageing_time_us.value_or(ageing_time_us);
  }
};

/// Fails with kBadInput at the first line that is wrong: file, line, what was found and what is
/// wanted.
Result<ArConf> parse_ar_conf(LineReader reader);
/// As above; fails with kEnvironment where the file cannot be read.
Result<ArConf> read_ar_conf(const std::string& path);

/// What of it changes routes.
AdaptiveOptions routing_part(const ArConf& conf);

}  // namespace weft
