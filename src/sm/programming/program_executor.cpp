// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/program_executor.h"

#include "base/check.h"

namespace weft {
namespace {

constexpr unsigned kStepShift = 62;
constexpr unsigned kRoundShift = 36;
constexpr std::uint64_t kRoundMask = (std::uint64_t{1} << (kStepShift - kRoundShift)) - 1;
constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kRoundShift) - 1;
static_assert(ProgramExecutor::kStepsMax == 1u << (64 - kStepShift));

std::uint64_t cookie_of(const ProgramRequest& request) {
  return std::uint64_t{request.step} << kStepShift | std::uint64_t{request.round} << kRoundShift |
         request.index;
}

ProgramRequest program_request_of(std::uint64_t cookie) {
  return {cookie >> kRoundShift & kRoundMask, cookie & kIndexMask,
          static_cast<unsigned>(cookie >> kStepShift)};
}

}  // namespace

bool ProgramExecutor::next(Smp& request, std::uint64_t& cookie) {
  if (!further_steps_.empty()) {
    const ProgramRequest step = further_steps_.front();
    further_steps_.pop_front();
    fill(step, request);
    cookie = cookie_of(step);
    return true;
  }
  for (; round_ < round_count(); ++round_, at_ = 0) {
    while (at_ < size_of(round_) && skips({round_, at_, 0})) ++at_;
    if (at_ < size_of(round_)) {
      const ProgramRequest planned{round_, at_++, 0};
      fill(planned, request);
      cookie = cookie_of(planned);
      ++on_wire_;
      return true;
    }
    if (on_wire_ > 0) return false;
  }
  return false;
}

/// Handles an answer; a request counts as on the wire until its last step.
void ProgramExecutor::answered(std::uint64_t cookie, const Smp& answer) {
  ProgramRequest request = program_request_of(cookie);
  request.step = on_answer(request, answer);
  CHECK(request.step < kStepsMax);
  if (request.step == 0)
    --on_wire_;
  else
    further_steps_.push_back(request);
}

void ProgramExecutor::failed(std::uint64_t cookie, const Error& why) {
  --on_wire_;
  on_failure(program_request_of(cookie), why);
}

}  // namespace weft
