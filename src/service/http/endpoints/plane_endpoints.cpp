// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: planes and aggregated ports.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "service/http/data/planes.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer aports(HttpContext& context, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  std::optional<NodeId> node;
  if (const std::string_view text = call.text("node"); !text.empty()) {
    const auto guid =
        parse_number<std::uint64_t>(text.starts_with("0x") ? text.substr(2) : text, 16);
    if (!guid) return not_a_guid(text);
    if (!call.posted.snapshot) return no_data_yet();
    node = call.posted.snapshot->fabric.find_node(Guid(*guid));
    if (!node) return error_answer(404, fmt::format("no node has GUID {:#018x}", *guid));
  }
  return from_snapshot(context, call, [&](const Snapshot& snapshot) {
    return http_data::aports(snapshot, node, *page);
  });
}

HttpAnswer planes(HttpContext& context, const HttpCall& call) {
  return from_snapshot(context, call,
                       [](const Snapshot& snapshot) { return http_data::planes(snapshot); });
}

}  // namespace weft::http
