// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The HTTP process: sockets, TLS, the heads of requests, the files of the page and event streams.
// It has no keys except that of its certificate, no tokens and no descriptor of umad, and opens no
// files: the manager checks the token of each request and computes the answer.
#pragma once

#include "service/front/front_channel.h"

namespace weft::front {

/// Serves until the manager closes the channel; returns the exit status.
int run_http_process(Descriptor channel, bool restricted);

}  // namespace weft::front
