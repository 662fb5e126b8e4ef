// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/addresses.h"

namespace weft {
namespace {

constexpr std::uint16_t kMembershipBit = 0x8000;
constexpr Pkey kDefaultPkey{0xFFFF};

}  // namespace

std::optional<std::uint16_t> own_pkey_index(const Snapshot& snapshot, Pkey pkey) {
  const PortId own = snapshot.fabric.endport(snapshot.sm).port;
  if (!snapshot.pkeys.programs(own)) return std::nullopt;
  const auto table = snapshot.pkeys.table(own);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (((table[i].value() ^ pkey.value()) & ~kMembershipBit & 0xFFFF) == 0)
      return static_cast<std::uint16_t>(i);
  return std::nullopt;
}

GmpAddress address_of(const Snapshot& snapshot, EndportId to) {
  const Endport& target = snapshot.fabric.endport(to);
  const Endport& own = snapshot.fabric.endport(snapshot.sm);
  GmpAddress address;
  address.lid = target.lid;
  address.pkey_index = own_pkey_index(snapshot, kDefaultPkey).value_or(0);
  const PathSl& sls = snapshot.routes.path_sl;
  if (sls.kind() != PathSl::Kind::kUniform && own.sw != kNoSwitch && target.sw != kNoSwitch)
    address.sl = sls.sl(snapshot.fabric, snapshot.sm, target.lid);
  return address;
}

}  // namespace weft
