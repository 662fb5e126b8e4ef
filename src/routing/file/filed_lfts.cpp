// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/file/filed_lfts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.h"
#include "fabric/formats/format.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "routes/dump/line_cursor.h"
#include "routes/dump/read_lines.h"

namespace weft {
namespace {

constexpr std::uint64_t kAnyGuid = ~std::uint64_t{0};

class FiledLftsReader {
 public:
  FiledLftsReader(const std::string& path, Warnings& warnings) : warnings_(warnings) {
    filed_.path = path;
    filed_.owner.resize(kUnicastLidCount + 1);
    filed_.owner_line.resize(filed_.owner.size());
  }

  Status take(const LineReader& at, std::string_view line) {
    if (line.starts_with("Unicast lids")) return begin(at, line, "guid ");
    if (line.find("dump_ucast_routes: Switch ") != std::string_view::npos) {
      return begin(at, line, "Switch ");
    }
    if (line.starts_with("0x")) return take_entry(at, line);
    LineCursor cursor(line);
    if (!cursor.at_end() && !cursor.skip("LID    : Port") && !cursor.skip("Lid  Out") &&
        !cursor.skip("Port     Info") && !cursor.skip("#") &&
        !cursor.skip("*** WARNING ***: this command") &&  // printed by dump_lfts
        line.find("lids dumped") == std::string_view::npos)
      warnings_.add(at, "skipped a line that is neither a header nor an entry of a table: {}",
                    quote_net_text(line));
    return {};
  }

  Result<FiledLfts> finish(const std::string& path) {
    if (filed_.tables.empty())
      return fail(
          Code::kBadInput,
          "{}: contains no forwarding table, expected opensm-lfts.dump, opensm.fdbs, or the output "
          "of dump_lfts or ibroute",
          path);
    return std::move(filed_);
  }

 private:
  /// The error "FILE:LINE:COLUMN: found .., expected .." for the position of the cursor.
  static tl::unexpected<Error> wrong(const LineReader& at, std::string_view line,
                                     LineCursor& cursor, std::string_view want) {
    const bool end = cursor.at_end();
    const std::size_t column = line.size() - cursor.rest().size() + 1;
    return fail_at_column(
        at, column,
        fmt::format("found {}, expected {}",
                    end ? "the end of the line" : quote_net_text(cursor.rest()), want));
  }

  Status begin(const LineReader& at, std::string_view line, std::string_view before) {
    LineCursor cursor(line);
    if (!cursor.skip_past(before)) return wrong(at, line, cursor, "\"guid 0xGUID\" of a switch");
    const auto guid = cursor.hex(kAnyGuid);
    if (!guid) return wrong(at, line, cursor, "the GUID of a switch");
    filed_.tables.push_back({Guid(*guid), at.line_number(), {}});
    return {};
  }

  Status take_entry(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    if (filed_.tables.empty())
      return wrong(at, line, cursor, "\"Unicast lids .. guid 0xGUID\" before the first entry");
    const auto lid = cursor.hex(kLidUnicastLast.value());
    if (!lid || *lid == 0) {
      cursor = LineCursor(line);
      return wrong(at, line, cursor, "a LID from 0x0001 to 0xbfff");
    }
    cursor.skip(":");
    if (cursor.skip("UNREACHABLE")) return {};
    const auto port = cursor.decimal(255);
    if (!port) return wrong(at, line, cursor, "a port number from 0 to 255");
    put(static_cast<std::uint16_t>(*lid), static_cast<std::uint8_t>(*port));
    if (!cursor.skip_past("portguid ")) return {};
    const auto guid = cursor.hex(kAnyGuid);
    if (!guid) return wrong(at, line, cursor, "a port GUID");
    set_owner(at, static_cast<std::uint16_t>(*lid), Guid(*guid));
    return {};
  }

  void put(std::uint16_t lid, std::uint8_t port) {
    auto& ports = filed_.tables.back().ports;
    if (ports.size() <= lid) ports.resize(std::size_t{lid} + 1, kNoRoute.value());
    ports[lid] = port;
  }

  void set_owner(const LineReader& at, std::uint16_t lid, Guid guid) {
    Guid& known = filed_.owner[lid];
    if (known == guid || guid == Guid(0)) return;
    if (known != Guid(0)) {
      warnings_.add(at, "LID {} is of port 0x{:016x} here and of port 0x{:016x} in line {}", lid,
                    guid.value(), known.value(), filed_.owner_line[lid]);
      return;
    }
    known = guid;
    filed_.owner_line[lid] = at.line_number();
  }

