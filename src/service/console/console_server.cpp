// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/console/console_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/log.h"
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

tl::unexpected<Error> console_socket_error(const std::string& what) {
  return fail(Code::kEnvironment, "console: {}: {}", what, std::strerror(errno));
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
  bool admitted = false;   // authenticated, or no token is required
  bool skipping = false;   // discards the rest of an oversized line
  bool finishing = false;  // closes when all output is written
  bool closed = false;
  std::string line;     // received part of the next line
  std::string unsent;   // output not yet written
  std::string looping;  // the line to repeat
  SteadyClock::time_point next_loop{};
  SteadyClock::time_point last_input;
  std::optional<SteadyClock::time_point> close_at;  // after a wrong token

  void print(std::string_view text) { unsent += text; }
};

Result<std::optional<ConsoleOptions>> console_options(const Settings& settings) {
  if (settings.console == "off") return std::optional<ConsoleOptions>();
  ConsoleOptions options;
  options.port = static_cast<std::uint16_t>(settings.console_port);
  if (settings.console == "local") options.where = ConsoleOptions::Where::kLocal;
  if (settings.console == "socket") options.where = ConsoleOptions::Where::kSocket;
  if (!settings.console_token_file.empty()) {
    auto token = read_token(settings.console_token_file);
    if (!token) return forward(token);
    options.token = std::move(*token);
  } else if (options.where == ConsoleOptions::Where::kSocket) {
    return fail(Code::kUsage,
                "console: 'socket' is reachable from every machine: set console_token_file, or use "
                "'loopback'");
  }
  return std::optional(std::move(options));
}

Result<std::unique_ptr<ConsoleServer>> ConsoleServer::open(ConsoleOptions options, SmBoard& board) {
  const auto made = [&](int listener, std::uint16_t port) {
    return std::unique_ptr<ConsoleServer>(
        new ConsoleServer(std::move(options), board, listener, port));
  };
  if (options.where == ConsoleOptions::Where::kLocal) return made(-1, 0);
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return console_socket_error("socket");
  const int yes = 1;
  (void)::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  const bool wide = options.where == ConsoleOptions::Where::kSocket;
  address.sin_addr.s_addr = htonl(wide ? INADDR_ANY : INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener, static_cast<int>(kSessionsMax)) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const auto error = console_socket_error(fmt::format("TCP port {}", options.port));
    ::close(listener);
    return error;
  }
  return made(listener, ntohs(address.sin_port));
}

ConsoleServer::ConsoleServer(ConsoleOptions options, SmBoard& board, int listener,
                             std::uint16_t port)
    : options_(std::move(options)), board_(board), listener_(listener), port_(port) {}

void ConsoleServer::start() {
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) {
    log::error("console: pipe: {}", std::strerror(errno));
    return;
  }
  if (listener_ < 0) {
    sessions_.push_back(std::make_unique<Session>(STDIN_FILENO, STDOUT_FILENO, true));
    sessions_.back()->admitted = true;
    sessions_.back()->print(kPrompt);
  } else {
    const bool wide = options_.where == ConsoleOptions::Where::kSocket;
    log::info("console on {}:{}", wide ? "0.0.0.0" : "127.0.0.1", port_);
  }
  thread_ = std::thread([this] { serve(); });
}

ConsoleServer::~ConsoleServer() {
  ending_ = true;
  if (thread_.joinable()) {
    (void)!::write(wake_[1], "", 1);
    thread_.join();
  }
  for (const int fd : {listener_, wake_[0], wake_[1]})
    if (fd >= 0) ::close(fd);
}

void ConsoleServer::serve() {
  while (!ending_) {
    wait();
    std::erase_if(sessions_, [](const auto& session) { return session->closed; });
  }
}

void ConsoleServer::wait() {
  std::vector<pollfd> polled{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
  for (const auto& session : sessions_) {
    // A session with unwritten output is not read.
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
  const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  auto session = std::make_unique<Session>(fd, fd, false);
  if (sessions_.size() >= kSessionsMax) {
    constexpr std::string_view kFull = "too many sessions\n";
    (void)!::send(fd, kFull.data(), kFull.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  session->admitted = options_.token.empty();
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
      session.skipping = true;
      session.line.clear();
      session.print(fmt::format("a line has at most {} bytes\n", kConsoleLineMax));
      session.print(session.admitted ? kPrompt : kTokenPrompt);
    } else if (!session.skipping) {
      session.line += c;
    }
  }
}

void ConsoleServer::take_line(Session& session, std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (!session.admitted) {
    session.admitted = same_token(line, options_.token);
    if (session.admitted) return session.print(kPrompt);
    log::warn("console: authentication failed");
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
  if (session.unsent.size() + answer.text.size() > kOutputMax) {
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

/// Returns a message about the result.
std::string ConsoleServer::write(const ConsoleAnswer::File& file) const {
  const std::string set = board_.read().settings->dump_files_dir;
  const std::string folder = set == default_settings().dump_files_dir ? options_.dump_folder : set;
  if (folder.empty()) return "no folder for dumps: set dump_files_dir";
  const std::string path = folder + (folder.ends_with('/') ? "" : "/") + file.name;
  const auto written = write_file(path, file.content);
  return written ? path + " written" : written.error().message;
}

/// Writes as much as possible without blocking. Standard output may be shared with other processes
/// and must not be made non-blocking: it is polled before each piece.
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
    // A session with a loop is not idle while it reads the output.
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
          session.local || !options_.token.empty(),
          [this](std::vector<std::string> words) {
            return board_.run_performance_command(std::move(words));
          },
          [this](const CableOrder& order) { return board_.cables_handler.call(order); }};
}

}  // namespace weft
