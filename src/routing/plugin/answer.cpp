// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin/answer.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "routing/deadlock/lanes.h"

namespace weft::plugin {

tl::unexpected<Error> engine_error(Code code, std::string_view path, std::string_view why) {
  return fail(code, "routing engine {}: {}", path, why);
}

Answer::Answer(const Fabric& fabric, std::string_view path)
    : fabric_(fabric),
      path_(path),
      lft_stride_(std::size_t{fabric.lid_top().value()} + 1),
      switches_(fabric.switch_count()),
      lfts_(switches_ * lft_stride_),
      sls_(switches_ * std::max(switches_, lft_stride_)) {
  std::memset(lfts_.data(), WEFT_NO_ROUTE, lfts_.bytes().size());
}

void Answer::describe_in(RequestHead& head) const {
  head.lft_bytes = lfts_.bytes().size();
  head.sl_bytes = sls_.bytes().size();
  head.lft_stride = lft_stride_;
}

std::vector<int> Answer::descriptors() const {
  return {result_.descriptor(), lfts_.descriptor(), sls_.descriptor()};
}

Result<Routes> Answer::routes(unsigned vls_max) const {
  const TableOutcome result = *result_;
  const unsigned vls = result.vls;
  if (vls < 1 || vls > vls_max)
    return engine_error(Code::kOutOfVls, path_,
                        fmt::format("found {} VLs, expected 1 to {}", vls, vls_max));
  Routes routes;
  routes.engine = path_;
  routes.vls = routes.vls_needed = vls;
  if (vls > 1) routes.sl2vl = Sl2Vl(modulo_map(vls));
  if (const auto status = copy_lfts(routes.lfts); !status) return forward(status);
  const auto sls = sls_.bytes().first(sl_count(result.kind, switches_, lft_stride_));
  std::vector<std::uint8_t> table(sls.begin(), sls.end());
  const auto high = std::ranges::find_if(table, [&](std::uint8_t sl) { return sl >= vls; });
  if (high != table.end())
    return engine_error(
        Code::kBadField, path_,
        fmt::format("entry {} of the SL table is {}, expected less than the {} VLs in use",
                    high - table.begin(), *high, vls));
  switch (result.kind) {
    case WEFT_SL_NONE:
      break;
    case WEFT_SL_BY_LID:
      routes.path_sl = PathSl::by_destination(std::move(table));
      break;
    case WEFT_SL_BY_SWITCH_PAIR:
      routes.path_sl =
          PathSl::by_switch_pair(static_cast<std::uint32_t>(switches_), std::move(table));
      break;
    case WEFT_SL_BY_SWITCH_AND_LID:
      routes.path_sl = PathSl::by_switch_and_lid(static_cast<std::uint32_t>(switches_),
                                                 fabric_.lid_top(), std::move(table));
      break;
    default:
      return engine_error(Code::kBadField, path_,
                          fmt::format("the kind of the SL table is {}, expected {} to {}",
                                      result.kind, +WEFT_SL_NONE, +WEFT_SL_BY_SWITCH_AND_LID));
  }
  return routes;
}

Status Answer::copy_lfts(Lfts& lfts) const {
  lfts = Lfts(fabric_.switch_count(), fabric_.lid_top());
  for (std::uint32_t s = 0; s < switches_; ++s) {
    const auto row = lfts.row(SwitchId(s));
    std::ranges::copy(lfts_.bytes().subspan(s * lft_stride_, lft_stride_), row.begin());
    const unsigned ports = fabric_.node(SwitchId(s)).port_count;
    const auto bad = std::ranges::find_if(
        row, [&](std::uint8_t port) { return port > ports && port != WEFT_NO_ROUTE; });
    if (bad != row.end())
      return engine_error(
          Code::kBadField, path_,
          fmt::format(
              "the table of {} has port {} for LID {}, expected at most {}, the number of ports",
              describe(fabric_.node(SwitchId(s))), *bad, bad - row.begin(), ports));
  }
  return {};
}

}  // namespace weft::plugin
