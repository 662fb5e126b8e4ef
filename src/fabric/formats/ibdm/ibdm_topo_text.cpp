// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibdm/ibdm_topo_text.h"

#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

class TopoTextReader {
 public:
  explicit TopoTextReader(LineReader& lines) : lines_(lines) {}

  Result<IbdmTopoText> read() {
    std::string_view line;
    while (true) {
      const auto more = lines_.next(line);
      if (!more) return forward(more);
      if (!*more) return std::move(text_);
      if (auto status = each_part(line, [&](std::string_view part) { return take(part); }); !status)
        return forward(status);
    }
  }

 private:
  tl::unexpected<Error> wrong(const IbdmWord& at, std::string_view message) {
    return fail_at_column(lines_, at.column, message);
  }

  Status take(std::string_view whole_line) {
    if (trim(whole_line).empty()) {
      in_section_ = false;
      return {};
    }
    const std::string_view line = without_ibdm_comment(whole_line);
    if (is_ibdm_connection(line)) return take_cable(line);
    const auto words = ibdm_words(line);
    if (!words) return fail_at(lines_, words.error());
    if (words->empty()) return {};
    return take_section(line, *words);
  }

  /// Takes a line `TYPE NAME [CFG: BOARD=MODIFIER, ...]`.
  Status take_section(std::string_view line, const std::vector<IbdmWord>& words) {
    const bool has_cfg = words.size() > 2 && words[2].text.starts_with("CFG:");
    if (words.size() == 1 || (words.size() > 2 && !has_cfg))
      return wrong(words.back(), fmt::format("found {} words, expected SYSTEM-TYPE NAME [CFG: "
                                             "BOARD=MODIFIER,...] or PORT -> TYPE NAME PORT",
                                             words.size()));
    const auto index = find_or_add_system(words[0], words[1]);
    IbnlModifiers modifiers;
    if (has_cfg) {
      const std::size_t begin = words[2].column - 1 + std::string_view("CFG:").size();
      for (const std::string_view part : split(line.substr(begin), ',')) {
        const std::string_view text = trim(part);
        const std::size_t sign = text.find('=');
        if (text.empty()) continue;
        const IbdmWord at{text, static_cast<std::size_t>(text.data() - line.data()) + 1};
        if (sign == 0 || sign == std::string_view::npos || sign + 1 == text.size())
          return wrong(at, fmt::format("found {}, expected BOARD=MODIFIER", quote_net_text(text)));
        if (!modifiers.emplace(text.substr(0, sign), text.substr(sign + 1)).second)
          return wrong(at, fmt::format("found a second modifier of {}",
                                       quote_net_text(text.substr(0, sign))));
      }
    }
    IbdmTopoText::System& system = text_.systems[index];
    if (system.declared_line != 0 && !modifiers.empty() && modifiers != system.modifiers)
      return wrong(words[2], fmt::format("found another CFG of system {} than in line {}",
                                         system.name, system.declared_line));
    if (system.declared_line == 0) {
      system.declared_line = lines_.line_number();
      system.modifiers = std::move(modifiers);
    }
    section_ = index;
    in_section_ = true;
    return {};
  }

  /// Takes a line `PORT -> TYPE NAME PORT`.
  Status take_cable(std::string_view line) {
    const auto found = parse_ibdm_connection(line);
    if (!found) return fail_at(lines_, found.error());
    if (found->to.size() != 3)
      return wrong(found->to.empty() ? found->from : found->to.back(),
                   fmt::format("found {} words behind the arrow, expected TYPE NAME PORT",
                               found->to.size()));
    if (!in_section_)
      return wrong(found->from,
                   "found a cable of no system: expected a line SYSTEM-TYPE NAME above it, and no "
                   "empty line between");
    const auto peer = find_or_add_system(found->to[0], found->to[1]);
    text_.cables.push_back({end_of(section_, found->from), end_of(peer, found->to[2]), found->rate,
                            lines_.line_number()});
    return {};
  }

  IbdmTopoText::End end_of(std::uint32_t system, const IbdmWord& plug) {
    return {system, word(plug.text), static_cast<std::uint32_t>(plug.column)};
  }

  std::uint32_t word(std::string_view text) {
    const auto [known, is_new] =
        word_index_.emplace(text, static_cast<std::uint32_t>(text_.words.size()));
    if (is_new) text_.words.emplace_back(text);
    return known->second;
  }

  std::uint32_t find_or_add_system(const IbdmWord& type, const IbdmWord& name) {
    const std::uint32_t type_word = word(type.text);
    const TextPlace place{lines_.line_number(), type.column};
    const auto [known, is_new] =
        system_index_.emplace(name.text, static_cast<std::uint32_t>(text_.systems.size()));
    if (is_new) {
      text_.systems.push_back({std::string(name.text), type_word, place, {}, 0});
    } else if (text_.systems[known->second].type != type_word) {
      text_.other_types.push_back({known->second, type_word, place});
    }
    return known->second;
  }

  LineReader& lines_;
  IbdmTopoText text_;
  std::unordered_map<std::string, std::uint32_t> word_index_;
  std::unordered_map<std::string, std::uint32_t> system_index_;
  std::uint32_t section_ = 0;
  bool in_section_ = false;
};

}  // namespace

Result<IbdmTopoText> read_ibdm_topo_text(LineReader& lines) { return TopoTextReader(lines).read(); }

}  // namespace weft
