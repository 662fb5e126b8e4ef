// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parameters of one engine: numbers and flags that the engine declares in addition to its options.
// The keys of configuration files, the command-line options and the warnings about parameters
// without effect are derived from the declarations, so a new parameter needs no change elsewhere.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

namespace weft {

struct EngineParameter {
  std::string_view name;    // the key in configuration files
  std::string_view option;  // all names on the command line, as in "-H, --max_reverse_hops"
  unsigned by_default = 0;
  unsigned least = 0;
  unsigned most = 1;
  bool is_flag = false;    // FALSE (0) or TRUE (1); on the command line without a value
  std::string_view about;  // one or two sentences for the configuration file and the help
};

/// The parameters with a value other than the default.
class ParameterValues {
 public:
  ParameterValues() = default;
  ParameterValues(std::initializer_list<std::pair<EngineParameter, unsigned>> values) {
    for (const auto& [parameter, value] : values) set(parameter, value);
  }

  void set(const EngineParameter& parameter, unsigned value) {
    if (value == parameter.by_default) {
      values_.erase(parameter.name);
    } else {
      values_[parameter.name] = value;
    }
  }
  unsigned of(const EngineParameter& parameter) const {
    const auto found = values_.find(parameter.name);
    return found == values_.end() ? parameter.by_default : found->second;
  }
  bool is_set(const EngineParameter& parameter) const { return values_.contains(parameter.name); }
  bool operator==(const ParameterValues&) const = default;

 private:
  std::map<std::string_view, unsigned> values_;  // by EngineParameter::name
};

}  // namespace weft
