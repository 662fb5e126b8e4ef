// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lists of generators and their parameters, engines, routing options, patterns and file formats.

#include <pybind11/stl.h>

#include "congestion/pattern.h"
#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "fabric/generators/spec.h"
#include "python/bindings.h"
#include "routing/engine.h"
#include "routing/supported_options.h"
#include "service/config/command_line.h"
#include "service/config/key.h"

namespace py = pybind11;

namespace weft::python {
namespace {

py::list parameters_of(std::span<const Parameter> parameters) {
  py::list list;
  for (const Parameter& parameter : parameters)
    list.append(py::make_tuple(parameter.key, parameter.summary, parameter.standard));
  return list;
}

py::list list_generators() {
  py::list list;
  for (const Generator& generator : generators())
    list.append(py::make_tuple(generator.name, generator.summary, generator.example,
                               parameters_of(generator.parameters)));
  return list;
}

py::list list_engines() {
  py::list list;
  for (const Engine& engine : engines()) {
    py::list options;
    for (const OptionFacts& facts : option_facts())
      if (engine.supports.contains(facts.option)) options.append(facts.name);
    for (const EngineParameter& parameter : engine.parameters) options.append(parameter.name);
    list.append(py::make_tuple(engine.name, engine.summary, options));
  }
  return list;
}

/// A list with a tuple for each option: its names, the key that it sets, its help, its default, and
/// whether it is a flag.
py::list list_options() {
  py::list list;
  for (const CommandOption& option : routing_command_options()) {
    const Key& key = *find_key(option.key);
    list.append(py::make_tuple(option.names, option.key,
                               option.about.empty() ? key.about : option.about,
                               value_text(default_settings(), key), !option.fixed.empty()));
  }
  return list;
}

py::list list_patterns() {
  py::list list;
  for (const PatternKind& kind : pattern_kinds())
    list.append(py::make_tuple(kind.name, kind.argument, kind.summary));
  return list;
}

py::tuple list_formats() {
  py::list reads, writes;
  for (const ReadFormat& format : read_formats())
    reads.append(py::make_tuple(format.name, format.summary));
  for (const WriteFormat& format : write_formats())
    writes.append(py::make_tuple(format.name, format.summary));
  return py::make_tuple(reads, writes);
}

}  // namespace

void bind_catalogues(py::module_& module) {
  module.def("generators", &list_generators);
  module.def("common_parameters", [] { return parameters_of(common_parameters()); });
  module.def("engines", &list_engines);
  module.def("options", &list_options);
  module.def("patterns", &list_patterns);
  module.def("formats", &list_formats);
}

}  // namespace weft::python
