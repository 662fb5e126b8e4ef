// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends the requests of a program in rounds: a round begins when every request of the previous
// round is answered or has failed. Executes plain programming (apply.h) and the programming of
// adaptive routing (sm/adaptive).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "sm/discovery/smp_work.h"

namespace weft {

/// A request of a program. It may have further steps, which depend on its answers.
struct ProgramRequest {
  std::size_t round = 0;
  std::size_t index = 0;  // index in the round
  unsigned step = 0;      // 0: the planned request itself
};

/// Base class of a program, which implements the rounds and the content of each request.
class ProgramExecutor : public SmpWork {
 public:
  static constexpr unsigned kStepsMax = 4;  // maximum steps of a request, the first included

  bool next(Smp& request, std::uint64_t& cookie) final;
  void answered(std::uint64_t cookie, const Smp& answer) final;
  void failed(std::uint64_t cookie, const Error& why) final;

 protected:
  /// The round in progress; requests of later rounds may still be changed.
  std::size_t round() const { return round_; }
  /// The number of requests of this round that were sent or skipped.
  std::size_t position() const { return at_; }

 private:
  virtual std::size_t round_count() const = 0;
  virtual std::size_t size_of(std::size_t round) const = 0;
  /// Whether a request is left out. Called once, directly before the request would be sent.
  virtual bool skips(const ProgramRequest& request) = 0;
  virtual void fill(const ProgramRequest& request, Smp& smp) = 0;
  /// Handles an answer, whatever its status. Returns the step to be sent next, before all requests
  /// not yet sent; 0 if the request is complete.
  virtual unsigned on_answer(const ProgramRequest& request, const Smp& answer) = 0;
  virtual void on_failure(const ProgramRequest& request, const Error& why) = 0;

  std::size_t round_ = 0;
  std::size_t at_ = 0;       // next request of the round
  std::size_t on_wire_ = 0;  // requests of the round that were sent and have not ended
  std::deque<ProgramRequest> further_steps_;
};

}  // namespace weft
