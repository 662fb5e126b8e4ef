// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/console/console_reports.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/regexp.h"
#include "base/text.h"

namespace weft {
namespace {

std::string_view type_name(NodeType type) {
  switch (type) {
    case NodeType::kSwitch:
      return "Switch";
    case NodeType::kRouter:
      return "Router";
    default:
      return "Channel Adapter";
  }
}

std::string_view state_name(SmState state) {
  switch (state) {
    case SmState::kMaster:
      return "Master";
    case SmState::kStandby:
      return "Standby";
    case SmState::kDiscovering:
      return "Discovering";
    default:
      return "Not-Active";
  }
}

template <class... Args>
void print(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

/// All ports except port 0.
std::span<const Port> external_ports(const Fabric& fabric, NodeId node) {
  return fabric.ports(node).subspan(1);
}

void add_smps(const SmpCounts& smps, std::string& text) {
  text += "   MAD stats\n   ---------\n";
  print(text, "   QP0 MADs sent                : {}\n", smps.sent);
  print(text, "   QP0 MADs rcvd                : {}\n", smps.answered);
  print(text, "   QP0 MADs retried             : {}\n", smps.retried);
  print(text, "   QP0 MADs timed out           : {}\n", smps.timed_out);
  print(text, "   QP0 MADs with bad status     : {}\n", smps.bad_status);
  print(text, "   QP0 unsolicited MADs rcvd    : {}\n", smps.unsolicited);
  print(text, "   QP0 late or stray MADs rcvd  : {}\n\n", smps.stray);
}

void add_managers(const std::vector<ManagerStatus>& managers, std::string& text) {
  text += "   Known SMs\n   ---------\n   Port GUID           SM State    Priority\n";
  text += "   ---------           --------    --------\n";
  for (const ManagerStatus& manager : managers)
    print(text, "   0x{:016x}  {:<11} {:<8}{}{}\n", manager.guid.value(), state_name(manager.state),
          manager.priority, manager.self ? " SELF" : "",
          manager.self || manager.node == Guid(0)
              ? ""
              : fmt::format(" LID {}, port {} of {}", manager.lid.value(), manager.port.value(),
                            weft::quoted(manager.name)));
}

/// Number of LIDs of hosts that the switch routes over each port to another switch.
std::map<PortNum, std::uint32_t> load_of(const Snapshot& snapshot, SwitchId sw) {
  const Fabric& fabric = snapshot.fabric;
  std::map<PortNum, std::uint32_t> load;
  for (const Channel& channel : fabric.channels_from(sw)) load[channel.from_port] = 0;
  for (const Endport& endport : fabric.endports()) {
    if (fabric.is_switch(endport.node) || endport.lid == kLidNone) continue;
    for (unsigned i = 0; i < 1u << endport.lmc; ++i) {
      const Lid lid(static_cast<std::uint16_t>(endport.lid.value() + i));
      const auto found = load.find(snapshot.routes.lfts.port(sw, lid));
      if (found != load.end()) ++found->second;
    }
  }
  return load;
}

bool is_balanced(const std::map<PortNum, std::uint32_t>& load) {
  if (load.empty()) return true;
  const auto [least, most] =
      std::ranges::minmax_element(load, {}, [](const auto& entry) { return entry.second; });
  return most->second - least->second <= 1;
}

Result<std::vector<SwitchId>> selected_switches(const Fabric& fabric, std::optional<Guid> only) {
  std::vector<SwitchId> switches;
  if (only) {
    const auto node = fabric.find_node(*only);
    if (!node || !fabric.is_switch(*node))
      return fail(Code::kUsage, "0x{:016x} is no switch of this fabric", only->value());
    return std::vector{SwitchId(node->value())};
  }
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) switches.emplace_back(s);
  return switches;
}

/// Detects nested repetitions such as "x++" or "(x*)+", because each level doubles the cost of
/// compilation. Treats characters in brackets as operators, so it may reject valid expressions.
bool repeats_repetition(std::string_view text) {
  std::vector<bool> in_group{false};  // for each open group: whether it contains a repetition
  bool in_last = false;               // whether the last atom contains a repetition
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(') in_group.push_back(false);
    if (c == '*' || c == '+' || c == '?') {
      if (in_last) return true;
      in_last = in_group.back() = true;
      continue;
    }
    in_last = false;
    if (c == '\\') ++i;
    if (c != ')' || in_group.size() == 1) continue;
    in_last = in_group.back();
    in_group.pop_back();
    if (in_last) in_group.back() = true;
  }
  return false;
}

/// Compiles a regular expression. Rejects expressions of unbounded cost, because any client of the
/// console can send one.
Result<Regexp> cheap_regexp(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool reference =
        text[i] == '\\' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9';
    if (text[i] == '{' || reference)
      return fail(Code::kUsage, "{}: '{{' and back references are not supported",
                  weft::quoted(text));
  }
  if (repeats_repetition(text))
    return fail(Code::kUsage, "{}: nested repetitions are not supported", weft::quoted(text));
  auto compiled = Regexp::compile(std::string(text));
  if (!compiled) return fail(Code::kUsage, "{}: {}", weft::quoted(text), compiled.error().message);
  return compiled;
}

}  // namespace

