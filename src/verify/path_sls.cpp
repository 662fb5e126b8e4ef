// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/path_sls.h"

namespace weft {

PathSls::PathSls(const Fabric& fabric, const Routes& routes, bool ignore_replies)
    : fabric_(fabric),
      routes_(routes),
      replies_(!ignore_replies && routes.path_sl.kind() != PathSl::Kind::kUniform) {
  const PathSl::Kind kind = routes.path_sl.kind();
  if (!replies_ || kind == PathSl::Kind::kBySwitchPair) return;
  const std::size_t rows = kind == PathSl::Kind::kByDestination ? 1 : fabric.switch_count();
  ca_lids_.assign(rows * fabric.switch_count(), 0);
  switch_lids_.assign(rows * fabric.switch_count(), 0);
  for (const Endport& endport : fabric.endports())
    if (endport.addressed()) add(endport, fabric.is_switch(endport.node) ? switch_lids_ : ca_lids_);
}

PathSls::PathSls(const Fabric& fabric, const Routes& routes, Sl only)
    : fabric_(fabric), routes_(routes), replies_(false), only_(bit(only)) {}

void PathSls::add(const Endport& endport, Union& lids) const {
  const std::uint32_t switches = fabric_.switch_count();
  const auto rows = static_cast<std::uint32_t>(lids.size() / switches);
  for (unsigned i = 0; i < 1u << endport.lmc; ++i) {
    const Lid lid(static_cast<std::uint16_t>(endport.lid.value() + i));
    for (std::uint32_t source = 0; source < rows; ++source)
      lids[std::size_t{source} * switches + endport.sw.value()] |=
          request(SwitchId(source), endport.sw, lid);
  }
}

PathSls::Mask PathSls::from(SwitchId source, SwitchId destination, Lid lid,
                            const Union& lids) const {
  if (only_ != 0) return only_;
  const Mask requests = request(source, destination, lid);
  if (!replies_) return requests;
  if (lids.empty()) return static_cast<Mask>(requests | request(destination, source, lid));
  const bool rows = lids.size() > fabric_.switch_count();
  const std::size_t row = rows ? std::size_t{destination.value()} * fabric_.switch_count() : 0;
  return static_cast<Mask>(requests | lids[row + source.value()]);
}

PathSls::Mask PathSls::from_endport(const Endport& source, SwitchId destination, Lid lid) const {
  if (only_ != 0) return only_;
  Mask mask = request(source.sw, destination, lid);
  if (!replies_ || !source.addressed()) return mask;
  for (unsigned i = 0; i < 1u << source.lmc; ++i)
    mask |=
        request(destination, source.sw, Lid(static_cast<std::uint16_t>(source.lid.value() + i)));
  return mask;
}

}  // namespace weft
