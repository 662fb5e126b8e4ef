// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/grid.h"

#include <algorithm>

#include "base/result.h"

namespace weft {

std::vector<Place> TorusGrid::neighbors(Place place) const {
  std::vector<Place> result;
  for (unsigned d = 0; d < kTorusDimensions; ++d)
    for (const Direction direction : {kUp, kDown})
      if (const Place to = neighbor(place, d, direction);
          to != kNoPlace && std::ranges::find(result, to) == result.end())
        result.push_back(to);
  return result;
}

std::string TorusGrid::describe(Place place) const {
  std::string text;
  for (unsigned c = 0; c < kTorusDimensions; ++c)
    for (unsigned d = 0; d < kTorusDimensions; ++d)
      if (order_[d] == c && radix_[d] > 1)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name(d), coordinate(place, d));
  return "(" + text + ")";
}

std::string TorusGrid::shape() const {
  std::string text;
  for (unsigned d = 0; d < kTorusDimensions; ++d)
    text += fmt::format("{}{}{}", d == 0 ? "torus " : "x", radix_[d],
                        mesh_[d] && radix_[d] > 1 ? "m" : "");
  return text;
}

}  // namespace weft
