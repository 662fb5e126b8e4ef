// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/replies.h"

#include <fmt/format.h>

#include <vector>

#include "verify/verify.h"

namespace weft {

Routes with_sls_of_replies(const Fabric& fabric, const Routes& routes, std::size_t choice) {
  std::vector<std::vector<Lid>> lids(fabric.switch_count());
  for (const Endport& endport : fabric.endports()) {
    if (endport.sw == kNoSwitch || endport.lid == kLidNone) continue;
    for (unsigned i = 0; i < 1u << endport.lmc; ++i)
      lids[endport.sw.value()].push_back(Lid(static_cast<std::uint16_t>(endport.lid.value() + i)));
  }
  const Lid top = fabric.lid_top();
  const std::size_t stride = std::size_t{top.value()} + 1;
  std::vector<std::uint8_t> table(fabric.switch_count() * stride, 0);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (lids[s].empty()) continue;
    const Lid source_lid = lids[s][choice % lids[s].size()];
    for (std::uint32_t d = 0; d < fabric.switch_count(); ++d)
      for (const Lid lid : lids[d])
        table[s * stride + lid.value()] =
            routes.path_sl.sl(SwitchId(d), SwitchId(s), source_lid).value();
  }
  Routes result = routes;
  result.path_sl = PathSl::by_switch_and_lid(fabric.switch_count(), top, std::move(table));
  return result;
}

std::uint64_t pairs_with_another_sl_back(const Fabric& fabric, const Routes& routes) {
  std::uint64_t count = 0;
  for (const Endport& a : fabric.endports())
    for (const Endport& b : fabric.endports()) {
      if (a.sw == kNoSwitch || b.sw == kNoSwitch || a.sw == b.sw) continue;
      for (unsigned i = 0; i < 1u << a.lmc; ++i)
        for (unsigned j = 0; j < 1u << b.lmc; ++j) {
          const Lid to_a(static_cast<std::uint16_t>(a.lid.value() + i));
          const Lid to_b(static_cast<std::uint16_t>(b.lid.value() + j));
          if (routes.path_sl.sl(a.sw, b.sw, to_b) != routes.path_sl.sl(b.sw, a.sw, to_a)) ++count;
        }
    }
  return count;
}

std::string wrong_with_replies(const Fabric& fabric, const Routes& routes) {
  const auto wrong = [&](const Routes& verified_routes, const char* what) -> std::string {
    const Verdict verdict = verify(fabric, verified_routes);
    if (!verdict.ok())
      return fmt::format("{}: credit loop or unreachable LIDs\n{}", what,
                         describe_cycle(fabric, verdict.credit_loop));
    if (!verdict.switch_credit_loop.empty())
      return fmt::format("{}: credit loop with switches\n{}", what,
                         describe_cycle(fabric, verdict.switch_credit_loop));
    if (!verdict.ca_to_switch.all() || !verdict.switch_to_ca.all())
      return fmt::format("{}: switch LIDs are not reachable in both directions", what);
    return {};
  };
  if (auto text = wrong(routes, "requests"); !text.empty()) return text;
  // If both directions of every pair of LIDs have one SL, replies add no channel dependencies.
  if (pairs_with_another_sl_back(fabric, routes) == 0) return {};
  for (const std::size_t choice : {0u, 1u})
    if (auto text = wrong(with_sls_of_replies(fabric, routes, choice), "replies"); !text.empty())
      return text;
  return {};
}

}  // namespace weft
