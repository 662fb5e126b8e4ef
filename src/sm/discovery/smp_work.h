// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The requests of one stage, as the SmpClient sends them.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "ib/smp.h"

namespace weft {

/// Requests are generated on demand when the window has room, so that millions of them need no
/// queue.
class SmpWork {
 public:
  virtual ~SmpWork() = default;
  /// Fills the next request and the stage's cookie for it; false if there is none at the moment.
  virtual bool next(Smp& request, std::uint64_t& cookie) = 0;
  /// To be called with an answer; its status may be an error.
  virtual void answered(std::uint64_t cookie, const Smp& answer) = 0;
  /// To be called when a request failed: no try got an answer (kTimeout), or the transport did not
  /// send the last try (the error of the transport).
  virtual void failed(std::uint64_t cookie, const Error& why) = 0;
  /// To be called once all requests have ended; true if there is a further part with more requests.
  virtual bool advance() { return false; }
};

/// Work that consists of parts, executed one after the other.
class WorkInParts : public SmpWork {
 public:
  bool next(Smp& request, std::uint64_t& cookie) final { return part_->next(request, cookie); }
  void answered(std::uint64_t cookie, const Smp& answer) final { part_->answered(cookie, answer); }
  void failed(std::uint64_t cookie, const Error& why) final { part_->failed(cookie, why); }

 protected:
  /// Sets the current part, which must live until the next call.
  void go_on_with(SmpWork& part) { part_ = &part; }

 private:
  SmpWork* part_ = nullptr;
};

}  // namespace weft
