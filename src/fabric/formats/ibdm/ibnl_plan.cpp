// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibdm/ibnl_plan.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kBoardDepthMax = 16;

using Plugs = std::unordered_map<std::string, ChipPort>;

/// A chip or board within a board, expanded.
struct Placed {
  const IbnlPart* part = nullptr;
  std::uint32_t chip = 0;  // the index of a chip
  Plugs plugs;             // the plugs of a board; none if the configuration removes it
};

class Planner {
 public:
  Planner(const IbnlFile& file, const IbnlModifiers& modifiers, ExpansionBudget& budget)
      : file_(file), modifiers_(modifiers), budget_(budget) {}

  Result<SystemPlan> plan(std::vector<std::string>& warnings_of_plan) {
    auto plugs = expand(file_.chassis(), "");
    if (!plugs) return forward(plugs);
    plan_.plugs = std::move(*plugs);
    for (const auto& [path, modifier] : modifiers_)
      if (!used_.contains(path))
        note("{}: the configuration names {}, which is no board", file_.path, path);
    warnings_of_plan = std::move(warnings_);
    return std::move(plan_);
  }

 private:
  template <class... Args>
  tl::unexpected<Error> wrong(std::size_t line, fmt::format_string<Args...> format,
                              Args&&... args) const {
    return fail(Code::kBadInput, "{}:{}: {}", file_.path, line,
                fmt::format(format, std::forward<Args>(args)...));
  }

  template <class... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    if (warnings_.size() < Warnings::kMax)
      warnings_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  Status spend(std::size_t line, std::size_t chips, std::size_t ports, std::size_t steps) {
    if (auto status = budget_.spend(chips, ports, steps); !status)
      return wrong(line, "{}", status.error().message);
    return {};
  }

  Result<Plugs> expand(const IbnlBoard& board, const std::string& prefix) {
    if (std::ranges::find(open_, &board) != open_.end())
      return wrong(board.line, "{} includes itself: found within {} boards", board.names.front(),
                   open_.size());
    if (open_.size() >= kBoardDepthMax)
      return wrong(board.line, "found boards {} deep, expected at most {}", open_.size() + 1,
                   kBoardDepthMax);
    open_.push_back(&board);
    std::vector<Placed> placed;
    std::unordered_map<std::string, std::size_t> by_name;
    for (const IbnlPart& part : board.parts) {
      auto one = place(part, prefix + part.name);
      if (!one) return forward(one);
      by_name.emplace(part.name, placed.size());
      placed.push_back(std::move(*one));
    }
    auto plugs = collect_plugs(placed);
    if (!plugs) return forward(plugs);
    for (const Placed& from : placed)
      for (const IbnlConnection& connection : from.part->connections)
        if (!connection.peer.empty())
          if (auto status = wire(placed, by_name, from, connection); !status)
            return forward(status);
    open_.pop_back();
    return plugs;
  }

  Result<Placed> place(const IbnlPart& part, const std::string& path) {
    Placed placed;
    placed.part = &part;
    const std::size_t steps = 1 + part.connections.size();
    if (auto status = spend(part.line, part.is_chip ? 1 : 0, part.ports, steps); !status)
      return forward(status);
    if (part.is_chip) {
      placed.chip = static_cast<std::uint32_t>(plan_.chips.size());
      const std::size_t slots = std::size_t{part.ports} + 1;
      plan_.chips.push_back({path, part.kind, part.type, part.ports, std::vector<LinkRate>(slots)});
      plan_.ports += part.ports;
      state_.emplace_back(slots);
      return placed;
    }
    std::string name = part.kind;
    if (const auto modifier = modifiers_.find(path); modifier != modifiers_.end()) {
      used_.insert(path);
      if (modifier->second == "R") return placed;
      name = ibnl_base_name(part.kind) + ":" + modifier->second;
    }
    const auto board = file_.board_by_name.find(name);
    if (board == file_.board_by_name.end())
      return wrong(part.line, "{}: found board {}, which no SYSTEM of the file defines", path,
                   name);
    auto plugs = expand(file_.boards[board->second], path + "/");
    if (!plugs) return forward(plugs);
    placed.plugs = std::move(*plugs);
    return placed;
  }

  /// The chip port for the name of a port of a part. None if the part is a board that is removed,
  /// or a board of which only another flavour has the plug.
  Result<std::optional<ChipPort>> find(const Placed& at, const std::string& port,
                                       std::size_t line) const {
    if (!at.part->is_chip) {
      const auto plug = at.plugs.find(port);
      return plug == at.plugs.end() ? std::nullopt : std::optional(plug->second);
    }
    const auto number = parse_number<unsigned>(port);
    if (!number || *number == 0 || *number > at.part->ports)
      return wrong(line, "found port {} of {}, expected 1 to {}", port, at.part->name,
                   at.part->ports);
    return ChipPort{at.chip, static_cast<std::uint8_t>(*number)};
  }

