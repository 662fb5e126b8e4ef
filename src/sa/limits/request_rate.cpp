// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/limits/request_rate.h"

namespace weft::sa {

bool RequestRate::admits(Lid port, std::uint64_t most, TimeNs now) {
  if (most == 0) return true;
  if (spans_.empty()) spans_.resize(0x10000);
  Span& span = spans_[port.value()];
  if (span.requests == 0 || now - span.begin >= kSpan) span = {now, 0};
  if (span.requests >= most) return false;
  ++span.requests;
  return true;
}

}  // namespace weft::sa
