// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "fabric/formats/dot/dot_parse.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/read.h"
#include "routes/dump/dot.h"
#include "routes/dump/line_cursor.h"
#include "routes/dump/read.h"

namespace weft {
namespace {

constexpr std::size_t kPortDigits =
    3;  // digits of a port: all writers pad, so fewer digits mean a truncated line

/// Reads the tables of one file after another. There are three grammars; the line that begins a
/// table determines the grammar:
///   dump_ucast_routes: Switch 0x0002c90109fb0000
///   0x0001 : 005  : 05   : yes
///   Unicast lids [0x0-0x132] of switch Lid 1 guid 0x00066a02e8001310 (name):
///   0x0001 019 : (Switch portguid 0x00066a02e8001310: 'name')
///   17: 255 0 1 2 3
class LftReader {
 public:
  LftReader(const Fabric& fabric, Warnings& warnings)
      : fabric_(fabric),
        warnings_(warnings),
        lfts_(fabric.switch_count(), fabric.lid_top()),
        has_table_(fabric.switch_count(), false),
        warned_(std::size_t{kLidPermissive.value()} + 1, false),
        warned_twice_(warned_.size(), false) {}

  /// Reads a file. Returns false if the file contains no table and no multicast table of ibroute.
  Result<bool> read(LineReader& lines) {
    grammar_ = Grammar::kNone;
    bool found = false;
    std::string_view line;
    while (true) {
      const auto more = lines.next(line);
      if (!more) return forward(more);
      if (!*more) return found;
      if (const auto status = take(lines, line); !status) return forward(status);
      found = found || grammar_ != Grammar::kNone;
    }
  }

  /// Returns the tables. Fails with kBadInput if no table belongs to a switch of the fabric.
  Result<Lfts> finish(const std::string& path) {
    const bool has_tables = std::ranges::find(has_table_, true) != has_table_.end();
    if (!has_tables && foreign_ == 0)
      return fail(Code::kBadInput, "{}: found only multicast tables, expected unicast tables",
                  path);
    if (!has_tables)
      return fail(Code::kBadInput,
                  "{}: found {} unicast tables, none of them of a switch of the fabric", path,
                  foreign_);
    for (std::uint32_t s = 0; s < has_table_.size(); ++s)
      if (!has_table_[s])
        warnings_.add(
            fmt::format("{}: no table for switch {}", path, describe(fabric_.node(SwitchId(s)))));
    return std::move(lfts_);
  }

 private:
  enum class Grammar { kNone, kFdbs, kIbroute, kRows, kOther };

  Status take(const LineReader& at, std::string_view line) {
    if (line.starts_with("Unicast lids")) return begin_ibroute(at, line);
    if (line.starts_with("Multicast mlids")) {
      grammar_ = Grammar::kOther;
      return {};
    }
    if (line.find("dump_ucast_routes: Switch ") != std::string_view::npos)
      return begin_fdbs(at, line);
    if (line.starts_with("0x")) {
      if (grammar_ == Grammar::kFdbs) return take_fdb(at, line);
      if (grammar_ == Grammar::kIbroute) return take_ibroute(at, line);
    }
    if (grammar_ == Grammar::kNone || grammar_ == Grammar::kRows) {
      LineCursor cursor(line);
      if (const auto index = cursor.decimal(0xFFFFFFFF); index && cursor.skip(":"))
        return take_row(at, *index, cursor);
    }
    if (!is_header(line) && grammar_ != Grammar::kOther)
      warnings_.add(at, "skipped: {}", quote_net_text(line));
    return {};
  }

  static bool is_header(std::string_view line) {
    LineCursor cursor(line);
    return cursor.at_end() || cursor.skip("LID    : Port") || cursor.skip("Lid  Out") ||
           cursor.skip("Port     Info") || cursor.skip("*** WARNING ***: this command") ||
           line.find("lids dumped") != std::string_view::npos;
  }

  Status begin_fdbs(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    cursor.skip_past("Switch ");
    const auto guid = cursor.hex(~std::uint64_t{0});
    if (!guid)
      return fail(Code::kBadInput,
                  "{}:{}: found {}, expected the GUID of a switch after \"Switch \"", at.path(),
                  at.line_number(), quote_net_text(line));
    grammar_ = Grammar::kFdbs;
    begin_table(at, Guid(*guid));
    return {};
  }

