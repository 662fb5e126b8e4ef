// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The reason why an HTTP client received no response, for messages.
#pragma once

#include <string>

namespace httplib {
enum class Error;
}

namespace weft {

/// For example "no connection within the time limit".
std::string reason_without_response(httplib::Error error);

}  // namespace weft
