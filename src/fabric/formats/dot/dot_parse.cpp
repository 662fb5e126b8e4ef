// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/dot/dot_parse.h"

#include <algorithm>
#include <cctype>

#include "base/letters.h"
#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

constexpr std::size_t kTextMax = std::size_t{1} << 26;  // bytes of one quoted text
constexpr std::size_t kDotNameMax = 1024;
constexpr std::size_t kSubgraphDepthMax = 100;  // with the graph itself
constexpr std::size_t kAttributesMax = 1000;
constexpr std::size_t kDefaultsMax = 64;  // every edge and subgraph copies them

enum class Mark { kEnd, kText, kSymbol, kArrow, kLine };

struct Token {
  Mark mark = Mark::kEnd;
  std::string text;
  bool bare = false;  // an unquoted text, which may be a keyword
  std::size_t line = 0;
  std::size_t column = 0;
};

bool is_name_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '.' || byte >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(LineReader& lines) : lines_(lines) {}

  Status next(Token& token) {
    token.text.clear();
    token.bare = false;
    const auto more = skip_space();
    if (!more) return forward(more);
    token.line = lines_.line_number();
    token.column = at_ + 1;
    if (!*more) {
      token.mark = Mark::kEnd;
      token.column = end_ + 1;
      return {};
    }
    const char c = line_[at_];
    if (c == '"') return take_texts(token);
    if (c == '<') return take_html(token);
    if (c == '-' && peek(1) == '>') return take_symbol(token, Mark::kArrow, 2);
    if (c == '-' && peek(1) == '-') return take_symbol(token, Mark::kLine, 2);
    if (!is_name_byte(c) && c != '-') return take_symbol(token, Mark::kSymbol, 1);
    std::size_t end = at_ + 1;
    while (end < line_.size() && is_name_byte(line_[end])) ++end;
    token.mark = Mark::kText;
    token.bare = true;
    token.text = line_.substr(at_, end - at_);
    at_ = end;
    return {};
  }

  Status wanted(const Token& token, std::string_view what) const {
    const std::string found =
        token.mark == Mark::kEnd ? "the end of the file" : quote_value(token.text);
    return fail(Code::kBadInput, "{}:{}:{}: found {}, expected {}", lines_.path(), token.line,
                token.column, found, what);
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0';
  }

  Status take_symbol(Token& token, Mark mark, std::size_t length) {
    token.mark = mark;
    token.text = line_.substr(at_, length);
    at_ += length;
    return {};
  }

  Result<bool> next_line() {
    at_ = 0;
    end_ = line_.size();
    line_ = {};
    return lines_.next(line_);
  }

  /// Skips blanks and comments up to the next token. Returns false at the end of the file.
  Result<bool> skip_space() {
    bool in_comment = false;
    while (true) {
      if (at_ >= line_.size()) {
        const auto more = next_line();
        if (!more) return forward(more);
        if (!*more) {
          if (in_comment) return fail_at(lines_, "the file ends in a comment, expected */");
          return false;
        }
        if (!in_comment && line_.starts_with('#')) at_ = line_.size();
        continue;
      }
      if (in_comment) {
        const std::size_t end = line_.find("*/", at_);
        in_comment = end == std::string_view::npos;
        at_ = in_comment ? line_.size() : end + 2;
      } else if (std::isspace(static_cast<unsigned char>(line_[at_])) != 0) {
        ++at_;
      } else if (line_[at_] == '/' && peek(1) == '/') {
        at_ = line_.size();
      } else if (line_[at_] == '/' && peek(1) == '*') {
        in_comment = true;
        at_ += 2;
      } else {
        return true;
      }
    }
  }

  /// Reads quoted texts joined by "+", as "a" + "b"; they may span lines.
  Status take_texts(Token& token) {
    token.mark = Mark::kText;
    while (true) {
      if (auto status = take_text(token); !status) return status;
      auto more = skip_space();
      if (!more) return forward(more);
      if (!*more || line_[at_] != '+') return {};
      ++at_;
      more = skip_space();
      if (!more) return forward(more);
      if (!*more || line_[at_] != '"')
        return fail_at_column(lines_, at_ + 1, "expected a text in quotes behind '+'");
    }
  }

  Status take_text(Token& token) {
    ++at_;
    while (true) {
      const std::size_t end = line_.find_first_of("\"\\", at_);
      token.text.append(line_.substr(at_, end - at_));
      if (token.text.size() > kTextMax)
        return fail(Code::kBadInput, "{}:{}:{}: found a text of more than {} bytes", lines_.path(),
                    token.line, token.column, kTextMax);
      bool joined = false;
      if (end != std::string_view::npos) {
        at_ = end + 1;
        if (line_[end] == '"') return {};
        if (at_ < line_.size()) {
          if (line_[at_] != '"') token.text.push_back('\\');
          token.text.push_back(line_[at_++]);
          continue;
        }
        joined = true;  // a backslash joins the line with the next line
      }
      const auto more = next_line();
      if (!more) return forward(more);
      if (!*more)
        return fail(Code::kBadInput, "{}:{}:{}: the file ends in a text, expected a closing quote",
                    lines_.path(), token.line, token.column);
      if (!joined) token.text.push_back('\n');
    }
  }

  /// Reads HTML text: <...> with nested brackets.
  Status take_html(Token& token) {
    token.mark = Mark::kText;
    std::size_t depth = 0;
    while (true) {
      for (; at_ < line_.size(); ++at_) {
        const char c = line_[at_];
        depth += c == '<' ? 1 : 0;
        depth -= c == '>' ? 1 : 0;
        token.text.push_back(c);
        if (depth == 0) {
          ++at_;
          return {};
        }
      }
      const auto more = next_line();
      if (!more) return forward(more);
      if (!*more || token.text.size() > kTextMax)
        return fail(Code::kBadInput, "{}:{}:{}: found no end of the text that begins with '<'",
                    lines_.path(), token.line, token.column);
      token.text.push_back('\n');
    }
  }

  LineReader& lines_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;  // length of the previous line
};

