// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/gmp.h"

#include <cstring>

#include "ib/wire.h"

namespace weft {
namespace {

constexpr unsigned kGmpBaseVersion = 1;
constexpr std::size_t kGmpDataOffset = 24;

template <class Op, class Packet, class Version>
void gmp_layout(Op field, Packet& gmp, Version& base) {
  field(0, 8, base);
  field(8, 8, gmp.mgmt_class);
  field(16, 8, gmp.class_version);
  field(24, 8, gmp.method);
  field(32, 16, gmp.status);
  field(48, 16, gmp.class_specific);
  field(64, 64, gmp.transaction_id);
  field(128, 16, gmp.attribute);
  field(160, 32, gmp.modifier);
}

}  // namespace

std::array<std::byte, kMadSize> encode(const Gmp& gmp) {
  std::array<std::byte, kMadSize> bytes{};
  const std::uint8_t base = kGmpBaseVersion;
  gmp_layout(wire::FieldWriter(bytes.data()), gmp, base);
  std::memcpy(bytes.data() + kGmpDataOffset, gmp.data.data(), gmp.data.size());
  return bytes;
}

Result<Gmp> decode_gmp(std::span<const std::byte, kMadSize> bytes) {
  Gmp gmp;
  std::uint8_t base = 0;
  gmp_layout(wire::FieldReader(bytes.data()), gmp, base);
  if (base != kGmpBaseVersion) return wire::bad_field("MAD BaseVersion", 0, base, "1");
  if (gmp.mgmt_class == MgmtClass::kSmpLidRouted || gmp.mgmt_class == MgmtClass::kSmpDirected)
    return wire::bad_field("MAD MgmtClass", 8, gmp.mgmt_class, "a class that is not an SMP's");
  std::memcpy(gmp.data.data(), bytes.data() + kGmpDataOffset, gmp.data.size());
  return gmp;
}

}  // namespace weft
