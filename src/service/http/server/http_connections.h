// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The connections of the HTTP server and their limits. Cuts connections that exceed a deadline or
// read too slowly, and cuts a connection if a new connection exceeds the limit. To cut a connection
// is to shut its socket down; the owner of the socket then closes the socket and calls closed().
// Thread-safe.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "service/http/server/http_limits.h"

namespace weft {

class HttpConnections {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase {
    kReading,    // waits for a request, or receives a request
    kAnswering,  // the answer is computed
    kSending,
    kStreaming,
  };

  explicit HttpConnections(const HttpLimits& limits, bool encrypted)
      : limits_(limits), encrypted_(encrypted) {}

  /// Counts a new connection. If there are too many connections, in all or from the address, cuts
  /// another connection: the connection that has waited longest for a request, or the slowest
  /// reader. Returns false if there is neither; for the limit of all connections, begin_answer()
  /// prevents this.
  bool admit(int fd, const sockaddr_storage& address);
  /// Removes the connection of a socket that is closed or will be closed.
  void closed(int fd);

  /// These functions set the phase and return false if the connection was cut. begin_answer() also
  /// returns false if connections_max answers are computed or streamed. For kPriority, the limit
  /// includes a quarter of the reserved connections, and for kHealthCheck half of them. The other
  /// half is for new connections.
  bool begin_answer(int fd, HttpPriority rank);
  bool begin_sending(int fd);
  bool end_answer(int fd);
  /// Also returns false if there are streams_max streams.
  bool begin_stream(int fd);
  bool is_cut(int fd) const;

  /// Cuts connections that exceed a deadline or are too slow, and streams that the peer has closed.
  void check_deadlines();
  /// Cuts a connection, as admit() does. Returns false if there is none to cut.
  bool make_room();
  /// Cuts the slowest reader of an answer that has been sent for slow_after or longer. Returns
  /// false if there is none.
  bool cut_lowest_rate();

  /// Number of connections that are not closed, including cut connections.
  std::size_t size() const;

 private:
  struct Connection {
    std::string address;  // IPv4 address, or 64-bit network of an IPv6 address; empty: this machine
    Phase phase = Phase::kReading;
    bool cut = false;
    Time since{};                // begin of the phase
    Time begun{};                // first byte of the request; kReading only
    std::uint64_t received = 0;  // bytes before the current request
    std::uint64_t sent = 0;      // acknowledged bytes at the begin of the answer
    std::uint64_t progress = 0;  // acknowledged bytes at the last check
    Time moved{};                // when `progress` last grew
  };
  using Entry = std::pair<const int, Connection>;

  Entry* worst(const std::string* address);
  Entry* slowest(const std::string* address, std::chrono::milliseconds age_min);
  double rate(const Connection& connection, Time now) const;
  void cut(Entry& entry, bool is_late = false);
  void check(Entry& entry, Time now);
  void check_request(Entry& entry, std::uint64_t received, Time now);
  void check_sending(Entry& entry, bool pending, Time now);
  Connection* find(int fd);
  std::size_t uncut(const std::string* address) const;
  std::size_t busy() const;

  const HttpLimits limits_;
  const bool encrypted_;
  mutable std::mutex mutex_;
  std::map<int, Connection> connections_;  // by socket
};

}  // namespace weft
