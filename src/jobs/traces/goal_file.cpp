// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A GOAL file has "num_ranks N", then "rank R { statements }" for each rank. A statement is an op
// with or without a label ("l1: calc 500", "l2: send 4096b to 1 tag 7 cpu 0 nic 0", "recv 4096b
// from 0"), or a dependency ("l2 requires l1": after the end of l1; "irequires": after its start).
// Computations are in nanoseconds. Comments: // to the end of the line, and /* */.
#include <cctype>
#include <optional>
#include <unordered_map>

#include "base/file.h"
#include "base/text.h"
#include "jobs/traces/trace.h"

namespace weft::jobs {
namespace {

constexpr std::uint32_t kGoalRanksMax = 1 << 20;

/// Splits the text into words; the characters { } and : are words too.
class GoalWords {
 public:
  explicit GoalWords(LineReader& lines) : lines_(lines) {}

  /// The next word; empty at the end of the file.
  Result<std::string_view> next() {
    while (at_ == words_.size())
      if (const auto more = next_line(); !more)
        return forward(more);
      else if (!*more)
        return std::string_view();
    return std::string_view(words_[at_++]);
  }
  /// The word that next() returns; empty at the end of the file.
  Result<std::string_view> peek() {
    auto word = next();
    if (word && !word->empty()) --at_;
    return word;
  }
  tl::unexpected<Error> wrong(std::string_view found, std::string_view want) const {
    return fail(Code::kBadInput, "{}:{}: found {}, expected {}", lines_.path(), line(),
                found.empty() ? "the end of the file" : weft::quoted(found), want);
  }
  std::size_t line() const { return lines_.line_number(); }

 private:
  Result<bool> next_line() {
    std::string_view text;
    const auto more = lines_.next(text);
    if (!more || !*more) return more;
    words_.clear();
    at_ = 0;
    std::string word;
    const auto end_word = [&] {
      if (!word.empty()) words_.push_back(std::exchange(word, {}));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string_view rest = text.substr(i);
      if (in_comment_) {
        if (rest.starts_with("*/")) in_comment_ = false, ++i;
        continue;
      }
      if (rest.starts_with("//")) break;
      if (rest.starts_with("/*")) {
        end_word();
        in_comment_ = true;
        ++i;
      } else if (text[i] == '{' || text[i] == '}' || text[i] == ':') {
        end_word();
        words_.emplace_back(1, text[i]);
      } else if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
        end_word();
      } else {
        word.push_back(text[i]);
      }
    }
    end_word();
    return true;
  }

  LineReader& lines_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  bool in_comment_ = false;
};

class GoalReader {
 public:
  explicit GoalReader(LineReader& lines) : words_(lines), path_(lines.path()) {}

  Result<Trace> read() {
    if (auto status = expect("num_ranks"); !status) return forward(status);
    const auto count = number<std::uint32_t>("a number of ranks");
    if (!count) return forward(count);
    if (*count == 0 || *count > kGoalRanksMax)
      return words_.wrong(std::to_string(*count), "1 to 1048576 ranks");
    trace_.ranks.resize(*count);
    seen_.resize(*count);
    while (true) {
      const auto word = words_.next();
      if (!word) return forward(word);
      if (word->empty()) break;
      if (*word != "rank") return words_.wrong(*word, "rank");
      if (auto status = read_rank(); !status) return forward(status);
    }
    for (std::size_t r = 0; r < seen_.size(); ++r)
      if (!seen_[r])
        return fail(Code::kBadInput, "{}: rank {} is missing, expected {} ranks", path_, r,
                    seen_.size());
    return std::move(trace_);
  }

 private:
  Status expect(std::string_view want) {
    const auto word = words_.next();
    if (!word) return forward(word);
    if (*word != want) return words_.wrong(*word, want);
    return {};
  }
  template <class T>
  Result<T> number(std::string_view want) {
    const auto word = words_.next();
    if (!word) return forward(word);
    const auto value = parse_number<T>(*word);
    if (!value) return words_.wrong(*word, want);
    return *value;
  }

