// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: unhealthy ports.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "service/http/data/unhealthy_ports.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer unhealthy_ports(HttpContext&, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return json_answer(http_data::unhealthy_ports(
      *call.posted.status.unhealthy_ports, call.posted.settings->hm_unhealthy_ports_checks, *page));
}

HttpAnswer mark_healthy(HttpContext& context, const HttpCall& call) {
  const std::string_view text = call.rest;
  const std::size_t colon = text.find(':');
  const auto guid = parse_number<std::uint64_t>(text.substr(0, colon), 16);
  const auto port = colon == std::string_view::npos
                        ? std::nullopt
                        : parse_number<std::uint8_t>(text.substr(colon + 1));
  if (!guid || !port)
    return error_answer(400, fmt::format("found {}, expected GUID:PORT", weft::quoted(text)));
  const CableEnd end{Guid(*guid), PortNum(*port)};
  const PortHealth::Ports& known = *call.posted.status.unhealthy_ports;
  const bool is_known = std::ranges::any_of(
      known, [&](const auto& entry) { return entry.first == end || entry.second.port.far == end; });
  if (!is_known) return error_answer(404, fmt::format("{} is not unhealthy", text));
  if (!context.board.add_request({SmRequest::Kind::kMarkHealthy, 0, SmRequest::By::kHttp, end}))
    return error_answer(503, "too many pending requests");
  return json_answer({{"accepted", "healthy"}}, 202);
}

}  // namespace weft::http
