// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/nearest.h"
#include "base/text.h"

namespace weft::cli {
namespace {

/// Names as in the help: "-R,--routing_engine".
std::string help_name(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) text += (text.empty() ? "-" : ",-") + name;
  for (const std::string& name : option.get_lnames()) text += (text.empty() ? "--" : ",--") + name;
  return text;
}

const CLI::App& parsed_subcommand(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands())
    if (sub->parsed()) return *sub;
  return app;
}

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

/// The suggestion for an unknown option; `word` includes its dashes.
std::string option_suggestion(const CLI::App& app, std::string_view word) {
  const std::string_view name = word.substr(std::min(word.size(), word.find_first_not_of('-')));
  std::vector<std::string_view> names;
  std::vector<const CLI::Option*> owners;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& long_name : option->get_lnames()) {
      names.push_back(long_name);
      owners.push_back(option);
    }
  const std::string_view meant = nearest(name, names);
  if (meant.empty()) return {};
  const auto at = std::ranges::find(names, meant) - names.begin();
  return ": did you mean " + help_name(*owners[static_cast<std::size_t>(at)]);
}

}  // namespace

std::optional<std::string> unknown_subcommand(const CLI::App& app,
                                              const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  const std::string& first = words.front();
  if (is_option(first)) {
    const std::string name = first.substr(0, first.find('='));
    if (app.get_option_no_throw(name) != nullptr) return std::nullopt;
    return fmt::format("unknown option {}{}", weft::quoted(first), option_suggestion(app, name));
  }
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  if (std::ranges::find(names, first) != names.end()) return std::nullopt;
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fmt::format("unknown subcommand {}{}", weft::quoted(first), did_you_mean(first, views));
}

std::string unexpected_words(const CLI::App& app, const std::vector<std::string>& left_over) {
  const CLI::App& sub = parsed_subcommand(app);
  const auto option = std::ranges::find_if(left_over, is_option);
  if (option == left_over.end())
    return fmt::format("weft {}: unexpected argument {}", sub.get_name(),
                       left_over.empty() ? "''" : weft::quoted(left_over.front()));
  const std::string name = option->substr(0, option->find('='));
  return fmt::format("weft {}: unknown option {}{}", sub.get_name(), weft::quoted(name),
                     option_suggestion(sub, name));
}

}  // namespace weft::cli
