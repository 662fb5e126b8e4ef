// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibdm/ibdm_topo.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "fabric/formats/ibdm/ibdm_systems.h"
#include "fabric/formats/ibdm/ibdm_topo_text.h"
#include "fabric/formats/ibdm/ibnl_library.h"

namespace weft {
namespace {

/// Calls see(line) for each line of a head that is more than a comment, until see() returns a
/// decision.
template <class See>
bool decide_by_lines(std::string_view head, const See& see) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    const std::string_view text = trim(without_ibdm_comment(line));
    if (text.empty()) continue;
    if (const std::optional<bool> decision = see(text)) return *decision;
  }
  return false;
}

/// Properties of a system type that follow from the plugs in use.
struct PlugNames {
  unsigned port_max = 0;               // largest n of the plugs Pn
  const std::string* other = nullptr;  // name of a plug that is not Pn
};

class TopoBuilder {
 public:
  TopoBuilder(const IbdmTopoText& text, std::string path, IbnlLibrary& library,
              FabricBuilder& builder, Warnings& warnings)
      : text_(text),
        path_(std::move(path)),
        library_(library),
        warnings_(warnings),
        systems_(builder),
        definitions_(text.words.size(), nullptr) {}

  Status build() {
    for (const IbdmTopoText::System& system : text_.systems)
      if (auto status = define(system.type, system.place); !status) return status;
    for (const IbdmTopoText::OtherType& other : text_.other_types)
      if (auto status = check_same(other); !status) return status;
    for (const IbdmTopoText::System& system : text_.systems)
      if (auto status = place(system); !status) return status;
    for (const IbdmTopoText::Cable& cable : text_.cables)
      if (auto status = connect(cable); !status) return status;
    // One of the two lines of a cable may state more of its rate than the other.
    for (const IbdmTopoText::Cable& cable : text_.cables)
      if (cable.rate != LinkRate{})
        if (auto status = connect(cable); !status) return status;
    systems_.number_nodes();
    return {};
  }

 private:
  struct Placed {
    FabricBuilder::NodeIndex first = 0;
    const SystemPlan* plan = nullptr;
  };

  template <class... Args>
  tl::unexpected<Error> wrong(TextPlace at, fmt::format_string<Args...> format,
                              Args&&... args) const {
    return fail(Code::kBadInput, "{}:{}:{}: {}", path_, at.line, at.column,
                fmt::format(format, std::forward<Args>(args)...));
  }

  Status define(std::uint32_t type, TextPlace at) {
    if (definitions_[type] != nullptr) return {};
    const std::string& name = text_.words[type];
    auto found = library_.find(name);
    if (!found) return wrong(at, "system type {}: {}", name, found.error().message);
    definitions_[type] = *found != nullptr ? *found : define_by_plugs(type, at);
    if (definitions_[type] != nullptr) return {};
    return wrong(at,
                 "found system type {}, which no IBNL file defines; expected a file {}.ibnl with "
                 "TOPSYSTEM {} in one of {} (or a folder given by --ibnl-dir or WEFT_IBNL_PATH; "
                 "the package ibutils has a set)",
                 name, name, name, library_.folders_text());
  }

  /// Defines a type without a definition as a single-chip switch, if its plugs are P1 to Pn and n
  /// is more than the ports of a CA. Returns null for other types. A type MTSn00 has at least n
  /// ports, because Mellanox names switches so.
  const IbnlFile* define_by_plugs(std::uint32_t type, TextPlace at) {
    if (plug_names_.empty()) collect_port_names();
    const PlugNames& seen = plug_names_[type];
    constexpr unsigned kCaPortsMax = 2;
    if (seen.other != nullptr || seen.port_max <= kCaPortsMax || seen.port_max > kPortMax)
      return nullptr;
    const std::string& name = text_.words[type];
    unsigned ports = seen.port_max;
    if (name.starts_with("MTS") && name.ends_with("00")) {
      const auto count = parse_number<unsigned>(std::string_view(name).substr(3, name.size() - 5));
      if (count && *count <= 64) ports = std::max(ports, *count);
    }
    warnings_.add(
        fmt::format("{}:{}:{}: no IBNL file defines system type {}: taken as a switch of "
                    "one chip with {} ports, since its plugs are P1 to P{}",
                    path_, at.line, at.column, name, ports, seen.port_max));
    return library_.add(
        name, make_one_chip_system(name, NodeType::kSwitch, static_cast<std::uint8_t>(ports)));
  }

  void collect_port_names() {
    plug_names_.resize(text_.words.size());
    for (const IbdmTopoText::Cable& cable : text_.cables)
      for (const IbdmTopoText::End& end : {cable.a, cable.b}) {
        PlugNames& seen = plug_names_[text_.systems[end.system].type];
        const std::string& plug = text_.words[end.plug];
        const auto port = plug.starts_with('P')
                              ? parse_number<unsigned>(std::string_view(plug).substr(1))
                              : std::nullopt;
        if (port && *port > 0) {
          seen.port_max = std::max(seen.port_max, *port);
        } else {
          seen.other = &plug;
        }
      }
  }

