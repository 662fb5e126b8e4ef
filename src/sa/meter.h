// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SA metrics: requests by attribute and outcome, time of each request, refusals, transfers, and
// numbers of stored objects. One thread at a time writes, any thread may read; a request costs two
// clock reads and some additions.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "sa/attributes.h"
#include "sa/limits/refusals.h"

namespace weft::sa {

/// A number with one writer and many readers.
class Gauge {
 public:
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::uint64_t more) { set(value() + more); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

class Meter {
 public:
  static constexpr std::size_t kAttributesMax = 24;
  /// Bucket bounds in seconds, from single PathRecords up to tables of large fabrics.
  static constexpr std::array<double, 13> kBounds{1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 1e-4, 2.5e-4,
                                                  1e-3, 2.5e-3, 1e-2, 0.1,  1,      10};
  /// Outcomes by status of the answer; "ignored": no answer was sent.
  static constexpr std::array<std::string_view, 10> kOutcomes{
      "good", "no_records",  "too_many_records", "request_invalid", "no_resources",
      "busy", "unsupported", "denied",           "other",           "ignored"};
  static constexpr std::size_t kIgnored = 9;
  static std::size_t outcome_of(std::uint16_t status);

  struct OfAttribute {
    std::array<Gauge, kOutcomes.size()> outcomes;
    std::array<Gauge, kBounds.size() + 1> times;  // by bound; the last element: above all bounds
    Gauge nanoseconds;
  };

  void count(SaAttribute attribute, std::size_t outcome, TimeNs took);
  /// The values of one attribute. Index: position in attributes(); the next index is for all other
  /// attributes.
  const OfAttribute& of(std::size_t index) const { return attributes_[index]; }

  std::array<Gauge, kRefusalKinds> refusals;  // in the order of Refusal
  Gauge malformed;
  Gauge transfers_under_way;
  Gauge bytes_under_way;
  Gauge subscriptions;
  Gauge services;
  Gauge groups;
  Gauge reports_sent;

 private:
  std::array<OfAttribute, kAttributesMax> attributes_;
};

}  // namespace weft::sa
