// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notifications to systemd for a service of Type=notify: readiness, status line, watchdog. They are
// datagrams to the socket in NOTIFY_SOCKET (sd_notify(3)). Without this variable, nothing is sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class Systemd {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and removes these variables from the
  /// environment, so that child processes do not inherit them.
  static Systemd from_environment();
  /// `socket`: a path, or '@' and a name in the abstract namespace; empty: send nothing.
  /// `watchdog`: interval of the watchdog.
  Systemd(std::string socket, std::optional<std::chrono::microseconds> watchdog);
  ~Systemd();
  Systemd(Systemd&& other) noexcept;
  Systemd& operator=(Systemd&&) = delete;

  /// Sends READY=1 at the first call.
  void ready();
  /// Sets the line that `systemctl status` shows; sends it only if it has changed.
  void status(std::string_view text);
  void reloading();
  void reloaded();
  void stopping();
  /// Sends WATCHDOG=1, at most once in a quarter of the watchdog interval. Call at least twice in
  /// each interval.
  void alive();

 private:
  void send(std::string_view text) const;

  int fd_ = -1;
  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
  std::chrono::steady_clock::time_point next_alive_{};
  bool is_ready_ = false;
  std::string last_status_;
};

}  // namespace weft
