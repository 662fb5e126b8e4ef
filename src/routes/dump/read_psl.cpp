// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <vector>

#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "routes/dump/line_cursor.h"
#include "routes/dump/read.h"
#include "routes/dump/read_lines.h"

namespace weft {
namespace {

class PslReader {
 public:
  PslReader(const Fabric& fabric, Warnings& warnings)
      : fabric_(fabric),
        warnings_(warnings),
        columns_(std::size_t{fabric.lid_top().value()} + 1),
        sl_(fabric.switch_count() * columns_, 0),
        origin_(sl_.size(), Origin::kNone),
        warned_(columns_, false) {}

  Status take(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    if (cursor.at_end() || cursor.skip("#")) return {};
    const auto guid = cursor.hex(~std::uint64_t{0});
    const auto lid = guid ? cursor.decimal(0xFFFF) : std::nullopt;
    const auto sl = lid ? cursor.decimal(kSlCount - 1) : std::nullopt;
    if (!sl || !cursor.at_end())
      return fail(Code::kBadInput,
                  "{}:{}: found {}, expected \"0xNODE_GUID DLID SL\" with an SL from 0 to 15",
                  at.path(), at.line_number(), quote_net_text(line));
    ++lines_;
    const EndportId owner = fabric_.endport_of(Lid(static_cast<std::uint16_t>(*lid)));
    if (owner == kNoEndport) {
      if (*lid >= columns_ || !warned_[*lid])
        warnings_.add(at, "LID {} is not assigned in the fabric: left out", *lid);
      if (*lid < columns_) warned_[*lid] = true;
      return {};
    }
    return store(at, Guid(*guid), *lid, static_cast<std::uint8_t>(*sl));
  }

  Result<PathSl> finish(const std::string& path) {
    if (lines_ > 0 && used_ == 0)
      return fail(Code::kBadInput, "{}: {} lines, none with a source and a LID of the fabric", path,
                  lines_);
    return PathSl::by_switch_and_lid(fabric_.switch_count(), fabric_.lid_top(), std::move(sl_));
  }

 private:
  /// The line that set the SL of a switch and a LID. A line names a node. At the switch of the
  /// first port of the node, the line has precedence over lines of nodes with another port at the
  /// switch.
  enum class Origin : std::uint8_t { kNone, kOtherSwitch, kFirstSwitch };

  Status store(const LineReader& at, Guid guid, std::size_t lid, std::uint8_t sl) {
    find_sources(guid);
    if (sources_.empty()) {
      if (guid != unknown_)
        warnings_.add(at,
                      "no switch, and no CA or router cabled to one, has GUID 0x{:016x}: left out",
                      guid.value());
      unknown_ = guid;
      return {};
    }
    ++used_;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const std::size_t cell = sources_[i].value() * columns_ + lid;
      if (i > 0) {
        if (origin_[cell] == Origin::kNone) {
          origin_[cell] = Origin::kOtherSwitch;
          sl_[cell] = sl;
        }
        continue;
      }
      if (origin_[cell] == Origin::kFirstSwitch && sl_[cell] != sl)
        return fail(Code::kBadInput,
                    "{}:{}: SL {} from 0x{:016x} to LID {}, but an earlier line has SL {} for a "
                    "source at the same switch {}; expected one SL for a switch and a LID",
                    at.path(), at.line_number(), sl, guid.value(), lid, sl_[cell],
                    describe(fabric_.node(sources_[i])));
      origin_[cell] = Origin::kFirstSwitch;
      sl_[cell] = sl;
    }
    return {};
  }

  /// Finds the switch of a GUID, or the switches to which the ports of a CA or router are cabled,
  /// in the order of ports. The result is kept for the next line, because the lines of a node are
  /// adjacent.
  void find_sources(Guid guid) {
    if (guid == last_) return;
    last_ = guid;
    sources_.clear();
    if (const auto node = fabric_.find_node(guid)) {
      for (const Port& port : fabric_.ports(*node)) {
        const PortId id = fabric_.port_id(*node, port.num);
        add_source(fabric_.endport_at(id));
      }
    } else if (const auto endport = fabric_.find_endport(guid)) {
      add_source(*endport);
    }
  }

  void add_source(EndportId id) {
    if (id == kNoEndport) return;
    const SwitchId sw = fabric_.endport(id).sw;
    if (sw != kNoSwitch && std::ranges::find(sources_, sw) == sources_.end())
      sources_.push_back(sw);
  }

  const Fabric& fabric_;
  Warnings& warnings_;
  const std::size_t columns_;
  std::vector<std::uint8_t> sl_;
  std::vector<Origin> origin_;
  std::vector<bool> warned_;  // by LID
  std::vector<SwitchId> sources_;
  Guid last_;
  Guid unknown_;
  std::size_t lines_ = 0;
  std::size_t used_ = 0;
};

class MulticastSlReader {
 public:
  Status take(const LineReader& at, std::string_view line) {
    LineCursor cursor(line);
    if (cursor.at_end() || cursor.skip("#")) return {};
    const auto value = cursor.hex(0xFFFF);
    const Lid mlid(static_cast<std::uint16_t>(value.value_or(0)));
    const auto sl = is_multicast(mlid) ? cursor.decimal(kSlCount - 1) : std::nullopt;
    if (!sl || !cursor.at_end())
      return fail(
          Code::kBadInput,
          "{}:{}: found {}, expected \"0xMLID SL\" with a multicast LID from 0xC000 to 0xFFFE "
          "and an SL from 0 to 15",
          at.path(), at.line_number(), quote_net_text(line));
    if (!sls_.emplace(mlid, Sl(static_cast<std::uint8_t>(*sl))).second)
      return fail(Code::kBadInput, "{}:{}: multicast LID 0x{:04X} has two lines; expected one",
                  at.path(), at.line_number(), mlid.value());
    return {};
  }

  Result<std::map<Lid, Sl>> finish(const std::string&) { return std::move(sls_); }

 private:
  std::map<Lid, Sl> sls_;
};

}  // namespace

Result<std::map<Lid, Sl>> read_multicast_sl(const Fabric&, const std::string& path, Warnings&) {
  MulticastSlReader reader;
  return read_lines(path, reader);
}

Result<PathSl> read_psl(const Fabric& fabric, const std::string& path, Warnings& warnings) {
  PslReader reader(fabric, warnings);
  return read_lines(path, reader);
}

}  // namespace weft