class Parser {
 public:
  Parser(LineReader& lines, const DotSink& sink) : lexer_(lines), sink_(sink) {}

  Result<bool> graph() {
    if (auto status = advance(); !status) return forward(status);
    if (is_keyword("strict"))
      if (auto status = advance(); !status) return forward(status);
    directed_ = is_keyword("digraph");
    if (!directed_ && !is_keyword("graph")) return forward(wanted("digraph or graph"));
    if (auto status = advance(); !status) return forward(status);
    if (token_.mark == Mark::kText)
      if (auto status = advance(); !status) return forward(status);
    if (auto status = expect("{"); !status) return forward(status);
    scopes_.emplace_back();
    while (!scopes_.empty())
      if (auto status = statement(); !status) return forward(status);
    if (token_.mark != Mark::kEnd) return forward(wanted("the end of the file"));
    return directed_;
  }

 private:
  struct Scope {  // default attributes of a graph or subgraph
    std::vector<DotAttribute> node;
    std::vector<DotAttribute> edge;
  };

  Status advance() { return lexer_.next(token_); }
  Status wanted(std::string_view what) const { return lexer_.wanted(token_, what); }
  bool is_symbol(char c) const { return token_.mark == Mark::kSymbol && token_.text[0] == c; }
  bool is_keyword(std::string_view word) const {
    return token_.mark == Mark::kText && token_.bare && equal_words(token_.text, word);
  }
  Status expect(std::string_view symbol) {
    if (token_.mark != Mark::kSymbol || token_.text != symbol)
      return wanted(fmt::format("'{}'", symbol));
    return advance();
  }

  Status statement() {
    line_ = token_.line;
    if (is_symbol(';') || is_symbol(',')) return advance();
    if (is_symbol('}')) {
      scopes_.pop_back();
      return advance();
    }
    if (is_symbol('{') || is_keyword("subgraph")) return open_subgraph();
    if (is_keyword("graph") || is_keyword("node") || is_keyword("edge")) return defaults();
    if (token_.mark != Mark::kText) return wanted("a node, an edge or '}'");
    DotEnd first;
    if (auto status = take_end(first); !status) return status;
    if (is_symbol('=')) return graph_attribute();
    if (token_.mark == Mark::kArrow || token_.mark == Mark::kLine) return edges(std::move(first));
    attributes_ = scopes_.back().node;
    if (auto status = take_attributes(attributes_); !status) return status;
    return sink_.node(line_, first.node, attributes_);
  }

  Status open_subgraph() {
    if (is_keyword("subgraph")) {
      if (auto status = advance(); !status) return status;
      if (token_.mark == Mark::kText)
        if (auto status = advance(); !status) return status;
    }
    if (scopes_.size() >= kSubgraphDepthMax)
      return wanted(fmt::format("subgraphs at most {} deep", kSubgraphDepthMax - 1));
    if (auto status = expect("{"); !status) return status;
    scopes_.push_back(Scope(scopes_.back()));
    return {};
  }

  Status defaults() {
    std::vector<DotAttribute> ignored;
    std::vector<DotAttribute>& into = is_keyword("node")   ? scopes_.back().node
                                      : is_keyword("edge") ? scopes_.back().edge
                                                           : ignored;
    if (auto status = advance(); !status) return status;
    if (!is_symbol('[')) return wanted("'['");
    std::vector<DotAttribute> fresh;
    if (auto status = take_attributes(fresh); !status) return status;
    for (DotAttribute& attribute : fresh) {
      const auto known = std::ranges::find(into, attribute.name, &DotAttribute::name);
      if (known == into.end() && into.size() >= kDefaultsMax)
        return wanted(fmt::format("at most {} default attributes", kDefaultsMax));
      if (attribute.value.size() > kDotNameMax)
        return wanted(fmt::format("default attributes of at most {} bytes", kDotNameMax));
      if (known == into.end())
        into.push_back(std::move(attribute));
      else
        known->value = std::move(attribute.value);
    }
    return {};
  }

