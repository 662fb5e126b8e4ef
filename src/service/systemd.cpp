// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/systemd.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace weft {
namespace {

std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);
  return text;
}

long long monotonic_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

Systemd Systemd::from_environment() {
  std::string socket = take_variable("NOTIFY_SOCKET");
  const auto microseconds = parse_number<std::int64_t>(take_variable("WATCHDOG_USEC"));
  const auto pid = parse_number<pid_t>(take_variable("WATCHDOG_PID"));
  std::optional<std::chrono::microseconds> watchdog;
  if (microseconds && *microseconds > 0 && (!pid || *pid == ::getpid()))
    watchdog.emplace(*microseconds);
  return {std::move(socket), watchdog};
}

Systemd::Systemd(std::string socket, std::optional<std::chrono::microseconds> watchdog)
    : socket_(std::move(socket)), watchdog_(watchdog) {
  const bool usable = !socket_.empty() && socket_.size() < sizeof(sockaddr_un::sun_path);
  if (usable) fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

Systemd::~Systemd() {
  if (fd_ >= 0) ::close(fd_);
}

Systemd::Systemd(Systemd&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      socket_(std::move(other.socket_)),
      watchdog_(other.watchdog_),
      next_alive_(other.next_alive_),
      is_ready_(other.is_ready_),
      last_status_(std::move(other.last_status_)) {}

/// Sends a datagram; never blocks. If the socket is full, the datagram is lost.
void Systemd::send(std::string_view text) const {
  if (fd_ < 0) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)::sendto(fd_, text.data(), text.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), size);
}

void Systemd::ready() {
  if (!std::exchange(is_ready_, true)) send("READY=1");
}

void Systemd::status(std::string_view text) {
  if (text == last_status_) return;
  last_status_ = text;
  send("STATUS=" + last_status_);
}

void Systemd::reloading() { send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_us())); }

void Systemd::reloaded() {
  if (is_ready_) send("READY=1");
}

void Systemd::stopping() { send("STOPPING=1"); }

void Systemd::alive() {
  if (!watchdog_ || fd_ < 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_alive_) return;
  next_alive_ = now + *watchdog_ / 4;
  send("WATCHDOG=1");
}

}  // namespace weft
