// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A pattern from a file: "SOURCE DESTINATION BYTES LEVEL" on each line, "#" begins a comment.
// Sources and destinations are either all ranks, which the mapping assigns to hosts, or all names
// of hosts, to which the mapping does not apply. Levels are simulated in the order of their
// numbers; levels without a line take no time.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "congestion/host_names.h"
#include "congestion/patterns/kinds.h"

namespace weft::patterns {
namespace {

struct Line {
  std::uint32_t from, to;
  std::uint64_t bytes;
  std::uint64_t level;
};

class TraceReader {
 public:
  explicit TraceReader(const PatternInput& input) : input_(input) {}

  Result<Pattern> read() {
    const auto take = [this](const LineReader& at, std::string_view text) {
      return take_line(at, text);
    };
    if (auto status = for_each_line(input_.argument, take); !status) return forward(status);
    std::uint64_t unit = 0;
    std::uint64_t most = 0;
    for (const Line& line : lines_) {
      unit = std::gcd(unit, line.bytes);
      most = std::max(most, line.bytes);
    }
    // Loads are sums of 64 bits over all messages. A unit has up to 40,800 ticks (channel_costs()),
    // or 2^20 parts if messages are split (FlowWalk::kSplitParts).
    constexpr std::uint64_t kUnitsMax = std::uint64_t{1} << 40;
    if (unit > 0 && (most / unit > std::numeric_limits<std::uint32_t>::max() ||
                     most / unit > kUnitsMax / lines_.size()))
      return fail(Code::kBadInput,
                  "{}: messages of up to {} bytes have no common measure above {} "
                  "bytes: expected sizes rounded to fewer digits",
                  input_.argument, most, unit);
    std::map<std::uint64_t, std::vector<Flow>> levels;
    for (const Line& line : lines_)
      levels[line.level].push_back(
          {line.from, line.to, static_cast<std::uint32_t>(line.bytes / unit)});
    std::vector<std::vector<Flow>> in_order;
    in_order.reserve(levels.size());
    for (auto& [number, flows] : levels) in_order.push_back(std::move(flows));
    Pattern pattern = pattern_of_levels({}, input_.ranks, std::move(in_order));
    pattern.is_placed = by_name_.value_or(false);
    if (empty_ > 0)
      pattern.notes.push_back(fmt::format("{} messages without bytes were left out", empty_));
    return pattern;
  }

 private:
  Status take_line(const LineReader& at, std::string_view text) {
    const auto words = split_words(text.substr(0, text.find('#')));
    if (words.empty()) return {};
    const auto wrong = [&](std::string_view found, std::string_view want) {
      return fail(Code::kBadInput, "{}:{}: found {}, expected {}", at.path(), at.line_number(),
                  quoted(found), want);
    };
    if (words.size() != 4) return wrong(text, "SOURCE DESTINATION BYTES LEVEL");
    const auto from = rank(words[0]);
    if (!from) return wrong(words[0], wanted());
    const auto to = rank(words[1]);
    if (!to) return wrong(words[1], wanted());
    const auto bytes = parse_number<std::uint64_t>(words[2]);
    if (!bytes) return wrong(words[2], "a number of bytes");
    const auto level = parse_number<std::uint64_t>(words[3]);
    if (!level) return wrong(words[3], "the number of a level");
    if (*bytes == 0)
      ++empty_;
    else
      lines_.push_back({*from, *to, *bytes, *level});
    return {};
  }

  /// The first word of the file determines whether all words are ranks or hosts.
  std::optional<std::uint32_t> rank(std::string_view word) {
    if (!by_name_) decide(word);
    if (!*by_name_) {
      const auto number = parse_number<std::uint32_t>(word);
      return number && *number < input_.ranks ? number : std::nullopt;
    }
    const std::uint32_t host = names_->find(word);
    if (host >= rank_of_host_.size() || rank_of_host_[host] == RoutedNetwork::kNone)
      return std::nullopt;
    return rank_of_host_[host];
  }

  void decide(std::string_view word) {
    by_name_ = input_.network != nullptr && !parse_number<std::uint64_t>(word);
    if (!*by_name_) return;
    names_.emplace(*input_.network);
    rank_of_host_.assign(input_.network->host_count(), RoutedNetwork::kNone);
    for (std::uint32_t i = 0; i < input_.hosts.size(); ++i) rank_of_host_[input_.hosts[i]] = i;
  }

  std::string wanted() const {
    if (*by_name_) return "the name, label or GUID of a host of the communicator";
    return input_.ranks == 0 ? "no line: the communicator has no ranks"
                             : fmt::format("a rank from 0 to {}", input_.ranks - 1);
  }

  const PatternInput& input_;
  std::optional<bool> by_name_;
  std::optional<HostNames> names_;
  std::vector<std::uint32_t> rank_of_host_;
  std::vector<Line> lines_;
  std::uint64_t empty_ = 0;
};

}  // namespace

Result<Pattern> trace(const PatternInput& input) {
  if (input.argument.empty())
    return fail(Code::kUsage, "found no file behind the colon, expected trace:FILE");
  return TraceReader(input).read();
}

}  // namespace weft::patterns
