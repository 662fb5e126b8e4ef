// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/policy_paragraphs.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "ib/ids.h"

namespace weft {
namespace {

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  return line;
}

class ParagraphReader {
 public:
  ParagraphReader(std::span<const ParagraphForm> forms, Problems& problems)
      : forms_(forms), form_(&forms.front()), problems_(problems) {}

  void take(std::string_view path, std::size_t number, std::string_view full_line) {
    const std::string_view line = trim(without_comment(full_line));
    if (line.empty()) return;
    const auto place = [&](std::string_view word) {
      return fmt::format("{}:{}:{}", path, number, word.data() - full_line.data() + 1);
    };
    const auto wrong = [&](std::string_view word, std::string_view want) {
      problems_.push_back(
          fmt::format("{}: found {}, expected {}", place(word), quoted(word), want));
    };
    const auto form = std::ranges::find(forms_, line, &ParagraphForm::keyword);
    if (form != forms_.end()) {
      if (open_) wrong(line, quoted(end()) + " first");
      finish();
      open_ = true;
      form_ = &*form;
      paragraph_ = {};
      paragraph_.keyword = form->keyword;
      paragraph_.place = fmt::format("{}:{}", path, number);
      return;
    }
    const auto ended = std::ranges::find(forms_, line, end_of);
    if (ended != forms_.end()) {
      if (!open_) return wrong(line, quoted(ended->keyword) + " first");
      if (&*ended != form_) wrong(line, quoted(end()));
      return finish();
    }
    const std::size_t colon = line.find(':');
    const std::string_view name = trim(line.substr(0, colon));
    if (!open_) return wrong(name, keywords());
    if (std::ranges::find(form_->names, name) == form_->names.end()) {
      has_invalid_line_ = true;
      return wrong(name, fmt::format("{} or {}", fmt::join(form_->names, ", "), end()));
    }
    const std::string_view rest =
        colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    const std::string_view value = trim(rest);
    if (value.empty()) {
      has_invalid_line_ = true;
      problems_.push_back(fmt::format("{}: {}: found the end of the line, expected {}", place(name),
                                      name,
                                      colon == std::string_view::npos ? "': VALUE'" : "a value"));
      return;
    }
    if (name != form_->with_colon && value.find(':') != std::string_view::npos) {
      has_invalid_line_ = true;
      return wrong(value, "a value without a colon");
    }
    if (paragraph_.find(name) != nullptr) {
      has_invalid_line_ = true;
      return wrong(name, "the qualifier once only");
    }
    paragraph_.qualifiers.push_back({std::string(name), std::string(value), place(value)});
  }

  void end_of_file() {
    if (open_)
      problems_.push_back(fmt::format("{}: found the end of the file, expected {}",
                                      paragraph_.place, quoted(end())));
    finish();
  }

  std::vector<Paragraph> paragraphs;

 private:
  static std::string end_of(const ParagraphForm& form) {
    return fmt::format("end-{}", form.keyword);
  }
  std::string end() const { return end_of(*form_); }
  /// The text "'A', 'B' or 'C'".
  std::string keywords() const {
    std::string text;
    for (const ParagraphForm& form : forms_)
      text += (&form == &forms_.front()  ? ""
               : &form == &forms_.back() ? " or "
                                         : ", ") +
              quoted(form.keyword);
    return text;
  }
  void finish() {
    if (!std::exchange(open_, false)) return;
    bool is_complete = !std::exchange(has_invalid_line_, false);
    for (const std::string_view name : form_->mandatory)
      if (is_complete && paragraph_.find(name) == nullptr) {
        problems_.push_back(
            fmt::format("{}: this {} has no '{}'", paragraph_.place, form_->keyword, name));
        is_complete = false;
      }
    if (is_complete) paragraphs.push_back(std::move(paragraph_));
  }

  const std::span<const ParagraphForm> forms_;
  const ParagraphForm* form_;  // of the open paragraph
  Problems& problems_;
  Paragraph paragraph_;
  bool open_ = false;
  bool has_invalid_line_ = false;  // a qualifier may be missing because its line is invalid
};

}  // namespace

const Qualifier* Paragraph::find(std::string_view name) const {
  const auto found = std::ranges::find(qualifiers, name, &Qualifier::name);
  return found == qualifiers.end() ? nullptr : &*found;
}

std::string Paragraph::value(std::string_view name, std::string_view otherwise) const {
  const Qualifier* found = find(name);
  return found == nullptr ? std::string(otherwise) : found->value;
}

Result<std::vector<Paragraph>> read_paragraphs(const std::string& path, const ParagraphForm& form,
                                               Problems& problems) {
  return read_paragraphs(path, std::span(&form, 1), problems);
}

Result<std::vector<Paragraph>> read_paragraphs(const std::string& path,
                                               std::span<const ParagraphForm> forms,
                                               Problems& problems) {
  ParagraphReader reader(forms, problems);
  const auto status =
      for_each_line(path, [&](const LineReader& at, std::string_view line) -> Status {
        reader.take(at.path(), at.line_number(), line);
        return {};
      });
  if (!status) return forward(status);
  reader.end_of_file();
  return std::move(reader.paragraphs);
}

void report(const Qualifier& at, std::string_view found, std::string_view want,
            Problems& problems) {
  problems.push_back(
      fmt::format("{}: {}: found {}, expected {}", at.place, at.name, quoted(found), want));
}

std::optional<std::uint16_t> parse_sls(std::string_view text) {
  std::uint16_t sls = 0;
  for (const std::string_view part : split(text, ',')) {
    const auto ends = split(trim(part), '-');
    const auto first = parse_number<std::uint8_t>(trim(ends.front()));
    const auto last = parse_number<std::uint8_t>(trim(ends.back()));
    if (ends.size() > 2 || !first || !last || *first > *last || *last >= kSlCount)
      return std::nullopt;
    for (unsigned sl = *first; sl <= *last; ++sl) sls = static_cast<std::uint16_t>(sls | 1u << sl);
  }
  return sls;
}

Status as_status(const Problems& problems) {
  if (problems.empty()) return {};
  std::string all;
  for (const std::string& one : problems) all += (all.empty() ? "" : "\n") + one;
  return fail(Code::kBadInput, "{}", all);
}

}  // namespace weft
