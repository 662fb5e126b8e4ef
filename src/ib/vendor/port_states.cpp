// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/port_states.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Field, class Block>
void layout_port_states(Field field, Block& block) {
  for (unsigned i = 0; i < PortStateBlock::kPorts; ++i) field(4 * i, 4, block.states[i]);
}

}  // namespace

SmpData encode(const PortStateBlock& block) {
  SmpData data{};
  layout_port_states(wire::FieldWriter(data.data()), block);
  return data;
}

PortStateBlock decode_port_state_block(std::span<const std::byte, kSmpDataSize> data) {
  PortStateBlock block;
  layout_port_states(wire::FieldReader(data.data()), block);
  return block;
}

}  // namespace weft
