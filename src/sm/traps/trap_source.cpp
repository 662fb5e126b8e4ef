// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/traps/trap_source.h"

namespace weft {
namespace {

constexpr auto kNoObjection = "";

class TrapSource {
 public:
  TrapSource(const Fabric& fabric, EndportId sender) : fabric_(fabric), sender_(sender) {}

  bool is_switch() const { return fabric_.is_switch(fabric_.endport(sender_).node); }
  bool is(Lid lid) const { return lid == kLidNone || fabric_.endport_of(lid) == sender_; }
  std::string about_itself(Lid lid) const {
    return is(lid) ? kNoObjection
                   : fmt::format("names LID {}, which is not the LID of its sender", lid.value());
  }

  /// Error counters are reported by the SMA of the port, or by the switch at the other end of its
  /// cable.
  std::string about_port(const TrapPortError& error) const {
    const EndportId named = error.lid == kLidNone ? sender_ : fabric_.endport_of(error.lid);
    if (named == kNoEndport)
      return fmt::format("names LID {}, which is not assigned", error.lid.value());
    const Endport& endport = fabric_.endport(named);
    const bool at_switch = fabric_.is_switch(endport.node);
    const PortId port =
        at_switch ? fabric_.port_id(endport.node, error.port) : PortId(endport.port);
    if (port == kNoPort || (!at_switch && fabric_.port(port).num != error.port))
      return fmt::format("names port {} of LID {}, which has no such port", error.port.value(),
                         error.lid.value());
    if (named == sender_ || is_neighbor(port)) return kNoObjection;
    return fmt::format(
        "names port {} of LID {}, which is neither a port of its sender nor cabled to its sender",
        error.port.value(), error.lid.value());
  }

 private:
  bool is_neighbor(PortId port) const {
    const PortId peer = fabric_.port(port).peer;
    return peer != kNoPort && is_switch() &&
           fabric_.port(peer).node == fabric_.endport(sender_).node;
  }

  const Fabric& fabric_;
  const EndportId sender_;
};

std::string about_keys(const TrapSource& source, const TrapBadKey& trap) {
  if (source.is(trap.lid1) || source.is(trap.lid2)) return kNoObjection;
  return fmt::format("names LIDs {} and {}, neither of which is the LID of its sender",
                     trap.lid1.value(), trap.lid2.value());
}

}  // namespace

std::string objection_to(const Notice& notice, const Fabric& fabric, EndportId sender) {
  if (!notice.generic) return kNoObjection;
  const TrapSource source(fabric, sender);
  switch (static_cast<TrapNumber>(notice.trap)) {
    case TrapNumber::kGidInService:
    case TrapNumber::kGidOutOfService:
    case TrapNumber::kGroupCreated:
    case TrapNumber::kGroupDeleted:
      return "is a notice of subnet managers, not a trap of ports";
    case TrapNumber::kLinkStateChange:
      if (!source.is_switch()) return "is a trap of switches, but its sender is no switch";
      return source.about_itself(decode_trap_link_state(notice.details).lid);
    case TrapNumber::kLinkIntegrity:
    case TrapNumber::kBufferOverrun:
    case TrapNumber::kFlowControlWatchdog:
      return source.about_port(decode_trap_port_error(notice.details));
    case TrapNumber::kCapabilityChange:
      return source.about_itself(decode_trap_capability(notice.details).lid);
    case TrapNumber::kSystemGuidChange:
      return source.about_itself(decode_trap_system_guid(notice.details).lid);
    case TrapNumber::kBadMkey:
      return source.about_itself(decode_trap_bad_mkey(notice.details).lid);
    case TrapNumber::kBadPkey:
    case TrapNumber::kBadQkey:
      return about_keys(source, decode_trap_bad_key(notice.details));
    case TrapNumber::kBadPkeySwitchPort:
      if (!source.is_switch()) return "is a trap of switches, but its sender is no switch";
      return source.about_itself(decode_trap_bad_pkey_switch_port(notice.details).switch_lid);
  }
  return kNoObjection;
}

}  // namespace weft