  Status begin_ibroute(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    std::optional<std::uint64_t> guid;
    if (cursor.skip_past("] of switch ")) {
      LineCursor lid_part = cursor;
      const auto lid = lid_part.skip("Lid ") ? lid_part.decimal(0xFFFF) : std::nullopt;
      if (cursor.skip_past("guid ")) guid = cursor.hex(~std::uint64_t{0});
      if (guid) {
        grammar_ = Grammar::kIbroute;
        begin_table(at, Guid(*guid));
        if (lid && switch_ != kNoSwitch) check_switch_lid(at, *lid);
        return {};
      }
    }
    return fail(Code::kBadInput,
                "{}:{}: found {}, expected \"Unicast lids [..] of switch .. guid 0xGUID (NAME):\"",
                at.path(), at.line_number(), quote_net_text(line));
  }

  void check_switch_lid(const LineReader& at, std::uint64_t lid) {
    const Endport& endport = fabric_.endport(Fabric::endport_of(switch_));
    if (endport.lid.value() != lid)
      warnings_.add(at, "switch {} has LID {} here and {} in the fabric",
                    describe(fabric_.node(switch_)), lid, endport.lid.value());
  }

  void begin_table(const LineReader& at, Guid guid) {
    const auto endport = fabric_.find_endport(guid);
    const auto node = fabric_.find_node(guid);
    if (node && fabric_.is_switch(*node)) {
      switch_ = SwitchId(node->value());
    } else if (endport && endport->value() < fabric_.switch_count()) {
      switch_ = SwitchId(endport->value());
    } else {
      switch_ = kNoSwitch;
      ++foreign_;
      warnings_.add(at, "no switch 0x{:016x} in the fabric: its table is left out", guid.value());
      return;
    }
    has_table_[switch_.value()] = true;
    std::fill(warned_twice_.begin(), warned_twice_.end(), false);
  }

  Status bad_entry(const LineReader& at, std::string_view line, std::string_view want) {
    return fail(Code::kBadInput, "{}:{}: found {}, expected \"{}\"", at.path(), at.line_number(),
                quote_net_text(line), want);
  }

  Status take_fdb(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    const auto lid = cursor.hex(0xFFFF, 4);
    if (!lid || !cursor.skip(":")) return bad_entry(at, line, "0xLID : PORT : ..");
    if (cursor.skip("UNREACHABLE")) return {};
    const auto port = cursor.decimal(255, kPortDigits);
    if (!port || !cursor.skip(":")) return bad_entry(at, line, "0xLID : PORT : ..");
    put(at, *lid, *port);
    return {};
  }

  Status take_ibroute(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    const auto lid = cursor.hex(0xFFFF, 4);
    const auto port = lid ? cursor.decimal(255, kPortDigits) : std::nullopt;
    if (!lid || !port) return bad_entry(at, line, "0xLID PORT ..");
    put(at, *lid, *port);
    if (!cursor.skip_past("portguid ")) return {};
    const auto guid = cursor.hex(~std::uint64_t{0});
    if (guid && switch_ != kNoSwitch) check_owner(at, *lid, Guid(*guid));
    return {};
  }

  /// Compares the port GUID after an entry with the endport of the LID in the fabric. The GUID is
  /// that of the endport when the dump was written, so a difference means that the dump is
  /// outdated.
  void check_owner(const LineReader& at, std::uint64_t value, Guid guid) {
    const EndportId owner = fabric_.endport_of(Lid(static_cast<std::uint16_t>(value)));
    if (owner == kNoEndport || warned_[value] || fabric_.find_endport(guid) == owner) return;
    warned_[value] = true;
    warnings_.add(at, "LID {} belongs to port 0x{:016x} here and to {} in the fabric", value,
                  guid.value(), describe(fabric_, fabric_.endport(owner).port));
  }

  void put(const LineReader& at, std::uint64_t value, std::uint64_t port_value) {
    if (switch_ == kNoSwitch) return;
    const Lid lid(static_cast<std::uint16_t>(value));
    const PortNum port(static_cast<std::uint8_t>(port_value));
    if (fabric_.endport_of(lid) == kNoEndport) {
      if (!warned_[value])
        warnings_.add(at, "LID {} is not assigned in the fabric: left out", value);
      warned_[value] = true;
      return;
    }
    const Node& node = fabric_.node(switch_);
    if (port > PortNum(node.port_count) && port != kNoRoute)
      warnings_.add(at, "LID {}: found output port {} of switch {}, which has {} ports", value,
                    port_value, describe(node), node.port_count);
    const PortNum old = lfts_.port(switch_, lid);
    if (old != kNoRoute && old != port) {
      if (!warned_twice_[value])
        warnings_.add(at,
                      "LID {} of switch {}: found output port {}, but port {} on an earlier line",
                      value, describe(node), port_value, old.value());
      warned_twice_[value] = true;
    }
    lfts_.set(switch_, lid, port);
  }

