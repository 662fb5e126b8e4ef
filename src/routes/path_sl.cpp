// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/path_sl.h"

#include <utility>

#include "base/check.h"

namespace weft {

PathSl PathSl::by_destination(std::vector<std::uint8_t> sl_of_lid) {
  PathSl result;
  result.kind_ = Kind::kByDestination;
  result.table_ = std::move(sl_of_lid);
  return result;
}

PathSl PathSl::by_switch_pair(std::uint32_t switches, std::vector<std::uint8_t> table) {
  CHECK(table.size() == std::size_t{switches} * switches);
  PathSl result;
  result.kind_ = Kind::kBySwitchPair;
  result.stride_ = switches;
  result.table_ = std::move(table);
  return result;
}

PathSl PathSl::by_switch_and_lid(std::uint32_t switches, Lid top, std::vector<std::uint8_t> table) {
  PathSl result;
  result.kind_ = Kind::kBySwitchAndLid;
  result.stride_ = std::size_t{top.value()} + 1;
  CHECK(table.size() == switches * result.stride_);
  result.table_ = std::move(table);
  return result;
}

Sl PathSl::sl(const Fabric& fabric, EndportId source, Lid lid) const {
  if (kind_ == Kind::kUniform) return Sl(0);
  return sl(fabric.endport(source).sw, fabric.endport(fabric.endport_of(lid)).sw, lid);
}

}  // namespace weft