  Status check_same(const IbdmTopoText::OtherType& other) {
    if (auto status = define(other.type, other.place); !status) return status;
    const IbdmTopoText::System& system = text_.systems[other.system];
    if (definitions_[other.type] == definitions_[system.type]) return {};
    return wrong(other.place, "found system {} with type {}, line {} has {}", system.name,
                 text_.words[other.type], system.place.line, text_.words[system.type]);
  }

  Status place(const IbdmTopoText::System& system) {
    const TextPlace at{system.declared_line != 0 ? system.declared_line : system.place.line, 1};
    const IbnlFile* file = definitions_[system.type];
    const SystemPlan*& plan = plans_[{file, system.modifiers}];
    if (plan == nullptr) {
      std::vector<std::string> warnings_of_plan;
      auto made = plan_system(*file, system.modifiers, budget_, warnings_of_plan);
      if (!made)
        return wrong(at, "system {} of type {}: {}", system.name, text_.words[system.type],
                     made.error().message);
      for (const std::string& warning : warnings_of_plan)
        warnings_.add(fmt::format("{}:{}: system {} of type {}: {}", path_, at.line, system.name,
                                  text_.words[system.type], warning));
      plan = &plan_store_.emplace_back(std::move(*made));
    }
    if (auto status = budget_.spend(plan->chips.size(), plan->ports, plan->wires.size()); !status)
      return wrong(at, "{}", status.error().message);
    const auto first = systems_.add(system.name, *plan);
    if (!first) return wrong(at, "system {}: {}", system.name, first.error().message);
    placed_.push_back({*first, plan});
    return {};
  }

  Result<ChipPort> find(const IbdmTopoText::End& end, std::size_t line) const {
    const std::string& plug = text_.words[end.plug];
    const Placed& placed = placed_[end.system];
    if (const auto found = placed.plan->plugs.find(plug); found != placed.plan->plugs.end())
      return found->second;
    const IbdmTopoText::System& system = text_.systems[end.system];
    return wrong({line, end.column}, "found port {} of system {}, which type {}{} does not have",
                 plug, system.name, text_.words[system.type],
                 system.modifiers.empty() ? "" : " in this CFG");
  }

  Status connect(const IbdmTopoText::Cable& cable) {
    const auto a = find(cable.a, cable.line);
    if (!a) return forward(a);
    const auto b = find(cable.b, cable.line);
    if (!b) return forward(b);
    const Placed& at_a = placed_[cable.a.system];
    const Placed& at_b = placed_[cable.b.system];
    auto status =
        systems_.cable(at_a.first, *at_a.plan, *a, at_b.first, *at_b.plan, *b, cable.rate);
    if (!status) return wrong({cable.line, cable.a.column}, "{}", status.error().message);
    return {};
  }

  const IbdmTopoText& text_;
  std::string path_;
  IbnlLibrary& library_;
  Warnings& warnings_;
  IbdmSystems systems_;
  ExpansionBudget budget_;
  std::vector<const IbnlFile*> definitions_;  // by index into words
  std::vector<PlugNames> plug_names_;         // by index into words
  std::map<std::pair<const IbnlFile*, IbnlModifiers>, const SystemPlan*> plans_;
  std::deque<SystemPlan> plan_store_;
  std::vector<Placed> placed_;  // by system
};

}  // namespace

bool looks_like_ibdm_topo(std::string_view head) {
  bool in_section = false;
  return decide_by_lines(head, [&](std::string_view line) -> std::optional<bool> {
    if (line.find_first_of("\"'[]{}();") != std::string_view::npos) return false;
    if (!is_ibdm_connection(line)) {
      const auto words = split_words(line);
      if (words.size() < 2 || (words.size() > 2 && !words[2].starts_with("CFG:"))) return false;
      in_section = words[0] != "SYSTEM" && words[0] != "TOPSYSTEM";
      return std::nullopt;
    }
    const auto cable = parse_ibdm_connection(line);
    return in_section && cable && cable->to.size() == 3;
  });
}

Status read_ibdm_topo(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                      Warnings& warnings) {
  const auto text = read_ibdm_topo_text(lines);
  if (!text) return forward(text);
  IbnlLibrary library(ibnl_folders(options, lines.path()), warnings);
  return TopoBuilder(*text, lines.path(), library, builder, warnings).build();
}

bool looks_like_ibnl(std::string_view head) {
  return decide_by_lines(head, [](std::string_view line) -> std::optional<bool> {
    return line.starts_with("SYSTEM ") || line.starts_with("TOPSYSTEM ");
  });
}

Status read_ibnl(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                 Warnings& warnings) {
  const auto file = read_ibnl_file(lines);
  if (!file) return forward(file);
  ExpansionBudget budget;
  std::vector<std::string> warnings_of_plan;
  const auto plan = plan_system(*file, {}, budget, warnings_of_plan);
  if (!plan) return forward(plan);
  for (std::string& warning : warnings_of_plan) warnings.add(std::move(warning));
  const std::string& name = file->chassis().names.front();
  IbdmSystems systems(builder);
  if (auto first = systems.add(name, *plan); !first)
    return fail(Code::kBadInput, "{}:{}: {}", file->path, file->chassis().line,
                first.error().message);
  systems.number_nodes();
  return {};
}

}  // namespace weft
