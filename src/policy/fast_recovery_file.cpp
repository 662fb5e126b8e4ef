// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/fast_recovery_file.h"

#include <string_view>
#include <utility>

#include "base/text.h"
#include "policy/policy_paragraphs.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 9> kRecoveryNames{
    "trigger", "action", "thresholds", "traps", "error", "warning", "normal", "sampling", "window"};
constexpr std::array<std::string_view, 1> kRecoveryMandatory{"trigger"};
constexpr ParagraphForm kRecoveryForm{"fast-recovery", kRecoveryNames, kRecoveryMandatory};

template <class T>
using Words = std::array<std::pair<std::string_view, T>, 4>;
constexpr Words<RecoveryTrigger> kTriggerWords{
    {{"credit-watchdog", RecoveryTrigger::kCreditWatchdog},
     {"raw-ber", RecoveryTrigger::kRawBer},
     {"effective-ber", RecoveryTrigger::kEffectiveBer},
     {"symbol-ber", RecoveryTrigger::kSymbolBer}}};
constexpr Words<RecoveryAction> kActionWords{{{"none", RecoveryAction::kNone},
                                              {"physical", RecoveryAction::kPhysical},
                                              {"logical", RecoveryAction::kLogical},
                                              {"recovery", RecoveryAction::kRecovery}}};
constexpr Words<ActiveThresholds> kThresholdWords{
    {{"none", ActiveThresholds::kNone},
     {"error", ActiveThresholds::kError},
     {"warning-and-normal", ActiveThresholds::kWarningAndNormal},
     {"all", ActiveThresholds::kAll}}};

/// Adds a message about the value of a qualifier.
void add_problem(const Qualifier& found, std::string_view expected, Problems& problems) {
  problems.push_back(fmt::format("{}: {}: found {}, expected {}", found.place, found.name,
                                 quoted(found.value), expected));
}

/// Stores the value of the qualifier's word in `into`. Without the qualifier, or if it has none of
/// the words, `into` stays the same; in the latter case, returns false and adds a problem.
template <class T>
bool take_word(const Paragraph& paragraph, std::string_view name, const Words<T>& words, T& into,
               Problems& problems) {
  const Qualifier* found = paragraph.find(name);
  if (found == nullptr) return true;
  std::string expected;
  for (const auto& [word, value] : words) {
    if (found->value == word) {
      into = value;
      return true;
    }
    expected += fmt::format("{}{}", expected.empty() ? "" : ", ", word);
  }
  add_problem(*found, expected, problems);
  return false;
}

void take_number(const Paragraph& paragraph, std::string_view name, std::uint8_t most,
                 std::optional<std::uint8_t>& into, Problems& problems) {
  const Qualifier* found = paragraph.find(name);
  if (found == nullptr) return;
  const auto number = parse_number<std::uint8_t>(found->value);
  if (number && *number > 0 && *number <= most)
    into = number;
  else
    add_problem(*found, fmt::format("a number from 1 to {}", most), problems);
}

/// Parses a threshold: a rate such as "5e-12", or a number for the credit watchdog.
std::optional<RecoveryThreshold> parse_threshold(std::string_view text, bool is_rate) {
  using Config = FastRecoveryConfig;
  const std::size_t e = is_rate ? text.find("e-") : text.size();
  if (e == std::string_view::npos) return std::nullopt;
  const auto mantissa = parse_number<std::uint8_t>(text.substr(0, e));
  if (!mantissa || *mantissa > (is_rate ? Config::kMantissaMax : Config::kCreditMax))
    return std::nullopt;
  if (!is_rate) return RecoveryThreshold{*mantissa, 0};
  const auto exponent = parse_number<std::uint8_t>(text.substr(e + 2));
  if (!exponent || *exponent > Config::kExponentMax) return std::nullopt;
  return RecoveryThreshold{*mantissa, *exponent};
}

