// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notifications to systemd for a service of Type=notify: readiness, status line, watchdog. Sent as
// datagrams to the socket that NOTIFY_SOCKET names, see sd_notify(3); without it nothing is sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class Systemd {
 public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and removes them from the environment, so
  /// that child processes do not inherit them.
  static Systemd from_environment();
  /// `socket`: a path, or a name in the abstract namespace after '@'; empty: send nothing.
  Systemd(std::string socket, std::optional<std::chrono::microseconds> watchdog);
  ~Systemd();
  Systemd(Systemd&& other) noexcept;
  Systemd& operator=(Systemd&&) = delete;

  /// Sends only at the first call.
  void ready();
  /// The line that `systemctl status` shows; sent if it differs from the last.
  void status(std::string_view text);
  void reloading();
  void reloaded();
  void stopping();
  /// Call often: sends WATCHDOG=1 at most twice per watchdog interval.
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
