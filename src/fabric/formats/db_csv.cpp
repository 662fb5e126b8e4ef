// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/db_csv.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <unordered_map>

#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"

namespace weft {
namespace {

struct Field {
  std::string_view text;  // without quotes
  std::size_t column = 1;
};

/// Splits a row at commas. A quoted value may contain commas, and quotes that no comma follows.
LineResult<std::vector<Field>> split_row(std::string_view line) {
  std::vector<Field> fields;
  std::size_t at = 0;
  while (true) {
    std::size_t end = line.find(',', at);
    if (at < line.size() && line[at] == '"') {
      end = line.find("\",", at + 1);
      if (end == std::string_view::npos && (line.size() < at + 2 || line.back() != '"'))
        return tl::unexpected(
            LineError{at + 1, fmt::format("found {}, expected a value that ends in a quote",
                                          quote_net_text(line.substr(at)))});
      if (end == std::string_view::npos) {
        fields.push_back({line.substr(at + 1, line.size() - at - 2), at + 1});
        return fields;
      }
      fields.push_back({line.substr(at + 1, end - at - 1), at + 1});
      at = end + 2;
      continue;
    }
    fields.push_back({trim(line.substr(at, end - at)), at + 1});
    if (end == std::string_view::npos) return fields;
    at = end + 1;
  }
}

/// The current row and the columns of its section.
class Row {
 public:
  LineResult<bool> set_columns(std::string_view line, std::string_view section,
                               std::span<const std::string_view> needed) {
    auto fields = split_row(line);
    if (!fields) return tl::unexpected(fields.error());
    columns_.clear();
    for (std::uint32_t i = 0; i < fields->size(); ++i)
      columns_.try_emplace(std::string((*fields)[i].text), i);
    column_count_ = fields->size();
    for (const std::string_view name : needed)
      if (!columns_.contains(std::string(name)))
        return tl::unexpected(
            LineError{1, fmt::format("section {} has no column {}", section, name)});
    return true;
  }

  LineResult<bool> set(std::string_view line) {
    auto fields = split_row(line);
    if (!fields) return tl::unexpected(fields.error());
    if (fields->size() != column_count_)
      return tl::unexpected(
          LineError{1, fmt::format("found {} values, expected {} as in the line of column names",
                                   fields->size(), column_count_)});
    fields_ = std::move(*fields);
    return true;
  }

  std::string_view text(const std::string& column) const {
    const auto at = columns_.find(column);
    return at == columns_.end() ? std::string_view{} : fields_[at->second].text;
  }

  /// A number up to `most`, decimal or with 0x; nothing if the value is N/A or the column is
  /// missing.
  LineResult<std::optional<std::uint64_t>> number(const std::string& column,
                                                  std::uint64_t most) const {
    const auto at = columns_.find(column);
    if (at == columns_.end()) return std::nullopt;
    const Field& field = fields_[at->second];
    if (field.text == "N/A" || field.text == "NA" || field.text.empty()) return std::nullopt;
    const auto value = parse_c_number<std::uint64_t>(field.text);
    if (value && *value <= most) return value;
    return tl::unexpected(
        LineError{field.column, fmt::format("{}: found {}, expected a number up to {}", column,
                                            quote_net_text(field.text), most)});
  }

  LineResult<std::uint64_t> needed(const std::string& column, std::uint64_t most) const {
    auto value = number(column, most);
    if (!value) return tl::unexpected(value.error());
    if (*value) return **value;
    const Field& field = fields_[columns_.at(column)];
    return tl::unexpected(LineError{field.column, fmt::format("{}: found {}, expected a number",
                                                              column, quote_value(field.text))});
  }

