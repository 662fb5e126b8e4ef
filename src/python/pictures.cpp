// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pictures as SVG: the fabric with loads of its cables, and bar charts.

#include <pybind11/stl.h>

#include "python/bindings.h"
#include "python/handles.h"
#include "python/task.h"
#include "report/drawing.h"
#include "report/layout.h"
#include "report/palette.h"
#include "report/plots.h"
#include "report/switch_graph.h"

namespace py = pybind11;

namespace weft::python {
namespace {

std::string draw(const FabricHandle& handle, const std::string& title, const std::string& name,
                 const std::vector<std::uint64_t>& loads) {
  return compute([=](Task&) {
    const Layout layout = lay_out(make_switch_graph(*handle.fabric));
    return draw_fabric(title, *handle.fabric, layout, {name, loads}).finish(true);
  });
}

std::string bar_chart(const std::string& title,
                      const std::vector<std::tuple<std::string, double, std::string>>& rows,
                      double most) {
  std::vector<Bar> all;
  for (const auto& [name, value, text] : rows) all.push_back({name, kRunColours[0], value, text});
  return bars(title, all, most).finish(true);
}

}  // namespace

void bind_pictures(py::module_& module) {
  module.def("draw", &draw);
  module.def("bar_chart", &bar_chart);
}

}  // namespace weft::python
