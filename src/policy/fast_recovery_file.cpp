// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/fast_recovery_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "policy/policy_paragraphs.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 12> kRecoveryNames{
    "trigger", "profile", "group",   "action", "thresholds", "traps",
    "values",  "error",   "warning", "normal", "sampling",   "window"};
constexpr std::array<std::string_view, 1> kRecoveryMandatory{"trigger"};
constexpr std::array<std::string_view, 5> kPolicyNames{"profile", "group", "methods", "draining",
                                                       "link-down"};
constexpr std::array<ParagraphForm, 2> kRecoveryForms{{
    {"fast-recovery", kRecoveryNames, kRecoveryMandatory},
    {"port-recovery", kPolicyNames, {}},
}};

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

constexpr Words<std::uint16_t> kMethodWords{
    {{"host-relock", PortRecoveryPolicy::kHostRelock},
     {"serdes-equalization", PortRecoveryPolicy::kSerdesEqualization},
     {"transmitter-off", PortRecoveryPolicy::kTransmitterOff},
     {"data-path-toggle", PortRecoveryPolicy::kDataPathToggle}}};

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

template <class T>
void take_number(const Paragraph& paragraph, std::string_view name, T least, T most,
                 std::optional<T>& into, Problems& problems) {
  const Qualifier* found = paragraph.find(name);
  if (found == nullptr) return;
  const auto number = parse_number<T>(found->value);
  if (number && *number >= least && *number <= most)
    into = number;
  else
    add_problem(*found, fmt::format("a number from {} to {}", least, most), problems);
}

/// Returns the profile of a paragraph, by default 0, and adds the ports to which it applies to
/// `ports`.
std::uint8_t take_profile(const Paragraph& paragraph, const PortGroups& groups,
                          std::vector<ProfileOfPorts>& ports, Problems& problems) {
  std::optional<std::uint8_t> profile;
  constexpr std::uint8_t kProfileMax = kRecoveryProfiles - 1;
  take_number<std::uint8_t>(paragraph, "profile", 0, kProfileMax, profile, problems);
  const std::uint8_t number = profile.value_or(0);
  const Qualifier* const group = paragraph.find("group");
  if (group != nullptr && !groups.has(group->value))
    problems.push_back(group->place + ": " + groups.missing_text(group->value));
  ports.push_back({number, group == nullptr ? std::string() : group->value});
  return number;
}

/// Removes the entries without a group of profiles that have a group in another paragraph, and all
/// but the last of equal entries. Of the profiles without a group, there may be only one; it comes
/// first, because its entry applies to all ports.
void settle_ports(std::string_view what, std::vector<ProfileOfPorts>& ports, Problems& problems) {
  std::vector<ProfileOfPorts> settled;
  std::optional<std::uint8_t> of_all;
  for (const ProfileOfPorts& entry : ports) {
    const bool has_group = std::ranges::any_of(ports, [&](const ProfileOfPorts& other) {
      return other.profile == entry.profile && !other.group.empty();
    });
    if (!entry.group.empty()) {
      std::erase(settled, ProfileOfPorts(entry));
      settled.push_back(entry);
    } else if (!has_group && of_all.value_or(entry.profile) != entry.profile) {
      problems.push_back(fmt::format("{}: found profiles {} and {} without a group, expected one",
                                     what, *of_all, entry.profile));
    } else if (!has_group) {
      of_all = entry.profile;
    }
  }
  if (of_all) settled.insert(settled.begin(), {*of_all, ""});
  ports = std::move(settled);
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

void take_values(const Paragraph& paragraph, bool is_rate, bool& default_values,
                 Problems& problems) {
  const Qualifier* const values = paragraph.find("values");
  if (values == nullptr) return;
  default_values = values->value == "default";
  if (!default_values && values->value != "stored")
    add_problem(*values, "stored or default", problems);
  if (default_values && !is_rate)
    problems.push_back(values->place + ": values: found default for trigger credit-watchdog, " +
                       "expected stored");
}

void take_rule(const Paragraph& paragraph, const PortGroups& groups, RecoveryRules& rules,
               Problems& problems) {
  RecoveryTrigger trigger{};
  FastRecoveryRule rule;
  if (!take_word(paragraph, "trigger", kTriggerWords, trigger, problems)) return;
  const std::uint8_t profile = take_profile(paragraph, groups, rules.trigger_ports, problems);
  take_word(paragraph, "action", kActionWords, rule.action, problems);
  take_word(paragraph, "thresholds", kThresholdWords, rule.active_thresholds, problems);
  if (const Qualifier* traps = paragraph.find("traps")) {
    rule.traps = traps->value == "on";
    if (!rule.traps && traps->value != "off") add_problem(*traps, "on or off", problems);
  }
  const bool is_rate = trigger != RecoveryTrigger::kCreditWatchdog;
  take_values(paragraph, is_rate, rule.default_values, problems);
  take_threshold(paragraph, "error", is_rate, rule.error, problems);
  take_threshold(paragraph, "warning", is_rate, rule.warning, problems);
  take_threshold(paragraph, "normal", is_rate, rule.normal, problems);
  take_number<std::uint8_t>(paragraph, "sampling", 1, FastRecoveryConfig::kSamplingMax,
                            rule.sampling, problems);
  take_number<std::uint8_t>(paragraph, "window", 1, 0xFF, rule.window, problems);
  if (const Qualifier* window = paragraph.find("window"); window != nullptr && is_rate)
    problems.push_back(window->place + ": window: found trigger " + paragraph.value("trigger") +
                       ", expected credit-watchdog");
  check_order(paragraph, rule, problems);
  auto& into = rules.triggers[profile];
  if (!into) into.emplace();
  auto& slot = (*into)[static_cast<std::size_t>(trigger)];
  if (slot)
    problems.push_back(fmt::format("{}: trigger {} has a paragraph in profile {} already",
                                   paragraph.place, paragraph.value("trigger"), profile));
  slot = rule;
}

std::optional<std::uint16_t> method_named(std::string_view word) {
  for (const auto& [name, method] : kMethodWords)
    if (word == name) return method;
  return std::nullopt;
}

void take_methods(const Paragraph& paragraph, std::optional<std::uint16_t>& into,
                  Problems& problems) {
  const Qualifier* const found = paragraph.find("methods");
  if (found == nullptr || found->value == "all") return;
  into = 0;
  if (found->value == "none") return;
  std::string text = found->value;
  std::ranges::replace(text, ',', ' ');
  const auto words = split_words(text);
  bool is_known = !words.empty();
  for (const std::string_view word : words) {
    const auto method = method_named(word);
    is_known = is_known && method;
    *into = static_cast<std::uint16_t>(*into | method.value_or(0));
  }
  if (!is_known)
    add_problem(*found,
                "all, none, or some of host-relock, serdes-equalization, transmitter-off, "
                "data-path-toggle",
                problems);
}

void take_policy(const Paragraph& paragraph, const PortGroups& groups, RecoveryRules& rules,
                 Problems& problems) {
  PortRecoveryRule rule;
  const std::uint8_t profile = take_profile(paragraph, groups, rules.policy_ports, problems);
  take_methods(paragraph, rule.methods, problems);
  take_number<std::uint8_t>(paragraph, "draining", 0, PortRecoveryPolicy::kDrainingMax,
                            rule.draining_time, problems);
  take_number<std::uint16_t>(paragraph, "link-down", 0, PortRecoveryPolicy::kLinkDownMax,
                             rule.link_down_time, problems);
  if (rules.policies[profile])
    problems.push_back(fmt::format("{}: port recovery has a paragraph in profile {} already",
                                   paragraph.place, profile));
  rules.policies[profile] = rule;
}

}  // namespace

