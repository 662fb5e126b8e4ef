// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Gets that search many records but return at most one. They run in slices, so that they do not
// delay other requests: one slice for each port in rotation, and the Gets of a port in order.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sa/attribute.h"
#include "sa/attributes.h"

namespace weft::sa {

class LongGets {
 public:
  static constexpr std::size_t kPartsAtOnce = 64;  // parts in a slice; see Attribute::parts
  static constexpr std::size_t kOfPort = 32;       // waiting Gets of a port
  static constexpr std::size_t kMax = 4096;        // waiting Gets of all ports

  struct Get {
    Gmp request;
    const Attribute& attribute;
    std::shared_ptr<const SaView> view;
    std::uint64_t generation;  // generation of the view
    std::vector<std::byte> record;
    SaQuery query;
    std::size_t parts;
    SaAnswer answer{kSaDataSize};
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  };

  /// Whether the Get searches enough records to be run in slices.
  static bool is_long(const Attribute& attribute, const SaQuery& query);
  /// Adds a Get. Returns false, without a change, if too many Gets wait.
  bool begin(const Gmp& request, const Attribute& attribute, const SaQuery& query,
             std::shared_ptr<const SaView> view, std::uint64_t generation);
  /// Searches one slice for one port. Returns the Get if its search is complete, else null.
  std::unique_ptr<Get> step(State& state);
  /// Removes and returns a Get with a view before this generation; null if there is none.
  std::unique_ptr<Get> take_older(std::uint64_t generation);
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  using Gets = std::deque<std::unique_ptr<Get>>;
  std::deque<Gets> lines_;  // one for each port with Gets, in the order in which ports are served
  std::size_t size_ = 0;
};

}  // namespace weft::sa
