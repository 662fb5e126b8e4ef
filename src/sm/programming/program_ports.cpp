// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/program_ports.h"

#include "base/check.h"
#include "ib/extended_port_info.h"
#include "ib/modifiers.h"
#include "sm/discovery/directed.h"
#include "sm/discovery/fdr10.h"
#include "sm/keys/port_key.h"
#include "sm/programming/phase_table.h"

namespace weft {
namespace {

PortInfo& seen_port(Programming& programming, const PlannedOp& planned) {
  return programming.observed.nodes[planned.op.node].ports[port_of(planned.op).value()];
}

bool requests_reregistration(const Programming& programming, const PlannedOp& planned) {
  const PortNum port = port_of(planned.op);
  const ObservedNode& node = programming.observed.nodes[planned.op.node];
  return planned.phase == Phase::kReregister ||
         (planned.phase == Phase::kPorts && node.ports[port.value()].state != PortState::kActive &&
          needs_reregistration(programming.desired, planned.node(), port));
}

/// Fills the M_Key, protection and lease of a Set; `request` has its address.
void fill_key(Programming& programming, const PlannedOp& planned, const Smp& request,
              PortInfo& info) {
  const SmOptions& options = programming.options;
  const Guid guid = programming.desired.fabric.port(programming.port_id(planned)).guid;
  if (planned.phase == Phase::kKeys) {
    set_key(info, options, guid);
    programming.keys.announce(programming.path(planned), info.mkey);
  } else if (port_key(options, guid) == Mkey(0)) {
    // No M_Key is configured: key 0 replaces the M_Key of the PortInfo last read, which may have
    // been read incorrectly, and which a port without a key would store. Unlike another key, key 0
    // need not be saved in a file before it is set.
    set_key(info, options, guid);
  } else if (info.mkey != Mkey(0)) {
    // The key, its protection and its lease may have been read incorrectly; setting them would lock
    // the port. The key in the header of the Set is used instead: the port refuses the Set if this
    // key is wrong.
    set_key(info, options, guid);
    info.mkey = programming.keys.key_for(request, 1);
  }
}

/// Computes the parameters of a link again. Later Sets write them to both ends.
void renew_link(Programming& programming, PortId port) {
  Desired& desired = programming.desired;
  if (desired.links.empty()) return;
  for (const PortId end : {port, desired.fabric.port(port).peer})
    if (end != kNoPort)
      desired.links[end.value()] =
          link_parameters(programming.observed, desired.fabric, end, vl_limit(programming.options));
}

/// Records values that the port did not store. A Set of the port state only repeats earlier values,
/// so it updates the record only of ports that are already known to not store values.
void record_unstored(Programming& programming, const PlannedOp& planned, const PortInfo& answer) {
  const Guid node = programming.desired.fabric.node(planned.node()).node_guid;
  const PortNum port = port_of(planned.op);
  HeldPorts& ports = programming.held.ports();
  if (rules_of(planned.phase).port_set == PortSet::kMovesUp && !ports.is_known(node, port)) return;
  ports.remember(node, port,
                 desired_port(programming.observed, programming.desired, programming.options,
                              planned.node(), port),
                 answer);
}

}  // namespace

void fill_port(Programming& programming, const PlannedOp& planned, Smp& request) {
  const PortNum port = port_of(planned.op);
  const ObservedNode& node = programming.observed.nodes[planned.op.node];
  fill_directed_request(request, Method::kSet, AttributeId::kPortInfo,
                        node.port_info_modifier(port), programming.path(planned));
  PortInfo info = desired_port(programming.observed, programming.desired, programming.options,
                               planned.node(), port);
  if (const PortState state = rules_of(planned.phase).state; state != PortState::kNoChange)
    info.state = state;
  fill_key(programming, planned, request, info);
  info.client_reregister = requests_reregistration(programming, planned);
  request.data = encode(info);
}

std::string confirm_port(Programming& programming, const PlannedOp& planned, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  if (!info) return {};
  const PortId id = programming.port_id(planned);
  if (requests_reregistration(programming, planned)) programming.reregistered.push_back(id);
  record_unstored(programming, planned, *info);
  PortInfo& seen = seen_port(programming, planned);
  const bool is_as_capable = seen.mtu_cap == info->mtu_cap && seen.vl_cap == info->vl_cap;
  seen = *info;
  if (!is_as_capable) renew_link(programming, id);
  if (planned.phase == Phase::kTakeDown) note_taken_down(programming, planned);
  if (planned.phase != Phase::kKeys) return {};
  settle_key(programming, planned);
  const Guid guid = programming.desired.fabric.port(id).guid;
  programming.keys.learn(guid, programming.path(planned), port_key(programming.options, guid));
  return {};
}

void read_key_owner(Programming& programming, const PlannedOp& planned, Smp& request) {
  fill_directed_request(request, Method::kGet, AttributeId::kNodeInfo, 0,
                        programming.path(planned));
}

std::string confirm_key_owner(Programming& programming, const PlannedOp& planned,
                              const Smp& answer) {
  const PortId port = programming.port_id(planned);
  const Guid expected = programming.desired.fabric.port(port).guid;
  const auto info = decode_node_info(answer.data);
  if (!info) return info.error().message + ": the M_Key is not changed";
  if (info->port_guid != expected)
    return fmt::format("found 0x{:016x}, expected 0x{:016x}: the M_Key is not changed",
                       info->port_guid.value(), expected.value());
  programming.key_owners.insert(port);
  return {};
}

bool lacks_key_owner(const Programming& programming, const PlannedOp& planned) {
  return programming.options.m_key_per_port &&
         !programming.key_owners.contains(programming.port_id(planned));
}

void settle_key(Programming& programming, const PlannedOp& planned) {
  programming.keys.settle(programming.path(planned));
}

void note_taken_down(Programming& programming, const PlannedOp& planned) {
  programming.taken_down.push_back(programming.port_id(planned));
}

PortStep next_port_step(const Programming& programming, const PlannedOp& planned, PortStep step) {
  const PortSet set = rules_of(planned.phase).port_set;
  if (set == PortSet::kNone) return PortStep::kFirst;
  if (step == PortStep::kFirst && set == PortSet::kMovesUp) return PortStep::kReadState;
  const ObservedNode& node = programming.observed.nodes[planned.op.node];
  return step != PortStep::kPlain && node.takes_extended_speeds(port_of(planned.op))
             ? PortStep::kPlain
             : PortStep::kFirst;
}

void fill_port_step(Programming& programming, const PlannedOp& planned, PortStep step,
                    Smp& request) {
  const std::uint32_t plain = modifier::port_info(port_of(planned.op));
  if (step == PortStep::kReadState) {
    fill_directed_request(request, Method::kGet, AttributeId::kPortInfo, plain,
                          programming.path(planned));
    return;
  }
  fill_port(programming, planned, request);
  request.modifier = plain;
}

/// The port may be ACTIVE already: data from the other end moves an ARMED port to ACTIVE, and an
/// earlier Set may have succeeded although its answer was lost.
std::string confirm_port_state(Programming& programming, const PlannedOp& planned,
                               const Smp& answer) {
  const std::string refused = status_text(mad_status::kInvalidField);
  const auto info = decode_port_info(answer.data);
  if (answer.status != mad_status::kGood || !info) return refused;
  if (info->state < rules_of(planned.phase).state)
    return refused + fmt::format(", PortState is {}, expected {}", port_state_text(info->state),
                                 port_state_text(rules_of(planned.phase).state));
  PortInfo& seen = seen_port(programming, planned);
  seen.state = info->state;
  seen.phys_state = info->phys_state;
  return {};
}

void fill_fdr10(Programming& programming, const PlannedOp& planned, Smp& request) {
  const PortNum port = port_of(planned.op);
  const ObservedNode& node = programming.observed.nodes[planned.op.node];
  const auto wanted = wanted_extended_port_info(node, port, programming.options.fdr10);
  CHECK(wanted.has_value());
  fill_directed_request(request, Method::kSet, AttributeId::kMlnxExtendedPortInfo, port.value(),
                        programming.path(planned));
  request.data = node.extended[port.value()];
  write_extended_port_info(*wanted, request.data);
}

std::string confirm_fdr10(Programming& programming, const PlannedOp& planned, const Smp& answer) {
  programming.observed.nodes[planned.op.node].extended[planned.op.index] = answer.data;
  return {};
}

}  // namespace weft
