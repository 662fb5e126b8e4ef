// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/key.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::string_view kNone = "(null)";

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 requires this deduction guide

bool equal_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

tl::unexpected<Error> wrong(std::string_view found, std::string_view expected) {
  return fail(Code::kBadInput, "found {}, expected {}", weft::quoted(found), expected);
}

std::string range_text(const Number& number) {
  if (number.most == UINT64_MAX) return "a number";
  if (number.hex_digits > 0)
    return fmt::format("a number from {:#x} to {:#x}", number.least, number.most);
  return fmt::format("a number from {} to {}", number.least, number.most);
}

std::string range_text(const NumberBySl& numbers) {
  return fmt::format("an SL from 0 to 15, and a number from 0 to {}", numbers.most);
}

constexpr std::string_view kFlagWords = "TRUE or FALSE";

/// Compares numbers by value: 0x0 equals 0x0000.
bool same_value(std::string_view text, std::string_view fixed) {
  if (equal_letters(text, fixed)) return true;
  const auto a = parse_c_number<std::uint64_t>(text);
  return a && a == parse_c_number<std::uint64_t>(fixed);
}

bool is_one_of(std::string_view text, std::string_view values) {
  if (values.empty()) return text == kNone;
  const auto words = split(values, '|');
  return std::ranges::any_of(words, [&](std::string_view word) { return same_value(text, word); });
}

/// The values of the alias, separated by '|'.
std::string own_values(const Alias& alias) {
  std::string text;
  for (const std::string_view pair : split(alias.values, '|'))
    text += fmt::format("{}{}", text.empty() ? "" : "|", pair.substr(0, pair.find('=')));
  return text;
}

Result<std::string> assign_alias(Settings& settings, const Alias& alias, std::string_view text) {
  const Key& other = *find_key(alias.key);
  if (alias.values.empty() || text == kNone) return assign(settings, other, text);
  for (const std::string_view pair : split(alias.values, '|')) {
    const std::size_t middle = pair.find('=');
    if (same_value(text, pair.substr(0, middle)))
      return assign(settings, other, pair.substr(middle + 1));
  }
  return wrong(text, own_values(alias));
}

/// The value of the alias for the current value of the other key.
std::string alias_text(const Settings& settings, const Alias& alias) {
  std::string value = value_text(settings, *find_key(alias.key));
  for (const std::string_view pair : split(alias.values, '|'))
    if (pair.substr(pair.find('=') + 1) == value)
      return std::string(pair.substr(0, pair.find('=')));
  return value;
}

/// A line "SL VALUE" for each SL with a value other than 0; "0 0" if all values are 0.
std::string by_sl_text(const Settings::BySl& numbers) {
  std::string text;
  for (std::size_t sl = 0; sl < numbers.size(); ++sl)
    if (numbers[sl] != 0) text += fmt::format("{}{} {}", text.empty() ? "" : "\n", sl, numbers[sl]);
  return text.empty() ? "0 0" : text;
}

}  // namespace

const Key* find_key(std::string_view name) {
  for (const Section& section : sections())
    for (const Key& key : section.keys)
      if (key.name == name) return &key;
  return nullptr;
}

Result<std::string> assign(Settings& settings, const Key& key, std::string_view text) {
  using Answer = Result<std::string>;
  return std::visit(
      Overloaded{[&](const Flag& flag) -> Answer {
                   const bool on = equal_letters(text, "TRUE") || text == "1";
                   if (!on && !equal_letters(text, "FALSE") && text != "0")
                     return wrong(text, kFlagWords);
                   settings.*flag.member = on;
                   return {};
                 },
                 [&](const Number& number) -> Answer {
                   const auto value = parse_c_number<std::uint64_t>(text);
                   if (!value || *value < number.least || *value > number.most)
                     return wrong(text, range_text(number));
                   settings.*number.member = *value;
                   return {};
                 },
                 [&](const NumberBySl& numbers) -> Answer {
                   const auto words = split_words(text);
                   if (words.size() == 2) {
                     const auto sl = parse_c_number<std::uint64_t>(words[0]);
                     const auto value = parse_c_number<std::uint64_t>(words[1]);
                     Settings::BySl& by_sl = settings.*numbers.member;
                     if (sl && value && *sl < by_sl.size() && *value <= numbers.most) {
                       by_sl[*sl] = *value;
                       return {};
                     }
                   }
                   return wrong(text, range_text(numbers));
                 },
                 [&](const Text& words) -> Answer {
                   settings.*words.member = text == kNone ? "" : std::string(text);
                   return {};
                 },
                 [&](const CheckedText& checked) -> Answer {
                   if (text == kNone) {
                     settings.*checked.member = default_settings().*checked.member;
                     return {};
                   }
                   if (const auto status = checked.check(text); !status) return forward(status);
                   settings.*checked.member = std::string(text);
                   return {};
                 },
                 [&](const Choice& choice) -> Answer {
                   for (const std::string_view word : split(choice.words, '|'))
                     if (equal_letters(text, word)) {
                       settings.*choice.member = std::string(word);
                       return {};
                     }
                   return wrong(text, choice.words);
                 },
                 [&](const Unsupported& fixed) -> Answer {
                   if (is_one_of(text, fixed.values)) return {};
                   return fmt::format("{} has no effect: {}", weft::quoted(text), fixed.why);
                 },
                 [&](const Alias& alias) { return assign_alias(settings, alias, text); }},
      key.value);
}

std::string value_text(const Settings& settings, const Key& key) {
  const auto or_none = [](const std::string& text) {
    return text.empty() ? std::string(kNone) : text;
  };
  return std::visit(
      Overloaded{
          [&](const Flag& flag) { return std::string(settings.*flag.member ? "TRUE" : "FALSE"); },
          [&](const Number& number) {
            const std::uint64_t value = settings.*number.member;
            return number.hex_digits > 0 ? fmt::format("0x{:0{}x}", value, number.hex_digits)
                                         : fmt::format("{}", value);
          },
          [&](const NumberBySl& numbers) { return by_sl_text(settings.*numbers.member); },
          [&](const Text& text) { return or_none(settings.*text.member); },
          [&](const CheckedText& checked) { return or_none(settings.*checked.member); },
          [&](const Choice& choice) { return or_none(settings.*choice.member); },
          [&](const Unsupported& fixed) {
            return or_none(std::string(fixed.values.substr(0, fixed.values.find('|'))));
          },
          [&](const Alias& alias) { return alias_text(settings, alias); }},
      key.value);
}

std::string accepted_values(const Key& key) {
  return std::visit(Overloaded{[](const Flag&) { return std::string(kFlagWords); },
                               [](const Number& number) { return range_text(number); },
                               [](const NumberBySl& numbers) { return range_text(numbers); },
                               [](const Text&) { return std::string(); },
                               [](const CheckedText&) { return std::string(); },
                               [](const Choice& choice) { return std::string(choice.words); },
                               [](const Unsupported&) { return std::string(); },
                               [](const Alias& alias) {
                                 return alias.values.empty() ? accepted_values(*find_key(alias.key))
                                                             : own_values(alias);
                               }},
                    key.value);
}

bool is_secret(std::string_view name) {
  const Key* key = find_key(name);
  return key != nullptr && key->secrecy == Secrecy::kAlways;
}

}  // namespace weft
