// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MADs as bytes, in particular SA MADs, for test tools that are independent of Weft.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace raw_mad {

constexpr int kMad = 256;
constexpr int kRecordAt = 56;  // after the headers of MAD (24 bytes), RMPP (12) and SA (20)
constexpr unsigned kSaClass = 3;
constexpr unsigned kSaVersion = 2;
constexpr int kQkey = static_cast<int>(0x80010000u);
constexpr std::uint8_t kGet = 0x01, kReport = 0x06, kGetTable = 0x12, kGetMulti = 0x14;
constexpr std::uint8_t kResponse = 0x80;  // bit of a method

// Offsets of fields.
constexpr int kMethodAt = 3, kStatusAt = 4, kTransactionAt = 8, kAttributeAt = 16, kModifierAt = 20;
constexpr int kRmppTypeAt = 25, kRmppFlagsAt = 26, kSegmentAt = 28,
              kLengthAt = 32;  // in an ACK: NewWindowLast
constexpr int kSmKeyAt = 36, kOffsetAt = 44, kMaskAt = 48;

// RMPP.
constexpr std::uint8_t kActive = 1, kFirst = 2, kLast = 4;  // flags
constexpr std::uint8_t kData = 1, kAck = 2;                 // types
constexpr int kSaHeader = 20;                               // bytes; PayloadLength includes them

using Mad = std::array<std::uint8_t, kMad>;

inline void put(Mad& mad, int at, int bytes, std::uint64_t value) {
  for (int i = bytes; i-- > 0; value >>= 8)
    mad[static_cast<std::size_t>(at + i)] = static_cast<std::uint8_t>(value);
}
inline std::uint64_t get(const Mad& mad, int at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | mad[static_cast<std::size_t>(at + i)];
  return value;
}

/// A request without a record.
inline Mad request(unsigned method, unsigned attribute, std::uint32_t transaction,
                   std::uint64_t mask) {
  Mad mad{};
  put(mad, 0, 1, 1);
  put(mad, 1, 1, kSaClass);
  put(mad, 2, 1, kSaVersion);
  put(mad, kMethodAt, 1, method);
  put(mad, kTransactionAt, 8, transaction);
  put(mad, kAttributeAt, 2, attribute);
  put(mad, 24, 1, 1);  // version of RMPP
  put(mad, kMaskAt, 8, mask);
  return mad;
}

/// An ACK for the segments of the transfer of `data` up to `segment`, which allows `window` more
/// segments.
inline Mad acknowledgement(const Mad& data, std::uint64_t segment, std::uint64_t window) {
  Mad ack = data;
  put(ack, kMethodAt, 1, get(data, kMethodAt, 1) ^ kResponse);
  put(ack, kRmppTypeAt, 1, kAck);
  put(ack, kRmppFlagsAt, 1, kActive);
  put(ack, kSegmentAt, 4, segment);
  put(ack, kLengthAt, 4, segment + window);
  for (std::size_t i = kSmKeyAt; i < kMad; ++i) ack[i] = 0;
  return ack;
}

}  // namespace raw_mad