RecoveryRules default_recovery_rules() {
  RecoveryRules rules;
  rules.triggers[0].emplace().fill(FastRecoveryRule{});
  rules.policies[0].emplace();
  rules.trigger_ports = rules.policy_ports = {{0, ""}};
  return rules;
}

Result<RecoveryRules> read_fast_recovery_file(const std::string& path, const PortGroups& groups) {
  Problems problems;
  const auto paragraphs = read_paragraphs(path, kRecoveryForms, problems);
  if (!paragraphs) return forward(paragraphs);
  RecoveryRules rules;
  for (const Paragraph& paragraph : *paragraphs) {
    if (paragraph.keyword == kRecoveryForms[0].keyword)
      take_rule(paragraph, groups, rules, problems);
    else
      take_policy(paragraph, groups, rules, problems);
  }
  settle_ports(fmt::format("{}: {}", path, kRecoveryForms[0].keyword), rules.trigger_ports,
               problems);
  settle_ports(fmt::format("{}: {}", path, kRecoveryForms[1].keyword), rules.policy_ports,
               problems);
  if (const auto status = as_status(problems); !status) return forward(status);
  if (rules.trigger_ports.empty()) {
    rules.triggers[0].emplace();
    rules.trigger_ports = {{0, ""}};
  }
  if (rules.policy_ports.empty()) {
    rules.policies[0].emplace();
    rules.policy_ports = {{0, ""}};
  }
  return rules;
}

void apply(const std::optional<FastRecoveryRule>& rule, const FastRecoveryConfig& defaults,
           FastRecoveryConfig& config) {
  config.trap_error = config.trap_warning = config.trap_normal = false;
  config.action = rule ? rule->action : RecoveryAction::kNone;
  config.active_thresholds = rule ? rule->active_thresholds : ActiveThresholds::kNone;
  if (!rule) return;
  const auto active_thresholds = static_cast<unsigned>(rule->active_thresholds);
  config.trap_error = rule->traps && (active_thresholds & 1) != 0;
  config.trap_warning = config.trap_normal = rule->traps && (active_thresholds & 2) != 0;
  const FastRecoveryConfig otherwise = rule->default_values ? defaults : config;
  config.error = rule->error.value_or(otherwise.error);
  config.warning = rule->warning.value_or(otherwise.warning);
  config.normal = rule->normal.value_or(otherwise.normal);
  config.sampling = rule->sampling.value_or(config.sampling);
  if (rule->window) config.window = *rule->window;
}

void apply(const PortRecoveryRule& rule, PortRecoveryPolicy& policy) {
  policy.enabled =
      static_cast<std::uint16_t>(rule.methods.value_or(policy.supported) & policy.supported);
  policy.draining_time = rule.draining_time.value_or(policy.draining_time);
  policy.link_down_time = rule.link_down_time.value_or(policy.link_down_time);
}

std::vector<std::optional<std::uint8_t>> profiles_of_ports(const std::vector<ProfileOfPorts>& ports,
                                                           const PortGroups& groups,
                                                           const Fabric& fabric) {
  std::vector<std::optional<std::uint8_t>> profiles(fabric.port_count());
  for (const ProfileOfPorts& entry : ports) {
    std::vector<bool> members(fabric.port_count(), true);
    if (!entry.group.empty()) members = ports_of_group(groups, entry.group, fabric);
    for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
      const Port& port = fabric.port(PortId(p));
      if (!fabric.is_switch(port.node) || port.num == PortNum(0)) continue;
      const bool has_ca = port.peer != kNoPort && !fabric.is_switch(fabric.port(port.peer).node);
      if (members[p] || (has_ca && members[port.peer.value()])) profiles[p] = entry.profile;
    }
  }
  return profiles;
}

}  // namespace weft