std::string status_report(const ConsoleView& view) {
  const SmStatus& status = view.posted.status;
  const Settings& settings = *view.posted.settings;
  const auto& snapshot = view.posted.snapshot;
  std::string text;
  print(text, "   OpenSM Version       : Weft {}\n", view.version);
  print(text, "   SM State             : {}\n", state_name(status.state));
  print(text, "   SM Priority          : {}\n", status.priority);
  print(text, "   Routing Engine       : {}\n", snapshot ? snapshot->routes.engine : "<none>");
  print(text, "   Loaded event plugins : {}\n\n",
        view.plugins.empty() ? "<none>" : fmt::format("{}", fmt::join(view.plugins, " ")));
  add_smps(status.smps, text);
  text += "   Subnet flags\n   ------------\n";
  print(text, "   Sweeping enabled               : {}\n", status.sweeping ? 1 : 0);
  print(text, "   Sweep interval (seconds)       : {}\n", settings.sweep_interval);
  print(text, "   Heavy sweeps                   : {}\n", status.heavy_sweeps);
  print(text, "   Subnet Init errors             : {}\n",
        status.heavy_sweeps > 0 && !status.up ? 1 : 0);
  if (!status.error.empty()) print(text, "   Last sweep                     : {}\n", status.error);
  text += "\n";
  add_managers(status.managers, text);
  return text + "\n";
}

std::string port_report(const Snapshot& snapshot, std::optional<NodeType> type) {
  const Fabric& fabric = snapshot.fabric;
  std::uint64_t ports = 0, nodes = 0, linked = 0;
  std::map<unsigned, std::uint64_t> widths;  // ports by number of lanes
  std::map<LinkSpeed, std::uint64_t> speeds;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    if (type && fabric.node(NodeId(n)).type != *type) continue;
    ++nodes;
    for (const Port& port : external_ports(fabric, NodeId(n))) {
      ++ports;
      if (port.peer == kNoPort) continue;
      ++linked;
      ++widths[lanes(port.width)];
      ++speeds[port.speed];
    }
  }
  std::string text;
  print(text, "\"{}\" port status:\n   {} port(s) scanned on {} nodes\n",
        type ? type_name(*type) : "ALL", ports, nodes);
  if (linked < ports) print(text, "   {} down\n", ports - linked);
  // After a successful sweep, every port with a link is active.
  if (linked > 0) print(text, "   {} {}\n", linked, snapshot.report.up ? "active" : "connected");
  for (const auto& [count, number] : widths) print(text, "   {} at {}X\n", number, count);
  for (const auto& [speed, number] : speeds) print(text, "   {} at {}\n", number, name(speed));
  return text + "\n";
}

