// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tables/lid_matrix.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "fabric/formats/format.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "routes/dump/read_lines.h"

namespace weft {
namespace {

constexpr std::uint8_t kNoPath = 0xFF;
constexpr std::size_t kColumnsMax = 255;  // hop counts by ports 0 to 254

/// A word of a line and its column; empty at the end.
struct Word {
  std::string_view text;
  std::size_t column;
};

class LineWords {
 public:
  explicit LineWords(std::string_view line) : line_(line) {}
  Word next() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    const std::size_t begin = at_;
    while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != '\t') ++at_;
    return {line_.substr(begin, at_ - begin), begin + 1};
  }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

class LidMatrixReader {
 public:
  LidMatrixReader(const std::string& path, Warnings& warnings) : warnings_(warnings) {
    filed_.path = path;
  }

  Status take(const LineReader& at, std::string_view line) {
    if (line.starts_with("Switch:")) return begin(at, line);
    if (line.starts_with("0x")) return take_row(at, line);
    const std::string_view text = trim(line);
    if (!text.empty() && !text.starts_with('#'))
      warnings_.add(at, "skipped a line that is neither a header nor a row of a LID matrix: {}",
                    quote_net_text(line));
    return {};
  }

  Result<FiledMatrix> finish(const std::string& path) {
    if (filed_.tables.empty())
      return fail(Code::kBadInput, "{}: contains no LID matrix, expected opensm-lid-matrix.dump",
                  path);
    return std::move(filed_);
  }

 private:
  static tl::unexpected<Error> wrong(const LineReader& at, const Word& word,
                                     std::string_view want) {
    return fail_at_column(
        at, word.column,
        fmt::format("found {}, expected {}",
                    word.text.empty() ? "the end of the line" : quote_net_text(word.text), want));
  }

  Status begin(const LineReader& at, std::string_view line) {
    LineWords words(line);
    words.next();
    if (const Word word = words.next(); word.text != "guid")
      return wrong(at, word, "\"Switch: guid 0xGUID\"");
    const Word word = words.next();
    const auto guid = parse_number<std::uint64_t>(word.text, 16);
    if (!guid || *guid == 0) return wrong(at, word, "the GUID of a switch");
    filed_.tables.push_back({Guid(*guid), at.line_number(), filed_.rows.size()});
    return {};
  }

  Status take_row(const LineReader& at, std::string_view line) {
    const std::size_t comment = line.find('#');
    LineWords words(line.substr(0, comment));
    Word word = words.next();
    if (filed_.tables.empty())
      return wrong(at, word, "\"Switch: guid 0xGUID\" before the first row");
    const auto lid = word.text.ends_with(':') ? parse_number<std::uint16_t>(
                                                    word.text.substr(0, word.text.size() - 1), 16)
                                              : std::nullopt;
    if (!lid || !is_unicast(Lid(*lid))) return wrong(at, word, "a LID from 0x0001: to 0xbfff:");
    columns_.clear();
    for (word = words.next(); !word.text.empty(); word = words.next()) {
      const auto hops = parse_number<std::uint8_t>(word.text, 16);
      if (!hops) return wrong(at, word, "hops from 00 to ff");
      if (columns_.size() == kColumnsMax) return wrong(at, word, "at most 254 ports");
      columns_.push_back(*hops);
    }
    if (columns_.empty()) return wrong(at, word, "the least hops, and hops over each port");
    FiledMatrix::Row row{*lid, Guid(0), kNoPath, 0, filed_.ports.size()};
    if (comment != std::string_view::npos) {
      const auto owner = owner_of(at, line, comment);
      if (!owner) return forward(owner);
      row.owner = *owner;
    }
    add(row);
    return {};
  }

  /// Adds a row. Column 0 repeats the least of the other columns.
  void add(FiledMatrix::Row row) {
    for (std::size_t port = 1; port < columns_.size(); ++port)
      row.hops = std::min(row.hops, columns_[port]);
    for (std::size_t port = 1; port < columns_.size(); ++port)
      if (row.hops != kNoPath && columns_[port] == row.hops) {
        filed_.ports.push_back(static_cast<std::uint8_t>(port));
        ++row.count;
      }
    filed_.rows.push_back(row);
  }

  static Result<Guid> owner_of(const LineReader& at, std::string_view line, std::size_t comment) {
    LineWords words(line);
    for (Word word = words.next(); !word.text.empty(); word = words.next()) {
      if (word.column <= comment || word.text != "portguid") continue;
      word = words.next();
      const auto guid = parse_number<std::uint64_t>(word.text, 16);
      if (!guid) return wrong(at, word, "a port GUID");
      return Guid(*guid);
    }
    return Guid(0);
  }

