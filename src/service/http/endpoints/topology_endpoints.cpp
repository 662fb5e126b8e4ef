// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handler of the HTTP endpoint of topology findings.
#include <utility>

#include "service/http/data/topology.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer topology_findings(HttpContext& context, const HttpCall& call) {
  auto page = call.page();
  if (!page) return std::move(page.error());
  return from_snapshot(context, call, [&](const Snapshot& snapshot) {
    return http_data::topology_findings(snapshot.report, *page);
  });
}

}  // namespace weft::http
