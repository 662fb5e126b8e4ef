// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/long_gets.h"

#include <algorithm>

namespace weft::sa {

bool LongGets::is_long(const Attribute& attribute, const SaQuery& query) {
  return query.request.method == Method::kGet && parts_of(attribute, query) > kPartsAtOnce;
}

bool LongGets::begin(const Gmp& request, const Attribute& attribute, const SaQuery& query,
                     std::shared_ptr<const SaView> view, std::uint64_t generation) {
  const auto line = std::ranges::find_if(
      lines_, [&](const Gets& gets) { return gets.front()->query.requester == query.requester; });
  if (size_ >= kMax || (line != lines_.end() && line->size() >= kOfPort)) return false;
  const SaView& seen = *view;
  auto get = std::unique_ptr<Get>(
      new Get{request,
              attribute,
              std::move(view),
              generation,
              {query.request.record.begin(), query.request.record.end()},
              {query.request, query.requester, seen, query.filter, query.now, {0, 0}},
              parts_of(attribute, query)});
  get->query.request.record = get->record;
  if (line != lines_.end()) {
    line->push_back(std::move(get));
  } else {
    lines_.emplace_back().push_back(std::move(get));
  }
  ++size_;
  return true;
}

std::unique_ptr<LongGets::Get> LongGets::step(State& state) {
  if (lines_.empty()) return nullptr;
  Gets line = std::move(lines_.front());
  lines_.pop_front();
  Get& get = *line.front();
  SaSlice& slice = get.query.slice;
  slice = {slice.end, std::min(get.parts, slice.end + kPartsAtOnce)};
  get.attribute.get(state, get.query, get.answer);
  const std::size_t enough = get.attribute.first_of_many ? 1 : 2;
  std::unique_ptr<Get> done;
  if (slice.end == get.parts || get.answer.count() >= enough) {
    done = std::move(line.front());
    line.pop_front();
    --size_;
  }
  if (!line.empty()) lines_.push_back(std::move(line));
  return done;
}

std::unique_ptr<LongGets::Get> LongGets::take_older(std::uint64_t generation) {
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    const auto at =
        std::ranges::find_if(*line, [&](const auto& get) { return get->generation < generation; });
    if (at == line->end()) continue;
    auto get = std::move(*at);
    line->erase(at);
    if (line->empty()) lines_.erase(line);
    --size_;
    return get;
  }
  return nullptr;
}

}  // namespace weft::sa
