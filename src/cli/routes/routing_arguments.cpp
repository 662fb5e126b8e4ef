// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/routing_arguments.h"

#include "service/config/key.h"

namespace weft::cli {
namespace {

constexpr std::size_t kPartsNamed = 8;

}  // namespace
namespace {

/// The value placeholder of an option in the help.
std::string placeholder(const Key& key) {
  if (const auto* choice = std::get_if<Choice>(&key.value)) return std::string(choice->words);
  if (std::holds_alternative<Number>(key.value)) return "N";
  return key.name.ends_with("_file") ? "FILE" : "TEXT";
}

/// The default of an option in the help.
std::string default_text(const Key& key, const Settings& defaults) {
  const std::string text = value_text(defaults, key);
  if (text != "(null)") return text;
  if (key.name == "routing_engine") return std::string(kDefaultEngine);
  return "none";
}

/// The help text of an option.
std::string about(const CommandOption& option, const Key& key, const Settings& defaults) {
  std::string text(option.about.empty() ? key.about : option.about);
  if (text.ends_with('.')) text.pop_back();
  if (!option.fixed.empty()) return text;
  return fmt::format("{} (default: {})", text, default_text(key, defaults));
}

}  // namespace

void add_command_options(CLI::App& app, std::span<const CommandOption> options,
                         Assignments& assignments, const Settings& defaults) {
  for (const CommandOption& option : options) {
    const Key& key = *find_key(option.key);
    const std::string names(option.names);
    const auto add_assignment = [&assignments, &option, names](const std::string& value) {
      assignments.push_back({names.substr(names.rfind(',') + 1), option.key, value});
    };
    if (option.fixed.empty()) {
      app.add_option_function<std::string>(names, add_assignment, about(option, key, defaults))
          ->option_text(placeholder(key))
          ->trigger_on_parse();
    } else {
      app.add_flag_callback(
          names, [add_assignment, &option] { add_assignment(std::string(option.fixed)); },
          about(option, key, defaults));
    }
  }
}

std::string requested_engines(const Settings& settings, const EngineChoice& choice) {
  if (!settings.routing_engine.empty()) return settings.routing_engine;
  std::string names;
  for (const std::string& name : choice.engines) names += (names.empty() ? "" : ",") + name;
  return names;
}

Json attempts_json(const std::vector<EngineAttempt>& attempts) {
  Json json = Json::array();
  for (const EngineAttempt& attempt : attempts)
    json.push_back({{"engine", attempt.engine}, {"reason", attempt.reason}});
  return json;
}

Json steps_json(const std::vector<RoutedStep>& steps) {
  Json json = Json::array();
  for (const RoutedStep& step : steps)
    json.push_back({{"id", step.id},
                    {"engine", step.engine},
                    {"topology", step.topology},
                    {"switches", step.switches},
                    {"hosts", step.hosts},
                    {"failed", step.failed.empty() ? Json() : Json(step.failed)}});
  return json;
}

std::string steps_text(const std::vector<RoutedStep>& steps) {
  std::string text;
  for (const RoutedStep& step : steps)
    text += fmt::format("step {:<14} {}\n", step.id, describe(step));
  return text;
}

Json parts_json(const std::vector<RoutedPart>& parts) {
  Json json = Json::array();
  for (const RoutedPart& part : parts)
    json.push_back({{"switches", part.switches},
                    {"cas", part.cas},
                    {"engine", part.engine.empty() ? Json() : Json(part.engine)},
                    {"choice", part.choice.empty() ? Json() : Json(part.choice)}});
  return json;
}

std::string parts_text(const ChainResult& chain) {
  if (chain.parts.size() < 2) return {};
  std::string text = fmt::format(
      "parts               {} not connected by links; {}\n", chain.parts.size(),
      chain.verdict.ca_to_ca.cut_off > 0
          ? fmt::format("{} CA pairs in different parts", chain.verdict.ca_to_ca.cut_off)
          : "each pair of hosts has ports in a common part");
  const std::size_t named = std::min(chain.parts.size(), kPartsNamed);
  for (std::size_t i = 0; i < named; ++i) {
    const RoutedPart& part = chain.parts[i];
    text += fmt::format("part {:<14} {} switch{}, {} CA{}, {}\n", i + 1, part.switches,
                        part.switches == 1 ? "" : "es", part.cas, part.cas == 1 ? "" : "s",
                        part.choice.empty() ? "by " + part.engine : part.choice);
  }
  if (named < chain.parts.size())
    text += fmt::format("                    and {} smaller parts\n", chain.parts.size() - named);
  return text;
}

}  // namespace weft::cli
