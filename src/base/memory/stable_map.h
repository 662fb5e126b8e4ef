// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hash map for lookups in inner loops. Elements keep their addresses until they are erased. The
// memory of erased elements is reused. A hash table with entries of eight bytes, at most half of
// them in use, has the index of each element: a lookup reads one or two cache lines besides the
// element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace weft {

/// `Hash` must distribute keys in its low 32 bits. Keys and values must be default-constructible.
template <class Key, class Value, class Hash>
class StableMap {
 public:
  using Element = std::pair<Key, Value>;

  std::size_t size() const { return elements_ - free_.size(); }

  /// Returns the element with the key, and whether the call added it; an added element has a
  /// default value.
  std::pair<Element*, bool> find_or_add(const Key& key) {
    const auto hash = static_cast<std::uint32_t>(Hash{}(key));
    if (!places_.empty()) {
      std::size_t at = hash & mask();
      for (; places_[at].element != kNone; at = (at + 1) & mask())
        if (places_[at].hash == hash && element(places_[at].element).first == key)
          return {&element(places_[at].element), false};
    }
    const std::uint32_t added = take();
    element(added) = {key, Value{}};
    if (2 * size() > places_.size())
      arrange(places_.empty() ? kPlacesMin : 2 * places_.size());
    else
      put({hash, added});
    return {&element(added), true};
  }

  /// Erases all elements for which `is_erased(element)` is true.
  template <class Condition>
  void erase_if(Condition is_erased) {
    for (std::uint32_t i = 0; i < elements_; ++i)
      if (is_used_[i] && is_erased(std::as_const(element(i)))) {
        is_used_[i] = false;
        free_.push_back(i);
      }
    arrange(places_.size());
  }

  /// Calls visit(element) for each element. The order depends on earlier calls.
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint32_t i = 0; i < elements_; ++i)
      if (is_used_[i]) visit(element(i));
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kChunk = 256;
  static constexpr std::size_t kPlacesMin = 64;
  struct Place {
    std::uint32_t hash = 0;
    std::uint32_t element = kNone;
  };

  std::size_t mask() const { return places_.size() - 1; }
  Element& element(std::uint32_t index) { return (*chunks_[index / kChunk])[index % kChunk]; }

  std::uint32_t take() {
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      is_used_[index] = true;
      return index;
    }
    if (elements_ % kChunk == 0) chunks_.push_back(std::make_unique<std::array<Element, kChunk>>());
    is_used_.push_back(true);
    return elements_++;
  }

  void put(const Place& place) {
    std::size_t at = place.hash & mask();
    while (places_[at].element != kNone) at = (at + 1) & mask();
    places_[at] = place;
  }

  /// Enters all elements into an empty table of this size, a power of two.
  void arrange(std::size_t size) {
    places_.assign(size, Place{});
    for (std::uint32_t i = 0; i < elements_; ++i)
      if (is_used_[i]) put({static_cast<std::uint32_t>(Hash{}(element(i).first)), i});
  }

  std::vector<std::unique_ptr<std::array<Element, kChunk>>> chunks_;
  std::uint32_t elements_ = 0;  // number of elements in chunks_, used or free
  std::vector<bool> is_used_;
  std::vector<std::uint32_t> free_;
  std::vector<Place> places_;  // hash table; after a collision the next free place is used
};

}  // namespace weft
