// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/non_fabric_file.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kLinesMax = 50;  // lines examined before a file counts as unknown

bool contains(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

bool is_hex(std::string_view word) {
  return word.starts_with("0x") && parse_number<std::uint64_t>(word, 16).has_value();
}

bool is_decimal(std::string_view word) { return parse_number<std::uint64_t>(word).has_value(); }

/// Whether the line is "INDEX: PORT PORT ..", from the forwarding tables of an OMNeT++ model.
bool is_row_of_ports(const std::vector<std::string_view>& words) {
  return words.size() > 1 && words[0].ends_with(':') &&
         is_decimal(words[0].substr(0, words[0].size() - 1)) &&
         std::all_of(words.begin() + 1, words.end(), is_decimal);
}

/// Describes files of numbers only, distinguished by the count of numbers per line and by which of
/// them are hexadecimal.
std::string_view file_of_numbers(std::string_view line) {
  const auto words = split_words(line);
  if (is_row_of_ports(words)) return "a file of forwarding tables (rows of ports)";
  if (words.size() < 3 || !is_hex(words[0])) return {};
  const bool all_hex = std::ranges::all_of(words, is_hex);
  if (all_hex && words.size() == 3) return "a file of LIDs by GUID (guid2lid)";
  if (!is_decimal(words[1]) || !is_decimal(words[2])) return {};
  if (words.size() == 3) return "a file of path SLs (weft.psl)";
  if (words.size() == 11 && std::all_of(words.begin() + 3, words.end(), is_hex))
    return "a file of SL2VL tables (weft.slvl)";
  return {};
}

std::string_view file_of(std::string_view line) {
  if (line.starts_with("Unicast lids") || contains(line, "dump_ucast_routes: Switch "))
    return "a dump of forwarding tables";
  if (line.starts_with("Multicast mlids") || line.starts_with("LID    : Out Port(s)") ||
      contains(line, "dump_mcast_routes: Switch "))
    return "a dump of multicast forwarding tables";
  if (line.starts_with("Switch: guid 0x")) return "a dump of hop counts (opensm-lid-matrix.dump)";
  if (line.starts_with("#in out : ")) return "a dump of SL2VL tables (opensm-sl2vl.dump)";
  if (line.starts_with("# Adaptive routing: "))
    return "a file of adaptive-routing groups (weft.ar)";
  if (line.starts_with("Default=") && contains(line, ":")) return "a file of partitions";
  if (line.starts_with("subnet_prefix 0x") || line.starts_with("m_key 0x"))
    return "a configuration of the subnet manager (opensm.conf)";
  return file_of_numbers(line);
}

}  // namespace

std::string_view describe_non_fabric_file(std::string_view head) {
  for (std::size_t i = 0; i < kLinesMax && !head.empty(); ++i) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    if (const std::string_view found = file_of(line); !found.empty()) return found;
  }
  return {};
}

}  // namespace weft
