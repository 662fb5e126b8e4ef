// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/port_states.h"

namespace weft::emulator {

bool ignores_port_states(const Model& model, const Smp& smp, Place at) {
  return smp.attribute == kSwitchPortStateTable &&
         model.port_state_support(at.node) == PortStateSupport::kSilent;
}

MadStatus serve_port_states(const Model& model, Smp& smp, Place at) {
  if (model.port_state_support(at.node) != PortStateSupport::kAll || smp.method != Method::kGet)
    return mad_status::kMethodAttributeUnsupported;
  const std::uint8_t block = block_of_port_states_modifier(smp.modifier);
  const std::uint8_t port_count = model.node(at.node).port_count;
  if (block >= port_state_blocks(port_count)) return mad_status::kInvalidField;
  const std::size_t first = block * PortStateBlock::kPorts;
  PortStateBlock answer;
  for (std::size_t i = 0; i < PortStateBlock::kPorts && first + i <= port_count; ++i) {
    const PortNum port(static_cast<std::uint8_t>(first + i));
    answer.states[i] = model.port(model.port_id(at.node, port)).info.state;
  }
  smp.data = encode(answer);
  return mad_status::kGood;
}

}  // namespace weft::emulator
