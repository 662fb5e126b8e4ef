// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "routes/dump/line_cursor.h"
#include "routes/dump/read.h"
#include "routes/dump/read_lines.h"

namespace weft {
namespace {

/// Reads weft.ar:
///   switch 0x0002c902c9e9c616
///   group 0 ports 1-4,7
///   second 0 ports 7 weights 43 21
///   lids 5-20 bounded group 0
///   table 1
///   inputs 1-4 sls 0
///   group 0 ports 1-8
///   lids 5-20 bounded group 0
class AdaptiveReader {
 public:
  AdaptiveReader(const Fabric& fabric, Warnings& warnings)
      : fabric_(fabric), warnings_(warnings), tables_(fabric.switch_count(), fabric.lid_top()) {}

  Status take(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    if (cursor.at_end() || cursor.skip("#")) return {};
    if (cursor.skip("switch")) return take_switch(at, cursor, line);
    if (cursor.skip("group")) return take_group(at, cursor, line);
    if (cursor.skip("second")) return take_second(at, cursor, line);
    if (cursor.skip("lids")) return take_lids(at, cursor, line);
    if (cursor.skip("table")) return take_table(at, cursor, line);
    if (cursor.skip("inputs")) return take_inputs(at, cursor, line);
    return bad_line(at, line);
  }

  Result<ArTables> finish(const std::string& path) {
    if (unknown_ > 0 && known_ == 0)
      return fail(Code::kBadInput, "{}: none of the switches in the file is in the fabric", path);
    return std::move(tables_);
  }

 private:
  static Status bad_line(const LineReader& at, std::string_view line) {
    return fail(Code::kBadInput,
                "{}:{}: found {}, expected \"switch 0xGUID\", \"group N ports LIST\", \"second N "
                "ports LIST weights FIRST SECOND\", \"lids FIRST-LAST bounded|free|hash group N\", "
                "\"table N\" or \"inputs LIST sls LIST\"",
                at.path(), at.line_number(), quote_net_text(line));
  }

  Status take_switch(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto guid = cursor.hex(~std::uint64_t{0});
    if (!guid || !cursor.at_end()) return bad_line(at, line);
    in_switch_ = true;
    table_ = 0;
    groups_.clear();
    const auto node = fabric_.find_node(Guid(*guid));
    sw_ = node && fabric_.is_switch(*node) ? SwitchId(node->value()) : kNoSwitch;
    if (sw_ == kNoSwitch) {
      ++unknown_;
      warnings_.add(at, "no switch of the fabric is 0x{:016x}: its groups are left out", *guid);
      return {};
    }
    ++known_;
    if (!listed_.insert(sw_).second)
      return fail(Code::kBadInput, "{}:{}: switch 0x{:016x} is listed twice", at.path(),
                  at.line_number(), *guid);
    return {};
  }

  /// Reads a group. Groups must be numbered in order from 0, so that every number in use is
  /// defined.
  Status take_group(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto number = cursor.decimal(kArGroupsMax - 1);
    if (!in_switch_ || !number || !cursor.skip("ports")) return bad_line(at, line);
    if (sw_ != kNoSwitch && !current().divisions(sw_).empty())
      return fail(
          Code::kBadInput,
          "{}:{}: found {} after a line \"second\", expected all groups of the switch first",
          at.path(), at.line_number(), quote_net_text(line));
    if (*number != groups_.size())
      return fail(Code::kBadInput,
                  "{}:{}: found group {}, expected group {}: groups must be in ascending order",
                  at.path(), at.line_number(), *number, groups_.size());
    const auto ports = take_ports(cursor);
    if (!ports || !cursor.at_end()) return bad_line(at, line);
    groups_.push_back(*ports);
    if (sw_ != kNoSwitch) current().add_group(sw_, *ports);
    return {};
  }

  /// Begins a private table of the current switch. Private tables are listed in ascending order
  /// after the lines of table 0.
  Status take_table(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto number = cursor.decimal(kPrivateTablesMax);
    if (!in_switch_ || !number || !cursor.at_end()) return bad_line(at, line);
    if (*number <= table_)
      return fail(Code::kBadInput,
                  "{}:{}: found table {}, expected {} to {}: tables must be in "
                  "ascending order",
                  at.path(), at.line_number(), *number, table_ + 1, kPrivateTablesMax);
    table_ = static_cast<unsigned>(*number);
    groups_.clear();
    while (sw_ != kNoSwitch && tables_.table_count() <= table_) tables_.add_private_table();
    return {};
  }

