// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/addresses.h"

namespace weft {
namespace {

constexpr std::uint16_t kMembershipBit = 0x8000;
constexpr Pkey kDefaultPkey{0xFFFF};

}  // namespace

std::optional<std::uint16_t> own_pkey_index(const Snapshot& snapshot, EndportId own, Pkey pkey) {
  const PortId port = snapshot.fabric.endport(own).port;
  if (!snapshot.pkeys.programs(port)) return std::nullopt;
  const auto table = snapshot.pkeys.table(port);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (((table[i].value() ^ pkey.value()) & ~kMembershipBit & 0xFFFF) == 0)
      return static_cast<std::uint16_t>(i);
  return std::nullopt;
}

GmpAddress address_of(const Snapshot& snapshot, EndportId to) {
  const Endport& target = snapshot.fabric.endport(to);
  const EndportId from = snapshot.manager_towards(to);
  const Endport& own = snapshot.fabric.endport(from);
  GmpAddress address;
  address.lid = target.lid;
  address.port = snapshot.manager_port_towards(to);
  address.pkey_index = own_pkey_index(snapshot, from, kDefaultPkey).value_or(0);
  const PathSl& sls = snapshot.routes.path_sl;
  if (sls.kind() != PathSl::Kind::kUniform && own.sw != kNoSwitch && target.sw != kNoSwitch)
    address.sl = sls.sl(snapshot.fabric, from, target.lid);
  return address;
}

bool begins_round(const Snapshot* before, const Snapshot* after) {
  if (before == nullptr || after == nullptr) return before != after;
  if (before->sweep != after->sweep) return true;
  // Both have the same fabric. An update may change the P_Key tables of the manager's ports.
  const Fabric& fabric = after->fabric;
  const auto& ends = fabric.endports();
  const NodeId own = fabric.endport(after->sm).node;
  for (std::uint32_t e = 0; e < ends.size(); ++e)
    if (ends[e].node == own && own_pkey_index(*before, EndportId(e), kDefaultPkey) !=
                                   own_pkey_index(*after, EndportId(e), kDefaultPkey))
      return true;
  return false;
}

}  // namespace weft