Result<std::string> switch_balance(const Snapshot& snapshot, bool all, std::optional<Guid> only) {
  const Fabric& fabric = snapshot.fabric;
  const auto switches = selected_switches(fabric, only);
  if (!switches) return forward(switches);
  std::string text;
  for (const SwitchId sw : *switches) {
    const auto load = load_of(snapshot, sw);
    const bool balanced = is_balanced(load);
    if (balanced && !all && !only) continue;
    print(text, "{}: 0x{:016x} ({})\n", balanced ? "Switch" : "Unbalanced Switch",
          fabric.node(sw).node_guid.value(), fabric.node(sw).description);
    for (const auto& [port, paths] : load) print(text, "Port {}: {}\n", port.value(), paths);
  }
  return text;
}

Result<std::string> lid_balance(const Snapshot& snapshot, std::optional<Guid> only) {
  const Fabric& fabric = snapshot.fabric;
  const auto switches = selected_switches(fabric, only);
  if (!switches) return forward(switches);
  std::string text;
  for (const SwitchId sw : *switches) {
    std::string lines;
    for (const Endport& endport : fabric.endports()) {
      if (fabric.is_switch(endport.node) || endport.lmc == 0 || endport.sw == sw) continue;
      std::set<PortNum> ports;
      std::set<SwitchId> neighbors;
      for (unsigned i = 0; i < 1u << endport.lmc; ++i) {
        const Lid lid(static_cast<std::uint16_t>(endport.lid.value() + i));
        const ChannelId out = fabric.channel_at(sw, snapshot.routes.lfts.port(sw, lid));
        if (out == kNoChannel) continue;
        ports.insert(fabric.channel(out).from_port);
        neighbors.insert(fabric.channel(out).to);
      }
      print(lines, "  {}: {} LIDs over {} ports to {} switches\n", describe(fabric, endport.port),
            1u << endport.lmc, ports.size(), neighbors.size());
    }
    if (!lines.empty())
      print(text, "Switch: 0x{:016x} ({})\n{}", fabric.node(sw).node_guid.value(),
            fabric.node(sw).description, lines);
  }
  return text.empty() ? "No host at another switch has more than one LID (LMC 0).\n" : text;
}

Result<std::string> lid_report(const Snapshot& snapshot, Lid lid) {
  const Fabric& fabric = snapshot.fabric;
  const EndportId holder = fabric.endport_of(lid);
  if (holder == kNoEndport) return fail(Code::kUsage, "Invalid lid {}", lid.value());
  const Endport& endport = fabric.endport(holder);
  const Node& node = fabric.node(endport.node);
  std::string text = fmt::format("Query results for LID {}\n", lid.value());
  print(text, "   GUID                : 0x{:016x}\n", fabric.port(endport.port).guid.value());
  print(text, "   Node Desc           : {}\n", node.description);
  print(text, "   Node Type           : {}\n", type_name(node.type));
  print(text, "   Num Ports           : {}\n", node.port_count);
  for (const Port& port : external_ports(fabric, endport.node)) {
    if (port.peer == kNoPort) {
      print(text, "   Port {:<3}            : down\n", port.num.value());
    } else {
      print(text, "   Port {:<3}            : {}{} to {}\n", port.num.value(), name(port.width),
            name(port.speed), describe(fabric, port.peer));
    }
  }
  return text;
}

Result<std::string> port_guids(const Snapshot& snapshot,
                               std::span<const std::string_view> regexps) {
  std::vector<Regexp> wanted;
  for (const std::string_view text : regexps) {
    auto compiled = cheap_regexp(text);
    if (!compiled) return forward(compiled);
    wanted.push_back(std::move(*compiled));
  }
  std::string text;
  for (const Endport& endport : snapshot.fabric.endports()) {
    const std::string& name = snapshot.fabric.node(endport.node).description;
    if (std::ranges::any_of(wanted, [&](const auto& regexp) { return regexp.finds(name); }))
      print(text, "0x{:016x}\n", snapshot.fabric.port(endport.port).guid.value());
  }
  return text;
}

}  // namespace weft
