#include "routing/shapes/trunks.h"

#include <algorithm>

namespace weft {

Trunks::Trunks(const Fabric& fabric) : first_{0} {
  std::vector<std::uint64_t> around;  // neighbour << 32 | channel
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    around.clear();
    std::uint32_t channel = fabric.first_channel(SwitchId(s)).value();
    for (const Channel& out : fabric.channels_from(SwitchId(s)))
      around.push_back(std::uint64_t{out.to.value()} << 32 | channel++);
    std::ranges::sort(around);
    for (const std::uint64_t item : around) {
      const auto to = static_cast<std::uint32_t>(item >> 32);
      if (first_.back() == count() || to_.back() != to) {
        from_.push_back(s);
        to_.push_back(to);
        begin_.push_back(static_cast<std::uint32_t>(channels_.size()));
      }
      channels_.push_back(static_cast<std::uint32_t>(item));
    }
    first_.push_back(count());
  }
  begin_.push_back(static_cast<std::uint32_t>(channels_.size()));
  for (std::uint32_t t = 0; t < count(); ++t) {
    const auto begin = to_.begin() + first_[to_[t]];
    const auto end = to_.begin() + first_[to_[t] + 1];
    reverse_.push_back(
        static_cast<std::uint32_t>(std::lower_bound(begin, end, from_[t]) - to_.begin()));
    width_ = std::max(width_, channels(t).size());
  }
}

}  // namespace weft
