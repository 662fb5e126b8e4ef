// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The HTTP process: handles sockets, TLS, request heads, page files and event streams. The manager
// checks the token of each request and computes the response. The process has no keys except the
// key of its certificate, no list of tokens and no descriptor of umad, and opens no files after its
// start.
#pragma once

#include "service/front/front_channel.h"

namespace weft::front {

/// Serves until the manager closes the channel or sends an invalid message, and then ends the
/// process with status 0. Returns the exit status 1 if the process cannot start to serve.
int run_http_process(Descriptor channel, bool restricted);

}  // namespace weft::front
