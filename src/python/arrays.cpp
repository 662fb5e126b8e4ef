// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "python/arrays.h"

namespace py = pybind11;

namespace weft::python {

py::array view(const py::dtype& type, Extent shape, Extent strides, const void* data,
               py::handle owner) {
  py::array array(type, std::move(shape), std::move(strides), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace weft::python
