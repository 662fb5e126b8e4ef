// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/table_source.h"

#include <algorithm>
#include <limits>

namespace weft::sa {
namespace {

constexpr std::size_t kPartsAtOnce = 16;     // parts between two checks of the size
constexpr std::size_t kPartsPerCall = 1024;  // parts of a call of append()

}  // namespace

TableSource::TableSource(State& state, const Attribute& attribute, const SaQuery& query,
                         std::shared_ptr<const SaView> view, std::size_t parts,
                         std::uint64_t generation)
    : state_(state),
      handler_(attribute.table),
      view_(std::move(view)),
      record_(query.request.record.begin(), query.request.record.end()),
      query_{query.request, query.requester, *view_, query.filter, query.now, {0, 0}},
      parts_(parts),
      generation_(generation) {
  query_.request.record = record_;
}

bool TableSource::append(std::vector<std::byte>& payload, std::size_t bytes) {
  const std::size_t wanted = payload.size() + bytes;
  SaAnswer answer(std::numeric_limits<std::size_t>::max(), std::move(payload));
  SaSlice& slice = query_.slice;
  for (std::size_t left = kPartsPerCall; left > 0 && slice.end < parts_;) {
    const std::size_t taken = std::min({left, kPartsAtOnce, parts_ - slice.end});
    slice = {slice.end, slice.end + taken};
    handler_(state_, query_, answer);
    left -= taken;
    if (answer.bytes().size() >= wanted) break;
  }
  payload = answer.take();
  return slice.end < parts_;
}

}  // namespace weft::sa
