// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The parts of the native module weft._weft, on which the Python sources in weft/ are based.
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

void bind_fabrics(pybind11::module_& module);
void bind_catalogues(pybind11::module_& module);
void bind_routing(pybind11::module_& module);
void bind_routes(pybind11::module_& module);
void bind_simulation(pybind11::module_& module);
void bind_jobs(pybind11::module_& module);
void bind_failures(pybind11::module_& module);
void bind_pictures(pybind11::module_& module);

}  // namespace weft::python
