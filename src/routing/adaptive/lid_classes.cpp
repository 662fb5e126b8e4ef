// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/lid_classes.h"

#include <utility>

namespace weft {
namespace {

void append(std::uint16_t lid, std::vector<LidRun>& runs) {
  if (!runs.empty() && runs.back().first + runs.back().count == lid)
    ++runs.back().count;
  else
    runs.push_back({lid, 1});
}

SwitchId switch_of(const Fabric& fabric, Lid lid) {
  return fabric.endport(fabric.endport_of(lid)).sw;
}

}  // namespace

std::vector<Lid> routable_lids(const Fabric& fabric, const Lfts& lfts) {
  std::vector<Lid> lids;
  for (unsigned value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport) continue;
    const Endport& target = fabric.endport(owner);
    if (target.sw != kNoSwitch && lfts.port(target.sw, lid) == target.sw_port) lids.push_back(lid);
  }
  return lids;
}

std::vector<LidClass> classes_by_switch(const Fabric& fabric, std::span<const Lid> lids) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<LidClass> classes;
  std::vector<std::uint32_t> class_of(fabric.switch_count(), kNone);
  for (const Lid lid : lids) {
    const SwitchId sw = switch_of(fabric, lid);
    std::uint32_t& index = class_of[sw.value()];
    if (index == kNone) {
      index = static_cast<std::uint32_t>(classes.size());
      classes.push_back({sw, {}});
    }
    append(lid.value(), classes[index].runs);
  }
  return classes;
}

std::vector<LidClass> classes_of_one_lid(const Fabric& fabric, std::span<const Lid> lids) {
  std::vector<LidClass> classes;
  classes.reserve(lids.size());
  for (const Lid lid : lids) classes.push_back({switch_of(fabric, lid), {{lid.value(), 1}}});
  return classes;
}

void remove_lids(std::span<const std::uint8_t> differs, LidClass& from, std::vector<Lid>& removed) {
  std::vector<LidRun> kept;
  for (const LidRun run : from.runs)
    for (std::uint16_t i = 0; i < run.count; ++i) {
      const auto lid = static_cast<std::uint16_t>(run.first + i);
      if (differs[lid] == 0)
        append(lid, kept);
      else
        removed.emplace_back(lid);
    }
  from.runs = std::move(kept);
}

}  // namespace weft
