// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/sl2vl.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace weft {

SlMap modulo_map(unsigned vls) {
  CHECK(vls >= 1 && vls <= kDataVlCount);
  SlMap map{};
  for (unsigned sl = 0; sl < kSlCount; ++sl) map[sl] = static_cast<std::uint8_t>(sl % vls);
  return map;
}

void Sl2Vl::Square::grow(unsigned to) {
  if (to <= ports) return;
  std::vector<std::uint32_t> wider(std::size_t{to} * to, 0);
  for (unsigned in = 0; in < ports; ++in)
    std::copy_n(indices.begin() + std::ptrdiff_t{in} * ports, ports,
                wider.begin() + std::ptrdiff_t{in} * to);
  indices = std::move(wider);
  ports = to;
}

std::uint32_t Sl2Vl::index_of(const SlMap& map) {
  // A memcmp() of constant size is faster than a call of operator==().
  const auto found = std::ranges::find_if(maps_, [&](const SlMap& known) {
    return std::memcmp(known.data(), map.data(), sizeof(SlMap)) == 0;
  });
  const auto index = static_cast<std::uint32_t>(found - maps_.begin());
  if (found == maps_.end()) maps_.push_back(map);
  return index;
}

void Sl2Vl::set(SwitchId sw, PortNum in, PortNum out, const SlMap& map) {
  if (squares_.size() <= sw.value()) squares_.resize(std::size_t{sw.value()} + 1);
  Square& square = squares_[sw.value()];
  square.grow(std::max<unsigned>(in.value(), out.value()) + 1);
  square.indices[in.value() * square.ports + out.value()] = index_of(map);
}

void Sl2Vl::set_everywhere(Sl sl, Vl vl) {
  for (SlMap& map : maps_) map[sl.value()] = vl.value();
}

bool Sl2Vl::operator==(const Sl2Vl& other) const {
  if (common() != other.common()) return false;
  const auto switches =
      static_cast<std::uint32_t>(std::max(squares_.size(), other.squares_.size()));
  for (std::uint32_t s = 0; s < switches; ++s) {
    unsigned ports = 0;
    for (const Sl2Vl* side : {this, &other})
      if (s < side->squares_.size()) ports = std::max(ports, side->squares_[s].ports);
    for (unsigned in = 0; in < ports; ++in)
      for (unsigned out = 0; out < ports; ++out) {
        const PortNum from(static_cast<std::uint8_t>(in)), to(static_cast<std::uint8_t>(out));
        if (map(SwitchId(s), from, to) != other.map(SwitchId(s), from, to)) return false;
      }
  }
  return true;
}

}  // namespace weft
