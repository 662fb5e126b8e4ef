// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/no_response.h"

#include <httplib.h>

namespace weft {

std::string reason_without_response(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "no connection";
    case httplib::Error::ConnectionTimeout:
      return "no connection within the time limit";
    case httplib::Error::Write:
      return "request not sent completely";
    case httplib::Error::Read:
      return "no complete response";
    case httplib::Error::SSLConnection:
      return "no TLS connection";
    case httplib::Error::SSLLoadingCerts:
      return "certificates of authorities cannot be loaded";
    case httplib::Error::SSLServerVerification:
      return "certificate of the server not accepted";
    default:
      return httplib::to_string(error);
  }
}

}  // namespace weft
