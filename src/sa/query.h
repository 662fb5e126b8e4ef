// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An SA request as passed to handlers, and the answer that the handlers fill.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sa/filter.h"
#include "sa/view.h"

namespace weft {

struct SaRequest {
  Method method{};
  SaAttribute attribute{};
  std::uint32_t modifier = 0;
  std::uint64_t mask = 0;
  std::span<const std::byte> record;  // 200 bytes, or the whole payload of an RMPP request
  GmpAddress from;
  bool trusted = false;  // has the SM_Key that gives full access

  /// The record in the size that types of ib/sa_records.h require.
  template <class Record>
  std::span<const std::byte, Record::kSize> as() const {
    return record.first<Record::kSize>();
  }
};

/// A part of a table of many records: a range of the nodes, endports, or pairs of endports that the
/// request selects. The default is the whole table.
struct SaSlice {
  std::size_t begin = 0;
  std::size_t end = std::numeric_limits<std::size_t>::max();

  template <class Element>
  std::span<const Element> of(std::span<const Element> all) const {
    const std::size_t first = std::min(begin, all.size());
    return all.subspan(first, std::min(end, all.size()) - first);
  }
};

/// Input of a handler: the request, the requester, and the subnet that was the last published one
/// when the request arrived.
struct SaQuery {
  SaRequest request;
  EndportId requester = kNoEndport;
  const SaView& view;
  RecordFilter filter;
  TimeNs now{};
  SaSlice slice{};
  bool has_component(unsigned bit) const { return filter.has_component(bit); }
};

/// The answer to a request: encoded records in sequence. Records beyond the size limit are counted,
/// but not stored.
class SaAnswer {
 public:
  /// `bytes`: initial content, or memory to reuse.
  explicit SaAnswer(std::size_t bytes_max, std::vector<std::byte> bytes = {})
      : bytes_max_(bytes_max), bytes_(std::move(bytes)) {}

  template <std::size_t size>
  void add(const std::array<std::byte, size>& record) {
    record_size_ = size;
    ++count_;
    if (bytes_.size() + size > bytes_max_) {
      overflow_ = true;
      return;
    }
    bytes_.insert(bytes_.end(), record.begin(), record.end());
  }
  std::size_t count() const { return count_; }
  std::size_t record_size() const { return record_size_; }
  bool overflow() const { return overflow_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }
  /// Returns the emptied buffer for another answer.
  std::vector<std::byte> take_memory() {
    bytes_.clear();
    return std::move(bytes_);
  }

 private:
  const std::size_t bytes_max_;
  std::size_t record_size_ = 0;
  std::size_t count_ = 0;
  bool overflow_ = false;
  std::vector<std::byte> bytes_;
};

}  // namespace weft
