// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics from a line of text: `fattree3:k=16`, `torus:6x6x6,hosts=2`,
// `random:n=128,degree=8,hosts=4,seed=1`. Grammar: NAME ':' [PART {',' PART}], where a PART is KEY
// '=' VALUE; the first PART of grids is sizes such as 6x6x6. docs/reference/generators.md describes
// each generator.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fabric/fabric.h"
#include "fabric/generators/parameters.h"

namespace weft {

class Drawing;

struct Generator {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  unsigned dimensions_max = 0;            // number of leading sizes; 0 if there are none
  std::span<const Parameter> parameters;  // besides the common parameters
  Result<Drawing> (*draw)(const Parameters& parameters);
  LinkSpeed speed = LinkSpeed::kEdr;  // speed of links if speed= is not given
  bool separate = false;  // the adapters of a host are in networks that no cables connect
};

std::span<const Generator> generators();

/// True for NAME:... with a known generator's name.
bool looks_like_spec(std::string_view text);

/// Generates the fabric of a spec. Fails with kUsage, naming the column, value found and value
/// expected; a fabric that is too large fails before anything large is allocated.
Result<Fabric> generate(std::string_view spec);

/// Every generator with its parameters, for --help.
std::string generators_help();

}  // namespace weft
