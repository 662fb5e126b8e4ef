// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of the HTTP endpoints.
#pragma once

#include <span>
#include <string_view>

#include "service/http/http_call.h"
#include "service/http/token.h"

namespace weft::http {

struct HttpEndpoint {
  std::string_view method;
  std::string_view path;     // ends with '/' if the rest of the path is a parameter
  std::string_view answers;  // the summary in openapi.json
  HttpAnswer (*run)(HttpContext& context, const HttpCall& call);
  Role role = Role::kRead;  // on a loopback listener every user has kRead
  bool quick = false;       // the answer takes only microseconds
  bool health = false;      // a health check or metrics, which is answered also in an overload
};

/// All endpoints.
std::span<const HttpEndpoint> endpoints();

}  // namespace weft::http
