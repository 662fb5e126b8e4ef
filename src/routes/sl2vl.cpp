#include "routes/sl2vl.h"

#include "base/check.h"

namespace weft {

SlMap modulo_map(unsigned vls) {
  CHECK(vls >= 1 && vls <= kDataVlCount);
  SlMap map{};
  for (unsigned sl = 0; sl < kSlCount; ++sl) map[sl] = static_cast<std::uint8_t>(sl % vls);
  return map;
}

const SlMap& Sl2Vl::map(SwitchId sw, PortNum in, PortNum out) const {
  if (special_.empty()) return common_;
  const auto found = special_.find(Key{sw.value(), in.value(), out.value()});
  return found == special_.end() ? common_ : found->second;
}

void Sl2Vl::set(SwitchId sw, PortNum in, PortNum out, const SlMap& map) {
  special_[Key{sw.value(), in.value(), out.value()}] = map;
}

}  // namespace weft
