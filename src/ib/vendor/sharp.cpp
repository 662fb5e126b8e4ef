// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/sharp.h"

#include "ib/wire.h"

namespace weft {
namespace {

constexpr unsigned kSharpEnabledAt = 1;  // bit 6 of byte 0

}  // namespace

bool is_sharp_enabled(std::span<const std::byte, kSmpDataSize> extended_port_info) {
  return wire::read_bits(extended_port_info.data(), kSharpEnabledAt, 1) != 0;
}

void set_sharp_enabled(SmpData& extended_port_info, bool enabled) {
  wire::write_bits(extended_port_info.data(), kSharpEnabledAt, 1, enabled ? 1 : 0);
}

}  // namespace weft
