// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/extended_port_state.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class State>
void layout_extended_port_state(Op field, State& state) {
  field(0, 1, state.ame_enabled);
  field(2, 1, state.router_lid_enabled);
  field(8 * 4 + 5, 1, state.utilization_enabled);
  field(8 * 4 + 6, 10, state.utilization);
  field(8 * 10 + 1, 7, state.utilization_lowest);
  field(8 * 17 + 4, 3, state.administrative_state);
  field(8 * 18, 16, state.capability_mask);
  field(8 * 44 + 2, 1, state.qos_config_vl_enabled);
  field(8 * 44 + 3, 1, state.is_trunk);
  field(8 * 47, 1, state.is_special);
  field(8 * 47 + 4, 4, state.special_kind);
  field(8 * 52, 16, state.adaptive_timeout_sls);
  field(8 * 54, 16, state.out_of_order_sls);
}

}  // namespace

ExtendedPortState decode_extended_port_state(std::span<const std::byte, kSmpDataSize> data) {
  ExtendedPortState state;
  layout_extended_port_state(wire::FieldReader(data.data()), state);
  return state;
}

void write_extended_port_state(const ExtendedPortState& state, SmpData& data) {
  layout_extended_port_state(wire::FieldWriter(data.data()), state);
}

}  // namespace weft