void take_threshold(const Paragraph& paragraph, std::string_view name, bool is_rate,
                    std::optional<RecoveryThreshold>& into, Problems& problems) {
  const Qualifier* found = paragraph.find(name);
  if (found == nullptr) return;
  into = parse_threshold(found->value, is_rate);
  if (!into)
    add_problem(*found,
                is_rate ? "a rate such as 5e-9, with one digit and an exponent from 0 to 17"
                        : "a number from 0 to 31",
                problems);
}

void check_order(const Paragraph& paragraph, const FastRecoveryRule& rule, Problems& problems) {
  const auto check = [&](const auto& more, const auto& less, std::string_view text) {
    if (more && less && !is_above(*more, *less))
      problems.push_back(
          fmt::format("{}: found thresholds in another order, expected {}", paragraph.place, text));
  };
  check(rule.error, rule.warning, "error above warning");
  check(rule.warning, rule.normal, "warning above normal");
  check(rule.error, rule.normal, "error above normal");
}

void take_rule(const Paragraph& paragraph, FastRecoveryRules& into, Problems& problems) {
  RecoveryTrigger trigger{};
  FastRecoveryRule rule;
  if (!take_word(paragraph, "trigger", kTriggerWords, trigger, problems)) return;
  take_word(paragraph, "action", kActionWords, rule.action, problems);
  take_word(paragraph, "thresholds", kThresholdWords, rule.active_thresholds, problems);
  if (const Qualifier* traps = paragraph.find("traps")) {
    rule.traps = traps->value == "on";
    if (!rule.traps && traps->value != "off") add_problem(*traps, "on or off", problems);
  }
  const bool is_rate = trigger != RecoveryTrigger::kCreditWatchdog;
  take_threshold(paragraph, "error", is_rate, rule.error, problems);
  take_threshold(paragraph, "warning", is_rate, rule.warning, problems);
  take_threshold(paragraph, "normal", is_rate, rule.normal, problems);
  take_number(paragraph, "sampling", FastRecoveryConfig::kSamplingMax, rule.sampling, problems);
  take_number(paragraph, "window", 0xFF, rule.window, problems);
  if (const Qualifier* window = paragraph.find("window"); window != nullptr && is_rate)
    problems.push_back(window->place + ": window: found trigger " + paragraph.value("trigger") +
                       ", expected credit-watchdog");
  check_order(paragraph, rule, problems);
  auto& place = into[static_cast<std::size_t>(trigger)];
  if (place)
    problems.push_back(paragraph.place + ": trigger " + paragraph.value("trigger") +
                       " has a paragraph already");
  place = rule;
}

}  // namespace

FastRecoveryRules default_recovery_rules() {
  FastRecoveryRules rules;
  rules.fill(FastRecoveryRule{});
  return rules;
}

Result<FastRecoveryRules> read_fast_recovery_file(const std::string& path) {
  Problems problems;
  const auto paragraphs = read_paragraphs(path, kRecoveryForm, problems);
  if (!paragraphs) return forward(paragraphs);
  FastRecoveryRules rules;
  for (const Paragraph& paragraph : *paragraphs) take_rule(paragraph, rules, problems);
  if (const auto status = as_status(problems); !status) return forward(status);
  return rules;
}

void apply(const std::optional<FastRecoveryRule>& rule, FastRecoveryConfig& config) {
  config.trap_error = config.trap_warning = config.trap_normal = false;
  config.action = rule ? rule->action : RecoveryAction::kNone;
  config.active_thresholds = rule ? rule->active_thresholds : ActiveThresholds::kNone;
  if (!rule) return;
  const auto active_thresholds = static_cast<unsigned>(rule->active_thresholds);
  config.trap_error = rule->traps && (active_thresholds & 1) != 0;
  config.trap_warning = config.trap_normal = rule->traps && (active_thresholds & 2) != 0;
  config.error = rule->error.value_or(config.error);
  config.warning = rule->warning.value_or(config.warning);
  config.normal = rule->normal.value_or(config.normal);
  config.sampling = rule->sampling.value_or(config.sampling);
  if (rule->window) config.window = *rule->window;
}

}  // namespace weft
