// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/input/lined_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace weft::jobs {
namespace {

using nlohmann::json;

struct Position {
  const char* at = nullptr;  // the next character
  std::size_t line = 1;
  bool begins_line = false;
};

/// Counts the lines that the parser has read. A line counts from its first character on, because
/// the parser reads the character after a number before it reports the number.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator() = default;
  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (position_->begins_line) ++position_->line;
    position_->begins_line = *at_ == '\n';
    position_->at = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_ = nullptr;
  Position* position_ = nullptr;
};

/// Receives the parser's events. An event function that returns false stops the parser.
class LinedJsonBuilder {
 public:
  LinedJsonBuilder(const std::size_t& line, std::string path)
      : line_(line), path_(std::move(path)) {}

  bool null() { return add({LinedJson::Kind::kNull, line_, "null", {}, {}}); }
  bool boolean(bool value) {
    return add({LinedJson::Kind::kBoolean, line_, value ? "true" : "false", {}, {}});
  }
  bool number_integer(json::number_integer_t value) { return number(std::to_string(value)); }
  bool number_unsigned(json::number_unsigned_t value) { return number(std::to_string(value)); }
  bool number_float(json::number_float_t, const std::string& text) { return number(text); }
  bool string(std::string& value) {
    return add({LinedJson::Kind::kText, line_, std::move(value), {}, {}});
  }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(LinedJson::Kind::kObject); }
  bool start_array(std::size_t) { return open(LinedJson::Kind::kArray); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t, const std::string& token, const json::exception& error) {
    const bool at_end =
        std::string_view(error.what()).find("end of input") != std::string_view::npos;
    error_ = fmt::format("{}:{}: found {}, expected JSON", path_, line_,
                         at_end ? "the end of the file" : weft::quoted(token));
    return false;
  }

  const std::string& error() const { return error_; }
  LinedJson take() { return std::move(top_); }

 private:
  static constexpr std::size_t kDepthMax = 64;

  bool number(const std::string& text) {
    return add({LinedJson::Kind::kNumber, line_, text, {}, {}});
  }
  LinedJson* place(LinedJson value) {
    if (stack_.empty()) {
      top_ = std::move(value);
      return &top_;
    }
    LinedJson& parent = *stack_.back();
    if (parent.kind == LinedJson::Kind::kArray) {
      parent.items.push_back(std::move(value));
      return &parent.items.back();
    }
    parent.members.push_back({std::move(key_), std::move(value)});
    return &parent.members.back().value;
  }
  bool add(LinedJson value) {
    place(std::move(value));
    return true;
  }
  // A parent's vector does not grow while a child is open, so the pointers stay valid.
  bool open(LinedJson::Kind kind) {
    if (stack_.size() == kDepthMax) {
      error_ = fmt::format("{}:{}: found {} levels of brackets, expected at most {}", path_, line_,
                           kDepthMax + 1, kDepthMax);
      return false;
    }
    stack_.push_back(place({kind, line_, {}, {}, {}}));
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }

  const std::size_t& line_;
  std::string path_;
  std::string key_;
  LinedJson top_;
  std::vector<LinedJson*> stack_;
  std::string error_;
};

Result<LinedJson> parse_value(const std::string& text, const std::string& path, Position& position,
                              bool is_all) {
  LinedJsonBuilder builder(position.line, path);
  const CountingIterator begin(position.at, &position);
  const CountingIterator end(text.data() + text.size(), &position);
  if (!json::sax_parse(begin, end, &builder, json::input_format_t::json, is_all))
    return fail(Code::kBadInput, "{}", builder.error());
  return builder.take();
}

}  // namespace

Result<LinedJson> parse_lined_json(const std::string& text, const std::string& path) {
  Position position{.at = text.data()};
  return parse_value(text, path, position, true);
}

Result<std::vector<LinedJson>> parse_lined_json_sequence(const std::string& text,
                                                         const std::string& path) {
  Position position{.at = text.data()};
  const char* const end = text.data() + text.size();
  std::vector<LinedJson> values;
  while (true) {
    CountingIterator next(position.at, &position);
    while (position.at != end && std::isspace(static_cast<unsigned char>(*position.at)) != 0)
      ++next;
    if (position.at == end) return values;
    auto value = parse_value(text, path, position, false);
    if (!value) return forward(value);
    values.push_back(std::move(*value));
  }
}

}  // namespace weft::jobs
