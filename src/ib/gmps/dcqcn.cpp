// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/gmps/dcqcn.h"

#include <algorithm>

#include "ib/wire.h"

namespace weft {
namespace {

constexpr auto kSwitchGeneralLayout = [](auto field, auto& general) {
  field(7, 1, general.is_enabled);
  field(16, 8, general.averaging_weight);
  field(24, 8, general.averaging_time);
  field(32, 32, general.buffer_bytes);
  field(88, 8, general.profile_step);
};

constexpr auto kPortProfilesLayout = [](auto field, auto& ports) {
  constexpr unsigned kProfilesAt = 32, kBitsOfProfile = 64;
  field(0, 1, ports.is_percent);
  field(1, 1, ports.is_kilobytes);
  field(16, 16, ports.vls);
  for (unsigned i = 0; i < DcqcnPortProfiles::kProfiles; ++i) {
    const unsigned at = kProfilesAt + kBitsOfProfile * i;
    field(at, 32, ports.profiles[i].minimum);
    field(at + 33, 7, ports.profiles[i].percent);
    field(at + 44, 20, ports.profiles[i].maximum);
  }
};

constexpr auto kSlMapLayout = [](auto field, auto& map) {
  for (unsigned sl = 0; sl < kSlCount; ++sl) field(2 * sl, 2, map.profiles[sl]);
};

constexpr auto kCaGeneralLayout = [](auto field, auto& general) {
  field(0, 1, general.notifies);
  field(1, 1, general.reacts);
  field(2, 1, general.is_per_plane);
};

constexpr auto kReactionPointLayout = [](auto field, auto& point) {
  field(0, 1, point.clamp_bit_7);
  field(1, 1, point.clamp_bit_6);
  field(47, 17, point.time_reset);
  field(77, 19, point.byte_reset);
  field(123, 5, point.threshold);
  field(141, 19, point.highest_rate);
  field(176, 16, point.additive_increase);
  field(208, 16, point.hyper_increase);
  field(252, 4, point.decrease);
  field(280, 8, point.least_decrease);
  field(288, 32, point.least_rate);
  field(320, 32, point.first_cnp_rate);
  field(374, 10, point.g);
  field(399, 17, point.rtt);
  field(416, 32, point.monitor_period);
  field(470, 10, point.first_alpha);
};

constexpr auto kNotificationPointLayout = [](auto field, auto& point) {
  field(16, 16, point.cnp_interval);
  field(47, 1, point.has_cnp_sl);
  field(46, 1, point.has_rtt_sl);
  field(48, 8, point.rtt_sl);
  field(56, 8, point.cnp_sl);
};

template <class Layout, class Attribute>
CongestionData encode_dcqcn(const Layout& layout, const Attribute& attribute) {
  CongestionData data{};
  layout(wire::FieldWriter(data.data()), attribute);
  return data;
}

template <class Attribute, class Layout>
Attribute decode_dcqcn(const Layout& layout, std::span<const std::byte, kCongestionDataSize> data) {
  Attribute attribute;
  layout(wire::FieldReader(data.data()), attribute);
  return attribute;
}

}  // namespace

CongestionData encode(const DcqcnSwitchGeneral& general) {
  return encode_dcqcn(kSwitchGeneralLayout, general);
}
CongestionData encode(const DcqcnPortProfiles& profiles) {
  return encode_dcqcn(kPortProfilesLayout, profiles);
}
CongestionData encode(const DcqcnSlMap& map) { return encode_dcqcn(kSlMapLayout, map); }
CongestionData encode(const DcqcnCaGeneral& general) {
  return encode_dcqcn(kCaGeneralLayout, general);
}
CongestionData encode(const DcqcnReactionPoint& point) {
  return encode_dcqcn(kReactionPointLayout, point);
}
CongestionData encode(const DcqcnNotificationPoint& point) {
  return encode_dcqcn(kNotificationPointLayout, point);
}

DcqcnSwitchGeneral decode_dcqcn_switch_general(
    std::span<const std::byte, kCongestionDataSize> data) {
  return decode_dcqcn<DcqcnSwitchGeneral>(kSwitchGeneralLayout, data);
}
DcqcnPortProfiles decode_dcqcn_port_profiles(std::span<const std::byte, kCongestionDataSize> data) {
  return decode_dcqcn<DcqcnPortProfiles>(kPortProfilesLayout, data);
}
DcqcnSlMap decode_dcqcn_sl_map(std::span<const std::byte, kCongestionDataSize> data) {
  return decode_dcqcn<DcqcnSlMap>(kSlMapLayout, data);
}
DcqcnCaGeneral decode_dcqcn_ca_general(std::span<const std::byte, kCongestionDataSize> data) {
  return decode_dcqcn<DcqcnCaGeneral>(kCaGeneralLayout, data);
}
DcqcnReactionPoint decode_dcqcn_reaction_point(
    std::span<const std::byte, kCongestionDataSize> data) {
  return decode_dcqcn<DcqcnReactionPoint>(kReactionPointLayout, data);
}
DcqcnNotificationPoint decode_dcqcn_notification_point(
    std::span<const std::byte, kCongestionDataSize> data) {
  return decode_dcqcn<DcqcnNotificationPoint>(kNotificationPointLayout, data);
}

bool DcqcnFields::is_empty() const { return mask == CongestionData{}; }

CongestionData DcqcnFields::apply_to(std::span<const std::byte, kCongestionDataSize> data) const {
  CongestionData result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = (data[i] & ~mask[i]) | value[i];
  return result;
}

bool DcqcnFields::agrees_with(std::span<const std::byte, kCongestionDataSize> data) const {
  return std::ranges::equal(apply_to(data), data);
}

void DcqcnFields::add(const DcqcnFields& later) {
  value = later.apply_to(value);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] |= later.mask[i];
}

void DcqcnFields::remove(const CongestionData& bits) {
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] &= ~bits[i];
    value[i] &= ~bits[i];
  }
}

}  // namespace weft
