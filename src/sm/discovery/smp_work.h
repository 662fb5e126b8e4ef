// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Source of the requests that the SmpClient sends for one stage of a sweep.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "ib/smp.h"

namespace weft {

/// Generates a request only when the SmpClient can send it, so that stages with millions of
/// requests need no queue.
class SmpWork {
 public:
  virtual ~SmpWork() = default;
  /// Sets the next request, and the cookie by which the stage identifies its answer. False if no
  /// request can be sent now. `request` has undefined content before the call.
  virtual bool next(Smp& request, std::uint64_t& cookie) = 0;
  /// To be called with an answer; its status may be an error.
  virtual void answered(std::uint64_t cookie, const Smp& answer) = 0;
  /// To be called when a request failed: no try got an answer (kTimeout), the transport did not
  /// send the last try (the error of the transport), the request was not sent because its device
  /// answered no try of an earlier request (kTimeout), or the stage is abandoned (the error passed
  /// to SmpClient::abandon()).
  virtual void failed(std::uint64_t cookie, const Error& why) = 0;
  /// To be called once all requests have ended. True if the stage has further requests, which
  /// belong to its next part.
  virtual bool advance() { return false; }
};

/// A stage that consists of several parts, each of which ends before the next begins.
class WorkInParts : public SmpWork {
 public:
  bool next(Smp& request, std::uint64_t& cookie) final { return part_->next(request, cookie); }
  void answered(std::uint64_t cookie, const Smp& answer) final { part_->answered(cookie, answer); }
  void failed(std::uint64_t cookie, const Error& why) final { part_->failed(cookie, why); }

 protected:
  /// Sets the current part. `part` must remain valid until the next call.
  void go_on_with(SmpWork& part) { part_ = &part; }

 private:
  SmpWork* part_ = nullptr;
};

}  // namespace weft
