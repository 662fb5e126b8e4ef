#include "sm/responder.h"

#include <array>
#include <string_view>
#include <utility>

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

Smp answer_sm_request(const Smp& request, const SmInfo& self) {
  Smp answer = answer_to(request, Method::kGetResp);
  if (request.method != Method::kGet || request.attribute != AttributeId::kSmInfo) {
    answer.status = mad_status::kMethodAttributeUnsupported;
    return answer;
  }
  SmInfo told = self;
  told.key = SmKey(0);
  answer.data = encode(told);
  return answer;
}

bool can_repress(const Smp& trap) { return is_unicast(trap.slid); }

TrapEffect effect_of(const Notice& notice) {
  if (notice.is(TrapNumber::kLinkStateChange)) return TrapEffect::kSweepAtOnce;
  if (notice.is(TrapNumber::kSystemGuidChange)) return TrapEffect::kSweepInTime;
  if (notice.is(TrapNumber::kCapabilityChange))
    return decode_trap_capability(notice.details).other_local_changes ? TrapEffect::kSweepInTime
                                                                      : TrapEffect::kNone;
  return TrapEffect::kNone;
}

std::string describe(const Notice& notice, Lid from) {
  if (!notice.generic)
    return fmt::format("a vendor's trap of device {} from LID {}", notice.trap, from.value());
  std::string_view what = "unknown";
  for (const auto& [number, text] : kTrapNames)
    if (notice.is(number)) what = text;
  return fmt::format("trap {} ({}) from LID {}", notice.trap, what, from.value());
}

}  // namespace weft
