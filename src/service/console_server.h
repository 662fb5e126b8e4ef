// The console's sessions: at the terminal, or over TCP. One thread of its own serves all of them;
// it reads what the board shows and posts requests there, so that nothing that a session does or
// fails to do holds up the subnet manager.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "service/console.h"

namespace weft {

struct ConsoleOptions {
  enum class Where { kLocal, kLoopback, kSocket };
  Where where = Where::kLoopback;
  std::uint16_t port = 10000;  // 0: any that is free
  std::string token;           // sessions over TCP must say it first; empty: none is asked for
  std::string version;         // for ConsoleView
  std::vector<std::string> plugins;
  std::string dump_folder;  // where dump_files_dir has its default; empty: nothing is written
  std::chrono::milliseconds idle_max = std::chrono::minutes(10);       // of sessions over TCP
  std::chrono::milliseconds silent_max = std::chrono::seconds(30);     // until the token has come
  std::chrono::milliseconds loop_interval = std::chrono::seconds(10);  // of `status loop`
};

/// From the settings console, console_port and console_token_file; nothing where it is off. Fails
/// with kUsage for a socket without a token, and with kEnvironment or kBadInput where the token's
/// file cannot be read, may be read by others than its owner, or holds no token.
Result<std::optional<ConsoleOptions>> console_options(const Settings& settings);

class ConsoleServer {
 public:
  static constexpr std::size_t kSessionsMax = 16;
  static constexpr std::size_t kOutputMax = std::size_t{16} << 20;  // that a session has not read

  /// Takes the port. Fails with kEnvironment. `board` must live as long.
  static Result<std::unique_ptr<ConsoleServer>> open(ConsoleOptions options, SmBoard& board);
  /// From here on sessions are served; not to be called before a fork.
  void start();
  ~ConsoleServer();
  ConsoleServer(const ConsoleServer&) = delete;
  ConsoleServer& operator=(const ConsoleServer&) = delete;

  /// 0 at the terminal.
  std::uint16_t port() const { return port_; }

 private:
  struct Session;
  ConsoleServer(ConsoleOptions options, SmBoard& board, int listener, std::uint16_t port);
  void serve();
  void wait();
  void admit();
  void read_from(Session& session);
  void take_line(Session& session, std::string line);
  std::string write(const ConsoleAnswer::File& file) const;
  void carry_out(Session& session, const std::string& line);
  void write_to(Session& session);
  void look_at_clock(Session& session);
  ConsoleView view_of(const Session& session) const;

  const ConsoleOptions options_;
  SmBoard& board_;
  const int listener_;  // -1 at the terminal
  const std::uint16_t port_;
  int wake_[2] = {-1, -1};  // a pipe that ends the thread's wait
  std::atomic<bool> ending_ = false;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::thread thread_;
};

}  // namespace weft
