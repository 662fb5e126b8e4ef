// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "base/text.h"
#include "service/console/console_access.h"
#include "service/console/console_server.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The client end of a console session.
class Client {
 public:
  explicit Client(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& text) const {
    EXPECT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// All output until the server closes the session.
  std::string rest() const {
    std::string all;
    std::array<char, 65536> piece{};
    ssize_t got = 0;
    while ((got = ::recv(fd_, piece.data(), piece.size(), 0)) > 0)
      all.append(piece.data(), static_cast<std::size_t>(got));
    return all;
  }
  int descriptor() const { return fd_; }
  std::string answers(const std::string& lines) const {
    send(lines);
    return rest();
  }

 private:
  const int fd_;
};

class ConsoleSessions : public testing::Test {
 protected:
  void start(ConsoleOptions options) {
    options.path = folder_ / "console";
    auto server = ConsoleServer::open(std::move(options), board_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    server_->start();
  }
  std::string path() const { return folder_ / "console"; }
  ConsoleOptions socket_options() const {
    ConsoleOptions options;
    options.path = path();
    return options;
  }

  const TempDir folder_;
  const Settings settings_;
  SmBoard board_{settings_};
  std::unique_ptr<ConsoleServer> server_;
};

std::string times(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST_F(ConsoleSessions, EndAtTheLimitOfUnsentOutput) {
  ConsoleOptions options;
  options.output_max = 300'000;
  start(options);
  constexpr std::size_t kLines = 300;  // read at once, and answered before output is sent
  const std::string all = Client(path()).answers(times(kLines, "dump_conf\n"));
  EXPECT_LT(all.size(), options.output_max + 100) << "the output was collected beyond the limit";
  const std::string few = Client(path()).answers(times(3, "dump_conf\n") + "quit\n");
  EXPECT_THAT(few, HasSubstr("weft $ #"));
  std::size_t found = 0;
  for (const std::string_view line : split(few, '\n')) found += line == "lmc 0" ? 1 : 0;
  EXPECT_EQ(found, 3u) << "a session below the limit receives all output";
}

TEST_F(ConsoleSessions, CanReceiveMoreThanTheLimitInParts) {
  ConsoleOptions options;
  options.output_max = 300'000;
  start(options);
  const Client client(path());
  std::size_t size = 0;
  for (int i = 0; i < 20; ++i) {
    client.send("dump_conf\n");
    std::array<char, 65536> piece{};
    std::string answer;
    while (!answer.ends_with("\nweft $ ")) {
      const ssize_t got = ::recv(client.descriptor(), piece.data(), piece.size(), 0);
      ASSERT_GT(got, 0);
      answer.append(piece.data(), static_cast<std::size_t>(got));
    }
    size += answer.size();
  }
  EXPECT_GT(size, options.output_max);
}

TEST_F(ConsoleSessions, AreClosedAtOnceAfterHttpRequests) {
  start({});
  for (const std::string request :
       {"POST / HTTP/1.1\r\nHost: x\r\n\r\nversion\n", "GET /\nversion\n", "x HTTP/1.0\nversion\n",
        "\x16\x03\x01\nversion\n"})
    EXPECT_EQ(Client(path()).answers(request), "weft $ ") << request;
  EXPECT_EQ(Client(path()).answers("GET /" + std::string(2000, 'x') + " HTTP/1.1\nversion\n"),
            "weft $ ");
  EXPECT_THAT(Client(path()).answers("version\nquit\n"), HasSubstr("Weft "));
}

TEST_F(ConsoleSessions, ContinueAfterALineThatIsTooLong) {
  start({});
  const std::string shown = Client(path()).answers(std::string(5000, 'x') + "\nversion\nquit\n");
  EXPECT_THAT(shown, HasSubstr("a line has at most 1024 bytes\n"));
  EXPECT_THAT(shown, HasSubstr("Weft "));
}

TEST_F(ConsoleSessions, SocketIsAccessibleToTheOwnerOnly) {
  start({});
  struct stat about {};
  ASSERT_EQ(::stat(path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  EXPECT_THAT(Client(path()).answers("dump_conf\nquit\n"), HasSubstr("\nsm_key 0x"));
  const auto second = ConsoleServer::open(socket_options(), board_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another process listens on it"));
  server_.reset();
  EXPECT_NE(::stat(path().c_str(), &about), 0) << "the socket was not removed";
}

TEST_F(ConsoleSessions, SocketIsNotCreatedInAFolderThatOthersCanWrite) {
  ::chmod(folder_.path().c_str(), 0777);
  const auto server = ConsoleServer::open(socket_options(), board_);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr("users other than its owner can write it"));
}

TEST(ConsoleOptions, TcpRequiresATokenAndUnixAnExistingGroup) {
  for (const char* where : {"loopback", "socket"}) {
    Settings settings;
    settings.console = where;
    const auto options = console_options(settings);
    ASSERT_FALSE(options) << where;
    EXPECT_EQ(options.error().code, Code::kUsage);
    EXPECT_THAT(options.error().message, HasSubstr("set console_token_file, or use 'unix'"));
  }
  Settings settings;
  settings.console = "unix";
  settings.console_group = "no such group";
  EXPECT_THAT(console_options(settings).error().message, HasSubstr("console_group"));
  settings.console_group = "root";
  const auto options = console_options(settings);
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->path, "/run/weft/console.sock");
}

TEST(ConsoleOptions, SecretValuesAreHiddenFromUntrustedSessions) {
  Settings settings;
  settings.event_plugin_options = "password=sesame";
  ConsoleView view;
  view.posted.settings = std::make_shared<const Settings>(settings);
  const std::string hidden = execute("dump_conf", view).text;
  for (const char* key : {"m_key", "sm_key", "sa_key", "cc_key", "event_plugin_options"})
    EXPECT_THAT(hidden, HasSubstr(fmt::format("# {} is not shown in this session", key)));
  EXPECT_THAT(hidden, Not(HasSubstr("sesame")));
  view.trusted = true;
  EXPECT_THAT(execute("dump_conf", view).text, HasSubstr("event_plugin_options password=sesame"));
}

}  // namespace
}  // namespace weft
