// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests of other managers: SubnGet(SMInfo), and the commands of SubnSet(SMInfo).
#include <utility>

#include "base/log.h"
#include "sm/election/mastership.h"
#include "sm/traps/responder.h"

namespace weft {

void Mastership::on_request(const Smp& request) {
  if (!own_guid_) {
    if (early_.size() < kEarlyMax) early_.push_back(request);
    return;
  }
  ++activity_count_;
  const SmKey key = peers_.key_for(peers_.sender_of(request));
  Smp answer = answer_to(request, Method::kGetResp);
  if (request.attribute != AttributeId::kSmInfo) {
    answer.status = mad_status::kMethodAttributeUnsupported;
  } else if (request.method == Method::kSet) {
    if (const Status done = on_command(request); !done) {
      if (refusals_logged_.take(sm_.now()))
        log::warn("SMInfo command {} refused: {}", request.modifier, done.error().message);
      answer.status = mad_status::kInvalidField;
    }
  }
  if (request.attribute == AttributeId::kSmInfo) answer.data = encode(own_info(key));
  const auto sent = sm_.client.send(answer);
  if (!sent)
    log::warn("cannot send an answer to LID {}: {}", request.slid.value(), sent.error().message);
}

Status Mastership::on_command(const Smp& request) {
  const auto sender = decode_sm_info(request.data);
  if (!sender) return fail(sender.error().code, "{}", sender.error().message);
  const auto event = event_of(request.modifier);
  if (!event) return fail(Code::kBadInput, "unknown command: expected 1 to 5");
  if (const std::string why = peers_.refusal(request, *sender, *event); !why.empty())
    return fail(Code::kBadInput, "0x{:016x} {}", sender->guid.value(), why);
  const bool acknowledges = *event == SmEvent::kAcknowledge;
  const auto next = next_state(sm_.state, *event);
  // OpenSM also hands over to DISCOVERING managers, and becomes standby even if the HANDOVER is
  // refused. In this case another manager was master before.
  if (*event == SmEvent::kHandover && sm_.state == SmState::kDiscovering)
    sm_.memory.was_standby = true;
  if (!next)
    return fail(Code::kBadInput, "0x{:016x}: invalid in state {}", sender->guid.value(),
                name(sm_.state));
  if (acknowledges && sm_.state == SmState::kMaster &&
      (!successor_ || successor_->info.guid != sender->guid))
    return fail(Code::kBadInput, "0x{:016x} acknowledges without a HANDOVER", sender->guid.value());
  carry_out(*event, *next, request, *sender);
  return {};
}

void Mastership::carry_out(SmEvent event, SmState next, const Smp& request, const SmInfo& sender) {
  const std::string sender_guid = fmt::format("0x{:016x}", sender.guid.value());
  const auto successor = successor_;
  const bool was_master = sm_.state == SmState::kMaster;
  log::info("SMInfo command {} from {}", request.modifier, sender_guid);
  enter(next);
  if (stage_ == Stage::kAwaitingHandover) stage_ = Stage::kIdle;
  switch (event) {
    case SmEvent::kHandover:
      if (was_master) sm_.memory.succeed_another_master();
      pending_acknowledgement_ =
          back_to_sender(request, Method::kSet, AttributeId::kSmInfo,
                         static_cast<std::uint32_t>(SmCommand::kAcknowledge));
      predecessor_ = sender_guid;
      waits_ = 0;
      successor_.reset();
      return sm_.request_heavy_sweep("HANDOVER from " + sender_guid);
    case SmEvent::kAcknowledge:
      if (!was_master) return;
      return standby_.follow({successor->name, successor->request, successor->lid, sender});
    case SmEvent::kDiscover:
      return sm_.request_heavy_sweep("DISCOVER from " + sender_guid);
    case SmEvent::kStandby:
      return standby_.follow({sender_guid,
                              back_to_sender(request, Method::kGet, AttributeId::kSmInfo, 0),
                              request.slid, sender});
    default:
      return;
  }
}

}  // namespace weft
