// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/write.h"

#include <algorithm>
#include <array>

#include "fabric/formats/dot/dot.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover.h"
#include "fabric/formats/ibsim_net.h"
#include "fabric/formats/json_fabric.h"
#include "fabric/formats/lst.h"

namespace weft {
namespace {

constexpr std::array kWriteFormats{
    WriteFormat{"ibnetdiscover", ".topo", "ibnetdiscover's topology text", &write_ibnetdiscover},
    WriteFormat{"ibsim", ".net", "a net that ibsim loads", &write_ibsim_net},
    WriteFormat{"lst", ".lst", "subnet list as OpenSM writes it", &write_lst},
    WriteFormat{"dot", ".dot", "Graphviz graph in the dialect of ORCS", &write_dot},
    WriteFormat{"json", ".json", "Weft's JSON, without loss of data", &write_fabric_json},
};

}  // namespace

std::span<const WriteFormat> write_formats() { return kWriteFormats; }

Result<const WriteFormat*> find_writer(std::string_view name_or_path) {
  for (const WriteFormat& format : kWriteFormats)
    if (name_or_path == format.name) return &format;
  for (const WriteFormat& format : kWriteFormats)
    if (name_or_path.ends_with(format.extension)) return &format;
  std::string known;
  for (const WriteFormat& format : kWriteFormats)
    known += fmt::format("{}{} (*{})", known.empty() ? "" : ", ", format.name, format.extension);
  return fail(Code::kUsage, "'{}' names no format that can be written, expected one of {}",
              name_or_path, known);
}

std::string write_fabric_text(const Fabric& fabric, const WriteFormat& format) {
  std::string text;
  format.write(fabric, [&](std::string_view piece) { text.append(piece); });
  return text;
}

}  // namespace weft
