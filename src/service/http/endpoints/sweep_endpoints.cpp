// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: requests for sweeps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer sweep(HttpContext& context, const HttpCall& call) {
  using Kind = SmRequest::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 3> kKinds{
      {{"heavy", Kind::kHeavySweep}, {"light", Kind::kLightSweep}, {"reroute", Kind::kReroute}}};
  std::string wanted = "heavy";
  if (!trim(call.request.body).empty()) {
    const Json body = Json::parse(call.request.body, nullptr, false);
    if (!body.is_object() || body.size() > 1 ||
        (body.size() == 1 && (!body.contains("kind") || !body["kind"].is_string())))
      return error_answer(400,
                          "expected a JSON object such as {\"kind\": \"heavy\"}, or an empty body");
    wanted = body.value("kind", wanted);
  }
  const auto found = std::ranges::find(kKinds, wanted, [](const auto& kind) { return kind.first; });
  if (found == kKinds.end())
    return error_answer(
        400, fmt::format("kind: found {}, expected heavy, light or reroute", weft::quoted(wanted)));
  if (!call.posted.status.sweeping) return error_answer(409, "sweeps are disabled");
  if (call.posted.status.state != SmState::kMaster)
    return error_answer(409, "only the master sweeps");
  if (!context.board.add_request({found->second, 0, SmRequest::By::kHttp}))
    return error_answer(503, "too many pending requests");
  return json_answer({{"accepted", wanted}}, 202);
}

}  // namespace weft::http
