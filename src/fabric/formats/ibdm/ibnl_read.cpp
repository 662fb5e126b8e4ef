// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <array>

#include "base/text.h"
#include "fabric/formats/ibdm/ibnl.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

constexpr std::size_t kConnectionsMax = 1'000'000;

/// The names `A,B, C` after SYSTEM or TOPSYSTEM.
std::vector<std::string> names_behind(std::string_view line, std::string_view keyword) {
  std::vector<std::string> names;
  line.remove_prefix(line.find(keyword) + keyword.size());
  for (const std::string_view name : split(line, ','))
    if (!trim(name).empty()) names.emplace_back(trim(name));
  return names;
}

class IbnlReader {
 public:
  explicit IbnlReader(LineReader& lines) : lines_(lines) { file_.path = lines.path(); }

  Result<IbnlFile> read() {
    std::string_view line;
    while (true) {
      const auto more = lines_.next(line);
      if (!more) return forward(more);
      if (!*more) break;
      if (auto status = each_part(line, [&](std::string_view part) { return take(part); }); !status)
        return forward(status);
    }
    if (!has_chassis_) return fail_at(lines_, "found the end of the file, expected a TOPSYSTEM");
    return std::move(file_);
  }

 private:
  tl::unexpected<Error> wrong(const IbdmWord& at, std::string_view message) {
    return fail_at_column(lines_, at.column, message);
  }

  Status take(std::string_view whole_line) {
    const std::string_view line = without_ibdm_comment(whole_line);
    if (is_ibdm_connection(line)) return take_connection(line);
    const auto words = ibdm_words(line);
    if (!words) return fail_at(lines_, words.error());
    if (words->empty()) return {};
    const IbdmWord& first = words->front();
    if (first.text == "SYSTEM" || first.text == "TOPSYSTEM") return take_board(line, first);
    if (first.text == "NODE") return take_chip(*words);
    if (first.text == "SUBSYSTEM") return take_subsystem(*words);
    const bool is_attribute = line.find('=') != std::string_view::npos;
    if (is_attribute && has_chassis_ && file_.boards.back().parts.empty()) return {};
    return wrong(first,
                 fmt::format("found {}, expected SYSTEM, TOPSYSTEM, NODE, SUBSYSTEM or PORT ->",
                             quote_net_text(first.text)));
  }

  Status take_board(std::string_view line, const IbdmWord& keyword) {
    if (has_chassis_)
      return wrong(keyword, fmt::format("found {} behind TOPSYSTEM, expected the end of the file",
                                        quote_net_text(keyword.text)));
    has_chassis_ = keyword.text == "TOPSYSTEM";
    IbnlBoard board{names_behind(line, keyword.text), {}, lines_.line_number()};
    if (board.names.empty()) return wrong(keyword, "found no name, expected SYSTEM NAME[,NAME]...");
    for (const std::string& name : board.names) {
      if (has_chassis_) break;
      if (!file_.board_by_name.emplace(name, file_.boards.size()).second)
        return wrong(keyword, fmt::format("found a second SYSTEM {}", quote_net_text(name)));
    }
    file_.boards.push_back(std::move(board));
    part_names_.clear();
    return {};
  }

  Status add_part(IbnlPart part, const IbdmWord& name) {
    if (file_.boards.empty()) return wrong(name, "found a part in front of the first SYSTEM");
    part.name = name.text;
    part.line = lines_.line_number();
    if (!part_names_.insert(part.name).second)
      return wrong(name, fmt::format("found a second {} in {}", quote_net_text(part.name),
                                     quote_net_text(file_.boards.back().names.front())));
    file_.boards.back().parts.push_back(std::move(part));
    part_ports_.clear();
    return {};
  }

  Status take_chip(const std::vector<IbdmWord>& words) {
    if (words.size() != 5)
      return wrong(words.back(), fmt::format("found {} words, expected NODE TYPE PORTS DEVICE NAME",
                                             words.size()));
    IbnlPart chip;
    chip.is_chip = true;
    if (words[1].text == "CA" || words[1].text == "HCA") {
      chip.type = NodeType::kCa;
    } else if (words[1].text != "SW") {
      return wrong(words[1],
                   fmt::format("found {}, expected SW, CA or HCA", quote_net_text(words[1].text)));
    }
    const auto ports = parse_number<unsigned>(words[2].text);
    if (!ports || *ports == 0 || *ports > 254)
      return wrong(words[2], fmt::format("found {}, expected a number of ports, 1 to 254",
                                         quote_net_text(words[2].text)));
    chip.ports = static_cast<std::uint8_t>(*ports);
    chip.kind = words[3].text;
    return add_part(std::move(chip), words[4]);
  }

  Status take_subsystem(const std::vector<IbdmWord>& words) {
    if (words.size() != 3)
      return wrong(words.back(),
                   fmt::format("found {} words, expected SUBSYSTEM BOARD NAME", words.size()));
    IbnlPart board;
    board.kind = words[1].text;
    return add_part(std::move(board), words[2]);
  }

  Status take_connection(std::string_view line) {
    const auto found = parse_ibdm_connection(line);
    if (!found) return fail_at(lines_, found.error());
    if (file_.boards.empty() || file_.boards.back().parts.empty())
      return wrong(found->from, "found a connection in front of the first NODE or SUBSYSTEM");
    if (found->to.empty() || found->to.size() > 2)
      return wrong(found->from, fmt::format("found {} words behind the arrow, expected PLUG or "
                                            "PART PORT",
                                            found->to.size()));
    if (++connections_ > kConnectionsMax)
      return wrong(found->from, fmt::format("found more than {} connections", kConnectionsMax));
    IbnlBoard& board = file_.boards.back();
    IbnlPart& part = board.parts.back();
    IbnlConnection connection{std::string(found->from.text),
                              {},
                              std::string(found->to.back().text),
                              found->rate,
                              lines_.line_number()};
    if (part.is_chip) {
      const auto number = parse_number<unsigned>(found->from.text);
      if (!number || *number == 0 || *number > part.ports)
        return wrong(found->from,
                     fmt::format("found port {} of {}, expected 1 to {}",
                                 quote_net_text(found->from.text), part.name, part.ports));
      connection.port = std::to_string(*number);
    }
    if (!part_ports_.insert(connection.port).second)
      return wrong(found->from, fmt::format("found a second connection of {} port {}", part.name,
                                            connection.port));
    if (found->to.size() == 2) {
      connection.peer = found->to.front().text;
    } else {
      for (const std::string& name : board.names)
        file_.plugs_of_any_flavour[ibnl_base_name(name)].insert(connection.peer_port);
    }
    part.connections.push_back(std::move(connection));
    return {};
  }

  LineReader& lines_;
  IbnlFile file_;
  bool has_chassis_ = false;
  std::size_t connections_ = 0;
  std::unordered_set<std::string> part_names_;  // of the current board
  std::unordered_set<std::string> part_ports_;  // of the current part
};

}  // namespace

Result<IbnlFile> read_ibnl_file(LineReader& lines) { return IbnlReader(lines).read(); }

Result<std::vector<std::string>> read_ibnl_names(LineReader& lines) {
  std::string_view line;
  while (true) {
    const auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) return std::vector<std::string>{};
    const std::string_view text = trim(without_ibdm_comment(line));
    if (text.starts_with("TOPSYSTEM ") || text.starts_with("TOPSYSTEM\t"))
      return names_behind(text, "TOPSYSTEM");
  }
}

}  // namespace weft
