// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/traps/responder.h"

#include <array>
#include <string_view>
#include <utility>

#include "ib/port_info.h"
#include "ib/vendor/unhealthy_reason.h"
#include "ib/vendor/vports.h"
#include "sm/traps/trap_ledger.h"

namespace weft {
namespace {

constexpr std::array<std::pair<TrapNumber, std::string_view>, 11> kTrapNames{{
    {TrapNumber::kLinkStateChange, "link state change"},
    {TrapNumber::kLinkIntegrity, "local link integrity"},
    {TrapNumber::kBufferOverrun, "excessive buffer overrun"},
    {TrapNumber::kFlowControlWatchdog, "flow control update watchdog"},
    {TrapNumber::kCapabilityChange, "local changes"},
    {TrapNumber::kSystemGuidChange, "system image GUID change"},
    {TrapNumber::kBadMkey, "bad M_Key"},
    {TrapNumber::kBadPkey, "bad P_Key"},
    {TrapNumber::kBadQkey, "bad Q_Key"},
    {TrapNumber::kBadPkeySwitchPort, "bad P_Key at a switch port"},
    {TrapNumber::kGidInService, "GID in service"},
}};

constexpr std::uint16_t vendor_number(VportTrap trap) { return static_cast<std::uint16_t>(trap); }

constexpr std::array<std::pair<std::uint16_t, std::string_view>, 9> kVendorTrapNames{{
    {vendor_number(VportTrap::kVportChange), "vport change"},
    {vendor_number(VportTrap::kVportStateChange), "vport state change"},
    {1148, "router data change"},
    {vendor_number(VportTrap::kBadPkey), "bad P_Key at a vport"},
    {vendor_number(VportTrap::kBadQkey), "bad Q_Key at a vport"},
    {1312, "node reboot"},
    {kFastRecoveryTrap, "fast recovery"},
    {kPortsRecoveredTrap, "ports recovered"},
    {kLinkFlapTrap, "link flap"},
}};

constexpr bool is_about_recovery(std::uint16_t vendor_trap) {
  return vendor_trap == kFastRecoveryTrap || vendor_trap == kPortsRecoveredTrap ||
         vendor_trap == kLinkFlapTrap;
}

std::string text_of(const TrapBadMkey& trap) {
  std::string text = fmt::format("method 0x{:02x} of attribute 0x{:04x}, modifier 0x{:x}",
                                 static_cast<unsigned>(trap.method),
                                 static_cast<unsigned>(trap.attribute), trap.modifier);
  if (!trap.directed) return text;
  return text + fmt::format(", directed, {} hops{}", trap.hop_count,
                            trap.path_truncated ? ", return path truncated" : "");
}

std::string text_of(const TrapBadKey& trap) {
  return fmt::format("key 0x{:x}, LIDs {} and {}, QPs 0x{:x} and 0x{:x}, SL {}", trap.key,
                     trap.lid1.value(), trap.lid2.value(), trap.qp1, trap.qp2, trap.sl.value());
}

/// The fields that the switch fills in, as text.
std::string text_of(const TrapBadPkeySwitchPort& trap) {
  enum Valid : unsigned { kLid1 = 1, kLid2 = 2, kPkey = 4, kSl = 8, kQp1 = 16, kQp2 = 32 };
  std::string text = fmt::format("port {} of LID {}", trap.port.value(), trap.switch_lid.value());
  const auto add = [&](Valid bit, std::string_view name, const std::string& value) {
    if ((trap.data_valid & bit) != 0) text += fmt::format(", {} {}", name, value);
  };
  add(kPkey, "P_Key", fmt::format("0x{:04x}", trap.pkey.value()));
  add(kLid1, "from LID", fmt::format("{}", trap.lid1.value()));
  add(kLid2, "to LID", fmt::format("{}", trap.lid2.value()));
  add(kQp1, "from QP", fmt::format("0x{:x}", trap.qp1));
  add(kQp2, "to QP", fmt::format("0x{:x}", trap.qp2));
  add(kSl, "SL", fmt::format("{}", trap.sl.value()));
  return text;
}

/// Details of traps about keys; empty for other traps. The M_Key of the refused SMP is left out,
/// because it is a secret.
std::string key_details(const Notice& notice) {
  const auto vendor = vendor_trap_number(notice);
  const auto is_of_vport = [&](VportTrap number) { return vendor == vendor_number(number); };
  if (notice.is(TrapNumber::kBadMkey)) return text_of(decode_trap_bad_mkey(notice.details));
  if (notice.is(TrapNumber::kBadPkeySwitchPort))
    return text_of(decode_trap_bad_pkey_switch_port(notice.details));
  if (notice.is(TrapNumber::kBadPkey) || notice.is(TrapNumber::kBadQkey))
    return text_of(decode_trap_bad_key(notice.details));
  if (is_of_vport(VportTrap::kBadPkey) || is_of_vport(VportTrap::kBadQkey)) {
    const TrapVportBadKey trap = decode_trap_vport_bad_key(notice.details);
    return fmt::format("{}, vport {}", text_of(trap.bad_key), trap.vport_index);
  }
  return {};
}

}  // namespace

Smp answer_to(const Smp& request, Method method) {
  Smp answer = request;
  answer.method = method;
  answer.status = mad_status::kGood;
  answer.returning = request.mgmt_class == MgmtClass::kSmpDirected;
  answer.dlid = request.slid;
  answer.slid = Lid(0);
  return answer;
}

Smp priority_trap(Lid from, Lid to, NodeType type) {
  Notice notice;
  notice.type = NoticeType::kInformational;
  notice.producer = static_cast<std::uint32_t>(type);
  notice.trap = static_cast<std::uint16_t>(TrapNumber::kCapabilityChange);
  notice.issuer_lid = from;
  TrapCapability details;
  details.lid = from;
  details.other_local_changes = true;
  details.change_flags = TrapCapability::kSmPriority;
  notice.details = encode(details);
  Smp trap;
  trap.mgmt_class = MgmtClass::kSmpLidRouted;
  trap.method = Method::kTrap;
  trap.attribute = AttributeId::kNotice;
  trap.slid = from;
  trap.dlid = to;
  trap.data = encode(notice);
  return trap;
}

TrapEffect effect_of(const Notice& notice) {
  if (const auto number = vendor_trap_number(notice)) {
    if (number == vendor_number(VportTrap::kVportStateChange)) return TrapEffect::kReadVports;
    if (number == vendor_number(VportTrap::kVportChange)) {
      const auto flags = decode_trap_vport_change(notice.details).change_flags;
      return (flags & TrapVportChange::kHierarchy) != 0 ? TrapEffect::kReadVportDetailsAndHierarchy
                                                        : TrapEffect::kReadVportDetails;
    }
    return is_about_recovery(*number) ? TrapEffect::kReadReasons : TrapEffect::kNone;
  }
  if (notice.is(TrapNumber::kLinkStateChange)) return TrapEffect::kSweepAtOnce;
  if (is_about_errors(notice)) return TrapEffect::kLightSweep;
  if (notice.is(TrapNumber::kSystemGuidChange)) return TrapEffect::kHeavyAtNextLightSweep;
  if (!notice.is(TrapNumber::kCapabilityChange)) return TrapEffect::kNone;
  const TrapCapability change = decode_trap_capability(notice.details);
  if (!change.other_local_changes)
    return (change.capability_mask & cap_mask::kIsSm) != 0 ? TrapEffect::kQueryManagers
                                                           : TrapEffect::kReadCapabilities;
  if (change.change_flags == TrapCapability::kNodeDescription) return TrapEffect::kReadName;
  return (change.change_flags & TrapCapability::kSmPriority) != 0
             ? TrapEffect::kQueryManagers
             : TrapEffect::kHeavyAtNextLightSweep;
}

std::string_view trap_name(const Notice& notice) {
  for (const auto& [number, text] : kTrapNames)
    if (notice.is(number)) return text;
  return {};
}

namespace {

std::string sender_text(const Notice& notice, Lid from) {
  if (const auto number = vendor_trap_number(notice)) {
    for (const auto& [known, text] : kVendorTrapNames)
      if (*number == known)
        return fmt::format("trap {} ({}) from LID {}", *number, text, from.value());
    return fmt::format("trap {} (vendor-specific, device id {}) from LID {}", *number, notice.trap,
                       from.value());
  }
  const std::string_view known = trap_name(notice);
  const std::string_view what = known.empty() ? "unknown" : known;
  return fmt::format("trap {} ({}) from LID {}", notice.trap, what, from.value());
}

}  // namespace

std::string describe(const Notice& notice, Lid from) {
  const std::string details = key_details(notice);
  return details.empty() ? sender_text(notice, from)
                         : fmt::format("{}: {}", sender_text(notice, from), details);
}

}  // namespace weft
