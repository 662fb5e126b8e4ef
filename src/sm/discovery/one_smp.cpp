// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/one_smp.h"

#include "sm/discovery/directed.h"

namespace weft {

bool OneSmp::next(Smp& request, std::uint64_t& cookie) {
  if (sent_) return false;
  request = request_;
  cookie = 0;
  sent_ = true;
  return true;
}

void OneSmp::answered(std::uint64_t, const Smp& answer) {
  if (answer.status == mad_status::kGood) {
    answer_ = answer;
  } else {
    failure_ = status_text(answer.status);
  }
}

void OneSmp::failed(std::uint64_t, const Error& why) { failure_ = why.message; }

}  // namespace weft
