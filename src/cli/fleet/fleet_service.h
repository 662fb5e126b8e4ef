// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The HTTP service of `weft fleet`: state, alarms, events and search of all managers, and a page.
#pragma once

#include <memory>
#include <mutex>

#include "cli/fleet/fleet.h"
#include "service/http/http_message.h"
#include "service/http_options.h"

namespace weft::cli {

class FleetService {
 public:
  /// `fleet` and `options` must outlive this object.
  FleetService(const Fleet& fleet, const HttpOptions& options) : fleet_(fleet), options_(options) {}

  /// Thread-safe. Serves requests that only read. If the service listens on an address other than
  /// loopback, requests for data require a token; /healthz and the page files do not.
  HttpAnswer answer(const HttpRequest& request);

 private:
  HttpAnswer answer_authorized(const HttpRequest& request);
  HttpAnswer search(const HttpRequest& request);

  const Fleet& fleet_;
  const HttpOptions& options_;
  std::mutex search_mutex_;  // one search at a time queries the managers
};

}  // namespace weft::cli
