// What systemd is told of a service of Type=notify: that it is ready, how it does, that it is
// alive. The protocol is datagrams to the socket that NOTIFY_SOCKET names (see sd_notify(3));
// without it nothing is said.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class Systemd {
 public:
  /// From NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, which are taken out of the environment:
  /// they are nobody else's.
  static Systemd from_environment();
  /// To the socket at a path, or in the abstract space behind '@'; empty: silence.
  Systemd(std::string socket, std::optional<std::chrono::microseconds> watchdog);
  ~Systemd();
  Systemd(Systemd&& other) noexcept;
  Systemd& operator=(Systemd&&) = delete;

  /// Once; later calls say nothing.
  void ready();
  /// The line that `systemctl status` shows; said where it differs from the last.
  void status(std::string_view text);
  void reloading();
  void reloaded();
  void stopping();
  /// To be called often: says so before half of the watchdog's time is over, and no more often.
  void alive();

 private:
  void say(std::string_view text) const;

  int fd_ = -1;
  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
  std::chrono::steady_clock::time_point next_alive_{};
  bool is_ready_ = false;
  std::string last_status_;
};

}  // namespace weft
