// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/class_port_info.h"

#include "ib/sa_records.h"
#include "sa/attribute.h"

namespace weft::sa {
namespace {

// The capabilities that OpenSM 3.3.23 advertises, as far as they are implemented here.
constexpr std::uint16_t kCapabilities = 0x2602;
constexpr std::uint32_t kCapabilities2OfOpenSm = 0xB5E8;
// Bits of CapabilityMask2 that OpenSM 3.3.23 does not have: records contain these speeds.
constexpr std::uint32_t kNdr = 1u << 17, kExtendedSpeeds2 = 1u << 19, kXdr = 1u << 20;
constexpr std::uint32_t kCapabilities2 = kCapabilities2OfOpenSm | kNdr | kExtendedSpeeds2 | kXdr;
constexpr std::uint8_t kResponseTime = 0x10;

std::uint16_t class_port_info(State&, const SaQuery&, SaAnswer& answer) {
  ClassPortInfo info;
  info.class_version = kSaClassVersion;
  info.capability_mask = kCapabilities;
  info.capability_mask2 = kCapabilities2;
  info.response_time_value = kResponseTime;
  info.redirect_qp = kGsiQpn;
  info.redirect_qkey = kGsiQkey;
  info.trap_qkey = kGsiQkey;
  answer.add(encode(info));
  return mad_status::kGood;
}

}  // namespace

const Attribute kClassPortInfoAttribute{
    .id = SaAttribute::kClassPortInfo,
    .name = "ClassPortInfo",
    .record_size = ClassPortInfo::kSize,
    .get = &class_port_info,
};

}  // namespace weft::sa
