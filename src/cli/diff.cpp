// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft diff A B [--lfts-a FILE --lfts-b FILE]: compares two fabrics, and the routes on them.

#include <algorithm>
#include <memory>
#include <set>

#include "base/log.h"
#include "cli/common.h"
#include "cli/subcommands.h"
#include "fabric/changes.h"
#include "routes/dump/read.h"

namespace weft::cli {
namespace {

struct DiffOptions {
  FabricArgument a, b;
  std::string lfts_a, lfts_b;
  bool json = false;
};

using ChangeKind = FabricChange::Kind;

/// Differences of the fabrics and of the forwarding tables.
struct Changes {
  std::vector<FabricChange> fabric;
  std::uint64_t entries_changed = 0;  // entries of switches that are in both fabrics
  std::uint64_t blocks_changed = 0;
  std::uint64_t switches_changed = 0;
  bool any() const { return !fabric.empty() || entries_changed > 0; }
  std::vector<std::string> of(std::initializer_list<ChangeKind> kinds) const {
    std::vector<std::string> texts;
    for (const FabricChange& change : fabric)
      if (std::ranges::find(kinds, change.kind) != kinds.end()) texts.push_back(change.what);
    return texts;
  }
};

constexpr auto kAltered = {ChangeKind::kNodeRenamed, ChangeKind::kNodeChanged,
                           ChangeKind::kLidChanged, ChangeKind::kLinkRate};

void compare_tables(const Fabric& a, const Lfts& left, const Fabric& b, const Lfts& right,
                    Changes& changes) {
  for (std::uint32_t s = 0; s < a.switch_count(); ++s) {
    const auto other = b.find_node(a.node(SwitchId(s)).node_guid);
    if (!other || !b.is_switch(*other)) continue;
    const SwitchId counterpart(other->value());
    std::set<std::size_t> blocks;
    const unsigned top = std::max(left.top().value(), right.top().value());
    for (unsigned value = 1; value <= top; ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      if (left.port(SwitchId(s), lid) == right.port(counterpart, lid)) continue;
      ++changes.entries_changed;
      blocks.insert(value / kLftBlock);
    }
    changes.blocks_changed += blocks.size();
    changes.switches_changed += blocks.empty() ? 0 : 1;
  }
}

std::string diff_text(const Changes& changes, bool routes) {
  std::string text;
  const auto list = [&](std::string_view sign, const std::vector<std::string>& items) {
    for (const std::string& item : items) text += fmt::format("{} {}\n", sign, item);
  };
  list("- node", changes.of({ChangeKind::kNodeGone}));
  list("+ node", changes.of({ChangeKind::kNodeNew}));
  list("~", changes.of(kAltered));
  list("- link", changes.of({ChangeKind::kLinkGone}));
  list("+ link", changes.of({ChangeKind::kLinkNew}));
  if (routes)
    text += fmt::format("routes: {} entries differ, in {} blocks of {} switches\n",
                        changes.entries_changed, changes.blocks_changed, changes.switches_changed);
  return text.empty() ? "no difference\n" : text;
}

int run_diff(const DiffOptions& options) {
  const auto a = load(options.a);
  if (!a) return report(a.error());
  const auto b = load(options.b);
  if (!b) return report(b.error());
  Changes changes;
  changes.fabric = compare(a->fabric, b->fabric);
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
    Json json{{"same", !changes.any()},
              {"a", fabric_json(a->fabric)},
              {"b", fabric_json(b->fabric)},
              {"nodes_gone", changes.of({ChangeKind::kNodeGone})},
              {"nodes_new", changes.of({ChangeKind::kNodeNew})},
              {"changed", changes.of(kAltered)},
              {"links_gone", changes.of({ChangeKind::kLinkGone})},
              {"links_new", changes.of({ChangeKind::kLinkNew})}};
    if (routes)
      json["routes"] = {{"entries", changes.entries_changed},
                        {"blocks", changes.blocks_changed},
                        {"switches", changes.switches_changed}};
    print(json);
  } else {
    append_to_stdout(diff_text(changes, routes));
  }
  return changes.any() ? 1 : 0;
}

Run set_up_diff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("A", options->a.name, "Fabric before the change: a file or a generator spec")
      ->required();
  app.add_option("B", options->b.name, "Fabric after the change")->required();
  app.add_option("--ibnl-dir", options->a.read.ibnl_dir,
                 "Read .ibnl system definitions for .topo files from this folder");
  auto* before =
      app.add_option("--lfts-a", options->lfts_a, "Read the forwarding tables of A from this file");
  auto* after =
      app.add_option("--lfts-b", options->lfts_b, "Read the forwarding tables of B from this file");
  before->needs(after);
  after->needs(before);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] {
    options->b.read.ibnl_dir = options->a.read.ibnl_dir;
    return run_diff(*options);
  };
}

}  // namespace

const Subcommand kDiffSubcommand{"diff", "Compare two fabrics or two sets of routes", &set_up_diff};

}  // namespace weft::cli
