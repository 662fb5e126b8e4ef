// What becomes of multicast packets: does each member of a group get one copy of what each other
// sends, and nobody else any?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"

namespace weft {

enum class CopyFault {
  kMissing,   // a member gets no copy
  kTwice,     // copies of one packet meet again: what lies behind gets two
  kLoop,      // copies of one packet come back to where they have been
  kStranger,  // somebody who is no member gets a copy
  kDeadPort,  // a copy leaves by a port without a cable, or that the switch does not have
};

/// `target` is the endport that misses or should not get a copy; `where` and `port` are the port
/// that the others happen at.
struct CopyFailure {
  Lid mlid;
  EndportId source;
  CopyFault fault;
  EndportId target = kNoEndport;
  SwitchId where = kNoSwitch;
  PortNum port{};
};

struct MulticastVerdict {
  std::uint64_t groups = 0;
  std::uint64_t copies = 0;   // wanted: ordered pairs of a sender and another member of its group
  std::uint64_t arrived = 0;  // of these
  std::uint64_t twice = 0;    // by sender and place
  std::uint64_t loops = 0;    // by sender and place
  /// By sender and stranger, or port: a waste, and perhaps a leak, but nobody lacks anything.
  std::uint64_t strangers = 0;
  std::uint64_t dead_ports = 0;
  std::vector<CopyFailure> failures;  // the first of them, at most VerifyOptions::failures_max
  bool ok() const { return copies == arrived && twice == 0 && loops == 0; }
};

/// "'H1' (0x..) port 1 to 0xC000: no copy for 'H2' (0x..) port 1", without an end of line.
std::string describe(const Fabric& fabric, const CopyFailure& failure);

}  // namespace weft
