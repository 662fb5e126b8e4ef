// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends JSON to an HTTP service by POST, with limits of time and size for its answer, of which only
// the status counts.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "service/config/alarm_settings.h"

namespace httplib {
class Client;
}

namespace weft {

struct PosterOptions {
  AlarmUrl url;
  std::string token;    // sent as a bearer token; empty: none
  std::string ca_file;  // empty: authorities of this machine
};

class JsonPoster {
 public:
  explicit JsonPoster(const PosterOptions& options);
  ~JsonPoster();

  /// Fails with kTimeout if another try may succeed: no connection, no answer in time, status 408,
  /// 429 or from 500 on. Fails with kRejected for other statuses beside 200 to 299. Messages name
  /// no URL and no token.
  Status post(const std::string& path, const std::string& body);
  /// Ends a post() of another thread.
  void stop();

 private:
  const std::unique_ptr<httplib::Client> client_;
};

}  // namespace weft
