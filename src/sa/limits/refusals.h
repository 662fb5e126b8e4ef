// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests that are refused because of limits or access rules, counted by reason. The log has at
// most one message per reason and minute, so that a misbehaving or hostile port cannot fill it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/token_bucket.h"
#include "ib/ids.h"

namespace weft::sa {

enum class Refusal : std::uint8_t {
  kWrongKey,
  kSourceGid,
  kRate,
  kTrust,
  kPartition,
  kAlias,
  kAliasTaken,
  kGroups,
  kMlids,
  kServices,
  kSubscriptions,
  kRmppRequests,
  kTenantGuid,
  kTenantGroups,
};
inline constexpr std::size_t kRefusalKinds = 14;
/// The name of a reason in the metrics.
std::string_view name(Refusal why);

class Refusals {
 public:
  static constexpr TimeNs kLogInterval = std::chrono::minutes(1);

  /// Counts a refusal, and logs it unless a message of this kind was logged in the last minute.
  /// `port` and `lid` belong to the requester.
  void count(Refusal why, Guid port, Lid lid, TimeNs now);
  std::uint64_t of(Refusal why) const { return kinds_[static_cast<std::size_t>(why)].count; }
  std::uint64_t logged() const { return logged_; }

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::uint64_t count_logged = 0;  // value of `count` at the last message
    TokenBucket messages{1, kLogInterval};
  };
  std::array<Kind, kRefusalKinds> kinds_;
  std::uint64_t logged_ = 0;  // messages so far
};

}  // namespace weft::sa
