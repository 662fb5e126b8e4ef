// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibsim_net.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_records.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_write.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIncludeDepthMax = 16;
constexpr std::size_t kIncludesMax = 1000;

/// Reads one net and its included files.
class NetReader {
 public:
  NetReader(NetRecords& records, Warnings& warnings) : records_(records), warnings_(warnings) {}

  Status read(LineReader& lines) {
    std::error_code ignored;
    open_.push_back(fs::weakly_canonical(lines.path(), ignored).string());
    const auto statement = [&](NetLineKind kind, std::string_view line) -> Status {
      if (kind == NetLineKind::kInclude) return include(lines, line);
      if (kind != NetLineKind::kDo)
        return fail_at(lines,
                       "found {}, expected Switch, Hca, Ca, Rt, [port], name=value, include or do",
                       quote_net_text(trim(line)));
      warnings_.add(lines, "skipped: {}", quote_net_text(trim(line)));
      return {};
    };
    auto status = read_net_lines(lines, records_, statement);
    open_.pop_back();
    return status;
  }

 private:
  Status include(const LineReader& at, std::string_view line) {
    std::string_view name = trim(trim(line).substr(std::string_view("include").size()));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"')
      name = name.substr(1, name.size() - 2);
    if (name.empty()) return fail_at(at, "found no file name behind include");
    std::error_code ignored;
    fs::path path = fs::path(at.path()).parent_path() / fs::path(name);
    if (!fs::exists(path, ignored) && fs::exists(name, ignored)) path = name;
    const std::string real = fs::weakly_canonical(path, ignored).string();
    if (std::ranges::find(open_, real) != open_.end())
      return fail_at(at, "{} includes itself: found within {} files", path.string(), open_.size());
    if (open_.size() >= kIncludeDepthMax)
      return fail_at(at, "found an include within {} files, expected fewer than {}", open_.size(),
                     kIncludeDepthMax);
    if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
      return fail_at(at, "include: {} is not a file", path.string());
    if (++files_ > kIncludesMax) return fail_at(at, "found more than {} includes", kIncludesMax);
    auto included = LineReader::open(path.string());
    if (!included) return fail_at(at, "include: {}", included.error().message);
    return read(*included);
  }

  NetRecords& records_;
  Warnings& warnings_;
  std::vector<std::string> open_;  // files being read, outermost first
  std::size_t files_ = 0;
};

bool has_free_id(std::string_view id) {
  return id.size() < 2 || id[1] != '-' || std::string_view("SHR").find(id[0]) == std::string::npos;
}

}  // namespace

bool looks_like_ibsim_net(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    const NetLineKind kind = kind_of_net_line(line);
    if (kind == NetLineKind::kInclude) return true;
    if (kind != NetLineKind::kNode) continue;
    const auto node = parse_net_node(line);
    if (node && (has_free_id(node->id) || trim(line).starts_with("Hca"))) return true;
  }
  return false;
}

Status read_ibsim_net(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                      Warnings& warnings) {
  NetRecords records(builder, warnings);
  if (auto status = NetReader(records, warnings).read(lines); !status) return status;
  if (auto status = records.finish(lines.path()); !status) return status;
  for (std::uint32_t i = 0; i < builder.node_count(); ++i) {  // ibsim sets system GUIDs, too
    Node& node = builder.node(i);
    if (node.system_guid == Guid{}) node.system_guid = node.node_guid;
  }
  return {};
}

void write_ibsim_net(const Fabric& fabric, const Append& append) {
  append(fmt::format("# Net for ibsim, written by weft: {} switches, {} CAs, {} links\n",
                     fabric.switch_count(), fabric.ca_count(), fabric.link_count()));
  // The CA to write first: the first CA with a cable.
  NodeId first(0);
  for (const Endport& endport : fabric.endports().subspan(fabric.switch_count()))
    if (fabric.node(endport.node).type == NodeType::kCa) {
      first = endport.node;
      break;
    }
  const NetTextStyle style{LinkSpeed::kHdr};
  if (fabric.node_count() > 0) write_net_record(fabric, first, style, append);
  for (std::uint32_t i = 0; i < fabric.node_count(); ++i)
    if (NodeId(i) != first) write_net_record(fabric, NodeId(i), style, append);
}

}  // namespace weft
