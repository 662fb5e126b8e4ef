// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Subnet management packets in host order. Layout: InfiniBand Architecture Specification, volume 1,
// chapter 14.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

inline constexpr std::size_t kMadSize = 256;
inline constexpr std::size_t kSmpDataSize = 64;
inline constexpr std::size_t kHopsMax =
    63;  // entries 1..63 of a directed path; entry 0 is not used

enum class MgmtClass : std::uint8_t {
  kSmpLidRouted = 0x01,
  kSubnAdm = 0x03,
  kPerf = 0x04,
  kSmpDirected = 0x81
};

enum class Method : std::uint8_t {
  kGet = 0x01,
  kSet = 0x02,
  kSend = 0x03,
  kTrap = 0x05,
  kReport = 0x06,
  kTrapRepress = 0x07,
  kGetResp = 0x81,
  kReportResp = 0x86
};

enum class AttributeId : std::uint16_t {
  kClassPortInfo = 0x0001,
  kNotice = 0x0002,
  kInformInfo = 0x0003,
  kNodeDescription = 0x0010,
  kNodeInfo = 0x0011,
  kSwitchInfo = 0x0012,
  kGuidInfo = 0x0014,
  kPortInfo = 0x0015,
  kPkeyTable = 0x0016,
  kSlToVlTable = 0x0017,
  kVlArbitrationTable = 0x0018,
  kLinearForwardingTable = 0x0019,
  kRandomForwardingTable = 0x001A,
  kMulticastForwardingTable = 0x001B,
  kSmInfo = 0x0020,
  kVendorDiag = 0x0030,
  kLedInfo = 0x0031,
  kMlnxExtendedPortInfo = 0xFF90  // vendor-specific: ib/extended_port_info.h
};

/// Status bits common to all MADs (chapter 13.4.7). The direction bit of directed-route SMPs is a
/// field of its own in Smp.
namespace mad_status {
inline constexpr std::uint16_t kGood = 0;
inline constexpr std::uint16_t kBusy = 0x0001;
inline constexpr std::uint16_t kRedirect = 0x0002;
inline constexpr std::uint16_t kBadVersion = 0x0004;
inline constexpr std::uint16_t kMethodUnsupported = 0x0008;
inline constexpr std::uint16_t kMethodAttributeUnsupported = 0x000C;
inline constexpr std::uint16_t kInvalidField = 0x001C;
}  // namespace mad_status

using SmpData = std::array<std::byte, kSmpDataSize>;
using HopPath = std::array<std::uint8_t, 64>;  // output port of each hop, from index 1

/// One SMP with its addresses. For class kSmpLidRouted, the path fields are unused, and `slid` and
/// `dlid` are the addresses of the SMP; for kSmpDirected, `dr_slid` and `dr_dlid` are 0xFFFF unless
/// a part of the path is LID-routed.
struct Smp {
  MgmtClass mgmt_class = MgmtClass::kSmpDirected;
  Method method = Method::kGet;
  std::uint16_t status = 0;  // 15 bits; without the direction bit
  bool returning = false;    // the direction bit (D): set in responses
  std::uint8_t hop_pointer = 0;
  std::uint8_t hop_count = 0;
  /// Not in the MAD: the port of the local CA by which the SMP arrived, or by which it leaves; 0:
  /// unknown, or any port.
  std::uint8_t port = 0;
  std::uint64_t transaction_id = 0;
  AttributeId attribute{};
  std::uint32_t modifier = 0;
  Mkey mkey{};
  Lid dr_slid = kLidPermissive;
  Lid dr_dlid = kLidPermissive;
  SmpData data{};
  HopPath initial_path{};
  HopPath return_path{};
  Lid slid{};  // from the packet's header, not from the MAD
  Lid dlid = kLidPermissive;
  bool operator==(const Smp&) const = default;
};

/// The port of the sender's CA by which an SMP leaves: `port`, otherwise the first hop of the
/// remaining directed path. 0: any port.
std::uint8_t departure_port(const Smp& smp);

/// Encodes the 256 bytes on the wire, without LRH and GRH; slid and dlid are fields of the LRH.
std::array<std::byte, kMadSize> encode(const Smp& smp);

/// Fails with kBadField if the base version or the class version is not 1, if the class is not a
/// class of SMPs, or if HopCount or HopPointer is out of range.
Result<Smp> decode_smp(std::span<const std::byte, kMadSize> bytes);

}  // namespace weft
