// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing engines written in Python. They run on the calling thread of their task, which holds the
// GIL; the chain of engines finds them by name.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/handles.h"
#include "python/task.h"
#include "routing/engine.h"

namespace weft::python {

/// Largest number of engines written in Python in one call of route().
inline constexpr std::size_t kPythonEnginesMax = 8;

/// A task that may run engines written in Python.
class EngineTask : public Task {
 public:
  /// `engines`: distinct names with their engines; throws value_error above kPythonEnginesMax.
  /// `reports_engines`: the progress is the name of each engine that begins.
  EngineTask(std::vector<std::pair<std::string, pybind11::object>> engines, bool reports_engines);

  /// Null if there is no engine of that name.
  const Engine* find(std::string_view name) const;
  bool reports_engines() const { return reports_engines_; }

 private:
  const bool reports_engines_;
  std::vector<std::string> names_;
  std::vector<Engine> engines_;
};

/// Returns the engine of this name: of the current task, or else of the table of engines; null if
/// there is none. Must be called right before the engine runs, because the task then reports the
/// name.
const Engine* find_engine_of_task(std::string_view name);

/// Routes with exactly the tables of `answer`, a tuple as returned by weft._engine.answer(). Throws
/// Failure if a port, an SL or the number of VLs is out of range.
RoutesHandle routes_of_tables(const FabricHandle& fabric, const pybind11::object& answer);

}  // namespace weft::python
