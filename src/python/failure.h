// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Errors of the libraries as exceptions of the package: weft.Error and its subclasses.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <utility>

#include "base/result.h"

namespace weft::python {

/// Carries an Error to Python, where it becomes weft.Error (weft/_errors.py).
class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

/// The value of a result. Throws Failure if the result is an error.
template <class T>
T take(Result<T>&& result) {
  if (!result) throw Failure(std::move(result.error()));
  return std::move(*result);
}
inline void take(Status&& status) {
  if (!status) throw Failure(std::move(status.error()));
}

void register_failures(pybind11::module_& module);

}  // namespace weft::python
