// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: virtual ports.
#include <utility>

#include "base/text.h"
#include "service/http/data/vports.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer vports(HttpContext& context, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  std::optional<Guid> host;
  if (const std::string_view text = call.text("host"); !text.empty()) {
    const auto guid =
        parse_number<std::uint64_t>(text.starts_with("0x") ? text.substr(2) : text, 16);
    if (!guid) return not_a_guid(text);
    host = Guid(*guid);
  }
  return from_snapshot(context, call, [&](const Snapshot& snapshot) {
    return http_data::vports(snapshot, host, *page);
  });
}

}  // namespace weft::http
