// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibnetdiscover/ibnetdiscover.h"

#include <algorithm>

#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_records.h"

namespace weft {
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
  const auto skip = [&](NetLineKind, std::string_view line) -> Status {
    if (!is_net_header(line)) warnings.add(lines, "skipped: {}", quote_net_text(line));
    return {};
  };
  if (auto status = read_net_lines(lines, records, skip); !status) return status;
  return records.finish(lines.path());
}

}  // namespace weft
