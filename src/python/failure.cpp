// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "python/failure.h"

namespace weft::python {
namespace {

const char* name_of(Code code) {
  switch (code) {
    case Code::kUsage:
      return "usage";
    case Code::kBadInput:
    case Code::kBadField:
      return "bad_input";
    case Code::kUnroutable:
      return "unroutable";
    case Code::kOutOfVls:
      return "out_of_vls";
    case Code::kTimeout:
      return "timeout";
    case Code::kRejected:
      return "rejected";
    case Code::kEnvironment:
      return "environment";
  }
  return "unknown";
}

}  // namespace

void register_failures(pybind11::module_&) {
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const pybind11::object error =
          pybind11::module_::import("weft._errors")
              .attr("error_of")(name_of(failure.error().code),
                                pybind11::bytes(failure.error().message));
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    }
  });
}

}  // namespace weft::python
