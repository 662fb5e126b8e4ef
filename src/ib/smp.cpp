// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/smp.h"

#include <algorithm>
#include <cstring>

#include "ib/wire.h"

namespace weft {
namespace {

constexpr unsigned kSmpBaseVersion = 1;
constexpr unsigned kClassVersion = 1;
constexpr std::size_t kSmpDataOffset = 64;
constexpr std::size_t kInitialPathOffset = 128;
constexpr std::size_t kReturnPathOffset = 192;

struct Versions {
  std::uint8_t base = kSmpBaseVersion;
  std::uint8_t management_class = kClassVersion;
};

template <class Op, class Packet, class Version>
void common_layout(Op field, Packet& smp, Version& versions) {
  field(0, 8, versions.base);
  field(8, 8, smp.mgmt_class);
  field(16, 8, versions.management_class);
  field(24, 8, smp.method);
  field(64, 64, smp.transaction_id);
  field(128, 16, smp.attribute);
  field(160, 32, smp.modifier);
  field(192, 64, smp.mkey);
}

template <class Op, class Packet>
void directed_layout(Op field, Packet& smp) {
  field(32, 1, smp.returning);
  field(33, 15, smp.status);
  field(48, 8, smp.hop_pointer);
  field(56, 8, smp.hop_count);
  field(256, 16, smp.dr_slid);
  field(272, 16, smp.dr_dlid);
}

}  // namespace

std::uint8_t departure_port(const Smp& smp) {
  if (smp.port != 0 || smp.mgmt_class == MgmtClass::kSmpLidRouted) return smp.port;
  if (smp.hop_count == 0 || smp.hop_count > kHopsMax) return 0;
  return smp.returning ? smp.return_path[smp.hop_count] : smp.initial_path[1];
}

std::array<std::byte, kMadSize> encode(const Smp& smp) {
  std::array<std::byte, kMadSize> bytes{};
  wire::FieldWriter field(bytes.data());
  const Versions versions;
  common_layout(field, smp, versions);
  std::memcpy(bytes.data() + kSmpDataOffset, smp.data.data(), kSmpDataSize);
  if (smp.mgmt_class == MgmtClass::kSmpDirected) {
    directed_layout(field, smp);
    std::memcpy(bytes.data() + kInitialPathOffset, smp.initial_path.data(), 64);
    std::memcpy(bytes.data() + kReturnPathOffset, smp.return_path.data(), 64);
  } else {
    field(32, 16, smp.status);
  }
  return bytes;
}

Result<Smp> decode_smp(std::span<const std::byte, kMadSize> bytes) {
  Smp smp;
  Versions versions;
  wire::FieldReader field(bytes.data());
  common_layout(field, smp, versions);
  if (versions.base != kSmpBaseVersion)
    return wire::bad_field("MAD BaseVersion", 0, versions.base, "1");
  if (smp.mgmt_class != MgmtClass::kSmpLidRouted && smp.mgmt_class != MgmtClass::kSmpDirected)
    return wire::bad_field("MAD MgmtClass", 8, smp.mgmt_class, "1 or 129, an SMP's class");
  if (versions.management_class != kClassVersion)
    return wire::bad_field("SMP ClassVersion", 16, versions.management_class, "1");
  std::memcpy(smp.data.data(), bytes.data() + kSmpDataOffset, kSmpDataSize);
  if (smp.mgmt_class == MgmtClass::kSmpLidRouted) {
    field(32, 16, smp.status);
    return smp;
  }
  directed_layout(field, smp);
  if (smp.hop_count > kHopsMax)
    return wire::bad_field("SMP HopCount", 56, smp.hop_count, "at most 63");
  if (smp.hop_pointer > smp.hop_count + 1)
    return wire::bad_field("SMP HopPointer", 48, smp.hop_pointer, "at most HopCount + 1");
  std::memcpy(smp.initial_path.data(), bytes.data() + kInitialPathOffset, 64);
  std::memcpy(smp.return_path.data(), bytes.data() + kReturnPathOffset, 64);
  return smp;
}

}  // namespace weft
