// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/console/console_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "base/secure_path.h"
#include "base/text.h"
#include "service/http/token.h"

namespace weft {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view kPrompt = "weft $ ";
constexpr std::string_view kTokenPrompt = "token: ";
constexpr std::size_t kPiece = 4096;  // a pipe that is ready for writing accepts this many bytes
constexpr int kConsoleTickMs = 250;
constexpr auto kPenalty = std::chrono::seconds(1);  // delay after a wrong token

constexpr std::string_view kFileFolder = "console";  // subfolder of the dump folder

/// Path of the socket in the runtime directory of the service.
std::string default_socket() {
  const char* folder = std::getenv("RUNTIME_DIRECTORY");  // from systemd; folders separated by ':'
  const std::string_view all = folder == nullptr ? "" : folder;
  const std::string_view first = all.substr(0, all.find(':'));
  return std::string(first.empty() ? "/run/weft" : first) + "/console.sock";
}

}  // namespace

struct ConsoleServer::Session {
  Session(int in, int out, bool is_local)
      : input(in), output(out), local(is_local), last_input(SteadyClock::now()) {}
  ~Session() {
    if (!local) ::close(input);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const int input;
  const int output;
  const bool local;
  bool admitted = false;   // has sent the token, or has accepted credentials, or is the terminal
  bool trusted = false;    // may read secret keys
  bool skipping = false;   // the rest of an oversized line is discarded
  bool finishing = false;  // to be closed when all output is written
  bool closed = false;
  std::string line;     // received part of the next line
  std::string unsent;   // output not yet written
  std::string looping;  // command line to repeat; empty: none
  SteadyClock::time_point next_loop{};
  SteadyClock::time_point last_input;
  std::optional<SteadyClock::time_point> close_at;  // set after a wrong token

  void print(std::string_view text) { unsent += text; }
};

Result<std::optional<ConsoleOptions>> console_options(const Settings& settings) {
  using Where = ConsoleOptions::Where;
  if (settings.console == "off") return std::optional<ConsoleOptions>();
  ConsoleOptions options;
  options.port = static_cast<std::uint16_t>(settings.console_port);
  options.path = settings.console_socket.empty() ? default_socket() : settings.console_socket;
  if (settings.console == "local") options.where = Where::kLocal;
  if (settings.console == "loopback") options.where = Where::kLoopback;
  if (settings.console == "socket") options.where = Where::kSocket;
  if (!settings.console_group.empty()) {
    const auto group = find_group(settings.console_group);
    if (!group) return forward(group);
    options.group = *group;
  }
  const bool is_tcp = options.where == Where::kLoopback || options.where == Where::kSocket;
  if (!is_tcp) return std::optional(std::move(options));
  if (settings.console_token_file.empty())
    return fail(Code::kUsage,
                "console: '{}' is reachable from {}: set console_token_file, or use 'unix'",
                settings.console,
                options.where == Where::kSocket
                    ? "every machine"
                    : "every user of this machine, and from web pages in its browsers");
  if (const auto status = check_only_owner_writes(settings.console_token_file); !status)
    return forward(status);
  auto token = read_administer_token(settings.console_token_file);
  if (!token) return forward(token);
  options.token = std::move(*token);
  return std::optional(std::move(options));
}

Result<std::unique_ptr<ConsoleServer>> ConsoleServer::open(ConsoleOptions options, SmBoard& board) {
  using Where = ConsoleOptions::Where;
  Result<ConsoleListener> listener = ConsoleListener{};
  constexpr int kBacklog = static_cast<int>(kSessionsMax);
  if (options.where == Where::kUnix) {
    listener = listen_on_path(options.path, options.group, kBacklog);
  } else if (options.where != Where::kLocal) {
    CHECK(!options.token.empty());
    listener = listen_on_tcp(options.port, options.where == Where::kSocket, kBacklog);
  }
  if (!listener) return forward(listener);
  return std::unique_ptr<ConsoleServer>(new ConsoleServer(std::move(options), board, *listener));
}

ConsoleServer::ConsoleServer(ConsoleOptions options, SmBoard& board, ConsoleListener listener)
    : options_(std::move(options)), board_(board), listener_(listener) {}

void ConsoleServer::start() {
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) {
    log::error("console not started: cannot create a pipe: {}", std::strerror(errno));
    return;
  }
  if (options_.where == ConsoleOptions::Where::kLocal) {
    sessions_.push_back(std::make_unique<Session>(STDIN_FILENO, STDOUT_FILENO, true));
    sessions_.back()->admitted = sessions_.back()->trusted = true;
    sessions_.back()->print(kPrompt);
  } else if (options_.where == ConsoleOptions::Where::kUnix) {
    log::info("console on {}", options_.path);
  } else {
    const bool wide = options_.where == ConsoleOptions::Where::kSocket;
    log::info("console on {}:{}", wide ? "0.0.0.0" : "127.0.0.1", listener_.port);
  }
  thread_ = std::thread([this] { serve(); });
}

