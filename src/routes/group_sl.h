// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The SL of a multicast group.
#pragma once

#include "routes/routes.h"

namespace weft {

/// The SL of a multicast group: 0 unless the routes need another SL.
inline Sl group_sl(const Routes& routes, Lid mlid) {
  const auto found = routes.multicast_sl.find(mlid);
  return found == routes.multicast_sl.end() ? Sl(0) : found->second;
}

}  // namespace weft
