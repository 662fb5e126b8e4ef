// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configures the programmable congestion control of one CA port that announces it: generates the
// requests, one after another, and handles the answers.
// First the algorithms of the port and the configuration of their slots are read. Then SLs that the
// policy does not have are removed from slots, slots of the policy receive their parameters and are
// enabled, and other slots are disabled. Only values that differ are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ib/gmp.h"
#include "ib/gmps/ppcc.h"
#include "policy/congestion_policy.h"

namespace weft {

class PpccPort {
 public:
  /// `wanted` and `algorithms` must outlive this object. All slots are disabled if `wanted` is
  /// null.
  PpccPort(const std::vector<CongestionSetting>* wanted, const CongestionAlgorithms& algorithms)
      : wanted_(wanted), algorithms_(algorithms) {}

  bool is_done() const { return is_done_; }
  /// Sets method, attribute, modifier and data of the next request; not to be called if is_done().
  void write(Gmp& request) const;
  /// Handles an answer with good status. Fails if a Set was not applied.
  Status take(const Gmp& answer);

  /// Slots that are configured as in the policy; 0 before is_done().
  std::uint64_t enabled() const;
  /// Sets that an answer confirmed.
  std::uint64_t written() const { return written_; }
  /// Text about algorithms of the policy that the port lacks; empty if there are none.
  const std::string& missing() const { return missing_; }

 private:
  enum class Step : std::uint8_t { kList, kRead, kRemoveSls, kReadValues, kWriteValues, kEnable };
  struct Slot {
    PpccAlgorithmId algorithm;
    PpccConfig held;                             // as read
    const CongestionSetting* wanted = nullptr;   // null: disabled
    std::optional<PpccParameters> parameters{};  // as read
  };
  void seek();
  bool needs() const;
  void take_list(const PpccConfig& config);
  Status take_config(const PpccConfig& config);
  Status take_values(const PpccParameters& parameters);

  const std::vector<CongestionSetting>* wanted_;
  const CongestionAlgorithms& algorithms_;
  Step step_ = Step::kList;
  std::uint32_t slot_ = 0;
  std::vector<Slot> slots_;
  bool is_done_ = false;
  std::uint64_t written_ = 0;
  std::string missing_;
};

}  // namespace weft
