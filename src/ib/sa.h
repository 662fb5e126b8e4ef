// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The parts that subnet administration (SA) adds to a GMP: methods and attributes, the RMPP header
// for responses of many records, and the SA header with the component mask.
// Layout: InfiniBand Architecture Specification, volume 1, chapters 13.6 (RMPP) and 15.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/gmp.h"
#include "ib/sm_info.h"

namespace weft {

inline constexpr std::uint8_t kSaClassVersion = 2;

namespace sa_method {
inline constexpr Method kGetTable{0x12};
inline constexpr Method kGetTraceTable{0x13};
inline constexpr Method kGetMulti{0x14};
inline constexpr Method kDelete{0x15};
inline constexpr Method kGetTableResp{0x92};
inline constexpr Method kGetMultiResp{0x94};
inline constexpr Method kDeleteResp{0x95};
}  // namespace sa_method

enum class SaAttribute : std::uint16_t {
  kClassPortInfo = 0x0001,
  kNotice = 0x0002,
  kInformInfo = 0x0003,
  kNodeRecord = 0x0011,
  kPortInfoRecord = 0x0012,
  kSlToVlRecord = 0x0013,
  kSwitchInfoRecord = 0x0014,
  kLftRecord = 0x0015,
  kRftRecord = 0x0016,
  kMftRecord = 0x0017,
  kSmInfoRecord = 0x0018,
  kLinkRecord = 0x0020,
  kGuidInfoRecord = 0x0030,
  kServiceRecord = 0x0031,
  kPkeyTableRecord = 0x0033,
  kPathRecord = 0x0035,
  kVlArbRecord = 0x0036,
  kMcMemberRecord = 0x0038,
  kTraceRecord = 0x0039,
  kMultiPathRecord = 0x003A,
  kServiceAssociationRecord = 0x003B,
  kInformInfoRecord = 0x00F3
};

/// Status codes of the class, in addition to mad_status (chapter 15.2.1.1).
namespace sa_status {
inline constexpr std::uint16_t kNoResources = 0x0100;
inline constexpr std::uint16_t kRequestInvalid = 0x0200;
inline constexpr std::uint16_t kNoRecords = 0x0300;
inline constexpr std::uint16_t kTooManyRecords = 0x0400;
inline constexpr std::uint16_t kInvalidGid = 0x0500;
inline constexpr std::uint16_t kInsufficientComponents = 0x0600;
inline constexpr std::uint16_t kDenied = 0x0700;
inline constexpr std::uint16_t kPrioritySuggested = 0x0800;
}  // namespace sa_status

enum class RmppType : std::uint8_t { kNone = 0, kData = 1, kAck = 2, kStop = 3, kAbort = 4 };

/// RMPPStatus: kNormal, or the reason to end a transfer early (chapter 13.6.2.3).
namespace rmpp_status {
inline constexpr std::uint8_t kNormal = 0;
inline constexpr std::uint8_t kResourcesExhausted = 1;  // for STOP; the codes below are for ABORT
inline constexpr std::uint8_t kTotalTimeTooLong = 118;
inline constexpr std::uint8_t kInconsistentLast = 119;
inline constexpr std::uint8_t kInconsistentFirst = 120;
inline constexpr std::uint8_t kBadType = 121;
inline constexpr std::uint8_t kWindowTooSmall = 122;
inline constexpr std::uint8_t kSegmentTooBig = 123;
inline constexpr std::uint8_t kIllegalStatus = 124;
inline constexpr std::uint8_t kUnsupportedVersion = 125;
inline constexpr std::uint8_t kTooManyRetries = 126;
inline constexpr std::uint8_t kUnspecified = 127;
}  // namespace rmpp_status

struct RmppHeader {
  std::uint8_t version = 0;
  RmppType type = RmppType::kNone;
  std::uint8_t response_time = 31;  // 5 bits; 31: unspecified
  bool last = false;
  bool first = false;
  bool active = false;
  std::uint8_t status = 0;
  std::uint32_t segment = 0;
  std::uint32_t length = 0;  // PayloadLength of DATA, NewWindowLast of ACK
  bool operator==(const RmppHeader&) const = default;
};
inline constexpr std::uint8_t kRmppVersion = 1;

struct SaHeader {
  SmKey sm_key{};
  std::uint16_t attribute_offset = 0;  // bytes from one record to the next, in units of 8
  std::uint64_t component_mask = 0;
  bool operator==(const SaHeader&) const = default;
};

/// Sizes of the headers, and offset of the data within Gmp::data.
inline constexpr std::size_t kRmppHeaderSize = 12;
inline constexpr std::size_t kSaHeaderSize = 20;
inline constexpr std::size_t kSaDataOffset = kRmppHeaderSize + kSaHeaderSize;
inline constexpr std::size_t kSaDataSize = kGmpDataSize - kSaDataOffset;  // 200

RmppHeader rmpp_header(const Gmp& gmp);
void set_rmpp_header(Gmp& gmp, const RmppHeader& header);
SaHeader sa_header(const Gmp& gmp);
void set_sa_header(Gmp& gmp, const SaHeader& header);
inline std::span<const std::byte, kSaDataSize> sa_data(const Gmp& gmp) {
  return std::span(gmp.data).subspan<kSaDataOffset, kSaDataSize>();
}
inline std::span<std::byte, kSaDataSize> sa_data(Gmp& gmp) {
  return std::span(gmp.data).subspan<kSaDataOffset, kSaDataSize>();
}

}  // namespace weft
