// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/metrics/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace weft {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Number of bytes of the first UTF-8 character of a text; 0 if it is invalid.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Reject overlong forms, surrogates, and code points beyond U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return size;
}

void append(std::string& text, std::uint64_t value) {
  const fmt::format_int digits(value);
  text.append(digits.data(), digits.size());
}

void append(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "+Inf" : "-Inf";
  } else {
    fmt::format_to(std::back_inserter(text), "{}", value);
  }
}

/// Appends escaped_label(value). Fast if there are no special characters, as in most values.
void append_escaped(std::string& text, std::string_view value) {
  const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '\\' && c != '"'; };
  while (!value.empty()) {
    const auto other = std::ranges::find_if_not(value, is_plain);
    text.append(value.begin(), other);
    value.remove_prefix(static_cast<std::size_t>(other - value.begin()));
    if (value.empty()) return;
    const std::size_t size = character_at(value);
    if (size == 0) {
      text += kReplacement;
    } else if (value.front() == '\n') {
      text += "\\n";
    } else {
      if (value.front() == '\\' || value.front() == '"') text += '\\';
      text += value.substr(0, size);
    }
    value.remove_prefix(size == 0 ? 1 : size);
  }
}

/// Appends {a="1",b="2"}, or nothing if there are no labels. `le`: value of the last label; empty:
/// no such label.
void append_labels(std::string& text, MetricLabels labels, std::string_view le) {
  char before = '{';
  const auto add = [&](std::string_view label, std::string_view value) {
    text += before;
    text.append(label).append("=\"");
    append_escaped(text, value);
    text += '"';
    before = ',';
  };
  for (const auto& [label, value] : labels) add(label, value);
  if (!le.empty()) add("le", le);
  if (before == ',') text += '}';
}

std::string_view name(MetricText::Type type) {
  switch (type) {
    case MetricText::Type::kCounter:
      return "counter";
    case MetricText::Type::kGauge:
      return "gauge";
    case MetricText::Type::kHistogram:
      return "histogram";
  }
  return "untyped";
}

}  // namespace

std::string escaped_label(std::string_view value) {
  std::string text;
  append_escaped(text, value);
  return text;
}

void MetricText::family(std::string_view family, Type type, std::string_view help) {
  name_ = family;
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name_, help, name_,
                 name(type));
}

template <class Value>
void MetricText::line(std::string_view suffix, MetricLabels labels, std::string_view le,
                      Value value) {
  text_.append(name_).append(suffix);
  append_labels(text_, labels, le);
  text_ += ' ';
  append(text_, value);
  text_ += '\n';
}

void MetricText::sample(MetricLabels labels, std::uint64_t value) { line("", labels, "", value); }

void MetricText::sample(MetricLabels labels, double value) { line("", labels, "", value); }

void MetricText::sample(const std::string& labels, std::uint64_t value) {
  text_.append(name_).append(labels) += ' ';
  append(text_, value);
  text_ += '\n';
}

std::string MetricText::render_labels(MetricLabels labels) {
  std::string text;
  append_labels(text, labels, "");
  return text;
}

void MetricText::histogram(MetricLabels labels, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum) {
  std::uint64_t below = 0;
  std::string bound;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    below += counts[i];
    bound.clear();
    append(bound, bounds[i]);
    line("_bucket", labels, bound, below);
  }
  below += counts[bounds.size()];
  line("_bucket", labels, "+Inf", below);
  line("_sum", labels, "", sum);
  line("_count", labels, "", below);
}

}  // namespace weft
