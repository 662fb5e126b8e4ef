// Carries a plan out, phase by phase, and keeps account: what a switch confirmed is what it is
// known to hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sm/diff.h"
#include "sm/held_tables.h"
#include "sm/smp_client.h"

namespace weft {

struct ApplyReport {
  std::array<std::uint64_t, kPhaseCount> done{};
  std::uint64_t failed = 0;           // refused or never answered
  std::vector<std::string> failures;  // the first kFailuresNamed of them
  std::uint64_t done_in(Phase phase) const { return done[static_cast<std::size_t>(phase)]; }
};

/// One failed node does not stop the rest. Answers to PortInfo go into `observed`, so that it stays
/// what the fabric is.
class Applying final : public SmpWork {
 public:
  static constexpr std::size_t kFailuresNamed = 20;

  Applying(const Plan& plan, Observed& observed, HeldTables& held, const Desired& desired,
           const SmOptions& options);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Smp& request) override;

  const ApplyReport& report() const { return report_; }

 private:
  void fill(Smp& request, Phase phase, const Op& op) const;
  const Op& op_of(std::uint64_t cookie) const;
  void count_failure(std::uint64_t cookie, const std::string& why);
  void on_answer(Phase phase, const Op& op, const Smp& answer);

  const Plan& plan_;
  Observed& observed_;
  HeldTables& held_;
  const Desired& desired_;
  const SmOptions& options_;
  std::size_t phase_ = 0;
  std::size_t at_ = 0;       // next op of the phase
  std::size_t on_wire_ = 0;  // of the phase
  ApplyReport report_;
};

}  // namespace weft
