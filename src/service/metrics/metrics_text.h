// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes the text format of Prometheus (version 0.0.4). No client library is used: it would require
// metric objects that are updated continuously, but the metrics of Weft are published values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

using MetricLabel = std::pair<std::string_view, std::string_view>;
using MetricLabels = std::initializer_list<MetricLabel>;

class MetricText {
 public:
  enum class Type { kCounter, kGauge, kHistogram };

  /// Starts a metric family: writes HELP and TYPE. Add its samples before the next family.
  void family(std::string_view name, Type type, std::string_view help);
  /// Adds a sample to the last family.
  void sample(MetricLabels labels, std::uint64_t value);
  void sample(MetricLabels labels, double value);
  /// Adds a sample with labels from render_labels(), which several samples can share.
  void sample(const std::string& labels, std::uint64_t value);
  static std::string render_labels(MetricLabels labels);
  /// Adds a histogram. `counts`: number of values in each bucket, not cumulative; the last bucket
  /// is above all bounds.
  void histogram(MetricLabels labels, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum);

  /// Appends complete families.
  void add(std::string_view families) { text_ += families; }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  template <class Value>
  void line(std::string_view suffix, MetricLabels labels, std::string_view le, Value value);
  std::string name_;
  std::string text_;
};

/// The escaped label value, without quotes. Invalid UTF-8 is replaced, because node descriptions
/// may have any bytes.
std::string escaped_label(std::string_view value);

}  // namespace weft