  struct Column {
    const char* name;
    std::uint64_t most;
  };
  /// Several numbers, 0 where a value is not available.
  template <std::size_t N>
  LineResult<std::array<std::uint64_t, N>> numbers(const Column (&columns)[N]) const {
    std::array<std::uint64_t, N> values{};
    for (std::size_t i = 0; i < N; ++i) {
      const auto value = number(columns[i].name, columns[i].most);
      if (!value) return tl::unexpected(value.error());
      values[i] = value->value_or(0);
    }
    return values;
  }
  /// Several numbers that must be available.
  template <std::size_t N>
  LineResult<std::array<std::uint64_t, N>> all_numbers(const Column (&columns)[N]) const {
    std::array<std::uint64_t, N> values{};
    for (std::size_t i = 0; i < N; ++i) {
      const auto value = needed(columns[i].name, columns[i].most);
      if (!value) return tl::unexpected(value.error());
      values[i] = *value;
    }
    return values;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> columns_;
  std::size_t column_count_ = 0;
  std::vector<Field> fields_;
};

/// Decodes LinkSpeedActv. The low byte has the basic speed, the second byte the extended speed, and
/// bit 16 means FDR10. If several bits are set, the fastest speed is active. Returns nothing for 0
/// and for an unknown speed.
std::optional<LinkSpeed> speed_of_bits(std::uint64_t bits) {
  constexpr std::array kExtended{LinkSpeed::kFdr, LinkSpeed::kEdr, LinkSpeed::kHdr, LinkSpeed::kNdr,
                                 LinkSpeed::kXdr};
  constexpr std::array kOld{LinkSpeed::kSdr, LinkSpeed::kDdr, LinkSpeed::kQdr};
  const auto highest = [](std::uint64_t value) {
    return static_cast<unsigned>(std::bit_width(value));
  };
  const unsigned extended = highest(bits >> 8 & 0xFF);
  const unsigned old = highest(bits & 0xFF);
  if (extended > kExtended.size()) return std::nullopt;
  if (extended > 0) return kExtended[extended - 1];
  if ((bits >> 16 & 1) != 0) return LinkSpeed::kFdr10;
  if (old > kOld.size() || old == 0) return std::nullopt;
  return kOld[old - 1];
}

std::optional<LinkWidth> width_of(std::uint64_t bits) {
  for (const LinkWidth width :
       {LinkWidth::k1x, LinkWidth::k4x, LinkWidth::k8x, LinkWidth::k12x, LinkWidth::k2x})
    if (bits == static_cast<std::uint64_t>(width)) return width;
  return std::nullopt;
}

constexpr std::array<std::string_view, 3> kNodeColumns{"NodeGUID", "NodeType", "NumPorts"};
constexpr std::array<std::string_view, 2> kPortColumns{"NodeGuid", "PortNum"};
constexpr std::array<std::string_view, 1> kSwitchColumns{"NodeGUID"};
constexpr std::array<std::string_view, 4> kLinkColumns{"NodeGuid1", "PortNum1", "NodeGuid2",
                                                       "PortNum2"};

constexpr std::array<std::uint8_t, 5> kDataVls{1, 2, 4, 8, 15};  // by VLCap - 1

class DbCsv {
 public:
  DbCsv(const LineReader& lines, FabricBuilder& builder, Warnings& warnings)
      : lines_(lines), builder_(builder), warnings_(warnings) {}

  Status take(std::string_view line) {
    if (line.starts_with("START_")) return begin(line.substr(6));
    if (line.starts_with("END_")) return end(line.substr(4));
    if (section_ == Section::kNone || trim(line).empty()) return {};
    const auto taken =
        has_columns_ ? row_.set(line) : row_.set_columns(line, section_name_, needed_columns());
    if (!taken) return fail_at(lines_, taken.error());
    if (!has_columns_) {
      has_columns_ = true;
      return {};
    }
    const auto parsed = section_ == Section::kNodes      ? node()
                        : section_ == Section::kPorts    ? port()
                        : section_ == Section::kSwitches ? enhanced_port0()
                                                         : link();
    return parsed ? Status{} : fail_at(lines_, parsed.error());
  }

  /// Builds the fabric from all sections.
  Status finish() {
    if (section_ != Section::kNone)
      return fail_at(lines_, "the file ends in section {}, expected END_{}", section_name_,
                     section_name_);
    if (node_of_.empty())
      return fail(Code::kBadInput, "{}: found no section NODES with nodes", lines_.path());
    if (is_open_)
      warnings_.add(lines_,
                    "the file ends in section {}, expected END_{}: it may have been cut off",
                    section_name_, section_name_);
    if (!has_links_)
      warnings_.add(lines_, "the file has no section LINKS: it may have been cut off");
    for (const PortRow& row : ports_)
      if (const auto node = find(row.line, row.node, "PORTS")) describe(row, *node);
    for (const auto& [line, guid] : enhanced_)
      if (const auto node = find(line, guid, "SWITCHES"))
        builder_.node(*node).enhanced_port0 = true;
    for (const LinkRow& row : links_) add_link(row);
    return {};
  }