ConsoleServer::~ConsoleServer() {
  ending_ = true;
  if (thread_.joinable()) {
    (void)!::write(wake_[1], "", 1);
    thread_.join();
  }
  for (const int fd : {listener_.fd, wake_[0], wake_[1]})
    if (fd >= 0) ::close(fd);
  if (options_.where == ConsoleOptions::Where::kUnix) ::unlink(options_.path.c_str());
}

void ConsoleServer::serve() {
  while (!ending_) {
    wait();
    std::erase_if(sessions_, [](const auto& session) { return session->closed; });
  }
}

void ConsoleServer::wait() {
  std::vector<pollfd> polled{{wake_[0], POLLIN, 0}, {listener_.fd, POLLIN, 0}};
  for (const auto& session : sessions_) {
    // Input is read only when all output is written, which limits the buffered output.
    const short wanted = session->unsent.empty() ? POLLIN : POLLOUT;
    polled.push_back({wanted == POLLIN ? session->input : session->output, wanted, 0});
  }
  (void)::poll(polled.data(), polled.size(), kConsoleTickMs);
  if (ending_) return;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    Session& session = *sessions_[i];
    const short events = polled[i + 2].revents;
    if ((events & POLLERR) != 0) session.closed = true;
    if ((events & (POLLIN | POLLHUP)) != 0 && session.unsent.empty()) read_from(session);
    check_timeouts(session);
    if (!session.unsent.empty() && !session.closed) write_to(session);
    if (session.finishing && session.unsent.empty()) session.closed = true;
  }
  if ((polled[1].revents & POLLIN) != 0) admit();
}