  Status graph_attribute() {
    if (auto status = advance(); !status) return status;
    if (token_.mark != Mark::kText) return wanted("a value");
    return advance();
  }

  Status edges(DotEnd tail) {
    std::vector<DotEnd> ends{std::move(tail)};
    while (token_.mark == Mark::kArrow || token_.mark == Mark::kLine) {
      if ((token_.mark == Mark::kArrow) != directed_)
        return wanted(directed_ ? "'->' in a digraph" : "'--' in a graph");
      if (auto status = advance(); !status) return status;
      if (token_.mark != Mark::kText || is_keyword("subgraph")) return wanted("a node");
      DotEnd end;
      if (auto status = take_end(end); !status) return status;
      ends.push_back(std::move(end));
    }
    attributes_ = scopes_.back().edge;
    if (auto status = take_attributes(attributes_); !status) return status;
    for (std::size_t i = 1; i < ends.size(); ++i)
      if (auto status = sink_.edge(line_, ends[i - 1], ends[i], attributes_); !status)
        return status;
    return {};
  }

  /// Reads an end of an edge: NAME, NAME:PORT or NAME:PORT:COMPASS.
  Status take_end(DotEnd& end) {
    if (token_.text.empty() || token_.text.size() > kDotNameMax)
      return wanted(fmt::format("a name of 1 to {} bytes", kDotNameMax));
    end.node = token_.text;
    if (auto status = advance(); !status) return status;
    for (int part = 0; part < 2 && is_symbol(':'); ++part) {
      if (auto status = advance(); !status) return status;
      if (token_.mark != Mark::kText) return wanted("a port");
      if (part == 0) end.port = token_.text;
      if (auto status = advance(); !status) return status;
    }
    return {};
  }

  /// Reads any number of [name = value, ...] lists.
  Status take_attributes(std::vector<DotAttribute>& into) {
    while (is_symbol('[')) {
      if (auto status = advance(); !status) return status;
      while (!is_symbol(']')) {
        if (token_.mark != Mark::kText) return wanted("an attribute or ']'");
        if (into.size() >= kAttributesMax)
          return wanted(fmt::format("at most {} attributes", kAttributesMax));
        DotAttribute attribute{std::move(token_.text), "true"};
        if (auto status = advance(); !status) return status;
        if (is_symbol('=')) {
          if (auto status = advance(); !status) return status;
          if (token_.mark != Mark::kText) return wanted("a value");
          attribute.value = std::move(token_.text);
          if (auto status = advance(); !status) return status;
        }
        into.push_back(std::move(attribute));
        if (is_symbol(',') || is_symbol(';'))
          if (auto status = advance(); !status) return status;
      }
      if (auto status = advance(); !status) return status;
    }
    return {};
  }

  Lexer lexer_;
  const DotSink& sink_;
  Token token_;
  bool directed_ = false;
  std::size_t line_ = 0;  // first line of the statement
  std::vector<Scope> scopes_;
  std::vector<DotAttribute> attributes_;
};

}  // namespace

std::string_view find_attribute(std::span<const DotAttribute> attributes, std::string_view name) {
  for (std::size_t i = attributes.size(); i-- > 0;)
    if (attributes[i].name == name) return attributes[i].value;
  return {};
}

bool looks_like_dot(std::string_view head) {
  // Skips comments as the lexer does. After the comments a keyword and a name or a brace must
  // follow.
  while (true) {
    while (!head.empty() && std::isspace(static_cast<unsigned char>(head.front())) != 0)
      head.remove_prefix(1);
    const bool line_comment = head.starts_with("//") || head.starts_with('#');
    if (!line_comment && !head.starts_with("/*")) break;
    const std::string_view stop = line_comment ? "\n" : "*/";
    const std::size_t end = head.find(stop);
    if (end == std::string_view::npos) return false;
    head.remove_prefix(end + stop.size());
  }
  const auto take_word = [&](std::string_view word) {
    if (head.size() <= word.size() || !equal_words(head.substr(0, word.size()), word)) return false;
    const char next = head[word.size()];
    if (is_name_byte(next) || next == '=' || next == ':') return false;
    head = head.substr(word.size());
    head.remove_prefix(std::min(head.size(), head.find_first_not_of(" \t\n")));
    return true;
  };
  take_word("strict");
  if (!take_word("digraph") && !take_word("graph")) return false;
  return head.starts_with('{') || head.starts_with('"') ||
         (!head.empty() && is_name_byte(head.front()));
}

Result<bool> parse_dot(LineReader& lines, const DotSink& sink) {
  return Parser(lines, sink).graph();
}

}  // namespace weft
