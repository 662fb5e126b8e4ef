#include "fabric/formats/ibnetdiscover.h"

#include <algorithm>

#include "fabric/formats/ibnetdiscover_line.h"
#include "fabric/formats/ibnetdiscover_records.h"

namespace weft {
namespace {

std::string at_line(const LineReader& lines, const Error& error) {
  return fmt::format("{}:{}: {}", lines.path(), lines.line_number(), error.message);
}

Status take_line(const LineReader& lines, std::string_view line, NetRecords& records,
                 Warnings& warnings) {
  switch (kind_of_net_line(line)) {
    case NetLineKind::kBlank:
      return {};
    case NetLineKind::kNode: {
      auto node = parse_net_node(line);
      if (!node) return fail(Code::kBadInput, "{}", at_line(lines, node.error()));
      return records.node(lines, *node);
    }
    case NetLineKind::kPort: {
      auto port = parse_net_port(line);
      if (!port) return fail(Code::kBadInput, "{}", at_line(lines, port.error()));
      return records.port(lines, *port);
    }
    case NetLineKind::kKey:
      return records.key(lines, parse_net_key(line));
    case NetLineKind::kInclude:
    case NetLineKind::kDo:
    case NetLineKind::kChatter:
      break;
  }
  if (!is_net_headline(line)) warnings.add(lines, "skipped: {}", quote_net_text(line));
  return {};
}

}  // namespace

bool looks_like_ibnetdiscover(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    const NetLineKind kind = kind_of_net_line(line);
    if (kind == NetLineKind::kNode && parse_net_node(line)) return true;
    if (kind == NetLineKind::kKey) return true;
    head.remove_prefix(std::min(head.size(), line.size() + 1));
  }
  return false;
}

Status read_ibnetdiscover(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                          Warnings& warnings) {
  NetRecords records(builder, warnings);
  std::string_view line;
  while (true) {
    auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) return records.finish(lines.path());
    while (true) {  // carriage returns end lines too
      const std::size_t end = line.find('\r');
      if (auto status = take_line(lines, line.substr(0, end), records, warnings); !status)
        return status;
      if (end == std::string_view::npos) break;
      line.remove_prefix(end + 1);
    }
  }
}

}  // namespace weft
