// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/switch_settings.h"

#include "ib/vendor/switch_settings_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Info>
void layout_extended_switch(Op field, Info& info) {
  namespace unconfirmed = switch_settings_unconfirmed;
  const auto bit_of_byte = [](unsigned byte, unsigned bit) { return 8 * byte + 7 - bit; };
  field(8 * 3 + 5, 3, info.turbo_path);
  field(bit_of_byte(3, 3), 1, info.turbo_path_capable);
  field(bit_of_byte(3, 4), 1, info.upgrade_requested);
  field(bit_of_byte(3, 5), 1, info.upgrade_approved);
  field(bit_of_byte(4, unconfirmed::kSetsWindow), 1, info.sets_window);
  field(bit_of_byte(4, unconfirmed::kSetsResetTrigger), 1, info.sets_reset_trigger);
  field(bit_of_byte(4, unconfirmed::kSetsSetTrigger), 1, info.sets_set_trigger);
  field(bit_of_byte(4, unconfirmed::kSetsRequestDelay), 1, info.sets_request_delay);
  field(8 * 6 + 6, 10, info.request_delay);
  field(8 * 8 + 6, 10, info.set_trigger);
  field(8 * 10 + 6, 10, info.reset_trigger);
  field(8 * 14 + 6, 10, info.window);
}

template <class Op, class Info>
void layout_chassis(Op field, Info& info) {
  wire::bytes(field, 8 * 4, info.serial_number);
}

}  // namespace

SmpData encode(const ExtendedSwitchInfo& value) {
  SmpData data{};
  layout_extended_switch(wire::FieldWriter(data.data()), value);
  return data;
}

ExtendedSwitchInfo decode_extended_switch_info(std::span<const std::byte, kSmpDataSize> data) {
  ExtendedSwitchInfo value;
  layout_extended_switch(wire::FieldReader(data.data()), value);
  return value;
}

SmpData encode(const ChassisInfo& value) {
  SmpData data{};
  layout_chassis(wire::FieldWriter(data.data()), value);
  return data;
}

ChassisInfo decode_chassis_info(std::span<const std::byte, kSmpDataSize> data) {
  ChassisInfo value;
  layout_chassis(wire::FieldReader(data.data()), value);
  return value;
}

}  // namespace weft
