// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <optional>
#include <vector>

#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "routes/dump/line_cursor.h"
#include "routes/dump/read.h"
#include "routes/dump/read_lines.h"

namespace weft {
namespace {

/// Reads SL2VL maps. There are two grammars, which are distinguished line by line:
///   Switch 0x0002c902c9e9c616, base LID 4, "SW 4"
///   0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
///   0x0002c902c9e9c616 0 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67
class SlvlReader {
 public:
  SlvlReader(const Fabric& fabric, Warnings& warnings)
      : fabric_(fabric), warnings_(warnings), rows_(fabric.switch_count(), 0) {}

  Status take(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    if (cursor.at_end() || cursor.skip("#")) return {};
    if (cursor.skip("Switch ") || cursor.skip("Channel Adapter ") || cursor.skip("Router ")) {
      const auto guid = cursor.hex(~std::uint64_t{0});
      if (!guid || !cursor.skip(", base LID")) return bad_line(at, line);
      select(at, Guid(*guid));
      in_section_ = true;
      known_ = known_ || endport_ != kNoEndport;
      return {};
    }
    if (const auto guid = cursor.hex(~std::uint64_t{0})) {
      select(at, Guid(*guid));
      return take_bytes(at, cursor, line);
    }
    return in_section_ ? take_row(at, cursor, line) : bad_line(at, line);
  }

  Result<Sl2Vl> finish(const std::string& path) {
    // Switches without cables have a section without rows.
    if (!common_ && !known_)
      return fail(Code::kBadInput, "{}: found no SLtoVL table of a node of the fabric", path);
    for (std::uint32_t s = 0; s < rows_.size(); ++s)
      if (rows_[s] == 0 && has_cable(SwitchId(s)))
        warnings_.add(fmt::format("{}: no SLtoVL table for switch {}", path,
                                  describe(fabric_.node(SwitchId(s)))));
    if (end_nodes_ && *end_nodes_ != sl2vl_.common()) move_common_to(*end_nodes_);
    return std::move(sl2vl_);
  }

 private:
  static Status bad_line(const LineReader& at, std::string_view line) {
    return fail(
        Code::kBadInput,
        "{}:{}: found {}, expected \"0xSWITCH_GUID IN OUT\" and eight bytes, or \"IN OUT : \" "
        "and 16 VLs in a section of opensm-sl2vl.dump",
        at.path(), at.line_number(), quote_net_text(line));
  }

  void select(const LineReader& at, Guid guid) {
    if (guid == guid_) return;
    guid_ = guid;
    endport_ = kNoEndport;
    if (const auto found = fabric_.find_endport(guid)) endport_ = *found;
    if (endport_ == kNoEndport)
      warnings_.add(at, "no endport of the fabric has port GUID 0x{:016x}: its tables are left out",
                    guid.value());
  }

  Status take_row(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto in = cursor.decimal(255);
    const auto out = in ? cursor.decimal(255) : std::nullopt;
    if (!out || !cursor.skip(":")) return bad_line(at, line);
    SlMap map{};
    for (std::uint8_t& vl : map) {
      const auto value = cursor.decimal(15);
      if (!value) return bad_line(at, line);
      vl = static_cast<std::uint8_t>(*value);
    }
    if (!cursor.at_end()) return bad_line(at, line);
    put(at, *in, *out, map);
    return {};
  }

  Status take_bytes(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto in = cursor.decimal(255);
    const auto out = in ? cursor.decimal(255) : std::nullopt;
    if (!out) return bad_line(at, line);
    SlMap map{};
    for (unsigned sl = 0; sl < kSlCount; sl += 2) {
      const auto pair = cursor.hex(0xFF);
      if (!pair) return bad_line(at, line);
      map[sl] = static_cast<std::uint8_t>(*pair >> 4);
      map[sl + 1] = static_cast<std::uint8_t>(*pair & 0xF);
      cursor.skip(",");
    }
    if (!cursor.at_end()) return bad_line(at, line);
    put(at, *in, *out, map);
    return {};
  }

  bool has_cable(SwitchId sw) const {
    return std::ranges::any_of(fabric_.ports(sw),
                               [](const Port& port) { return port.peer != kNoPort; });
  }

  /// Makes `map` the common map, which is that of CAs and routers. The maps of switches do not
  /// change.
  void move_common_to(const SlMap& map) {
    Sl2Vl moved(map);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      for (const Port& in : fabric_.ports(SwitchId(s)))
        for (const Port& out : fabric_.ports(SwitchId(s)))
          if (const SlMap& kept = sl2vl_.map(SwitchId(s), in.num, out.num); kept != map)
            moved.set(SwitchId(s), in.num, out.num, kept);
    sl2vl_ = std::move(moved);
  }

  void put(const LineReader& at, std::uint64_t in, std::uint64_t out, const SlMap& map) {
    if (endport_ == kNoEndport) return;
    if (!common_) sl2vl_ = Sl2Vl(map);
    common_ = true;
    if (endport_.value() >= fabric_.switch_count()) {
      if (!end_nodes_) end_nodes_ = map;
      if (map != *end_nodes_ && !warned_)
        warnings_.add(
            at,
            "port 0x{:016x} has a table that differs from that of the first CA or router: "
            "all CAs and routers are assumed to use the table of the first CA or router",
            guid_.value());
      warned_ = warned_ || map != *end_nodes_;
      return;
    }
    const SwitchId sw(endport_.value());
    ++rows_[sw.value()];
    const Node& node = fabric_.node(sw);
    if (in > node.port_count || out > node.port_count) {
      warnings_.add(at, "found ports {} and {} of switch {}, which has {} ports: left out", in, out,
                    describe(node), node.port_count);
      return;
    }
    const PortNum from(static_cast<std::uint8_t>(in));
    const PortNum to(static_cast<std::uint8_t>(out));
    if (sl2vl_.map(sw, from, to) != map) sl2vl_.set(sw, from, to, map);
  }

  const Fabric& fabric_;
  Warnings& warnings_;
  Sl2Vl sl2vl_;
  std::vector<std::uint64_t> rows_;  // by switch
  std::optional<SlMap> end_nodes_;
  bool common_ = false;  // the first table has been read
  bool warned_ = false;
  bool known_ = false;  // a section belongs to an endport of the fabric
  bool in_section_ = false;
  Guid guid_;
  EndportId endport_ = kNoEndport;
};

}  // namespace

Result<Sl2Vl> read_slvl(const Fabric& fabric, const std::string& path, Warnings& warnings) {
  SlvlReader reader(fabric, warnings);
  return read_lines(path, reader);
}

}  // namespace weft