  Warnings& warnings_;
  FiledLfts filed_;
};

/// By LID of the file: the LID in the fabric; kLidNone if the fabric has no such port or LID.
std::vector<Lid> matched_lids(const FiledLfts& filed, const Fabric& fabric, Warnings& warnings) {
  std::vector<std::pair<Guid, std::uint16_t>> owned;
  for (std::size_t lid = 1; lid < filed.owner.size(); ++lid)
    if (filed.owner[lid] != Guid(0))
      owned.emplace_back(filed.owner[lid], static_cast<std::uint16_t>(lid));
  std::ranges::sort(owned);
  std::vector<Lid> lid_in_fabric(filed.owner.size(), kLidNone);
  for (std::size_t i = 0; i < owned.size();) {
    const auto [guid, base] = owned[i];
    const auto endport = fabric.find_endport(guid);
    const unsigned count = !endport || fabric.endport(*endport).lid == kLidNone
                               ? 0
                               : 1u << fabric.endport(*endport).lmc;
    if (count == 0)
      warnings.add(
          fmt::format("{}:{}: port 0x{:016x} is not in this fabric, or has no LID: LID {} and the "
                      "other LIDs of the port are left out",
                      filed.path, filed.owner_line[base], guid.value(), base));
    for (; i < owned.size() && owned[i].first == guid; ++i) {
      const unsigned offset = owned[i].second - base;
      if (offset < count)
        lid_in_fabric[owned[i].second] =
            Lid(static_cast<std::uint16_t>(fabric.endport(*endport).lid.value() + offset));
    }
  }
  for (std::size_t lid = 1; lid < lid_in_fabric.size(); ++lid)
    if (filed.owner[lid] == Guid(0) &&
        fabric.endport_of(Lid(static_cast<std::uint16_t>(lid))) != kNoEndport)
      lid_in_fabric[lid] = Lid(static_cast<std::uint16_t>(lid));
  return lid_in_fabric;
}

std::optional<SwitchId> find_switch(const Fabric& fabric, Guid guid) {
  if (const auto node = fabric.find_node(guid); node && fabric.is_switch(*node))
    return SwitchId(node->value());
  if (const auto port = fabric.find_endport(guid); port && port->value() < fabric.switch_count())
    return SwitchId(port->value());
  return std::nullopt;
}

}  // namespace

Result<FiledLfts> read_filed_lfts(const std::string& path, std::vector<std::string>& warnings) {
  Warnings found;
  FiledLftsReader reader(path, found);
  auto result = read_lines(path, reader);
  for (std::string& warning : found.take()) warnings.push_back(std::move(warning));
  return result;
}

Lfts match_lfts(const FiledLfts& filed, const Fabric& fabric, std::vector<std::string>& warnings) {
  Warnings found;
  const auto lid_in_fabric = matched_lids(filed, fabric, found);
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  std::vector<bool> has_table(fabric.switch_count(), false);
  for (const FiledTable& table : filed.tables) {
    const auto sw = find_switch(fabric, table.sw);
    if (!sw) {
      found.add(fmt::format("{}:{}: no switch 0x{:016x} in this fabric: its table is left out",
                            filed.path, table.line, table.sw.value()));
      continue;
    }
    has_table[sw->value()] = true;
    const Node& node = fabric.node(*sw);
    for (std::size_t lid = 1; lid < table.ports.size(); ++lid) {
      const PortNum port(table.ports[lid]);
      if (port == kNoRoute || lid_in_fabric[lid] == kLidNone) continue;
      if (port.value() > node.port_count) {
        found.add(fmt::format(
            "{}:{}: LID {}: found output port {} of switch {}, which has {} ports: "
            "left out",
            filed.path, table.line, lid, port.value(), describe(node), node.port_count));
        continue;
      }
      lfts.set(*sw, lid_in_fabric[lid], port);
    }
  }
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!has_table[s])
      found.add(fmt::format("{}: no table for switch {}", filed.path,
                            describe(fabric.node(SwitchId(s)))));
  for (std::string& warning : found.take()) warnings.push_back(std::move(warning));
  return lfts;
}

}  // namespace weft
