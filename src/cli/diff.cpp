// weft diff A B [--lfts-a FILE --lfts-b FILE]: what changed between two fabrics, and between routes
// on them.

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/log.h"
#include "cli/command.h"
#include "cli/common.h"
#include "routes/dump/read.h"

namespace weft::cli {
namespace {

struct Options {
  FabricArgument a, b;
  std::string lfts_a, lfts_b;
  bool json = false;
};

/// A cable by the GUIDs and ports of its ends, the lower end first.
using Cable = std::pair<std::pair<Guid, std::uint8_t>, std::pair<Guid, std::uint8_t>>;

std::set<Cable> cables(const Fabric& fabric) {
  std::set<Cable> result;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      const std::pair near(fabric.node(port.node).node_guid, port.num.value());
      const std::pair far(fabric.node(peer.node).node_guid, peer.num.value());
      result.insert(std::minmax(near, far));
    }
  return result;
}

std::string name(const Fabric& fabric, Guid guid) {
  const auto node = fabric.find_node(guid);
  return node ? describe(fabric.node(*node)) : fmt::format("0x{:016x}", guid.value());
}

std::string name(const Fabric& fabric, const Cable& cable) {
  return fmt::format("{} port {} - {} port {}", name(fabric, cable.first.first), cable.first.second,
                     name(fabric, cable.second.first), cable.second.second);
}

/// What one side has and the other lacks, and what both have in different states.
struct Changes {
  std::vector<std::string> nodes_gone, nodes_new, nodes_changed;
  std::vector<std::string> links_gone, links_new;
  std::uint64_t entries_changed = 0;  // forwarding entries of switches and LIDs that both have
  std::uint64_t blocks_changed = 0;
  std::uint64_t switches_changed = 0;
  bool any() const {
    return !nodes_gone.empty() || !nodes_new.empty() || !nodes_changed.empty() ||
           !links_gone.empty() || !links_new.empty() || entries_changed > 0;
  }
};

void compare_nodes(const Fabric& a, const Fabric& b, Changes& changes) {
  for (std::uint32_t n = 0; n < a.node_count(); ++n) {
    const Node& before = a.node(NodeId(n));
    const auto found = b.find_node(before.node_guid);
    if (!found) {
      changes.nodes_gone.push_back(describe(before));
      continue;
    }
    const Node& after = b.node(*found);
    if (before.type != after.type || before.port_count != after.port_count)
      changes.nodes_changed.push_back(fmt::format(
          "{}: {} with {} ports, now {} with {}", describe(before), weft::name(before.type),
          before.port_count, weft::name(after.type), after.port_count));
    if (before.description != after.description)
      changes.nodes_changed.push_back(
          fmt::format("{}: now named '{}'", describe(before), after.description));
    for (unsigned i = 0; i <= std::min(before.port_count, after.port_count); ++i) {
      const Port& was = a.ports(NodeId(n))[i];
      const Port& is = b.ports(*found)[i];
      if (was.lid != is.lid)
        changes.nodes_changed.push_back(fmt::format("{} port {}: LID {}, now {}", describe(before),
                                                    i, was.lid.value(), is.lid.value()));
      const bool up = was.peer != kNoPort && is.peer != kNoPort;
      if (up && (was.width != is.width || was.speed != is.speed))
        changes.nodes_changed.push_back(fmt::format("{} port {}: {}{}, now {}{}", describe(before),
                                                    i, weft::name(was.width), weft::name(was.speed),
                                                    weft::name(is.width), weft::name(is.speed)));
    }
  }
  for (const Node& after : b.nodes())
    if (!a.find_node(after.node_guid)) changes.nodes_new.push_back(describe(after));
}

void compare_links(const Fabric& a, const Fabric& b, Changes& changes) {
  const auto before = cables(a);
  const auto after = cables(b);
  for (const Cable& cable : before)
    if (!after.contains(cable)) changes.links_gone.push_back(name(a, cable));
  for (const Cable& cable : after)
    if (!before.contains(cable)) changes.links_new.push_back(name(b, cable));
}

void compare_tables(const Fabric& a, const Lfts& left, const Fabric& b, const Lfts& right,
                    Changes& changes) {
  for (std::uint32_t s = 0; s < a.switch_count(); ++s) {
    const auto other = b.find_node(a.node(SwitchId(s)).node_guid);
    if (!other || !b.is_switch(*other)) continue;
    const SwitchId twin(other->value());
    std::set<std::size_t> blocks;
    const unsigned top = std::max(left.top().value(), right.top().value());
    for (unsigned value = 1; value <= top; ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      if (left.port(SwitchId(s), lid) == right.port(twin, lid)) continue;
      ++changes.entries_changed;
      blocks.insert(value / kLftBlock);
    }
    changes.blocks_changed += blocks.size();
    changes.switches_changed += blocks.empty() ? 0 : 1;
  }
}

std::string to_text(const Changes& changes, bool routes) {
  std::string text;
  const auto list = [&](std::string_view sign, const std::vector<std::string>& items) {
    for (const std::string& item : items) text += fmt::format("{} {}\n", sign, item);
  };
  list("- node", changes.nodes_gone);
  list("+ node", changes.nodes_new);
  list("~", changes.nodes_changed);
  list("- link", changes.links_gone);
  list("+ link", changes.links_new);
  if (routes)
    text += fmt::format("routes: {} entries differ, in {} blocks of {} switches\n",
                        changes.entries_changed, changes.blocks_changed, changes.switches_changed);
  return text.empty() ? "no difference\n" : text;
}

int run(const Options& options) {
  const auto a = load(options.a);
  if (!a) return report(a.error());
  const auto b = load(options.b);
  if (!b) return report(b.error());
  Changes changes;
  compare_nodes(a->fabric, b->fabric, changes);
  compare_links(a->fabric, b->fabric, changes);
  const bool routes = !options.lfts_a.empty();
  if (routes) {
    Warnings warnings;
    const auto left = read_lfts(a->fabric, options.lfts_a, warnings);
    if (!left) return report(left.error());
    const auto right = read_lfts(b->fabric, options.lfts_b, warnings);
    if (!right) return report(right.error());
    log(warnings);
    compare_tables(a->fabric, *left, b->fabric, *right, changes);
  }
  if (options.json) {
    Json json{{"same", !changes.any()},           {"a", fabric_json(a->fabric)},
              {"b", fabric_json(b->fabric)},      {"nodes_gone", changes.nodes_gone},
              {"nodes_new", changes.nodes_new},   {"changed", changes.nodes_changed},
              {"links_gone", changes.links_gone}, {"links_new", changes.links_new}};
    if (routes)
      json["routes"] = {{"entries", changes.entries_changed},
                        {"blocks", changes.blocks_changed},
                        {"switches", changes.switches_changed}};
    print(json);
  } else {
    append_to_stdout(to_text(changes, routes));
  }
  return changes.any() ? 1 : 0;
}

}  // namespace

Run add_diff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("A", options->a.name, "The fabric before: a file or a generator's spec")
      ->required();
  app.add_option("B", options->b.name, "The fabric after")->required();
  app.add_option("--ibnl-dir", options->a.read.ibnl_dir,
                 "Folder of .ibnl system definitions for .topo files");
  auto* before = app.add_option("--lfts-a", options->lfts_a, "Forwarding tables of A");
  auto* after = app.add_option("--lfts-b", options->lfts_b, "Forwarding tables of B");
  before->needs(after);
  after->needs(before);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] {
    options->b.read.ibnl_dir = options->a.read.ibnl_dir;
    return run(*options);
  };
}

}  // namespace weft::cli
