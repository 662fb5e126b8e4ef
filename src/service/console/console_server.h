// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Console sessions on the terminal, on a socket of this machine, or over TCP. One thread serves all
// sessions. The thread reads published state from the board and adds requests to the board, so that
// a session cannot block the subnet manager.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/token_bucket.h"
#include "service/console/console.h"
#include "service/console/console_access.h"

namespace weft {

struct ConsoleOptions {
  enum class Where { kLocal, kUnix, kLoopback, kSocket };
  Where where = Where::kUnix;
  std::string path;            // path of the socket (kUnix)
  std::optional<gid_t> group;  // kUnix: members of this group may connect, too
  std::uint16_t port = 10000;  // TCP port; 0: any free port
  Secret token;                // first line that a TCP session must send
  std::string version;         // for ConsoleView
  std::vector<std::string> plugins;
  std::string dump_folder;  // used if dump_files_dir is the default; empty: no dump files
  std::size_t output_max = std::size_t{16} << 20;                   // unsent bytes of a session
  std::chrono::milliseconds idle_max = std::chrono::minutes(10);    // idle time of a socket session
  std::chrono::milliseconds silent_max = std::chrono::seconds(30);  // time to authenticate
  std::chrono::milliseconds loop_interval = std::chrono::seconds(10);  // interval of `status loop`
};

/// The options from the settings console and console_*; empty if the console is off. Fails with
/// kUsage for TCP without a token file and for an unknown group. Fails as read_administer_token()
/// and check_only_owner_writes() if the token file cannot be used.
Result<std::optional<ConsoleOptions>> console_options(const Settings& settings);

class ConsoleServer {
 public:
  static constexpr std::size_t kSessionsMax = 16;

  /// Listens on the socket or TCP port. Fails as listen_on_path() or listen_on_tcp(). `board` must
  /// outlive the server.
  static Result<std::unique_ptr<ConsoleServer>> open(ConsoleOptions options, SmBoard& board);
  /// Starts the thread; call after the daemon's fork.
  void start();
  ~ConsoleServer();
  ConsoleServer(const ConsoleServer&) = delete;
  ConsoleServer& operator=(const ConsoleServer&) = delete;

  /// The TCP port; 0 if the console does not use TCP.
  std::uint16_t port() const { return listener_.port; }

 private:
  struct Session;
  ConsoleServer(ConsoleOptions options, SmBoard& board, ConsoleListener listener);
  void serve();
  void wait();
  void admit();
  void read_from(Session& session);
  void take_line(Session& session, std::string line);
  void take_long_line(Session& session);
  void warn_seldom(std::string_view what);
  std::string write(const ConsoleAnswer::File& file) const;
  void carry_out(Session& session, const std::string& line);
  void write_to(Session& session);
  void check_timeouts(Session& session);
  ConsoleView view_of(const Session& session) const;

  const ConsoleOptions options_;
  SmBoard& board_;
  const ConsoleListener listener_;  // without descriptor if the console is a terminal
  int wake_[2] = {-1, -1};          // pipe that interrupts the thread's poll
  std::atomic<bool> ending_ = false;
  std::vector<std::unique_ptr<Session>> sessions_;
  TokenBucket warnings_{1, std::chrono::seconds(10)};
  std::size_t warnings_omitted_ = 0;
  std::thread thread_;
};

}  // namespace weft
