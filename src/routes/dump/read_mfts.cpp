// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "routes/dump/line_cursor.h"
#include "routes/dump/read.h"
#include "routes/dump/read_lines.h"

namespace weft {
namespace {

/// Reads "Switch 0xGUID", a headline, and lines "0xMLID : 0xPORT  0xPORT ".
class MftReader {
 public:
  MftReader(const Fabric& fabric, Warnings& warnings) : fabric_(fabric), warnings_(warnings) {}

  Status take(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    if (cursor.at_end() || cursor.skip("LID")) return {};
    if (cursor.skip_past("Switch ")) return begin_table(at, cursor, line);
    return take_entry(at, line);
  }

  Result<Mfts> finish(const std::string& path) {
    if (tables_ > 0 && tables_ == foreign_)
      return fail(Code::kBadInput, "{}: none of its {} tables belongs to a switch of the fabric",
                  path, foreign_);
    return std::move(mfts_);
  }

 private:
  Status begin_table(const LineReader& at, LineCursor cursor, std::string_view line) {
    const auto guid = cursor.hex(~std::uint64_t{0});
    if (!guid)
      return fail(Code::kBadInput, "{}:{}: found {}, expected \"Switch 0xGUID\"", at.path(),
                  at.line_number(), quote_net_text(line));
    ++tables_;
    in_table_ = true;
    const auto endport = fabric_.find_endport(Guid(*guid));
    switch_ = endport && endport->value() < fabric_.switch_count() ? SwitchId(endport->value())
                                                                   : kNoSwitch;
    if (switch_ != kNoSwitch) return {};
    ++foreign_;
    warnings_.add(at, "no switch 0x{:016x} in the fabric: its table is left out", *guid);
    return {};
  }

  Status take_entry(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    const auto mlid = cursor.hex(0xFFFF, 4);
    if (!mlid || !is_multicast(Lid(static_cast<std::uint16_t>(*mlid))) || !cursor.skip(":") ||
        !in_table_)
      return fail(Code::kBadInput,
                  "{}:{}: found {}, expected \"Switch 0xGUID\" or \"0xMLID : 0xPORT ..\"",
                  at.path(), at.line_number(), quote_net_text(line));
    PortMask mask;
    while (!cursor.at_end()) {
      const auto port = cursor.hex(255, 3);
      if (!port)
        return fail(Code::kBadInput, "{}:{}: found {}, expected a port such as 0x00C", at.path(),
                    at.line_number(), quote_net_text(cursor.rest()));
      mask.set(*port);
      if (switch_ != kNoSwitch && *port > fabric_.node(switch_).port_count)
        warnings_.add(at, "found output port {} of switch {}, which has {} ports", *port,
                      describe(fabric_.node(switch_)), fabric_.node(switch_).port_count);
    }
    if (switch_ != kNoSwitch) mfts_[Lid(static_cast<std::uint16_t>(*mlid))][switch_] |= mask;
    return {};
  }

  const Fabric& fabric_;
  Warnings& warnings_;
  Mfts mfts_;
  bool in_table_ = false;
  SwitchId switch_ = kNoSwitch;
  std::size_t tables_ = 0;
  std::size_t foreign_ = 0;
};

}  // namespace

Result<Mfts> read_mfts(const Fabric& fabric, const std::string& path, Warnings& warnings) {
  MftReader reader(fabric, warnings);
  return read_lines(path, reader);
}

}  // namespace weft
