// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/pattern.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "congestion/patterns/kinds.h"

namespace weft {
namespace {

constexpr PatternKind kKinds[] = {
    {"rand", "", "a random permutation: every rank sends to one rank and receives from one rank",
     &patterns::random_permutation},
    {"null", "", "no messages", &patterns::null},
    {"bisect", "", "rank 2i+1 sends to 2i", &patterns::bisect},
    {"bisect_fb_sym", "", "ranks 2i and 2i+1 send to each other", &patterns::bisect_symmetric},
    {"tree", "", "a binomial tree from rank 0", &patterns::tree},
    {"bruck", "", "in level l rank i sends to rank i+2^l", &patterns::bruck},
    {"gather", "", "all ranks send to rank 0", &patterns::gather},
    {"scatter", "", "rank 0 sends to all ranks", &patterns::scatter},
    {"ring", "", "in level l rank l sends to the next rank", &patterns::ring},
    {"recdbl", "", "recursive doubling: exchanges over 1, 2, 4, ...",
     &patterns::recursive_doubling},
    {"2neighbor", "", "exchanges with 2 neighbors", &patterns::neighbors_2},
    {"4neighbor", "", "exchanges with 4 neighbors", &patterns::neighbors_4},
    {"6neighbor", "", "exchanges with 6 neighbors", &patterns::neighbors_6},
    {"neighbor", "N", "exchanges with N neighbors", &patterns::neighbors},
    {"neighbor2d", "", "exchanges on a square grid with wraparound", &patterns::neighbors_2d},
    {"receivers", "N", "N ranks receive, each other rank sends to one of them",
     &patterns::receivers},
    {"shift", "", "in level l rank i sends to rank i+l+1: all n-1 shifts", &patterns::shift},
    {"alltoall", "", "pairwise exchange of all ranks, in rounds", &patterns::all_to_all},
    {"alltoallv", "K", "every rank sends to 0 to 2K others at random, 1 to 16 units each",
     &patterns::random_sets},
    {"stencil2d", "XxY[,wrap]", "halo exchange on a grid, a level for each direction",
     &patterns::stencil_2d},
    {"stencil3d", "XxYxZ[,wrap]", "halo exchange on a grid, a level for each direction",
     &patterns::stencil_3d},
    {"adversarial", "N",
     "for each of the N (16) channels with the largest permutation load, that permutation",
     &patterns::adversarial},
    {"trace", "FILE", "lines SOURCE DESTINATION BYTES LEVEL, with ranks or names of hosts",
     &patterns::trace},
};

constexpr std::string_view kVersus = "ptrnvsptrn";

Result<Pattern> make_one(std::string_view text, const PatternInput& input) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto* kind = std::ranges::find(kKinds, name, &PatternKind::name);
  if (kind == std::end(kKinds)) {
    std::string known;
    for (const PatternKind& k : kKinds) known += fmt::format("{}, ", k.name);
    return fail(Code::kUsage, "pattern: found {}, expected one of {}{}", quoted(name), known,
                kVersus);
  }
  PatternInput own = input;
  if (colon != std::string_view::npos) own.argument = text.substr(colon + 1);
  if (kind->argument.empty() && !own.argument.empty())
    return fail(Code::kUsage, "pattern {}: found {} behind the name, expected nothing", kind->name,
                quoted(own.argument));
  auto pattern = kind->make(own);
  if (!pattern)
    return fail(pattern.error().code, "pattern {}: {}", kind->name, pattern.error().message);
  pattern->name = text;
  pattern->first_ranks = pattern->ranks;
  for (std::string& note : pattern->notes) note = fmt::format("pattern {}: {}", text, note);
  return pattern;
}

// Level k of the merged pattern has level k of the first pattern and level k modulo the number of
// levels of the second pattern. Levels of the second pattern beyond the number of levels of the
// first pattern are left out.
Pattern versus(const Pattern& first, const Pattern& second) {
  Pattern merged;
  merged.name = fmt::format("{}({}, {})", kVersus, first.name, second.name);
  merged.ranks = first.ranks + second.ranks;
  merged.levels = first.levels;
  merged.first_ranks = first.ranks;
  merged.size_max = std::max(first.size_max, second.size_max);
  merged.is_placed = first.is_placed || second.is_placed;
  merged.notes = first.notes;
  merged.notes.insert(merged.notes.end(), second.notes.begin(), second.notes.end());
  merged.fill = [first, second](std::uint64_t level, std::vector<Flow>& flows) {
    first.fill(level, flows);
    if (second.levels == 0) return;
    std::vector<Flow> more;
    second.fill(level % second.levels, more);
    for (const Flow& flow : more)
      flows.push_back({flow.from + first.ranks, flow.to + first.ranks, flow.size});
  };
  return merged;
}

}  // namespace

std::span<const PatternKind> pattern_kinds() { return kKinds; }

Pattern pattern_of_levels(std::string name, std::uint32_t ranks,
                          std::vector<std::vector<Flow>> levels) {
  Pattern pattern;
  pattern.name = std::move(name);
  pattern.ranks = ranks;
  pattern.levels = levels.size();
  for (const auto& level : levels)
    for (const Flow& flow : level) pattern.size_max = std::max(pattern.size_max, flow.size);
  const auto shared = std::make_shared<const std::vector<std::vector<Flow>>>(std::move(levels));
  pattern.fill = [shared](std::uint64_t level, std::vector<Flow>& flows) {
    flows = (*shared)[level];
  };
  return pattern;
}

Result<Pattern> make_pattern(const PatternSpec& spec, const PatternInput& input) {
  if (spec.name != kVersus) return make_one(spec.name, input);
  const std::uint32_t part = spec.first_ranks == 0 ? input.ranks / 2 : spec.first_ranks;
  if (part > input.ranks)
    return fail(Code::kUsage,
                "{}: found {} ranks for the first pattern, expected at most the {} of the "
                "communicator",
                kVersus, part, input.ranks);
  PatternInput own = input;
  own.ranks = part;
  own.rng = input.rng.fork(1);
  own.hosts = input.hosts.first(std::min<std::size_t>(part, input.hosts.size()));
  const auto first = make_one(spec.first, own);
  if (!first) return forward(first);
  own.ranks = input.ranks - part;
  own.rng = input.rng.fork(2);
  own.hosts = input.hosts.subspan(std::min<std::size_t>(part, input.hosts.size()));
  const auto second = make_one(spec.second, own);
  if (!second) return forward(second);
  return versus(*first, *second);
}

std::string patterns_help() {
  std::string text = "Patterns:\n";
  for (const PatternKind& kind : kKinds) {
    const std::string name = kind.argument.empty() ? std::string(kind.name)
                                                   : fmt::format("{}:{}", kind.name, kind.argument);
    text += fmt::format("  {:<24} {}\n", name, kind.summary);
  }
  return text + fmt::format("  {:<24} {}\n", kVersus, "the pattern of -f beside the pattern of -c");
}

}  // namespace weft
