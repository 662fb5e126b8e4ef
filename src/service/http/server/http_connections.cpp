// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/server/http_connections.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include <algorithm>

#include "service/http/http_message.h"

namespace weft {
namespace {

/// State of a TCP connection from the kernel, which is exact also for encrypted connections.
struct TcpState {
  std::uint64_t received = 0;
  std::uint64_t acknowledged = 0;
  bool pending = false;       // the peer has not acknowledged all bytes
  bool is_peer_gone = false;  // the peer has closed the connection
};

TcpState tcp_state(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  TcpState state;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return state;
  state.received = info.tcpi_bytes_received;
  state.acknowledged = info.tcpi_bytes_acked;
  constexpr unsigned kEstablished = 1;  // TCP_ESTABLISHED of the kernel
  state.is_peer_gone = info.tcpi_state != kEstablished;
  int unsent = 0;
  state.pending = ::ioctl(fd, SIOCOUTQ, &unsent) == 0 && unsent > 0;
  return state;
}

/// The address without port. For IPv6, the network of 64 bits, because a host can use any address
/// of its network. Empty for this machine, because its users share the address.
std::string address_key(const sockaddr_storage& address) {
  constexpr std::size_t kNetworkBytes = 8;
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    if (IN6_IS_ADDR_LOOPBACK(&v6)) return {};
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      constexpr std::size_t kV4At = 12;
      if (v6.s6_addr[kV4At] == 127) return {};
      return {reinterpret_cast<const char*>(v6.s6_addr) + kV4At, sizeof v6.s6_addr - kV4At};
    }
    return {reinterpret_cast<const char*>(v6.s6_addr), kNetworkBytes};
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (ntohl(v4.s_addr) >> 24 == 127) return {};
  return {reinterpret_cast<const char*>(&v4.s_addr), sizeof v4.s_addr};
}

}  // namespace

HttpConnections::Connection* HttpConnections::find(int fd) {
  const auto found = connections_.find(fd);
  return found == connections_.end() ? nullptr : &found->second;
}

std::size_t HttpConnections::uncut(const std::string* address) const {
  return static_cast<std::size_t>(std::ranges::count_if(connections_, [&](const Entry& entry) {
    return !entry.second.cut && (address == nullptr || entry.second.address == *address);
  }));
}

/// Number of connections that cannot be cut for a new connection.
std::size_t HttpConnections::busy() const {
  return static_cast<std::size_t>(std::ranges::count_if(connections_, [](const Entry& entry) {
    const Connection& connection = entry.second;
    return !connection.cut &&
           (connection.phase == Phase::kAnswering || connection.phase == Phase::kStreaming);
  }));
}

bool HttpConnections::admit(int fd, const sockaddr_storage& from) {
  const std::lock_guard lock(mutex_);
  Connection connection;
  connection.address = address_key(from);
  connection.since = std::chrono::steady_clock::now();
  if (!connection.address.empty() && uncut(&connection.address) >= limits_.per_address_max) {
    Entry* const other = worst(&connection.address);
    if (other == nullptr) return false;
    cut(*other);
  }
  if (uncut(nullptr) >= limits_.connections_max + limits_.reserved) {
    Entry* other = worst(nullptr);
    if (other == nullptr) other = slowest(nullptr, {});
    if (other == nullptr) return false;
    cut(*other);
  }
  connections_.emplace(fd, std::move(connection));
  return true;
}

void HttpConnections::closed(int fd) {
  const std::lock_guard lock(mutex_);
  connections_.erase(fd);
}

bool HttpConnections::begin_answer(int fd, HttpPriority rank) {
  const std::lock_guard lock(mutex_);
  Connection* const connection = find(fd);
  if (connection == nullptr || connection->cut) return false;
  const std::size_t quarters = static_cast<std::size_t>(rank);
  if (busy() >= limits_.connections_max + limits_.reserved * quarters / 4) return false;
  connection->phase = Phase::kAnswering;
  connection->since = std::chrono::steady_clock::now();
  return true;
}

bool HttpConnections::begin_sending(int fd) {
  const std::lock_guard lock(mutex_);
  Connection* const connection = find(fd);
  if (connection == nullptr || connection->cut) return false;
  connection->phase = Phase::kSending;
  connection->since = connection->moved = std::chrono::steady_clock::now();
  connection->sent = connection->progress = tcp_state(fd).acknowledged;
  return true;
}

