// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/path_sls.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/parallel.h"
#include "verify/lid_tally.h"

namespace weft {
namespace {

constexpr std::size_t kTile = 32;  // source switches of a task: the masks fill a cache line

}  // namespace

PathSls::PathSls(const Fabric& fabric, const Routes& routes, bool ignore_replies, unsigned threads)
    : fabric_(fabric),
      routes_(routes),
      replies_(!ignore_replies && routes.path_sl.kind() != PathSl::Kind::kUniform) {
  const PathSl::Kind kind = routes.path_sl.kind();
  if (!replies_ || kind == PathSl::Kind::kBySwitchPair) return;
  by_pair_ = kind == PathSl::Kind::kBySwitchAndLid;
  std::vector<Run> ca_runs, switch_runs;
  for (const Endport& endport : fabric.endports())
    if (endport.addressed()) add(endport, fabric.is_switch(endport.node) ? switch_runs : ca_runs);
  ca_lids_ = unite(ca_runs, threads);
  switch_lids_ = unite(switch_runs, threads);
}

PathSls::PathSls(const Fabric& fabric, const Routes& routes, Sl only)
    : fabric_(fabric), routes_(routes), replies_(false), only_(bit(only)) {}

void PathSls::add(const Endport& endport, std::vector<Run>& runs) {
  const unsigned count = 1u << endport.lmc;
  if (!runs.empty() && runs.back().sw == endport.sw &&
      runs.back().first.value() + runs.back().count == endport.lid.value()) {
    runs.back().count += count;
  } else {
    runs.push_back({endport.lid, count, endport.sw});
  }
}

PathSls::Union PathSls::unite(std::span<const Run> runs, unsigned threads) const {
  const std::size_t switches = fabric_.switch_count();
  if (!by_pair_) {
    Union lids(switches, 0);
    for (const Run& run : runs)
      for (unsigned i = 0; i < run.count; ++i)
        lids[run.sw.value()] |=
            request(run.sw, run.sw, Lid(static_cast<std::uint16_t>(run.first.value() + i)));
    return lids;
  }
  Union lids(switches * switches, 0);
  parallel_blocks(switches, kTile, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Mask> tile(switches * kTile, 0);
    for (std::size_t source = begin; source < end; ++source) {
      const std::uint8_t* const row =
          routes_.path_sl.row(SwitchId(static_cast<std::uint32_t>(source))).data();
      Mask* const column = tile.data() + (source - begin);
      for (const Run& run : runs) {
        unsigned mask = 0;
        for (unsigned i = 0; i < run.count; ++i) mask |= 1u << row[run.first.value() + i];
        column[run.sw.value() * kTile] |= static_cast<Mask>(mask);
      }
    }
    for (std::size_t s = 0; s < switches; ++s)
      std::copy_n(tile.data() + s * kTile, end - begin, lids.data() + s * switches + begin);
  });
  return lids;
}

PathSls::Mask PathSls::from(SwitchId source, SwitchId destination, Lid lid,
                            const Union& lids) const {
  if (only_ != 0) return only_;
  const Mask requests = request(source, destination, lid);
  if (!replies_) return requests;
  if (lids.empty()) return static_cast<Mask>(requests | request(destination, source, lid));
  return static_cast<Mask>(requests | replies(source, destination, lids));
}

PathSls::Replies PathSls::replies(SwitchId source, SwitchId destination) const {
  CHECK(only_ == 0);
  if (!replies_) return {};
  if (ca_lids_.empty()) {  // by pair of switches
    const Mask sl = request(destination, source, kLidNone);
    return {sl, sl};
  }
  return {replies(source, destination, ca_lids_), replies(source, destination, switch_lids_)};
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

std::uint16_t lanes_of(const Routes& routes, PathSls::Mask sls) {
  unsigned vls = 0;
  for (unsigned left = sls; left != 0; left &= left - 1)
    vls |= 1u << routes.sl2vl.common()[static_cast<unsigned>(std::countr_zero(left))];
  return static_cast<std::uint16_t>(vls & ~(1u << kDropVl));
}

}  // namespace weft