void ConsoleServer::admit() {
  const int fd = ::accept4(listener_.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  auto session = std::make_unique<Session>(fd, fd, false);
  if (sessions_.size() >= kSessionsMax) {
    constexpr std::string_view kFull = "too many sessions\n";
    (void)!::send(fd, kFull.data(), kFull.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  if (options_.where == ConsoleOptions::Where::kUnix) {
    const ConsolePeer peer = peer_of(fd, options_.group);
    if (peer == ConsolePeer::kRefused) return warn_seldom("connection of another user refused");
    session->admitted = true;
    session->trusted = peer == ConsolePeer::kOwner;
  }
  session->print(session->admitted ? kPrompt : kTokenPrompt);
  sessions_.push_back(std::move(session));
}

void ConsoleServer::read_from(Session& session) {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(session.input, buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    session.closed = true;
    return;
  }
  session.last_input = SteadyClock::now();
  for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(got))) {
    if (session.finishing || session.close_at || session.closed || ending_) return;
    if (c == '\n') {
      if (!session.skipping) take_line(session, std::exchange(session.line, {}));
      session.skipping = false;
    } else if (!session.skipping && session.line.size() == kConsoleLineMax) {
      take_long_line(session);
    } else if (!session.skipping) {
      session.line += c;
    }
  }
}

void ConsoleServer::take_long_line(Session& session) {
  const bool is_command = session.admitted && !looks_like_http(session.line);
  if (!is_command && !session.local) return take_line(session, std::exchange(session.line, {}));
  session.skipping = true;
  session.line.clear();
  session.print(fmt::format("a line has at most {} bytes\n{}", kConsoleLineMax, kPrompt));
}

/// Logs at most one warning in each interval, so that a client cannot fill the log.
void ConsoleServer::warn_seldom(std::string_view what) {
  if (!warnings_.take(SteadyClock::now().time_since_epoch())) {
    ++warnings_omitted_;
    return;
  }
  const std::size_t omitted = std::exchange(warnings_omitted_, 0);
  log::warn("console: {}{}", what,
            omitted == 0 ? "" : fmt::format("; {} earlier warnings omitted", omitted));
}

void ConsoleServer::take_line(Session& session, std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (!session.local && looks_like_http(line)) {
    session.closed = true;
    return warn_seldom("HTTP request or TLS: session closed");
  }
  if (!session.admitted) {
    session.admitted = options_.token == line;
    if (session.admitted) return session.print(kPrompt);
    warn_seldom("authentication failed");
    session.close_at = SteadyClock::now() + kPenalty;
    return;
  }
  const bool was_looping = !session.looping.empty();
  session.looping.clear();
  if (was_looping && trim(line) == "q") return session.print(kPrompt);
  carry_out(session, line);
}

void ConsoleServer::carry_out(Session& session, const std::string& line) {
  const ConsoleAnswer answer = execute(line, view_of(session));
  if (session.unsent.size() + answer.text.size() > options_.output_max) {
    session.closed = true;  // the peer does not read
    return;
  }
  session.print(answer.text);
  for (const SmRequest& request : answer.requests)
    if (!board_.add_request(request)) session.print("too many pending requests\n");
  for (const ConsoleAnswer::File& file : answer.files) session.print(write(file) + "\n");
  session.finishing = answer.quit;
  if (answer.quit) return;
  if (answer.loop) {
    session.looping = line;
    session.next_loop = SteadyClock::now() + options_.loop_interval;
    return;
  }
  session.print(kPrompt);
}

/// Writes a new file in the console's own folder; returns a message about the result.
std::string ConsoleServer::write(const ConsoleAnswer::File& file) const {
  const std::string set = board_.read().settings->dump_files_dir;
  const std::string folder = set == default_settings().dump_files_dir ? options_.dump_folder : set;
  if (folder.empty()) return "no folder for dumps: set dump_files_dir";
  const std::string own = folder + (folder.ends_with('/') ? "" : "/") + std::string(kFileFolder);
  auto written = make_directory(folder);
  if (written) written = write_new_file(own, file.name, file.content);
  return written ? fmt::format("{}/{} written", own, file.name) : written.error().message;
}

/// Writes as much as possible without blocking. Polls standard output before each piece, because
/// other processes may share it, and so it must not be made non-blocking.
void ConsoleServer::write_to(Session& session) {
  while (!session.unsent.empty() && !session.closed) {
    pollfd ready{session.output, POLLOUT, 0};
    if (session.local && ::poll(&ready, 1, 0) <= 0) return;
    const std::size_t size =
        std::min(session.unsent.size(), session.local ? kPiece : session.unsent.size());
    const ssize_t done = session.local
                             ? ::write(session.output, session.unsent.data(), size)
                             : ::send(session.output, session.unsent.data(), size, MSG_NOSIGNAL);
    if (done > 0) {
      session.unsent.erase(0, static_cast<std::size_t>(done));
    } else if (errno != EINTR) {
      session.closed = errno != EAGAIN;
      return;
    }
  }
}

void ConsoleServer::check_timeouts(Session& session) {
  const auto now = SteadyClock::now();
  if (session.closed || session.local) {
    // A terminal session has no timeout.
  } else if (session.close_at) {
    if (now >= *session.close_at) session.closed = true;
  } else if (now - session.last_input >
             (session.admitted ? options_.idle_max : options_.silent_max)) {
    // A session with a loop is not idle while the peer reads the output.
    if (session.looping.empty() || !session.unsent.empty()) session.closed = true;
  }
  if (session.closed || session.looping.empty() || now < session.next_loop) return;
  if (session.unsent.empty()) {
    carry_out(session, std::string(session.looping));
  } else {
    session.next_loop = now + options_.loop_interval;
  }
}

ConsoleView ConsoleServer::view_of(const Session& session) const {
  return {board_.read(),
          options_.version,
          options_.plugins,
          session.local,
          session.trusted,
          [this](std::vector<std::string> words) {
            return board_.run_performance_command(std::move(words));
          },
          [this](const CableOrder& order) { return board_.cables_handler.call(order); }};
}

}  // namespace weft
