// Routing notifications: what a switch tells its neighbours of a LID that it cannot send to any
// more. What is told is a string, a number whose meaning the manager makes: the groups of a switch
// have directions, a direction has the string that is told, and whoever is told it looks up what to
// do. Layout of the tables: adaptive.h.
#pragma once

#include <cstdint>

namespace weft {

/// Of a group of whose LIDs nothing is told.
inline constexpr std::uint8_t kRnNoDirection = 0xFF;

/// What a switch does that is told a string. The numbers are those of the wire.
enum class RnDecision : std::uint8_t {
  kDiscard = 0,
  kConsumeArn = 1,  // what is about load
  kConsume = 2,     // what is about load and faults
  kPassOn = 3,      // under another string
};

struct RnRcvString {
  RnDecision decision = RnDecision::kDiscard;
  std::uint8_t table = 0;    // private LFT
  std::uint16_t string = 0;  // 15 bits: under which it is passed on
  bool operator==(const RnRcvString&) const = default;
};

}  // namespace weft
