#include "routes/lfts.h"

namespace weft {

Lfts::Lfts(std::uint32_t switch_count, Lid top)
    : switch_count_(switch_count),
      top_(top),
      row_size_((std::size_t{top.value()} / kLftBlock + 1) * kLftBlock),
      bytes_(switch_count * row_size_, kNoRoute.value()) {}

}  // namespace weft
