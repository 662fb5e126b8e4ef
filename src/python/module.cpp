// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The native module of the Python package.

#include "base/large_vector.h"
#include "base/log.h"
#include "cli/version.h"
#include "python/bindings.h"
#include "python/failure.h"
#include "python/task.h"
#include "routing/plugin/engine_process.h"

PYBIND11_MODULE(_weft, module) {
  using namespace weft::python;
  weft::log_to_stderr(spdlog::level::err);
  weft::keep_freed_blocks(weft::kFreedTablesKept);  // sessions compute routes many times
  module.attr("version") = weft::cli::kVersion;
  register_failures(module);
  bind_fabrics(module);
  bind_catalogues(module);
  bind_routing(module);
  bind_routes(module);
  bind_simulation(module);
  bind_jobs(module);
  bind_failures(module);
  bind_pictures(module);
  module.def("set_engine_program", &weft::set_engine_program, pybind11::arg("path"));
  module.def("wait_for_abandoned", &wait_for_abandoned);
}