 private:
  enum class Section { kNone, kNodes, kPorts, kSwitches, kLinks };
  struct PortRow {
    std::size_t line;
    Guid node;
    PortNum num;
    FabricBuilder::PortSpec spec;
  };
  struct LinkRow {
    std::size_t line;
    Guid a, b;
    PortNum a_port, b_port;
  };
  using RowResult = LineResult<bool>;

  Status begin(std::string_view name) {
    if (section_ != Section::kNone)
      return fail_at(lines_, "found START_{} in section {}, expected END_{}", trim(name),
                     section_name_, section_name_);
    section_name_ = trim(name);
    is_open_ = true;
    has_links_ = has_links_ || section_name_ == "LINKS";
    has_columns_ = false;
    section_ = section_name_ == "NODES"      ? Section::kNodes
               : section_name_ == "PORTS"    ? Section::kPorts
               : section_name_ == "SWITCHES" ? Section::kSwitches
               : section_name_ == "LINKS"    ? Section::kLinks
                                             : Section::kNone;
    return {};
  }

  Status end(std::string_view name) {
    if (section_ != Section::kNone && trim(name) != section_name_)
      return fail_at(lines_, "found END_{} in section {}, expected END_{}", trim(name),
                     section_name_, section_name_);
    section_ = Section::kNone;
    is_open_ = false;
    return {};
  }

  std::span<const std::string_view> needed_columns() const {
    if (section_ == Section::kNodes) return kNodeColumns;
    if (section_ == Section::kPorts) return kPortColumns;
    if (section_ == Section::kSwitches) return kSwitchColumns;
    return kLinkColumns;
  }

  RowResult node() {
    const auto needed =
        row_.all_numbers({{"NodeGUID", kAny}, {"NodeType", 255}, {"NumPorts", kPortMax}});
    if (!needed) return tl::unexpected(needed.error());
    const auto [guid, type, ports] = *needed;
    if (type < 1 || type > 3)
      return tl::unexpected(LineError{
          1, fmt::format("NodeType: found {}, expected 1 (CA), 2 (switch) or 3 (router)", type)});
    const auto rest = row_.numbers({{"SystemImageGUID", kAny},
                                    {"VendorID", 0xFFFFFF},
                                    {"DeviceID", 0xFFFF},
                                    {"revision", 0xFFFFFFFF}});
    if (!rest) return tl::unexpected(rest.error());
    Node node;
    node.node_guid = Guid(guid);
    node.type = static_cast<NodeType>(type);
    node.port_count = static_cast<std::uint8_t>(ports);
    node.description = row_.text("NodeDesc");
    node.system_guid = Guid((*rest)[0]);
    node.vendor_id = static_cast<std::uint32_t>((*rest)[1]);
    node.device_id = static_cast<std::uint16_t>((*rest)[2]);
    node.revision = static_cast<std::uint32_t>((*rest)[3]);
    const auto [known, fresh] =
        node_of_.try_emplace(guid, std::pair(builder_.node_count(), lines_.line_number()));
    if (!fresh)
      return tl::unexpected(
          LineError{1, fmt::format("node 0x{:016x} is described twice, first in line {}", guid,
                                   known->second.second)});
    builder_.add_node(std::move(node));
    return true;
  }

  RowResult port() {
    const auto needed = row_.all_numbers({{"NodeGuid", kAny}, {"PortNum", kPortMax}});
    if (!needed) return tl::unexpected(needed.error());
    const auto rest = row_.numbers({{"PortGuid", kAny},
                                    {"LID", 0xFFFF},
                                    {"LMC", 0xFF},
                                    {"LinkWidthActv", 0xFF},
                                    {"LinkSpeedActv", 0xFFFFFFFF},
                                    {"MTUCap", 0xFF},
                                    {"VLCap", 0xFF}});
    if (!rest) return tl::unexpected(rest.error());
    const auto [guid, lid, lmc, width, speed, mtu, vls] = *rest;
    PortRow port{lines_.line_number(), Guid((*needed)[0]), port_num((*needed)[1]), {}};
    FabricBuilder::PortSpec& spec = port.spec;
    if (guid != 0) spec.guid = Guid(guid);
    if (lid != 0 && lid != kLidPermissive.value())
      spec.lid = LidRange{Lid(static_cast<std::uint16_t>(lid)), static_cast<std::uint8_t>(lmc)};
    spec.width = width_of(width);
    spec.speed = speed_of_bits(speed);
    if (speed != 0 && !spec.speed)
      warnings_.add(lines_, "LinkSpeedActv: found {}, an unknown speed: ignored", speed);
    if (mtu >= 1 && mtu <= 5) spec.mtu_cap = static_cast<Mtu>(mtu);
    if (vls >= 1 && vls <= kDataVls.size()) spec.data_vls = kDataVls[vls - 1];
    ports_.push_back(port);
    return true;
  }

