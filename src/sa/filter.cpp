// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/filter.h"

namespace weft {

RecordFilter::RecordFilter(std::span<const Component> components, std::uint64_t mask,
                           std::span<const std::byte> wanted)
    : mask_(mask) {
  if (components.empty()) return;
  std::array<std::byte, kSaDataSize> compared{};
  for (const Component& component : components) {
    if (!has_component(component.bit)) continue;
    for (unsigned bit = component.offset; bit < unsigned{component.offset} + component.width; ++bit)
      compared[bit / 8] |= std::byte{0x80} >> (bit % 8);
  }
  for (std::size_t at = 0; at < compared.size() && at < wanted.size(); ++at)
    if (compared[at] != std::byte{0})
      bytes_[used_++] = {static_cast<std::uint8_t>(at), compared[at], wanted[at]};
}

}  // namespace weft