  /// Reads the input ports and SLs of packets that use the current private table.
  Status take_inputs(const LineReader& at, LineCursor cursor, std::string_view line) {
    if (!in_switch_ || table_ == 0) return bad_line(at, line);
    const auto inputs = take_ports(cursor, 0);
    if (!inputs || !cursor.skip("sls")) return bad_line(at, line);
    const auto sls = take_ports(cursor, 0, kSlCount - 1);
    if (!sls || !cursor.at_end()) return bad_line(at, line);
    if (sw_ == kNoSwitch) return {};
    for_each_port(*inputs, [&](PortNum in) {
      for_each_port(*sls,
                    [&](PortNum sl) { tables_.select_table(sw_, in, Sl(sl.value()), table_); });
    });
    return {};
  }

  /// Reads a list of numbers as in "1-4,7"; nullopt if the list is invalid.
  static std::optional<PortMask> take_ports(LineCursor& cursor, std::uint64_t least = 1,
                                            std::uint64_t most = 254) {
    PortMask ports;
    do {
      const auto first = cursor.decimal(most);
      auto last = first;
      if (first && cursor.skip("-")) last = cursor.decimal(most);
      if (!last || *last < *first || *first < least) return std::nullopt;
      for (std::uint64_t port = *first; port <= *last; ++port) ports.set(port);
    } while (cursor.skip(","));
    return ports;
  }

  /// Reads the second sub-group of a group. All groups of the switch must be on earlier lines.
  Status take_second(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto number = cursor.decimal(kArGroupsMax - 1);
    if (!in_switch_ || !number || table_ > 0 || !cursor.skip("ports")) return bad_line(at, line);
    const auto ports = take_ports(cursor);
    if (!ports || !cursor.skip("weights")) return bad_line(at, line);
    const auto first = cursor.decimal(255);
    const auto second = cursor.decimal(255);
    if (!first || !second || *first == 0 || *second == 0 || !cursor.at_end())
      return bad_line(at, line);
    if (*number >= groups_.size() || (*ports & ~groups_[*number]).any() ||
        *ports == groups_[*number])
      return fail(Code::kBadInput, "{}:{}: found {}, expected some, but not all, ports of a group",
                  at.path(), at.line_number(), quote_net_text(line));
    if (sw_ == kNoSwitch) return {};
    const auto known = current().divisions(sw_);
    std::vector<GroupDivision> divisions(known.begin(), known.end());
    divisions.resize(groups_.size());
    divisions[*number] = {*ports, static_cast<std::uint8_t>(*first),
                          static_cast<std::uint8_t>(*second)};
    current().divide(sw_, std::move(divisions));
    return {};
  }

  Status take_lids(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto first = cursor.decimal(kLidUnicastLast.value());
    auto last = first;
    if (first && cursor.skip("-")) last = cursor.decimal(kLidUnicastLast.value());
    if (!in_switch_ || !last || *first == 0 || *last < *first) return bad_line(at, line);
    const auto state = take_state(cursor);
    if (!state) return bad_line(at, line);
    const auto group = cursor.skip("group") ? cursor.decimal(kArGroupsMax - 1) : std::nullopt;
    if (!group || !cursor.at_end()) return bad_line(at, line);
    if (*group >= groups_.size())
      return fail(Code::kBadInput, "{}:{}: found group {}, but the switch has {} groups", at.path(),
                  at.line_number(), *group, groups_.size());
    if (sw_ == kNoSwitch) return {};
    if (*last > fabric_.lid_top().value())
      warnings_.add(at, "LIDs above {} are not in the fabric: left out", fabric_.lid_top().value());
    for (std::uint64_t lid = *first;
         lid <= std::min<std::uint64_t>(*last, fabric_.lid_top().value()); ++lid)
      current().set(sw_, Lid(static_cast<std::uint16_t>(lid)),
                    {*state, static_cast<std::uint16_t>(*group)});
    return {};
  }

  /// Reads the state of adaptive entries; static entries are not listed.
  static std::optional<ArState> take_state(LineCursor& cursor) {
    for (const ArState state : {ArState::kBounded, ArState::kFree, ArState::kHash})
      if (cursor.skip(name(state))) return state;
    return std::nullopt;
  }

  /// The current table of the current switch.
  ArTables& current() { return table_ == 0 ? tables_ : tables_.private_table(table_); }

  const Fabric& fabric_;
  Warnings& warnings_;
  ArTables tables_;
  std::set<SwitchId> listed_;
  unsigned table_ = 0;
  std::vector<PortMask> groups_;  // groups of the current table of the current switch
  bool in_switch_ = false;
  SwitchId sw_ = kNoSwitch;  // kNoSwitch while in_switch_ is true: not in the fabric
  std::uint64_t known_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace

Result<ArTables> read_adaptive(const Fabric& fabric, const std::string& path, Warnings& warnings) {
  AdaptiveReader reader(fabric, warnings);
  return read_lines(path, reader);
}

}  // namespace weft
