// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/layout_json.h"

#include <cmath>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

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

long hundredths(double value) { return std::lround(value * 100); }

Json hundredths(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(hundredths(value));
  return json;
}

}  // namespace

Json layout_json(const Layout& layout) {
  Json boxes = Json::array();
  for (const LayoutBox& box : layout.boxes)
    boxes.push_back({{"x", hundredths(box.x)},
                     {"y", hundredths(box.y)},
                     {"width", hundredths(box.width)},
                     {"height", hundredths(box.height)},
                     {"label", box.label},
                     {"switches", box.switches},
                     {"hosts", box.hosts}});
  Json labels = Json::array();
  for (const LayoutLabel& label : layout.labels)
    labels.push_back(
        {{"x", hundredths(label.x)}, {"y", hundredths(label.y)}, {"text", label.text}});
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
