// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notice: the attribute that traps and the reports of a manager carry. The 54 bytes of details
// depend on the trap number; there is a struct for the details of each TrapNumber.
// Layout: InfiniBand Architecture Specification, volume 1, chapters 13.4.8.2 and 14.2.5.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "ib/enums.h"
#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

enum class NoticeType : std::uint8_t {
  kFatal = 0,
  kUrgent = 1,
  kSecurity = 2,
  kSubnetManagement = 3,
  kInformational = 4,
  kEmpty = 0x7F
};

/// ProducerType of a generic notice.
enum class Producer : std::uint32_t { kCa = 1, kSwitch = 2, kRouter = 3, kClassManager = 4 };

enum class TrapNumber : std::uint16_t {
  kGidInService = 64,
  kGidOutOfService = 65,
  kGroupCreated = 66,
  kGroupDeleted = 67,
  kLinkStateChange = 128,
  kLinkIntegrity = 129,
  kBufferOverrun = 130,
  kFlowControlWatchdog = 131,
  kCapabilityChange = 144,
  kSystemGuidChange = 145,
  kBadMkey = 256,
  kBadPkey = 257,
  kBadQkey = 258,
  kBadPkeySwitchPort = 259
};

inline constexpr std::size_t kNoticeDetailsSize = 54;
using NoticeDetails = std::array<std::byte, kNoticeDetailsSize>;
using Gid = std::array<std::byte, 16>;

struct Notice {
  bool generic = true;
  NoticeType type = NoticeType::kEmpty;
  std::uint32_t producer = 0;  // 24 bits: Producer if generic, else the vendor id
  std::uint16_t trap = 0;      // TrapNumber if generic, else the device id
  Lid issuer_lid;
  bool toggle = false;      // NoticeToggle of a notice queue; false in traps
  std::uint16_t count = 0;  // 15 bits: notices in the queue
  NoticeDetails details{};
  bool operator==(const Notice&) const = default;

  bool is(TrapNumber number) const { return generic && trap == static_cast<std::uint16_t>(number); }
};

SmpData encode(const Notice& notice);
/// Never fails: notices of vendors may have any content.
Result<Notice> decode_notice(std::span<const std::byte, kSmpDataSize> data);

/// Details of traps 64 to 67: the GID of the port or multicast group that was added or removed.
struct TrapGid {
  Gid gid{};
  bool operator==(const TrapGid&) const = default;
};

/// Details of trap 128: the switch with the changed ports.
struct TrapLinkState {
  Lid lid;
  bool operator==(const TrapLinkState&) const = default;
};

/// Details of traps 129 to 131.
struct TrapPortError {
  Lid lid;
  PortNum port;
  bool operator==(const TrapPortError&) const = default;
};

/// Details of trap 144. Without `other_local_changes` the capability mask has changed.
struct TrapCapability {
  static constexpr std::uint16_t kNodeDescription = 0x0001;  // bits of change_flags
  static constexpr std::uint16_t kLinkWidthEnabled = 0x0002;
  static constexpr std::uint16_t kLinkSpeedEnabled = 0x0004;
  static constexpr std::uint16_t kSmPriority = 0x0008;
  Lid lid;
  bool other_local_changes = false;
  std::uint32_t capability_mask = 0;
  std::uint16_t change_flags = 0;
  std::uint16_t capability_mask2 = 0;
  bool operator==(const TrapCapability&) const = default;
};

/// Details of trap 145.
struct TrapSystemGuid {
  Lid lid;
  Guid system_guid;
  bool operator==(const TrapSystemGuid&) const = default;
};

/// Details of trap 256: an SMP had a wrong M_Key.
struct TrapBadMkey {
  Lid lid;      // LID of the reporting port
  Lid dr_slid;  // source LID of a directed-route SMP, else 0
  Method method{};
  AttributeId attribute{};
  std::uint32_t modifier = 0;
  Mkey mkey;
  bool directed = false;
  bool path_truncated = false;
  std::uint8_t hop_count = 0;  // 6 bits
  std::array<std::uint8_t, 30> return_path{};
  bool operator==(const TrapBadMkey&) const = default;
};

/// Details of traps 257 and 258: a P_Key or Q_Key that did not match.
struct TrapBadKey {
  Lid lid1;
  Lid lid2;
  std::uint32_t key = 0;
  Sl sl;
  std::uint32_t qp1 = 0;  // 24 bits
  std::uint32_t qp2 = 0;  // 24 bits
  Gid gid1{};
  Gid gid2{};
  bool operator==(const TrapBadKey&) const = default;
};

/// Details of trap 259: a P_Key rejected by a switch port.
struct TrapBadPkeySwitchPort {
  std::uint16_t data_valid = 0;  // mask of the valid fields below
  Lid lid1;
  Lid lid2;
  Pkey pkey;
  Sl sl;
  std::uint32_t qp1 = 0;  // 24 bits
  std::uint32_t qp2 = 0;  // 24 bits
  Gid gid1{};
  Gid gid2{};
  Lid switch_lid;
  PortNum port;
  bool operator==(const TrapBadPkeySwitchPort&) const = default;
};

NoticeDetails encode(const TrapGid& trap);
NoticeDetails encode(const TrapLinkState& trap);
NoticeDetails encode(const TrapPortError& trap);
NoticeDetails encode(const TrapCapability& trap);
NoticeDetails encode(const TrapSystemGuid& trap);
NoticeDetails encode(const TrapBadMkey& trap);
NoticeDetails encode(const TrapBadKey& trap);
NoticeDetails encode(const TrapBadPkeySwitchPort& trap);

/// The decoders accept any details; the trap number determines the decoder to use.
TrapGid decode_trap_gid(const NoticeDetails& details);
TrapLinkState decode_trap_link_state(const NoticeDetails& details);
TrapPortError decode_trap_port_error(const NoticeDetails& details);
TrapCapability decode_trap_capability(const NoticeDetails& details);
TrapSystemGuid decode_trap_system_guid(const NoticeDetails& details);
TrapBadMkey decode_trap_bad_mkey(const NoticeDetails& details);
TrapBadKey decode_trap_bad_key(const NoticeDetails& details);
TrapBadPkeySwitchPort decode_trap_bad_pkey_switch_port(const NoticeDetails& details);

}  // namespace weft
