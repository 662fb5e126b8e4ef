// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/election/peers.h"

#include <algorithm>

#include "base/text.h"

namespace weft {

Result<std::vector<Guid>> parse_guid_list(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, ',', ' ');
  std::vector<Guid> guids;
  for (const std::string_view word : split_words(blanks)) {
    const auto guid = parse_number<std::uint64_t>(word, 16);
    if (!guid || *guid == 0)
      return fail(Code::kBadInput, "found {}, expected port GUIDs in hex, separated by commas",
                  weft::quoted(text));
    guids.push_back(Guid(*guid));
  }
  std::ranges::sort(guids);
  guids.erase(std::unique(guids.begin(), guids.end()), guids.end());
  return guids;
}

bool Peers::is_allowed(Guid port) const {
  const auto& allowed = sm_.options.allowed_sm_guids;
  return allowed.empty() || std::ranges::binary_search(allowed, port);
}

std::string Peers::exclusion(const OtherManager& other) const {
  if (!is_allowed(other.port_guid))
    return fmt::format("its port GUID 0x{:016x} is not in allowed_sm_guids",
                       other.port_guid.value());
  if (other.info.guid != other.port_guid)
    return fmt::format("its SMInfo has port GUID 0x{:016x}, expected 0x{:016x}",
                       other.info.guid.value(), other.port_guid.value());
  return {};
}

/// The port at the end of the return path, to which a response is sent.
std::optional<Guid> Peers::sender_by_path(const Smp& request) const {
  const auto& observed = sm_.memory.observed;
  if (!observed || request.hop_count == 0 || request.hop_count > kHopsMax) return std::nullopt;
  if (request.dr_slid != kLidPermissive) return std::nullopt;
  const Fabric& fabric = observed->fabric;
  NodeId node = observed->self;
  PortId arrived = kNoPort;
  for (unsigned hop = request.hop_count; hop > 0; --hop) {
    const PortId leaves = fabric.port_id(node, PortNum(request.return_path[hop]));
    arrived = leaves == kNoPort ? kNoPort : fabric.far_end(leaves);
    if (arrived == kNoPort) return std::nullopt;
    node = fabric.port(arrived).node;
    if (hop > 1 && !fabric.is_switch(node)) return std::nullopt;
  }
  return fabric.port(arrived).guid;
}

std::optional<Guid> Peers::sender_of(const Smp& request) const {
  if (request.mgmt_class == MgmtClass::kSmpDirected) return sender_by_path(request);
  const EndportId sender = sm_.memory.endport_with(request.slid);
  if (sender == kNoEndport) return std::nullopt;
  const Fabric& fabric = *sm_.memory.active_fabric();
  return fabric.port(fabric.endport(sender).port).guid;
}

bool Peers::has_shown_key(Guid port) const {
  return std::ranges::any_of(managers_.all(), [&](const OtherManager& other) {
    return !other.silent && other.port_guid == port && other.info.guid == port &&
           shows_key(other.info);
  });
}

SmKey Peers::key_for(std::optional<Guid> port) const {
  const SmKey key = own_key();
  if (key == SmKey(kPublicSmKey)) return key;
  if (!port) return SmKey(0);
  const bool is_listed = !sm_.options.allowed_sm_guids.empty() && is_allowed(*port);
  const bool is_known = sm_.options.allowed_sm_guids.empty() && has_shown_key(*port);
  return is_listed || is_known ? key : SmKey(0);
}

/// A STANDBY accepts commands from the master that it polls, and a HANDOVER also from each manager
/// that sent the SM_Key when it was queried: that manager may have become master since. If
/// allowed_sm_guids is set, the STANDBY accepts commands of all managers in that list. An
/// ACKNOWLEDGE is always accepted, because it changes nothing in a STANDBY.
bool Peers::may_command(Guid sender, SmEvent event) const {
  if (sm_.state != SmState::kStandby || event == SmEvent::kAcknowledge) return true;
  if (!sm_.options.allowed_sm_guids.empty()) return true;
  if (standby_.polled_manager() && standby_.polled_manager()->info.guid == sender) return true;
  return event == SmEvent::kHandover && has_shown_key(sender);
}

std::string Peers::refusal(const Smp& request, const SmInfo& claimed, SmEvent event) const {
  if (!shows_key(claimed)) return "has another SM_Key";
  const bool is_open = own_key() == SmKey(0) && sm_.options.allowed_sm_guids.empty();
  if (event != SmEvent::kAcknowledge && claimed.state != SmState::kMaster)
    return fmt::format("sends commands as {}, expected MASTER", name(claimed.state));
  if (is_open) return {};
  const auto port = sender_of(request);
  if (port && *port != claimed.guid)
    return fmt::format("is not the port GUID of the sender, 0x{:016x}", port->value());
  if (!is_allowed(claimed.guid)) return "is not in allowed_sm_guids";
  if (!may_command(claimed.guid, event)) return "is not the master of this STANDBY";
  return {};
}

}  // namespace weft
