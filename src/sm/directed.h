// Requests by directed route, the way the manager talks to every node while LIDs may not work yet.
#pragma once

#include "sm/observed.h"

namespace weft {

/// A request to the agent at the end of `path`, without data.
inline Smp directed_request(Method method, AttributeId attribute, std::uint32_t modifier,
                            const DirectedPath& path, Mkey mkey) {
  Smp smp;
  smp.method = method;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.initial_path = path.hops;
  smp.hop_count = path.count;
  smp.mkey = mkey;
  return smp;
}

/// What an answer that is not a good one says.
inline std::string status_text(std::uint16_t status) {
  return fmt::format("answers with status 0x{:04x}", status);
}

}  // namespace weft