  /// Reads a row. A row begins with the index of a switch in the order of the fabric; further lines
  /// with the same index continue the row. Ports count from 0, and 255 means no route.
  Status take_row(const LineReader& at, std::uint64_t index, LineCursor cursor) {
    if (grammar_ != Grammar::kRows || index != row_) row_lid_ = 0;
    grammar_ = Grammar::kRows;
    row_ = index;
    if (index >= fabric_.switch_count())
      return fail(Code::kBadInput, "{}:{}: row of switch {}, but the fabric has {} switches",
                  at.path(), at.line_number(), index, fabric_.switch_count());
    switch_ = SwitchId(static_cast<std::uint32_t>(index));
    has_table_[index] = true;
    while (!cursor.at_end()) {
      const auto port = cursor.decimal(255);
      if (!port) return bad_entry(at, cursor.rest(), "PORT PORT ..");
      if (row_lid_ > kLidUnicastLast.value())
        return fail(Code::kBadInput, "{}:{}: row of switch {} is longer than {} entries", at.path(),
                    at.line_number(), index, kUnicastLidCount + 1);
      if (*port != kNoRoute.value()) put(at, row_lid_, *port + 1);
      ++row_lid_;
    }
    return {};
  }

  const Fabric& fabric_;
  Warnings& warnings_;
  Lfts lfts_;
  std::vector<bool> has_table_;
  std::vector<bool> warned_;        // by LID: warned of its assignment or its endport
  std::vector<bool> warned_twice_;  // by LID, for the warning about two ports in one table
  std::size_t foreign_ = 0;
  Grammar grammar_ = Grammar::kNone;
  SwitchId switch_ = kNoSwitch;
  std::uint64_t row_ = 0;
  std::uint64_t row_lid_ = 0;
};

Result<std::vector<std::string>> files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->is_regular_file(error)) files.push_back(at->path().string());
  if (error) return fail(Code::kEnvironment, "{}: cannot read: {}", folder, error.message());
  std::ranges::sort(files);
  return files;
}

/// Whether a file contains a Graphviz graph; false for a pipe, because a pipe cannot be read twice.
Result<bool> holds_dot(const std::string& path) {
  constexpr std::size_t kHeadSize = 64 << 10;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  auto lines = LineReader::open(path);
  if (!lines) return forward(lines);
  std::string head;
  std::string_view line;
  while (head.size() < kHeadSize) {
    const auto more = lines->next(line);
    if (!more) return forward(more);
    if (!*more) break;
    head.append(line.substr(0, kHeadSize)).push_back('\n');
  }
  return looks_like_dot(head);
}

}  // namespace

Result<Lfts> read_lfts(const Fabric& fabric, const std::string& path, Warnings& warnings) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  const auto files = folder ? files_of(path) : Result<std::vector<std::string>>{{path}};
  if (!files) return forward(files);
  const ReadFormat* fabric_format = folder ? nullptr : recognize_fabric(path);
  if (fabric_format != nullptr && fabric_format->name != "dot")
    return fail(
        Code::kBadInput,
        "{}: found a fabric ({}), expected forwarding tables: opensm.fdbs, opensm-lfts.dump, the "
        "output of dump_lfts or ibroute, rows of an OMNeT++ model, or a routed Graphviz graph",
        path, fabric_format->name);
  const auto dot = holds_dot(path);
  if (!dot) return forward(dot);
  if (*dot) return read_dot_lfts(fabric, path, warnings);

  LftReader reader(fabric, warnings);
  bool any = false;
  for (const std::string& file : *files) {
    auto lines = LineReader::open(file);
    if (!lines) return forward(lines);
    const auto found = reader.read(*lines);
    if (!found) return forward(found);
    if (!*found && folder) warnings.add(fmt::format("{}: contains no forwarding table", file));
    any = any || *found;
  }
  if (!any)
    return fail(
        Code::kBadInput,
        "{}: contains no forwarding table, expected opensm.fdbs, opensm-lfts.dump, the output of "
        "dump_lfts or ibroute, rows of an OMNeT++ model, or a routed Graphviz graph",
        path);
  return reader.finish(path);
}

}  // namespace weft
