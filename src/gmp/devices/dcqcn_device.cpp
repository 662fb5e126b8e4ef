// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/devices/dcqcn_device.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft {

DcqcnDevice::DcqcnDevice(DcqcnSettings settings) : left_(std::move(settings)) {}

void DcqcnDevice::write(Gmp& request) const {
  const auto& [attribute, modifier] = std::prev(left_.end())->first;
  request.method = writes_ ? Method::kSet : Method::kGet;
  request.attribute = attribute;
  request.modifier = modifier;
  if (writes_) std::ranges::copy(to_write_, congestion_data(request).begin());
}

Status DcqcnDevice::take(const Gmp& answer) {
  const auto next = std::prev(left_.end());
  const auto& [attribute, modifier] = next->first;
  if (!next->second.agrees_with(congestion_data(answer))) {
    if (writes_)
      return fail(
          Code::kRejected,
          "attribute 0x{:04x}, modifier {}: the answer to the Set has other values than the "
          "Set",
          attribute, modifier);
    to_write_ = next->second.apply_to(congestion_data(answer));
    writes_ = true;
    return {};
  }
  written_ += writes_ ? 1 : 0;
  writes_ = false;
  left_.erase(next);
  return {};
}

void remove_per_plane(DcqcnSettings& settings) {
  const auto found = settings.find({kDcqcnCaGeneral, 0});
  if (found == settings.end()) return;
  found->second.remove(encode(DcqcnCaGeneral{.is_per_plane = true}));
  if (found->second.is_empty()) settings.erase(found);
}

}  // namespace weft
