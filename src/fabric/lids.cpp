// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/lids.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace weft {
namespace {

/// The unicast LIDs, each free or used.
class LidSpace {
 public:
  bool take(unsigned base, unsigned count) {
    if (base == 0 || base % count != 0 || base + count - 1 > kLidUnicastLast.value()) return false;
    for (unsigned lid = base; lid < base + count; ++lid)
      if (taken_[lid]) return false;
    for (unsigned lid = base; lid < base + count; ++lid) taken_[lid] = true;
    return true;
  }

  /// Marks the free LIDs of a range as used.
  void reserve(unsigned base, unsigned count) {
    for (unsigned lid = base; lid < base + count && lid < taken_.size(); ++lid) taken_[lid] = true;
  }

  /// Takes the lowest free aligned range and returns its base LID; 0 if there is none. Each size
  /// has its own cursor; no range of that size is free below the cursor.
  unsigned take_lowest(unsigned count) {
    unsigned& cursor = cursors_[static_cast<std::size_t>(std::countr_zero(count))];
    for (; cursor + count - 1 <= kLidUnicastLast.value(); cursor += count)
      if (take(cursor, count)) return cursor;
    return 0;
  }

  LidSpace() {
    for (unsigned lmc = 0; lmc < cursors_.size(); ++lmc) cursors_[lmc] = 1u << lmc;
  }

 private:
  std::vector<bool> taken_ = std::vector<bool>(std::size_t{kUnicastLidCount} + 1, false);
  std::array<unsigned, kLmcMax + 1> cursors_{};
};

/// The error if LIDs are missing: there are too many ports, or no aligned range of LIDs is free.
Result<std::vector<LidRange>> error_of_missing_lids(const Fabric& fabric,
                                                    std::span<const LidRange> assigned,
                                                    std::uint32_t first, std::uint8_t lmc,
                                                    std::size_t needed, bool reassigned) {
  const auto left = std::count_if(assigned.begin() + first, assigned.end(),
                                  [](const LidRange& range) { return range.base == kLidNone; });
  const std::string failed = fmt::format("{} ports, of which the first is {}, get no LID", left,
                                         describe(fabric, fabric.endport(EndportId(first)).port));
  if (needed > kUnicastLidCount)
    return fail(Code::kBadInput, "{}: the fabric needs {} unicast LIDs, there are {}", failed,
                needed, kUnicastLidCount);
  return fail(Code::kBadInput,
              "{}: the fabric needs {} of the {} unicast LIDs, but the LIDs {} leave no aligned "
              "range of {}{}",
              failed, needed, kUnicastLidCount, reassigned ? "of other ports" : "that are kept",
              1u << lmc, reassigned ? "" : "; reassign all LIDs (-r)");
}

}  // namespace

Result<std::vector<LidRange>> assign_lids(const Fabric& fabric, std::span<const LidRange> wanted,
                                          const LidOptions& options) {
  CHECK(wanted.size() == fabric.endport_count());
  CHECK(options.lmc <= kLmcMax);
  const auto lmc_of = [&](const Endport& endport) -> std::uint8_t {
    if (!fabric.is_switch(endport.node)) return options.lmc;
    return options.lmc_esp0 && fabric.node(endport.node).enhanced_port0 ? options.lmc
                                                                        : std::uint8_t{0};
  };
  std::vector<LidRange> assigned(fabric.endport_count());
  LidSpace space;
  std::size_t needed = 0;
  for (std::uint32_t i = 0; i < assigned.size(); ++i) {
    const std::uint8_t lmc = lmc_of(fabric.endport(EndportId(i)));
    needed += std::size_t{1} << lmc;
    if (options.reassign || wanted[i].base == kLidNone || wanted[i].lmc != lmc) continue;
    if (space.take(wanted[i].base.value(), 1u << lmc)) assigned[i] = wanted[i];
  }
  LidSpace without_avoided = space;
  for (const LidRange& range : options.avoid)
    without_avoided.reserve(range.base.value(), 1u << range.lmc);
  for (std::uint32_t i = 0; i < assigned.size(); ++i) {
    if (assigned[i].base != kLidNone) continue;
    const std::uint8_t lmc = lmc_of(fabric.endport(EndportId(i)));
    unsigned base = without_avoided.take_lowest(1u << lmc);
    if (base != 0) {
      space.take(base, 1u << lmc);
    } else {
      base = space.take_lowest(1u << lmc);
      without_avoided.reserve(base, 1u << lmc);  // some LIDs of the range may not be avoided
    }
    if (base == 0) return error_of_missing_lids(fabric, assigned, i, lmc, needed, options.reassign);
    assigned[i] = {Lid(static_cast<std::uint16_t>(base)), lmc};
  }
  return assigned;
}

std::vector<LidRange> current_lids(const Fabric& fabric) {
  std::vector<LidRange> ranges;
  ranges.reserve(fabric.endport_count());
  for (const Endport& endport : fabric.endports()) ranges.push_back({endport.lid, endport.lmc});
  return ranges;
}

}  // namespace weft
