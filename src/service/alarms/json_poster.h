// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends JSON to an HTTP service by POST. The time and size of the response are limited; only its
// status is evaluated.
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
  std::string token;    // sent as a bearer token; empty: no token
  std::string ca_file;  // empty: the certificate authorities of the machine
};

class JsonPoster {
 public:
  explicit JsonPoster(const PosterOptions& options);
  ~JsonPoster();

  /// Fails with kTimeout if a retry may succeed: unusable certificates, no connection, no response
  /// within the limits of time and size, or status 408, 429, or 500 and above. Fails with kRejected
  /// for other statuses outside 200 to 299. Messages contain neither the URL nor the token.
  Status post(const std::string& path, const std::string& body);
  /// Aborts a post() on another thread.
  void stop();

 private:
  const std::unique_ptr<httplib::Client> client_;
};

}  // namespace weft
