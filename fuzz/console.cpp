// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Executes any bytes as lines of a console session on a small routed fabric. The values of requests
// to the manager are in their ranges, the names of files have no folder, and the output of a line
// has at most 1 MiB.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "fuzz_target.h"
#include "routing/engine.h"
#include "service/console/console.h"
#include "small_fabric.h"

namespace {

weft::ConsoleView small_view() {
  weft::ConsoleView view;
  view.posted.settings = std::make_shared<const weft::Settings>();
  weft::Fabric fabric = small_fabric();
  auto routes = weft::find_engine("minhop")->run(fabric, {});
  CHECK(routes.has_value());
  view.posted.snapshot = std::make_shared<const weft::Snapshot>(
      weft::Snapshot{std::move(fabric), std::move(*routes), {}, {}, weft::EndportId(0), 1, {}});
  return view;
}

bool is_valid(const weft::SmRequest& request) {
  using Kind = weft::SmRequest::Kind;
  if (request.kind == Kind::kPriority) return request.value <= 15;
  if (request.kind == Kind::kLogFlags) return request.value <= 0xFF;
  return request.value <= 1;
}

}  // namespace

WEFT_FUZZ_TARGET(console, data, size) {
  static const weft::ConsoleView view = small_view();
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  for (const std::string_view line : weft::split(all, '\n')) {
    const weft::ConsoleAnswer answer = weft::execute(line, view);
    for (const weft::SmRequest& request : answer.requests)
      if (!is_valid(request)) std::abort();
    for (const auto& file : answer.files)
      if (file.name.empty() || file.name.find('/') != std::string::npos || file.name == "..")
        std::abort();
    if (answer.text.size() > 1 << 20) std::abort();
  }
  return 0;
}