  RowResult enhanced_port0() {
    const auto needed = row_.all_numbers({{"NodeGUID", kAny}});
    if (!needed) return tl::unexpected(needed.error());
    const auto enhanced = row_.number("ENP0", 1);
    if (!enhanced) return tl::unexpected(enhanced.error());
    if (enhanced->value_or(0) == 1)
      enhanced_.emplace_back(lines_.line_number(), Guid((*needed)[0]));
    return true;
  }

  RowResult link() {
    const auto needed = row_.all_numbers(
        {{"NodeGuid1", kAny}, {"PortNum1", kPortMax}, {"NodeGuid2", kAny}, {"PortNum2", kPortMax}});
    if (!needed) return tl::unexpected(needed.error());
    const auto [a, a_port, b, b_port] = *needed;
    links_.push_back({lines_.line_number(), Guid(a), Guid(b), port_num(a_port), port_num(b_port)});
    return true;
  }

  static PortNum port_num(std::uint64_t value) { return PortNum(static_cast<std::uint8_t>(value)); }

  std::optional<FabricBuilder::NodeIndex> find(std::size_t line, Guid guid,
                                               std::string_view section) {
    const auto known = node_of_.find(guid.value());
    if (known != node_of_.end()) return known->second.first;
    warnings_.add(fmt::format("{}:{}: {}: section NODES has no node 0x{:016x}: left out",
                              lines_.path(), line, section, guid.value()));
    return std::nullopt;
  }

  void describe(const PortRow& row, FabricBuilder::NodeIndex node) {
    FabricBuilder::PortSpec spec = row.spec;
    // On a switch only port 0 has a LID and a GUID of its own.
    if (builder_.node(node).type == NodeType::kSwitch && row.num.value() != 0)
      spec.lid = std::nullopt, spec.guid = std::nullopt;
    if (const auto described = builder_.describe_port(node, row.num, spec); !described)
      warnings_.add(
          fmt::format("{}:{}: {}: left out", lines_.path(), row.line, described.error().message));
  }

  void add_link(const LinkRow& row) {
    const auto a = find(row.line, row.a, "LINKS");
    const auto b = find(row.line, row.b, "LINKS");
    if (!a || !b) return;
    if (const auto connected = builder_.connect(*a, row.a_port, *b, row.b_port); !connected)
      warnings_.add(fmt::format("{}:{}: the cable is left out: {}", lines_.path(), row.line,
                                connected.error().message));
  }

  static constexpr std::uint64_t kAny = ~std::uint64_t{0};

  const LineReader& lines_;
  FabricBuilder& builder_;
  Warnings& warnings_;
  Section section_ = Section::kNone;
  std::string section_name_;
  bool is_open_ = false;  // the current line is within a section, possibly a skipped one
  bool has_columns_ = false;
  bool has_links_ = false;
  Row row_;
  std::unordered_map<std::uint64_t, std::pair<FabricBuilder::NodeIndex, std::size_t>> node_of_;
  std::vector<PortRow> ports_;
  std::vector<std::pair<std::size_t, Guid>> enhanced_;
  std::vector<LinkRow> links_;
};

}  // namespace

bool looks_like_db_csv(std::string_view head) {
  return head.starts_with("START_") || head.find("\nSTART_") != std::string_view::npos;
}

Status read_db_csv(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                   Warnings& warnings) {
  DbCsv csv(lines, builder, warnings);
  std::string_view line;
  while (true) {
    const auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) return csv.finish();
    if (auto status = csv.take(line); !status) return status;
  }
}

}  // namespace weft
