// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/memory/stable_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace weft {
namespace {

/// Many keys have the same hash.
struct FewHashes {
  std::size_t operator()(std::uint64_t key) const { return key % 16; }
};
using Map = StableMap<std::uint64_t, int, FewHashes>;

std::map<std::uint64_t, int> all(Map& map) {
  std::map<std::uint64_t, int> found;
  map.for_each([&](const Map::Element& element) { found.insert(element); });
  return found;
}

TEST(StableMap, EqualsAnOrdinaryMapUnderRandomChanges) {
  Rng rng(7);
  Map map;
  std::map<std::uint64_t, int> expected;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t key = rng.below(600);
    const auto [element, is_new] = map.find_or_add(key);
    EXPECT_EQ(is_new, !expected.contains(key));
    if (is_new) {
      EXPECT_EQ(element->second, 0)
          << "expected 0 in a new element, not the value of an erased element";
    }
    EXPECT_EQ(element->first, key);
    element->second = expected[key] = i + 1;
    if (i % 500 == 499) {
      const auto is_old = [&](const auto& entry) { return entry.second < i - 300; };
      map.erase_if(is_old);
      std::erase_if(expected, is_old);
    }
    ASSERT_EQ(map.size(), expected.size());
  }
  EXPECT_EQ(all(map), expected);
}

TEST(StableMap, KeepsTheAddressesOfElements) {
  Map map;
  Map::Element* const first = map.find_or_add(1).first;
  for (std::uint64_t key = 2; key < 1000; ++key) map.find_or_add(key);
  map.erase_if([](const auto& entry) { return entry.first > 10; });
  EXPECT_EQ(map.find_or_add(1).first, first);
  EXPECT_EQ(map.size(), 10u);
}

TEST(StableMap, ReusesTheMemoryOfErasedElements) {
  Map map;
  const Map::Element* const erased = map.find_or_add(1).first;
  map.erase_if([](const auto&) { return true; });
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.find_or_add(2).first, erased);
}

}  // namespace
}  // namespace weft
