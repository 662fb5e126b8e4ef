// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/option_file.h"

#include "base/file.h"

namespace weft {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

}  // namespace

OptionLine::OptionLine(std::string_view path, std::size_t number, std::string_view text)
    : path_(path), number_(number) {
  text = text.substr(0, text.find('#'));
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    words_.push_back({text.substr(at, end - at), at + 1});
    end_column_ = end + 1;
    at = end;
  }
}

std::string OptionLine::place() const { return fmt::format("{}:{}", path_, number_); }

tl::unexpected<Error> OptionLine::wrong(std::size_t word, std::string_view want) const {
  if (word < words_.size())
    return fail(Code::kBadInput, "{}:{}:{}: found {}, expected {}", path_, number_,
                words_[word].column, quoted(words_[word].text), want);
  return fail(Code::kBadInput, "{}:{}:{}: found the end of the line, expected {}", path_, number_,
              end_column_, want);
}

Result<Guid> OptionLine::guid(std::size_t word, std::string_view want) const {
  if (word < words_.size())
    if (const auto value = parse_number<std::uint64_t>(words_[word].text, 16); value && *value != 0)
      return Guid(*value);
  return wrong(word, want);
}

Result<std::uint64_t> OptionLine::number(std::size_t word, std::uint64_t least, std::uint64_t most,
                                         std::string_view want) const {
  if (word < words_.size())
    if (const auto value = parse_c_number<std::uint64_t>(words_[word].text);
        value && *value >= least && *value <= most)
      return *value;
  return wrong(word, want);
}

Result<PortNum> OptionLine::port(std::size_t word) const {
  const auto value = number(word, 1, kPortMax, "a port number from 1 to 254");
  if (!value) return forward(value);
  return PortNum(static_cast<std::uint8_t>(*value));
}

Status OptionLine::end(std::size_t count) const {
  if (words_.size() > count) return wrong(count, "the end of the line");
  return {};
}

Status read_option_file(const std::string& path,
                        const std::function<Status(const OptionLine&)>& take) {
  return for_each_line(path, [&](const LineReader& at, std::string_view text) -> Status {
    const OptionLine line(at.path(), at.line_number(), text);
    return line.empty() ? Status() : take(line);
  });
}

}  // namespace weft
