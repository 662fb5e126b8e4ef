// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance/destination_classes.h"

#include <array>
#include <cstdint>

namespace weft {
namespace {

enum : std::uint8_t { kCompute, kIo, kOther, kClasses };

}  // namespace

std::vector<std::vector<Destination>> destination_classes(const Fabric& fabric,
                                                          std::span<const EndportId> order,
                                                          std::span<const EndportId> compute_nodes,
                                                          std::span<const EndportId> io_nodes) {
  std::vector<std::uint8_t> class_of(fabric.endport_count(), kOther);
  for (const EndportId id : io_nodes) class_of[id.value()] = kIo;
  for (const EndportId id : compute_nodes) class_of[id.value()] = kCompute;
  std::array<std::vector<Destination>, kClasses> classes;
  for (const Destination& destination : destinations(fabric, order)) {
    std::array<Destination, kClasses> parts;
    for (const EndportId id : destination.endports)
      parts[class_of[id.value()]].endports.push_back(id);
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (parts[i].endports.empty()) continue;
      parts[i].sw = destination.sw;
      classes[i].push_back(std::move(parts[i]));
    }
  }
  std::vector<std::vector<Destination>> result;
  for (auto& members : classes)
    if (!members.empty()) result.push_back(std::move(members));
  return result;
}

}  // namespace weft
