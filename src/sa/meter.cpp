// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/meter.h"

#include <algorithm>

#include "base/check.h"
#include "ib/sa.h"
#include "ib/smp.h"

namespace weft::sa {

std::size_t Meter::outcome_of(std::uint16_t status) {
  switch (status) {
    case mad_status::kGood:
      return 0;
    case sa_status::kNoRecords:
      return 1;
    case sa_status::kTooManyRecords:
      return 2;
    case sa_status::kRequestInvalid:
    case sa_status::kInsufficientComponents:
    case sa_status::kInvalidGid:
      return 3;
    case sa_status::kNoResources:
      return 4;
    case mad_status::kBusy:
      return 5;
    case mad_status::kBadVersion:
    case mad_status::kMethodUnsupported:
    case mad_status::kMethodAttributeUnsupported:
      return 6;
    case sa_status::kDenied:
      return 7;
    default:
      return 8;
  }
}

void Meter::count(SaAttribute attribute, std::size_t outcome, TimeNs took) {
  const Attribute* known = find_attribute(attribute);
  const auto all = attributes();
  CHECK(all.size() < kAttributesMax);
  OfAttribute& of =
      attributes_[known == nullptr ? all.size() : static_cast<std::size_t>(known - all.data())];
  of.outcomes[outcome].add(1);
  const double seconds = std::chrono::duration<double>(took).count();
  of.times[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin())]
      .add(1);
  of.nanoseconds.add(static_cast<std::uint64_t>(took.count()));
}

}  // namespace weft::sa
