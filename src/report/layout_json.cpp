// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/layout_json.h"

#include <cmath>

namespace weft {
namespace {

std::string_view shape_name(Shape shape) {
  switch (shape) {
    case Shape::kTree:
      return "tree";
    case Shape::kGrid:
      return "grid";
    case Shape::kGroups:
      return "groups";
    case Shape::kFree:
      return "free";
  }
  return "free";
}

}  // namespace

long hundredths(double value) { return std::lround(value * 100); }

nlohmann::ordered_json hundredths(const std::vector<double>& values) {
  auto json = nlohmann::ordered_json::array();
  for (const double value : values) json.push_back(hundredths(value));
  return json;
}

nlohmann::ordered_json layout_json(const Layout& layout, nlohmann::ordered_json boxes,
                                   nlohmann::ordered_json labels) {
  return {{"shape", shape_name(layout.shape)},
          {"about", layout.about},
          {"width", hundredths(layout.width)},
          {"height", hundredths(layout.height)},
          {"boxed", layout.boxed},
          {"x", hundredths(layout.x)},
          {"y", hundredths(layout.y)},
          {"box", layout.box},
          {"boxes", std::move(boxes)},
          {"labels", std::move(labels)}};
}

}  // namespace weft
