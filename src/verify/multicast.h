// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verdict on multicast: each member of a group must receive one copy from each sender. Copies to
// other endports, and to ports without a link, are counted, but are no failure of the verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"

namespace weft {

enum class CopyFault {
  kMissing,    // a member receives no copy
  kTwice,      // two copies at one port, so that endports behind it receive duplicates, or at one
               // endport
  kLoop,       // copies of a packet return to a channel over which they were sent before
  kNonMember,  // an endport that is not a member receives a copy
  kDeadPort,   // a copy is sent to a port that does not exist or has no cable
};

/// `target`: the endport of kMissing and kNonMember, and of kTwice at an endport; `where` and
/// `port`: the location of the other faults.
struct CopyFailure {
  Lid mlid;
  EndportId source;
  CopyFault fault;
  EndportId target = kNoEndport;
  SwitchId where = kNoSwitch;
  PortNum port{};
  bool operator==(const CopyFailure&) const = default;
};

struct MulticastVerdict {
  std::uint64_t groups = 0;
  /// Expected copies: ordered pairs of a sender and another member, in one plane if there are
  /// planes.
  std::uint64_t copies = 0;
  std::uint64_t arrived = 0;  // copies that arrived
  std::uint64_t twice = 0;    // counted by sender and place
  std::uint64_t loops = 0;    // counted by sender and place
  /// Counted by sender and non-member, or by sender and port. Bandwidth is wasted and data may
  /// leak, but no member lacks a copy.
  std::uint64_t non_member_copies = 0;
  std::uint64_t dead_ports = 0;
  std::vector<CopyFailure> failures;  // the first failures, at most VerifyOptions::failures_max
  bool ok() const { return copies == arrived && twice == 0 && loops == 0; }
  bool operator==(const MulticastVerdict&) const = default;
};

/// A failure as text without an end of line: "'H1' (0x..) port 1 to 0xC000: no copy delivered to
/// 'H2' (0x..) port 1".
std::string describe(const Fabric& fabric, const CopyFailure& failure);

}  // namespace weft
