// Everything that routing yields, as one plain value: what the verifier judges and the subnet
// manager programs.
#pragma once

#include <bitset>
#include <map>
#include <string>
#include <vector>

#include "routes/lfts.h"
#include "routes/path_sl.h"
#include "routes/sl2vl.h"

namespace weft {

/// Multicast forwarding: for a multicast LID and a switch the ports that copies leave by.
using PortMask = std::bitset<256>;
using Mfts = std::map<Lid, std::map<SwitchId, PortMask>>;

struct Routes {
  std::string engine;  // the engine that made them
  Lfts lfts;
  Mfts mfts;
  PathSl path_sl;
  Sl2Vl sl2vl;
  unsigned vls = 1;         // data VLs in use
  unsigned vls_needed = 1;  // without which the paths could deadlock; the others spread load
  /// ftree's order of compute nodes, for opensm-ftree-ca-order.dump; kNoEndport is a dummy.
  std::vector<EndportId> ca_order;
  bool operator==(const Routes&) const = default;
};

}  // namespace weft
