// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/unhealthy_reason.h"

#include "ib/wire.h"

namespace weft {
namespace {

constexpr unsigned kReasonAt = 6 * 8;
constexpr unsigned kPortRecoveredAt = 3;  // bit 4 of byte 0

}  // namespace

UnhealthyReason unhealthy_reason(std::span<const std::byte, kSmpDataSize> extended_port_info) {
  return static_cast<UnhealthyReason>(wire::read_bits(extended_port_info.data(), kReasonAt, 8));
}

void set_unhealthy_reason(SmpData& extended_port_info, UnhealthyReason reason) {
  wire::write_bits(extended_port_info.data(), kReasonAt, 8, static_cast<std::uint8_t>(reason));
}

bool is_port_recovered(std::span<const std::byte, kSmpDataSize> extended_port_info) {
  return wire::read_bits(extended_port_info.data(), kPortRecoveredAt, 1) != 0;
}

void set_port_recovered(SmpData& extended_port_info, bool recovered) {
  wire::write_bits(extended_port_info.data(), kPortRecoveredAt, 1, recovered ? 1 : 0);
}

}  // namespace weft