bool HttpConnections::begin_stream(int fd) {
  const std::lock_guard lock(mutex_);
  Connection* const connection = find(fd);
  if (connection == nullptr || connection->cut) return false;
  const auto streams = std::ranges::count_if(connections_, [](const Entry& entry) {
    return entry.second.phase == Phase::kStreaming && !entry.second.cut;
  });
  if (streams >= static_cast<std::ptrdiff_t>(limits_.streams_max)) return false;
  connection->phase = Phase::kStreaming;
  connection->since = connection->moved = std::chrono::steady_clock::now();
  return true;
}

bool HttpConnections::end_answer(int fd) {
  const std::lock_guard lock(mutex_);
  Connection* const connection = find(fd);
  if (connection == nullptr || connection->cut) return false;
  connection->phase = Phase::kReading;
  connection->since = std::chrono::steady_clock::now();
  connection->begun = {};
  connection->received = tcp_state(fd).received;
  return true;
}

bool HttpConnections::is_cut(int fd) const {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(fd);
  return found == connections_.end() || found->second.cut;
}

/// Shuts a connection down. `is_late`: the request is late; sends status 408 if the connection is
/// not encrypted.
void HttpConnections::cut(Entry& entry, bool is_late) {
  auto& [fd, connection] = entry;
  if (is_late && !encrypted_) {
    const std::string bytes = refusal_bytes(408);
    (void)!::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  connection.cut = true;
  (void)::shutdown(fd, SHUT_RDWR);
}

HttpConnections::Entry* HttpConnections::worst(const std::string* address) {
  Entry* oldest = nullptr;
  for (Entry& entry : connections_) {
    const Connection& connection = entry.second;
    if (connection.cut || connection.phase != Phase::kReading) continue;
    if (address != nullptr && connection.address != *address) continue;
    if (oldest == nullptr || connection.since < oldest->second.since) oldest = &entry;
  }
  return oldest != nullptr ? oldest : slowest(address, limits_.slow_after);
}

double HttpConnections::rate(const Connection& connection, Time now) const {
  const std::chrono::duration<double> took = now - connection.since;
  return static_cast<double>(connection.progress - connection.sent) / std::max(took.count(), 1e-3);
}

HttpConnections::Entry* HttpConnections::slowest(const std::string* address,
                                                 std::chrono::milliseconds age_min) {
  const Time now = std::chrono::steady_clock::now();
  Entry* found = nullptr;
  for (Entry& entry : connections_) {
    const Connection& connection = entry.second;
    if (connection.cut || connection.phase != Phase::kSending) continue;
    if (address != nullptr && connection.address != *address) continue;
    if (now - connection.since < age_min) continue;
    if (found == nullptr || rate(connection, now) < rate(found->second, now)) found = &entry;
  }
  return found;
}

bool HttpConnections::make_room() {
  const std::lock_guard lock(mutex_);
  Entry* const found = worst(nullptr);
  if (found != nullptr) cut(*found);
  return found != nullptr;
}

bool HttpConnections::cut_lowest_rate() {
  const std::lock_guard lock(mutex_);
  Entry* const found = slowest(nullptr, limits_.slow_after);
  if (found != nullptr) cut(*found);
  return found != nullptr;
}

void HttpConnections::check_deadlines() {
  const std::lock_guard lock(mutex_);
  const Time now = std::chrono::steady_clock::now();
  for (Entry& entry : connections_)
    if (!entry.second.cut && entry.second.phase != Phase::kAnswering) check(entry, now);
}

void HttpConnections::check(Entry& entry, Time now) {
  Connection& connection = entry.second;
  const TcpState state = tcp_state(entry.first);
  if (state.acknowledged > connection.progress || !state.pending) connection.moved = now;
  connection.progress = std::max(connection.progress, state.acknowledged);
  if (connection.phase == Phase::kReading) return check_request(entry, state.received, now);
  if (connection.phase == Phase::kStreaming && state.is_peer_gone) return cut(entry);
  check_sending(entry, state.pending, now);
}

void HttpConnections::check_request(Entry& entry, std::uint64_t received, Time now) {
  Connection& connection = entry.second;
  if (connection.begun == Time{} && received > connection.received) connection.begun = now;
  if (connection.begun != Time{}) {
    if (now - connection.begun > limits_.request_max) cut(entry, true);
  } else if (now - connection.since > limits_.idle_max) {
    cut(entry);
  }
}

void HttpConnections::check_sending(Entry& entry, bool pending, Time now) {
  const Connection& connection = entry.second;
  if (pending && now - connection.moved > limits_.stuck_max) return cut(entry);
  if (connection.phase != Phase::kSending) return;
  const auto took = now - connection.since;
  const bool is_slow =
      took > limits_.rate_after && rate(connection, now) < static_cast<double>(limits_.rate_min);
  if (took > limits_.answer_max || is_slow) cut(entry);
}

std::size_t HttpConnections::size() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

}  // namespace weft
