// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/systemd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::StartsWith;
using namespace std::chrono_literals;

/// A socket that receives the notifications instead of systemd.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~NotifySocket() { ::close(fd_); }
  std::vector<std::string> received_messages() const {
    std::vector<std::string> all;
    std::array<char, 512> buffer{};
    for (ssize_t got = 0; (got = ::recv(fd_, buffer.data(), buffer.size(), 0)) > 0;)
      all.emplace_back(buffer.data(), static_cast<std::size_t>(got));
    return all;
  }

 private:
  int fd_;
};

TEST(Systemd, SendsReadyOnceAndTheStatusIfItHasChanged) {
  const TempDir folder;
  const NotifySocket listener(folder / "notify");
  Systemd systemd(folder / "notify", std::nullopt);
  systemd.reloaded();  // ignored before ready()
  systemd.ready();
  systemd.ready();
  systemd.status("up");
  systemd.status("up");
  systemd.status("down");
  systemd.alive();
  EXPECT_THAT(listener.received_messages(), ElementsAre("READY=1", "STATUS=up", "STATUS=down"));
  systemd.reloading();
  systemd.reloaded();
  systemd.stopping();
  EXPECT_THAT(listener.received_messages(),
              ElementsAre(StartsWith("RELOADING=1\nMONOTONIC_USEC="), "READY=1", "STOPPING=1"));
}

TEST(Systemd, WatchdogNotificationsAreRateLimited) {
  const TempDir folder;
  const NotifySocket listener(folder / "notify");
  Systemd slow(folder / "notify", 1h);
  slow.alive();
  slow.alive();
  EXPECT_THAT(listener.received_messages(), ElementsAre("WATCHDOG=1"));
  Systemd quick(folder / "notify", 4ms);
  quick.alive();
  std::this_thread::sleep_for(2ms);
  quick.alive();
  EXPECT_THAT(listener.received_messages(), ElementsAre("WATCHDOG=1", "WATCHDOG=1"));
}

TEST(Systemd, RemovesTheEnvironmentVariables) {
  const TempDir folder;
  const NotifySocket listener(folder / "notify");
  ::setenv("NOTIFY_SOCKET", (folder / "notify").c_str(), 1);
  ::setenv("WATCHDOG_USEC", "1000000", 1);
  ::setenv("WATCHDOG_PID", "1", 1);  // for another process
  Systemd systemd = Systemd::from_environment();
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  systemd.ready();
  systemd.alive();
  EXPECT_THAT(listener.received_messages(), ElementsAre("READY=1"));
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

TEST(Systemd, OpensNoSocketWithoutAValidName) {
  const TempDir folder;
  const std::ptrdiff_t before = open_descriptors();
  Systemd without_name("", 1ms);
  Systemd long_name(folder / std::string(108, 'x'), 1ms);  // longer than an address can hold
  EXPECT_EQ(open_descriptors(), before);
  for (Systemd* systemd : {&without_name, &long_name}) {
    systemd->ready();
    systemd->status("up");
    systemd->alive();
    systemd->stopping();
  }
  EXPECT_EQ(open_descriptors(), before);
  {
    Systemd usable(folder / "notify", 1ms);
    EXPECT_EQ(open_descriptors(), before + 1);
    Systemd moved(std::move(usable));
    EXPECT_EQ(open_descriptors(), before + 1);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Systemd, SendsNotificationsOnceAReceiverExists) {
  const TempDir folder;
  Systemd systemd(folder / "notify", 1h);
  systemd.ready();
  systemd.status("up");
  const NotifySocket listener(folder / "notify");
  systemd.status("down");
  systemd.alive();
  EXPECT_THAT(listener.received_messages(), ElementsAre("STATUS=down", "WATCHDOG=1"));
}

}  // namespace
}  // namespace weft
