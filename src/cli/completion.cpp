// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft completion SHELL: writes a completion script. The build writes the scripts of both shells
// for `make install`.

#include "cli/completion.h"

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/common.h"
#include "cli/subcommands.h"
#include "fabric/generators/spec.h"
#include "policy/automatic.h"
#include "routing/engine.h"

namespace weft::cli {
namespace {

/// Possible values of an option or an argument.
struct Values {
  enum class Kind { kNothing, kNumber, kWords, kEngines, kFabric, kFile };
  Kind kind = Kind::kNothing;
  std::vector<std::string> words;
};

bool is_number(std::string_view type) {
  return type == "N" || type.starts_with("UINT") || type.starts_with("INT") ||
         type.starts_with("FLOAT");
}

/// The words of an enumeration such as "on|off"; empty for other type names.
std::vector<std::string> words_of(std::string_view text) {
  if (text.find('|') == std::string_view::npos) return {};
  std::vector<std::string> words;
  for (const std::string_view word : split(text, '|')) words.emplace_back(trim(word));
  return words;
}

Values values_of(const CLI::Option& option) {
  using Kind = Values::Kind;
  if (option.get_items_expected_max() == 0) return {};
  for (const std::string& name : option.get_lnames())
    if (name == "routing_engine" || name == "compare") return {Kind::kEngines, {}};
  for (const std::string& name : option.get_lnames())
    if (name == "emulate") return {Kind::kFabric, {}};
  if (option.get_name() == "FABRIC" || option.get_name() == "SPEC") return {Kind::kFabric, {}};
  if (option.get_name() == "NODE")
    return {Kind::kNumber, {}};  // names of nodes cannot be completed
  const std::string text =
      option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  if (auto words = words_of(text); !words.empty()) return {Kind::kWords, std::move(words)};
  return {is_number(text) ? Kind::kNumber : Kind::kFile, {}};
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

std::string engine_words() {
  std::vector<std::string> names;
  for (const Engine& engine : engines()) names.emplace_back(engine.name);
  names.emplace_back(kAutomatic);
  names.emplace_back("no_fallback");
  return joined(names, " ");
}

std::string generator_words() {
  std::vector<std::string> names;
  for (const Generator& generator : generators())
    names.push_back(std::string(generator.name) + ":");
  return joined(names, " ");
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// ---- bash ----

std::string bash_action(const Values& values) {
  switch (values.kind) {
    case Values::Kind::kNothing:
      return {};
    case Values::Kind::kNumber:
      return "return";
    case Values::Kind::kWords:
      return fmt::format("_weft_words '{}'", joined(values.words, " "));
    case Values::Kind::kEngines:
      return "_weft_engines";
    case Values::Kind::kFabric:
      return "_weft_fabric";
    case Values::Kind::kFile:
      return "_weft_files";
  }
  return {};
}

/// `case` branch of a subcommand: values of the option before the cursor, then options, then
/// arguments.
std::string bash_subcommand(const CLI::App& sub) {
  std::string option_values, all;
  std::vector<std::string> arguments;
  for (const CLI::Option* option : sub.get_options()) {
    const Values values = values_of(*option);
    if (option->get_positional()) {
      arguments.push_back(bash_action(values));
      continue;
    }
    const auto names = names_of(*option);
    all += (all.empty() ? "" : " ") + joined(names, " ");
    if (values.kind != Values::Kind::kNothing)
      option_values +=
          fmt::format("        {}) {} ; return ;;\n", joined(names, "|"), bash_action(values));
  }
  std::string text = fmt::format("    {})\n", sub.get_name());
  if (!option_values.empty()) text += "      case $prev in\n" + option_values + "      esac\n";
  text += fmt::format("      if [[ $cur == -* ]]; then _weft_words '{}'; return; fi\n", all);
  if (arguments.empty()) return text + "      ;;\n";
  text += "      case $nth in\n";
  for (std::size_t i = 0; i < arguments.size(); ++i)
    text += fmt::format("        {}) {} ;;\n", i + 1 < arguments.size() ? std::to_string(i) : "*",
                        arguments[i]);
  return text + "      esac ;;\n";
}

/// Options with a value, to distinguish values from arguments.
std::string bash_takes_value(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : subcommands(app))
    for (const CLI::Option* option : sub->get_options())
      if (!option->get_positional() && values_of(*option).kind != Values::Kind::kNothing)
        for (const std::string& name : names_of(*option)) names.push_back(sub->get_name() + name);
  return joined(names, "|");
}

constexpr std::string_view kBashHelpers =
    R"(# Completion of weft for bash, written by `weft completion bash`.
_weft_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_weft_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); }
_weft_fabric() {
  _weft_files
  local -a specs
  mapfile -t specs < <(compgen -W "$weft_generators" -- "$cur")
  if ((${#specs[@]})); then COMPREPLY+=("${specs[@]}"); compopt -o nospace 2>/dev/null; fi
}
_weft_engines() {  # a list with commas; a name with a slash is a file
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  local last=${cur##*,}
  if [[ $last == */* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$before" -f -- "$last")
  else
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$weft_engines" -- "$last")
  fi
}
)";

constexpr std::string_view kBashHead = R"(
_weft() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} sub= nth=0 i word
  COMPREPLY=()
  if [[ $cur == = ]]; then cur=  # bash splits --option=VALUE at the equals sign
  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ -z $sub ]]; then [[ $word != -* ]] && sub=$word
    elif [[ $word == -?* ]]; then
      case $sub$word in
        )";

constexpr std::string_view kBashMiddle = R"() ((++i)); [[ ${COMP_WORDS[i]} == = ]] && ((++i)) ;;
      esac
    else ((++nth)); fi
  done
  case $sub in
)";

// ---- zsh ----

/// Escapes text for single quotes within [] or after ':' of a zsh specification.
std::string zsh_quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string zsh_action(const Values& values) {
  switch (values.kind) {
    case Values::Kind::kNothing:
      return {};
    case Values::Kind::kNumber:
      return ":number: ";
    case Values::Kind::kWords:
      return fmt::format(":word:({})", joined(values.words, " "));
    case Values::Kind::kEngines:
      return ":engines:_weft_engines";
    case Values::Kind::kFabric:
      return ":fabric:_weft_fabric";
    case Values::Kind::kFile:
      return ":file:_files";
  }
  return {};
}

std::string zsh_subcommand(const CLI::App& sub) {
  std::string text = fmt::format("    {})\n      _arguments -S", sub.get_name());
  std::size_t left = 0;
  for (const CLI::Option* option : sub.get_options()) left += option->get_positional() ? 1 : 0;
  for (const CLI::Option* option : sub.get_options()) {
    const std::string action = zsh_action(values_of(*option));
    if (option->get_positional()) {
      text += fmt::format(" \\\n        '{}{}'", --left == 0 ? "*" : "", action);
      continue;
    }
    const auto names = names_of(*option);
    for (const std::string& name : names)
      text += fmt::format(" \\\n        '({}){}[{}]{}'", joined(names, " "), name,
                          zsh_quoted(option->get_description()), action);
  }
  return text + " ;;\n";
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

Run set_up_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  restrict_to(app.add_option("SHELL", *shell, "Shell of the script")->required(), {"bash", "zsh"});
  return [shell, &app] {
    const CLI::App& all = *app.get_parent();
    append_to_stdout(*shell == "bash" ? bash_completion(all) : zsh_completion(all));
    return 0;
  };
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* sub : subcommands(app)) {
    names.push_back(sub->get_name());
    cases += bash_subcommand(*sub);
  }
  return std::string(kBashHelpers) + fmt::format("weft_engines='{}'\n", engine_words()) +
         fmt::format("weft_generators='{}'\n", generator_words()) + std::string(kBashHead) +
         bash_takes_value(app) + std::string(kBashMiddle) + cases +
         fmt::format("    '') _weft_words '{} --help --version' ;;\n", joined(names, " ")) +
         "  esac\n}\ncomplete -F _weft weft\n";
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* sub : subcommands(app)) {
    commands += fmt::format("    '{}:{}'\n", sub->get_name(),
                            zsh_quoted(first_line(sub->get_description())));
    cases += zsh_subcommand(*sub);
  }
  return "#compdef weft\n# Completion of weft for zsh, written by `weft completion zsh`.\n" +
         fmt::format("_weft_engines() {{ _values -s , engine {} }}\n", engine_words()) +
         fmt::format(
             "_weft_fabric() {{ _alternative 'files:file:_files' "
             "'specs:generator:compadd -S \"\" {}' }}\n",
             generator_words()) +
         "_weft() {\n  local -a commands=(\n" + commands +
         "  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
         "  local sub=$words[2]\n  shift words\n  ((CURRENT--))\n  case $sub in\n" +
         cases + "  esac\n}\n_weft \"$@\"\n";
}

const Subcommand kCompletionSubcommand{"completion", "Write a shell completion script",
                                       &set_up_completion};

}  // namespace weft::cli
