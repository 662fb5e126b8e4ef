// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/local_ports.h"

#include <algorithm>

#include "base/text.h"
#include "cli/common.h"
#include "transport/umad_transport.h"

namespace weft::cli {
namespace {

std::string_view state_text(PortState state) {
  switch (state) {
    case PortState::kDown:
      return "down";
    case PortState::kInit:
      return "init";
    case PortState::kArmed:
      return "armed";
    case PortState::kActive:
      return "active";
    case PortState::kNoChange:
      break;
  }
  return "state unknown";
}

}  // namespace

int list_ports() {
  const auto ports = list_umad_ports();
  if (!ports) return report(ports.error());
  for (const UmadPort& port : *ports)
    append_to_stdout(fmt::format("0x{:016x}  {} port {}, LID {}, {}\n", port.guid.value(),
                                 port.device, port.number, port.lid.value(),
                                 state_text(port.state)));
  return 0;
}

bool lists_ports(const SmArguments& arguments) {
  return std::ranges::any_of(arguments.assignments, [](const Assignment& assignment) {
    return assignment.key == "guid" && parse_c_number<std::uint64_t>(assignment.value) == 0;
  });
}

}  // namespace weft::cli
