// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The connections of the HTTP server: accepts connections, cuts those that exceed a deadline or
// read too slowly, and cuts one if a new connection needs its place. A connection is cut by
// shutting its socket down; its owner then closes it and calls closed(). Thread-safe.
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
    kReading,    // waits for a request, or receives one
    kAnswering,  // the answer to its request is computed
    kSending,
    kStreaming,
  };

  explicit HttpConnections(const HttpLimits& limits, bool encrypted)
      : limits_(limits), encrypted_(encrypted) {}

  /// Counts a new connection. If all places are taken, cuts another connection: the one that has
  /// waited for the longest time without a request, or the slowest reader. False if there is
  /// neither, which begin_answer() prevents.
  bool admit(int fd, const sockaddr_storage& address);
  /// Removes the connection of a socket that is about to be closed or was never used.
  void closed(int fd);

  /// The next functions return false if the connection was cut. begin_answer() also returns false
  /// if the answers that are computed or streamed have taken all places except the reserved ones.
  /// Vital requests may take a quarter of the reserved places too, and health checks a further
  /// quarter; the rest is left to new connections.
  bool begin_answer(int fd, HttpRank rank);
  bool begin_sending(int fd);
  bool end_answer(int fd);
  /// Begins a stream. Also returns false if there are too many streams.
  bool begin_stream(int fd);
  bool is_cut(int fd) const;

  /// Cuts connections that exceed a deadline, and streams that the peer has closed.
  void check_deadlines();
  /// Cuts one connection, as admit() does. False if there is none.
  bool make_room();
  /// Cuts the slowest reader of an answer. False if there is none.
  bool cut_lowest_rate();

  /// Connections that are not closed yet, cut or not.
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