  Warnings& warnings_;
  FiledMatrix filed_;
  std::vector<std::uint8_t> columns_;
};

std::optional<EndportId> find_port(const Fabric& fabric, Guid guid) {
  if (const auto port = fabric.find_endport(guid)) return port;
  if (const auto node = fabric.find_node(guid); node && fabric.is_switch(*node))
    return EndportId(node->value());
  return std::nullopt;
}

std::optional<EndportId> find_port(const Fabric& fabric, const FiledMatrix::Row& row) {
  if (row.owner != Guid(0)) return find_port(fabric, row.owner);
  const EndportId holder = fabric.endport_of(Lid(row.lid));
  return holder == kNoEndport ? std::nullopt : std::optional(holder);
}

}  // namespace

void LidMatrix::set(SwitchId from, SwitchId to, std::uint8_t hops,
                    std::span<const std::uint8_t> ports) {
  Cell& here = cells_[std::size_t{from.value()} * switches_ + to.value()];
  here = {ports_.size(), static_cast<std::uint8_t>(ports.size()), hops};
  ports_.insert(ports_.end(), ports.begin(), ports.end());
}

std::uint16_t LidMatrix::hops(SwitchId from, SwitchId to) const {
  const Cell& here = cell(from, to);
  return here.count == 0 ? HopDag::kUnreached : here.hops;
}

std::span<const std::uint8_t> LidMatrix::ports(SwitchId from, SwitchId to) const {
  const Cell& here = cell(from, to);
  return std::span(ports_).subspan(here.begin, here.count);
}

void make_matrix_dag(const Fabric& fabric, const LidMatrix& matrix, SwitchId destination,
                     HopDag& dag) {
  const auto hops_of = [&](SwitchId sw) -> std::uint16_t {
    return sw == destination ? 0 : matrix.hops(sw, destination);
  };
  dag.start(destination);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    const std::uint16_t here = hops_of(sw);
    if (sw == destination || here == HopDag::kUnreached) continue;
    bool added = false;
    for (const std::uint8_t port : matrix.ports(sw, destination)) {
      const ChannelId channel = fabric.channel_at(sw, PortNum(port));
      if (channel == kNoChannel) continue;
      const SwitchId to = fabric.channel(channel).to;
      if (hops_of(to) >= here) continue;
      if (!added) dag.add_switch(s, here);
      added = true;
      dag.add_next_hop(channel.value(), to.value());
    }
  }
  dag.finish();
}

Result<FiledMatrix> read_lid_matrix(const std::string& path, std::vector<std::string>& warnings) {
  Warnings found;
  LidMatrixReader reader(path, found);
  auto result = read_lines(path, reader);
  for (std::string& warning : found.take()) warnings.push_back(std::move(warning));
  return result;
}

LidMatrix match_lid_matrix(const FiledMatrix& filed, const Fabric& fabric,
                           std::vector<std::string>& warnings) {
  Warnings found;
  LidMatrix matrix(fabric.switch_count());
  std::vector<bool> warned(kUnicastLidCount + 1, false);
  for (std::size_t t = 0; t < filed.tables.size(); ++t) {
    const FiledMatrix::Table& table = filed.tables[t];
    const auto from = find_port(fabric, table.sw);
    if (!from || from->value() >= fabric.switch_count()) {
      found.add(fmt::format("{}:{}: no switch 0x{:016x} in this fabric: its rows are left out",
                            filed.path, table.line, table.sw.value()));
      continue;
    }
    const std::size_t end =
        t + 1 < filed.tables.size() ? filed.tables[t + 1].begin : filed.rows.size();
    for (std::size_t r = table.begin; r < end; ++r) {
      const FiledMatrix::Row& row = filed.rows[r];
      const auto to = find_port(fabric, row);
      if (!to && !warned[row.lid])
        found.add(fmt::format("{}:{}: LID {}{} is not in this fabric: its rows are left out",
                              filed.path, table.line, row.lid,
                              row.owner == Guid(0)
                                  ? std::string()
                                  : fmt::format(" with port GUID 0x{:016x}", row.owner.value())));
      if (!to) warned[row.lid] = true;
      if (!to || to->value() >= fabric.switch_count() || row.count == 0) continue;
      matrix.set(SwitchId(from->value()), SwitchId(to->value()), row.hops,
                 std::span(filed.ports).subspan(row.begin, row.count));
    }
  }
  for (std::string& warning : found.take()) warnings.push_back(std::move(warning));
  return matrix;
}

}  // namespace weft
