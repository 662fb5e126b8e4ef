// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Limits of the HTTP server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weft {

/// Priority of a request in an overload: the page and metrics (kPriority) are served while ordinary
/// requests are refused, and health checks (/healthz, /readyz) while both other kinds are refused.
enum class HttpPriority : std::uint8_t { kOrdinary, kPriority, kHealthCheck };

struct HttpLimits {
  std::chrono::milliseconds request_max = std::chrono::seconds(10);  // first to last request byte
  std::chrono::milliseconds idle_max = std::chrono::seconds(60);     // time between requests
  std::chrono::milliseconds stuck_max = std::chrono::seconds(30);    // time without acknowledgement
  std::chrono::milliseconds answer_max = std::chrono::minutes(5);    // first to last answer byte
  std::chrono::milliseconds rate_after = std::chrono::seconds(10);   // time until rate_min applies
  std::size_t rate_min = 16384;                                      // bytes/s of an answer
  /// Age of an answer from which a slow reader may be cut for a new connection. At the limit of all
  /// connections, a younger answer is cut if there is no other connection to cut.
  std::chrono::milliseconds slow_after = std::chrono::seconds(1);
  std::chrono::milliseconds penalty = std::chrono::seconds(1);  // delay after a wrong token

  std::size_t connections_max = 256;
  std::size_t reserved = 16;         // more connections, for higher priorities and new connections
  std::size_t per_address_max = 64;  // connections from one address of another machine
  std::size_t streams_max = 64;
  std::size_t waiting_max = 64;                    // requests that wait for the subnet manager
  std::size_t bodies_max = std::size_t{64} << 20;  // bytes of bodies that are being sent
  std::size_t kernel_bytes_max = std::size_t{1}
                                 << 16;  // unsent bytes of one connection in the kernel
};

}  // namespace weft
