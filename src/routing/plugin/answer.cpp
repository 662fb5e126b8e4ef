// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin/answer.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "routing/deadlock/lanes.h"

namespace weft::plugin {

tl::unexpected<Error> wrong(Code code, std::string_view path, std::string_view why) {
  return fail(code, "routing engine {}: {}", path, why);
}

Answer::Answer(const Fabric& fabric, std::string_view path)
    : fabric_(fabric),
      path_(path),
      row_(std::size_t{fabric.lid_top().value()} + 1),
      switches_(fabric.switch_count()),
      lfts_(switches_ * row_),
      lanes_(switches_ * std::max(switches_, row_)) {
  std::memset(lfts_.data(), WEFT_NO_ROUTE, lfts_.bytes().size());
  tables_->tables.size = sizeof(weft_tables);
  tables_->tables.vls = 1;
  tables_->tables.lfts = lfts_.data();
  tables_->tables.lft_stride = row_;
  tables_->tables.path_sl = &Answer::path_sl;
  tables_->tables.reserved = this;
}

Result<Routes> Answer::routes(unsigned vls_max) const {
  const unsigned vls = tables_->tables.vls;
  if (vls < 1 || vls > vls_max)
    return wrong(Code::kOutOfVls, path_,
                 fmt::format("uses {} VLs, the fabric has {}", vls, vls_max));
  Routes routes;
  routes.engine = path_;
  routes.vls = routes.vls_needed = vls;
  if (vls > 1) routes.sl2vl = Sl2Vl(modulo_map(vls));
  if (const auto status = copy_lfts(routes.lfts); !status) return forward(status);
  const std::size_t count = sl_count(tables_->kind);
  const auto sls = lanes_.bytes().first(count);
  const auto high = std::ranges::find_if(sls, [&](std::uint8_t sl) { return sl >= vls; });
  if (high != sls.end())
    return wrong(Code::kBadField, path_,
                 fmt::format("entry {} of its SLs is {}, expected less than the {} VLs in use",
                             high - sls.begin(), *high, vls));
  std::vector<std::uint8_t> table(sls.begin(), sls.end());
  switch (tables_->kind) {
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
      break;
  }
  return routes;
}

std::size_t Answer::sl_count(std::uint32_t kind) const {
  switch (kind) {
    case WEFT_SL_BY_LID:
      return row_;
    case WEFT_SL_BY_SWITCH_PAIR:
      return switches_ * switches_;
    case WEFT_SL_BY_SWITCH_AND_LID:
      return switches_ * row_;
    default:
      return 0;
  }
}

std::uint8_t* Answer::path_sl(weft_tables* tables, std::uint32_t kind) {
  const auto* self = static_cast<const Answer*>(tables->reserved);
  const std::size_t count = self->sl_count(kind);
  if (count == 0 && kind != WEFT_SL_NONE) return nullptr;
  self->tables_->kind = kind;
  std::memset(self->lanes_.data(), 0, count);
  return self->lanes_.data();
}

Status Answer::copy_lfts(Lfts& lfts) const {
  lfts = Lfts(fabric_.switch_count(), fabric_.lid_top());
  for (std::uint32_t s = 0; s < switches_; ++s) {
    const auto row = lfts_.bytes().subspan(s * row_, row_);
    const unsigned ports = fabric_.node(SwitchId(s)).port_count;
    const auto bad = std::ranges::find_if(
        row, [&](std::uint8_t port) { return port > ports && port != WEFT_NO_ROUTE; });
    if (bad != row.end())
      return wrong(
          Code::kBadField, path_,
          fmt::format("its table of {} has port {} for LID {}; the switch has {} ports",
                      describe(fabric_.node(SwitchId(s))), *bad, bad - row.begin(), ports));
    std::ranges::copy(row, lfts.row(SwitchId(s)).begin());
  }
  return {};
}

}  // namespace weft::plugin
