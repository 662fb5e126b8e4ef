// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/chain_policy.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/policy_paragraphs.h"
#include "routing/chain/chain.h"
#include "routing/engine.h"

namespace weft {
namespace {

constexpr unsigned kIdMax = 1'000'000;
constexpr std::string_view kIdRange = "a number from 1 to 1000000";
constexpr std::string_view kChainEngine = "chain";

constexpr std::array<std::string_view, 3> kTopologyNames{"id", "sw-grp", "hca-grp"};
constexpr ParagraphForm kTopologyForm{"topology", kTopologyNames, kTopologyNames};
constexpr std::array<std::string_view, 7> kStepNames{"id",       "engine",      "use",     "config",
                                                     "topology", "fallback-to", "path-bit"};
constexpr std::array<std::string_view, 2> kStepMandatory{"id", "engine"};
constexpr ParagraphForm kStepForm{"unicast-step", kStepNames, kStepMandatory};

class Reading {
 public:
  void wrong(const Qualifier& at, std::string_view want) {
    problems.push_back(
        fmt::format("{}: {}: found {}, expected {}", at.place, at.name, quoted(at.value), want));
  }

  /// The value of a qualifier; 0 if it is missing or invalid. An invalid value is reported.
  unsigned number(const Paragraph& paragraph, std::string_view name, unsigned least,
                  std::string_view want) {
    const Qualifier* at = paragraph.find(name);
    if (at == nullptr) return 0;
    const auto value = parse_number<unsigned>(at->value);
    if (value && *value >= least && *value <= kIdMax) return *value;
    wrong(*at, want);
    return 0;
  }

  Problems problems;
};

/// An adaptive engine cannot route a step: a step contributes only plain tables, and AR groups
/// apply to the whole fabric.
bool can_route_a_step(std::string_view engine) {
  return engine != kChainEngine && plain_engine(engine) == engine && find_engine(engine) != nullptr;
}

std::string names_of_step_engines() {
  std::string names;
  for (const Engine& engine : engines())
    if (can_route_a_step(engine.name))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", engine.name);
  return names;
}

struct StepParagraph {
  FiledStep step;
  Paragraph paragraph;
};

void check_engine(const StepParagraph& filed, Reading& reading) {
  if (!can_route_a_step(filed.step.engine))
    reading.wrong(*filed.paragraph.find("engine"), "one of " + names_of_step_engines());
}

void check_fallbacks(const std::vector<StepParagraph>& filed, Reading& reading) {
  const auto find = [&](unsigned id) {
    return std::ranges::find(filed, id, [](const StepParagraph& one) { return one.step.id; });
  };
  for (const StepParagraph& one : filed) {
    if (one.step.fallback_to == 0) continue;
    const Qualifier& at = *one.paragraph.find("fallback-to");
    if (find(one.step.fallback_to) == filed.end()) {
      reading.wrong(at, "0 or the id of a unicast-step");
      continue;
    }
    auto next = find(one.step.fallback_to);
    for (std::size_t i = 0; i < filed.size() && next != filed.end(); ++i) {
      if (next->step.id == one.step.id) {
        reading.wrong(at, "a step that does not fall back to this step: the fallbacks are cyclic");
        break;
      }
      next = next->step.fallback_to == 0 ? filed.end() : find(next->step.fallback_to);
    }
  }
}

void check_first(const StepParagraph& first, Reading& reading) {
  for (const std::string_view name : {"topology", "path-bit", "fallback-to"})
    if (const Qualifier* at = first.paragraph.find(name); at != nullptr && at->value != "0")
      reading.wrong(*at, "0: the first step routes the whole fabric");
}

}  // namespace

Result<std::vector<FiledTopology>> read_topologies(const std::string& path,
                                                   const PortGroups& groups) {
  Reading reading;
  const auto paragraphs = read_paragraphs(path, kTopologyForm, reading.problems);
  if (!paragraphs) return forward(paragraphs);
  std::vector<FiledTopology> topologies;
  for (const Paragraph& paragraph : *paragraphs) {
    FiledTopology topology{reading.number(paragraph, "id", 1, kIdRange), paragraph.value("sw-grp"),
                           paragraph.value("hca-grp")};
    for (const std::string_view name : {"sw-grp", "hca-grp"})
      if (const Qualifier& at = *paragraph.find(name); !groups.has(at.value))
        reading.problems.push_back(
            fmt::format("{}: {}: {}", at.place, name, groups.missing_text(at.value)));
    if (std::ranges::find(topologies, topology.id, &FiledTopology::id) != topologies.end() &&
        topology.id != 0)
      reading.wrong(*paragraph.find("id"), "an id that no other topology has");
    topologies.push_back(std::move(topology));
  }
  if (const auto status = as_status(reading.problems); !status) return forward(status);
  return topologies;
}

Result<std::vector<FiledStep>> read_steps(const std::string& path,
                                          const std::vector<FiledTopology>& topologies,
                                          unsigned lmc) {
  Reading reading;
  auto paragraphs = read_paragraphs(path, kStepForm, reading.problems);
  if (!paragraphs) return forward(paragraphs);
  std::vector<StepParagraph> filed;
  // Without the ids of all steps it is unknown which step is the first, and to which steps others
  // fall back.
  bool has_all_ids = reading.problems.empty();
  for (Paragraph& paragraph : *paragraphs) {
    FiledStep step;
    step.id = reading.number(paragraph, "id", 1, kIdRange);
    has_all_ids = has_all_ids && step.id != 0;
    step.engine = paragraph.value("engine");
    step.use = paragraph.value("use");
    step.config = paragraph.value("config");
    step.topology = reading.number(paragraph, "topology", 0, "0 or the id of a topology");
    step.fallback_to = reading.number(paragraph, "fallback-to", 0, "0 or the id of a unicast-step");
    step.path_bit = reading.number(paragraph, "path-bit", 0, "a number below 2^lmc");
    step.place = paragraph.place;
    if (const Qualifier* config = paragraph.find("config")) step.config_place = config->place;
    if (step.topology != 0 &&
        std::ranges::find(topologies, step.topology, &FiledTopology::id) == topologies.end())
      reading.wrong(*paragraph.find("topology"), "0 or the id of a topology");
    if (step.path_bit >= 1u << lmc)
      reading.wrong(
          *paragraph.find("path-bit"),
          fmt::format("less than {}, the number of LIDs per port with lmc {}", 1u << lmc, lmc));
    if (step.id != 0 && std::ranges::any_of(filed, [&](const StepParagraph& other) {
          return other.step.id == step.id;
        }))
      reading.wrong(*paragraph.find("id"), "an id that no other step has");
    filed.push_back({std::move(step), std::move(paragraph)});
    check_engine(filed.back(), reading);
  }
  if (filed.empty() && reading.problems.empty())
    reading.problems.push_back(
        fmt::format("{}:1: found no unicast-step, expected at least one", path));
  if (filed.size() > kChainStepsMost)
    reading.problems.push_back(fmt::format("{}: found {} unicast-steps, expected at most {}",
                                           filed[kChainStepsMost].step.place, filed.size(),
                                           kChainStepsMost));
  std::ranges::stable_sort(filed, {}, [](const StepParagraph& one) { return one.step.id; });
  if (has_all_ids) check_fallbacks(filed, reading);
  if (has_all_ids && !filed.empty()) check_first(filed.front(), reading);
  if (const auto status = as_status(reading.problems); !status) return forward(status);
  std::vector<FiledStep> steps;
  steps.reserve(filed.size());
  for (StepParagraph& one : filed) steps.push_back(std::move(one.step));
  return steps;
}

}  // namespace weft
