// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/lfts.h"

#include <algorithm>

namespace weft {

Lfts::Lfts(std::uint32_t switch_count, Lid top) : Lfts(unwritten(switch_count, top)) {
  std::ranges::fill(bytes_, kNoRoute.value());
}

Lfts Lfts::unwritten(std::uint32_t switch_count, Lid top) {
  Lfts lfts;
  lfts.switch_count_ = switch_count;
  lfts.top_ = top;
  lfts.row_size_ = (std::size_t{top.value()} / kLftBlock + 1) * kLftBlock;
  lfts.bytes_.resize(switch_count * lfts.row_size_);
  return lfts;
}

}  // namespace weft
