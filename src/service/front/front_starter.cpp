// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/front/front_starter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/text.h"
#include "service/front/front_process.h"
#include "service/sandbox.h"

namespace weft::front {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kMode = "front-process";  // first argument; not a subcommand
constexpr const char* kStarter = "starter";
constexpr const char* kHttp = "http";
constexpr const char* kRestricted = "restricted";
constexpr const char* kOpen = "open";
constexpr int kWords = 5;     // weft front-process starter|http restricted|open PARENT
constexpr int kSocketFd = 3;  // descriptor of the socket in the child
constexpr int kCannotExecute = 127;

// Shortest and longest pause before a restart. The pause doubles while processes end soon.
constexpr milliseconds kPauseMin{250};
constexpr milliseconds kPauseMax{30'000};
constexpr milliseconds kSoon{10'000};
constexpr milliseconds kSendMax{5'000};

/// The environment variables that sanitizers of tests need; other variables could contain secrets.
std::vector<char*> kept_environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (text.substr(0, text.find('=')).ends_with("SAN_OPTIONS")) kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

/// Executes this program in a child process that has only `socket` and the standard streams.
/// Returns the process id, or -1 with errno.
pid_t execute_self(const char* which, bool restricted, int socket) {
  const std::string parent = std::to_string(::getpid());
  const std::vector<char*> environment = kept_environment();
  const std::array<const char*, kWords + 1> words{
      "weft", kMode, which, restricted ? kRestricted : kOpen, parent.c_str(), nullptr};
  const pid_t child = ::fork();
  if (child != 0) return child;
  // Use only calls that are safe after a fork of a process with threads.
  const int nothing = ::open("/dev/null", O_RDWR);
  const int high = ::fcntl(socket, F_DUPFD, kSocketFd + 1);
  if (nothing < 0 || high < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || ::dup2(high, kSocketFd) < 0 ||
      ::close_range(kSocketFd + 1, ~0U, 0) != 0)
    ::_exit(kCannotExecute);
  ::execve("/proc/self/exe", const_cast<char* const*>(words.data()), environment.data());
  ::_exit(kCannotExecute);
}

/// Ignores signals that may be sent to all processes of the service, but are for the manager. The
/// process ends with the manager.
void ignore_signals() {
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ, SIGTSTP})
    (void)std::signal(number, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void note_child(int) {}

/// The starter: starts the HTTP process again whenever it has ended.
class StarterProcess {
 public:
  explicit StarterProcess(bool restricted)
      : restricted_(restricted), control_(Descriptor(kSocketFd)) {
    // SIGCHLD interrupts only ppoll().
    struct sigaction action {};
    action.sa_handler = note_child;
    (void)::sigaction(SIGCHLD, &action, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)::sigprocmask(SIG_BLOCK, &child, &unblocked_);
  }

  int run() {
    while (true) {
      const auto begun = Steady::now();
      Ended ended;
      ended.status = start() ? follow() : kCannotExecute << CHAR_BIT;
      ended.pid = std::exchange(child_, -1);
      pause_ = Steady::now() - begun < kSoon ? std::min(pause_ * 2, kPauseMax) : kPauseMin;
      ended.wait_ms = static_cast<std::int32_t>(pause_.count());
      if (!send(Control::kEnded, ended, {})) return 0;
      const auto next = Steady::now() + pause_;
      while (Steady::now() < next)
        if (!listen(std::chrono::ceil<milliseconds>(next - Steady::now()))) return 0;
    }
  }

 private:
  bool start() {
    auto ends = socket_pair();
    if (!ends) return false;
    child_ = execute_self(kHttp, restricted_, ends->second.get());
    if (child_ < 0) return false;
    const std::array<int, 1> passed{ends->first.get()};
    if (!send(Control::kStarted, Started{child_}, passed)) end();
    return true;
  }
  /// Waits until the child has ended; returns the status from waitpid().
  int follow() {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(child_, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR))
      if (!listen(kPauseMax)) end();
    return status;
  }
  /// Waits at most `most` for a message or the end of the child. Returns false if the manager has
  /// ended.
  bool listen(milliseconds most) {
    pollfd ready{control_.fd(), POLLIN, 0};
    const timespec limit{most.count() / 1000, most.count() % 1000 * 1'000'000};
    if (::ppoll(&ready, 1, &limit, &unblocked_) <= 0) return true;
    Message message;
    const auto got = control_.receive(message, false);
    if (got == Channel::Got::kClosed || got == Channel::Got::kInvalid) return false;
    if (got == Channel::Got::kMessage &&
        message.kind == static_cast<std::uint8_t>(Control::kKill) && child_ > 0)
      (void)::kill(child_, SIGKILL);
    return true;
  }
  template <class Content>
  bool send(Control kind, const Content& content, std::span<const int> descriptors) {
    return control_.send(static_cast<std::uint8_t>(kind),
                         {reinterpret_cast<const char*>(&content), sizeof content}, descriptors,
                         kSendMax);
  }
  [[noreturn]] void end() {
    // Wait for the end of the child, which frees the listening socket.
    if (child_ > 0 && ::kill(child_, SIGKILL) == 0) (void)::waitpid(child_, nullptr, 0);
    ::_exit(0);
  }

  const bool restricted_;
  Channel control_;
  sigset_t unblocked_{};
  pid_t child_ = -1;
  milliseconds pause_ = kPauseMin / 2;
};

int run_starter(bool restricted) {
  (void)::prctl(PR_SET_NAME, "weft-starter");
  if (!drop_all_capabilities() || !hide_memory()) return 1;
  if (restricted && !restrict_system_calls({.programs = true, .filters = true})) return 1;
  return StarterProcess(restricted).run();
}

}  // namespace

std::string describe(const Ended& ended) {
  if (WIFSIGNALED(ended.status))
    return fmt::format("was killed ({})", ::strsignal(WTERMSIG(ended.status)));
  return fmt::format("ended with status {}", WEXITSTATUS(ended.status));
}

Result<Starter> start_starter(bool restricted) {
  auto ends = socket_pair();
  if (!ends) return forward(ends);
  const pid_t pid = execute_self(kStarter, restricted, ends->second.get());
  if (pid < 0)
    return fail(Code::kEnvironment, "HTTP process: cannot start: {}", std::strerror(errno));
  return Starter{pid, std::move(ends->first)};
}

void end_starter(Starter starter) {
  constexpr milliseconds kStarterEndMax{2000}, kPause{2};
  starter.control = Descriptor();
  const auto last = Steady::now() + kStarterEndMax;
  while (starter.pid > 0 && ::waitpid(starter.pid, nullptr, WNOHANG) == 0) {
    if (Steady::now() >= last) (void)::kill(starter.pid, SIGKILL);
    std::this_thread::sleep_for(kPause);
  }
}

std::optional<int> run_as_front_process(int argc, const char* const* argv) {
  if (argc != kWords || std::string_view(argv[1]) != kMode) return std::nullopt;
  const auto parent = parse_number<int>(argv[4]);
  if (!parent || !end_with_parent(*parent)) return 1;
  ignore_signals();
  const bool restricted = std::string_view(argv[3]) == kRestricted;
  const bool is_starter = std::string_view(argv[2]) == kStarter;
  // Skip destructors, because threads may still run.
  ::_exit(is_starter ? run_starter(restricted)
                     : run_http_process(Descriptor(kSocketFd), restricted));
}

}  // namespace weft::front
