// A request to the subnet administration as handlers see it, and the answer that they fill.
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
  std::span<const std::byte> record;  // 200 bytes; of a request by RMPP all that it carried
  GmpAddress from;
  bool trusted = false;  // it came with the SM_Key of those who may see everything

  /// The record as a type of ib/sa_records.h takes it.
  template <class Record>
  std::span<const std::byte, Record::kSize> as() const {
    return record.first<Record::kSize>();
  }
};

/// Tables of many records are made part by part: some of the nodes, or of the ends of paths that
/// the request does not name. By default all of it.
struct SaSlice {
  std::size_t begin = 0;
  std::size_t end = std::numeric_limits<std::size_t>::max();

  template <class Element>
  std::span<const Element> of(std::span<const Element> all) const {
    const std::size_t first = std::min(begin, all.size());
    return all.subspan(first, std::min(end, all.size()) - first);
  }
};

/// What a handler knows: the request, who asks, and the subnet as it was last published.
struct SaQuery {
  SaRequest request;
  EndportId requester = kNoEndport;
  const SaView& view;
  RecordFilter filter;
  TimeNs now{};
  SaSlice slice{};
  bool asks(unsigned bit) const { return filter.asks(bit); }
};

/// Records one after the other as they travel. Stops taking them where there is no room.
class SaAnswer {
 public:
  /// `bytes`: what is there already, or the memory to use.
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
  /// The memory alone, for another answer.
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