  void warn_if_no_flavour_has(const Placed& at, const std::string& port, std::size_t line) {
    const std::string base = ibnl_base_name(at.part->kind);
    const auto any = file_.plugs_of_any_flavour.find(base);
    if (any == file_.plugs_of_any_flavour.end() || !any->second.contains(port))
      note("{}:{}: {} has no port {}, and no {} has one: ignored", file_.path, line, at.part->name,
           port, base);
  }

  /// Returns the plugs of the board. Sets the rates that lines of the board state for ports, except
  /// rates that an inner board has set.
  Result<Plugs> collect_plugs(const std::vector<Placed>& placed) {
    Plugs plugs;
    for (const Placed& at : placed)
      for (const IbnlConnection& connection : at.part->connections) {
        const auto own = find(at, connection.port, connection.line);
        if (!own) return forward(own);
        if (!*own) {
          warn_if_no_flavour_has(at, connection.port, connection.line);
          continue;
        }
        plan_.chips[(*own)->chip].rates[(*own)->port].fill_from(connection.rate);
        if (!connection.peer.empty()) continue;
        if (!plugs.emplace(connection.peer_port, **own).second)
          return wrong(connection.line, "found a second connection to plug {}",
                       connection.peer_port);
        state_[(*own)->chip][(*own)->port].plug_depth = open_.size();
      }
    return plugs;
  }

  Status wire(const std::vector<Placed>& placed,
              const std::unordered_map<std::string, std::size_t>& by_name, const Placed& from,
              const IbnlConnection& connection) {
    const auto peer = by_name.find(connection.peer);
    if (peer == by_name.end())
      return wrong(connection.line, "found {}, which is no part of {}", connection.peer,
                   open_.back()->names.front());
    const auto a = find(from, connection.port, connection.line);
    if (!a) return forward(a);
    const auto b = find(placed[peer->second], connection.peer_port, connection.line);
    if (!b) return forward(b);
    if (!*b) warn_if_no_flavour_has(placed[peer->second], connection.peer_port, connection.line);
    if (!*a || !*b) return {};
    plan_.chips[(*b)->chip].rates[(*b)->port].fill_from(connection.rate);
    return join(**a, **b, connection.line);
  }

  Status join(ChipPort a, ChipPort b, std::size_t line) {
    if (a == b) return wrong(line, "found {} connected to itself", show(a));
    PortState& at_a = state_[a.chip][a.port];
    PortState& at_b = state_[b.chip][b.port];
    if (at_a.peer == b && at_b.peer == a) return {};  // both ends list the wire
    for (const auto& [port, state, other] : {std::tuple(a, &at_a, b), std::tuple(b, &at_b, a)}) {
      if (state->peer)
        return wrong(line, "found {} connected to {}, an earlier line has {}", show(port),
                     show(other), show(*state->peer));
      if (state->plug_depth == open_.size())
        return wrong(line, "found {} connected to {} and to a plug", show(port), show(other));
    }
    at_a.peer = b;
    at_b.peer = a;
    plan_.wires.emplace_back(a, b);
    return {};
  }

  std::string show(ChipPort at) const {
    return fmt::format("{} port {}", plan_.chips[at.chip].name, at.port);
  }

  struct PortState {
    std::optional<ChipPort> peer;
    std::size_t plug_depth = 0;  // depth of the outermost board with the port as a plug
  };

  const IbnlFile& file_;
  const IbnlModifiers& modifiers_;
  ExpansionBudget& budget_;
  std::unordered_set<std::string> used_;  // board paths of the modifiers that were applied
  std::vector<std::string> warnings_;
  SystemPlan plan_;
  std::vector<std::vector<PortState>> state_;  // by chip and port
  std::vector<const IbnlBoard*> open_;         // boards that are being expanded, outermost first
};

}  // namespace

Status ExpansionBudget::spend(std::size_t more_chips, std::size_t more_ports,
                              std::size_t more_steps) {
  chips += more_chips;
  ports += more_ports;
  steps += more_steps;
  if (chips > kChipsMax)
    return fail(Code::kBadInput, "found more than {} chips in all systems together", kChipsMax);
  if (ports > kPortsMax)
    return fail(Code::kBadInput, "found more than {} chip ports in all systems together",
                kPortsMax);
  if (steps > kStepsMax)
    return fail(Code::kBadInput, "found more than {} parts and connections in all systems together",
                kStepsMax);
  return {};
}

Result<SystemPlan> plan_system(const IbnlFile& file, const IbnlModifiers& modifiers,
                               ExpansionBudget& budget,
                               std::vector<std::string>& warnings_of_plan) {
  return Planner(file, modifiers, budget).plan(warnings_of_plan);
}

}  // namespace weft