  Status read_rank() {
    const auto number_of_rank = number<std::uint32_t>("the number of a rank");
    if (!number_of_rank) return forward(number_of_rank);
    if (*number_of_rank >= trace_.ranks.size())
      return words_.wrong(std::to_string(*number_of_rank),
                          fmt::format("a rank below {}", trace_.ranks.size()));
    if (seen_[*number_of_rank])
      return words_.wrong(std::to_string(*number_of_rank), "a rank that no earlier line begins");
    seen_[*number_of_rank] = true;
    rank_ = &trace_.ranks[*number_of_rank];
    rank_->path = path_;
    labels_.clear();
    if (auto status = expect("{"); !status) return status;
    while (true) {
      const auto word = words_.next();
      if (!word) return forward(word);
      if (word->empty()) return words_.wrong({}, "}");
      if (*word == "}") return {};
      if (auto status = read_statement(std::string(*word)); !status) return status;
    }
  }

  Status read_statement(const std::string& first) {
    if (first == "calc" || first == "send" || first == "recv") return read_op(first);
    const auto second = words_.next();
    if (!second) return forward(second);
    if (*second == ":") {
      if (!labels_.try_emplace(first, static_cast<std::uint32_t>(rank_->ops.size())).second)
        return words_.wrong(first, "a label that no earlier op of the rank has");
      const auto op = words_.next();
      if (!op) return forward(op);
      return read_op(std::string(*op));
    }
    if (*second != "requires" && *second != "irequires")
      return words_.wrong(*second, "a colon, requires or irequires after a label");
    const bool after_end = *second == "requires";
    const auto other = words_.next();
    if (!other) return forward(other);
    const auto op = labels_.find(first);
    if (op == labels_.end()) return words_.wrong(first, "a label of the rank");
    const auto before = labels_.find(std::string(*other));
    if (before == labels_.end()) return words_.wrong(*other, "a label of the rank");
    (after_end ? rank_->after_end : rank_->after_start).emplace_back(op->second, before->second);
    return {};
  }

  Status read_op(const std::string& name) {
    TraceOp op;
    op.line = words_.line();
    if (name == "calc") {
      op.kind = TraceOp::Kind::kCompute;
      const auto time = number<std::uint64_t>("a number of nanoseconds");
      if (!time) return forward(time);
      op.amount = static_cast<double>(*time) * 1000;
    } else if (name == "send" || name == "recv") {
      op.kind = name == "send" ? TraceOp::Kind::kSend : TraceOp::Kind::kReceive;
      if (auto status = read_message(op); !status) return status;
    } else {
      return words_.wrong(name, "calc, send or recv");
    }
    if (auto status = read_attributes(op); !status) return status;
    rank_->ops.push_back(std::move(op));
    return {};
  }

  Status read_message(TraceOp& op) {
    const bool sends = op.kind == TraceOp::Kind::kSend;
    const auto size = words_.next();
    if (!size) return forward(size);
    const auto bytes = size->ends_with('b')
                           ? parse_number<std::uint64_t>(size->substr(0, size->size() - 1))
                           : std::nullopt;
    if (!bytes) return words_.wrong(*size, "a size such as 4096b");
    op.amount = static_cast<double>(*bytes);
    if (auto status = expect(sends ? "to" : "from"); !status) return status;
    const auto peer = number<std::int64_t>("a rank");
    if (!peer) return forward(peer);
    const std::int64_t least = sends ? 0 : TraceRank::kAny;
    if (*peer < least || *peer >= static_cast<std::int64_t>(trace_.ranks.size()))
      return words_.wrong(std::to_string(*peer),
                          fmt::format("a rank below {}", trace_.ranks.size()));
    op.peer = *peer;
    return {};
  }

  Status read_attributes(TraceOp& op) {
    while (true) {
      const auto word = words_.peek();
      if (!word) return forward(word);
      if (*word != "tag" && *word != "cpu" && *word != "nic") return {};
      const std::string key(*word);
      (void)words_.next();
      const auto value = number<std::int64_t>("a number");
      if (!value) return forward(value);
      const bool may_be_any = key == "tag" && op.kind == TraceOp::Kind::kReceive;
      if (*value < (may_be_any ? TraceRank::kAny : 0) || *value > 0xFFFFFFFF)
        return words_.wrong(std::to_string(*value), "a number from 0 to 4294967295");
      if (key == "tag") op.tag = *value;
      if (key == "cpu") op.processor = static_cast<std::uint32_t>(*value);
    }
  }

  GoalWords words_;
  std::string path_;
  Trace trace_;
  std::vector<bool> seen_;
  TraceRank* rank_ = nullptr;
  std::unordered_map<std::string, std::uint32_t> labels_;
};

}  // namespace

Result<Trace> read_goal(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return forward(lines);
  return parse_goal(*lines);
}

Result<Trace> parse_goal(LineReader& lines) { return GoalReader(lines).read(); }

}  // namespace weft::jobs
