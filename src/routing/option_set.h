// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names of the routing options that several engines share, and sets of them.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace weft {

enum class Option : std::uint8_t {
  kRoots,
  kConnectRoots,
  kOrder,
  kNoScatter,
  kComputeNodes,
  kIoNodes,
  kNodeWeights,
  kIgnored,
  kHopWeights,
  kAvoidDegradedLinks,
  kPortOrder,
  kSwitchIds,
  kPortShifting,
  kScatterPorts,
  kLocalBalance,
  kLidMatrix,
  kLfts,
  kTorusConfig,
  kChain,
};

class OptionSet {
 public:
  constexpr OptionSet() = default;
  constexpr OptionSet(std::initializer_list<Option> options) {
    for (const Option option : options) bits_ |= bit(option);
  }
  /// Every option. An engine with this set also supports every engine parameter.
  static constexpr OptionSet all() {
    OptionSet set;
    set.bits_ = ~std::uint32_t{0};
    return set;
  }

  constexpr bool contains(Option option) const { return (bits_ & bit(option)) != 0; }
  constexpr OptionSet operator|(OptionSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr bool operator==(const OptionSet&) const = default;

 private:
  static constexpr std::uint32_t bit(Option option) {
    return std::uint32_t{1} << static_cast<unsigned>(option);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace weft
