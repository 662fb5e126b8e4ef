// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <seccomp.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "base/child_process.h"
#include "base/file.h"
#include "service/http/server/http_workers.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

/// Runs a process that calls `restrict`, then `act`; returns its exit status as text, or the name
/// of the signal that ended it.
std::string end_after(const std::function<Status()>& restrict, const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!restrict()) ::_exit(100);
    ::_exit(act());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

std::string end_of(const SandboxNeeds& needs, const std::function<int()>& act) {
  return end_after([&] { return restrict_system_calls(needs); }, act);
}

/// Returns the errno of a system call that returned `result`, or 0 if the call succeeded.
int error_of(long result) { return result < 0 ? errno : 0; }

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_restrict_system_calls())
      GTEST_SKIP() << "a build with a sanitizer cannot restrict system calls";
  }
};

constexpr const char* kKilled = "Bad system call";

TEST_F(Sandbox, ForbiddenCallsEndTheProcess) {
  char word[] = "/bin/true";
  char* words[] = {word, nullptr};
  EXPECT_EQ(end_of({}, [&] { return ::execv(word, words); }), kKilled);
  for (const bool programs : {false, true}) {
    const SandboxNeeds needs{programs};
    EXPECT_EQ(end_of(needs, [] { return static_cast<int>(::ptrace(PTRACE_TRACEME, 0, 0, 0)); }),
              kKilled);
    EXPECT_EQ(end_of(needs, [] { return ::mount("none", "/mnt", "tmpfs", 0, nullptr); }), kKilled);
    EXPECT_EQ(end_of(needs, [] { return ::unshare(CLONE_NEWNS); }), kKilled);
    for (const long call : {SYS_bpf, SYS_init_module, SYS_process_vm_readv, SYS_setns, SYS_chroot,
                            SYS_reboot, SYS_keyctl, SYS_userfaultfd, SYS_perf_event_open})
      EXPECT_EQ(end_of(needs, [&] { return static_cast<int>(::syscall(call, 0, 0, 0, 0, 0)); }),
                kKilled)
          << call;
  }
}

using FrontSandbox = Sandbox;

TEST_F(FrontSandbox, AllowsOnlyOpenDescriptors) {
  const auto error = [](const std::function<long()>& call) {
    return end_after([] { return restrict_to_open_descriptors(); },
                     [&] { return error_of(call()); });
  };
  const auto status = [](int number) { return fmt::format("status {}", number); };
  const pid_t parent = ::getpid();
  EXPECT_EQ(error([] { return ::open("/dev/null", O_RDONLY); }), status(EACCES));
  EXPECT_EQ(error([] { return ::memfd_create("x", 0); }), status(EACCES));
  for (const int family : {AF_INET, AF_UNIX, AF_NETLINK})
    EXPECT_EQ(error([&] { return ::socket(family, SOCK_DGRAM, 0); }), status(EACCES));
  EXPECT_EQ(error([&] { return ::kill(parent, 0); }), status(EPERM));
  EXPECT_EQ(error([&] { return ::syscall(SYS_tgkill, parent, parent, 0); }), status(ENOSYS));
  EXPECT_EQ(error([] { return ::syscall(SYS_tgkill, ::getpid(), ::gettid(), 0); }), status(0));
  EXPECT_EQ(error([&] { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(parent), 19); }),
            status(ENOSYS));
  EXPECT_EQ(error([] { return ::setpriority(PRIO_PROCESS, 0, 19); }), status(0));
  EXPECT_EQ(error([&] { return ::prlimit(parent, RLIMIT_NOFILE, nullptr, nullptr); }),
            status(ENOSYS));
  EXPECT_EQ(error([] { return ::fork(); }), status(EPERM));
  EXPECT_EQ(error([] { return ::unlink("/nothing"); }), status(ENOSYS));
  EXPECT_EQ(error([] { return ::syscall(SYS_ioctl, 0, TIOCSTI, "x"); }), status(ENOSYS));
  EXPECT_EQ(error([] { return ::ptrace(PTRACE_TRACEME, 0, 0, 0); }), kKilled);
  char word[] = "/bin/true";
  char* words[] = {word, nullptr};
  EXPECT_EQ(error([&] { return ::execv(word, words); }), kKilled);
  EXPECT_EQ(error([] {
              std::array<int, 2> ends{};
              std::thread thread([&] { (void)!::pipe2(ends.data(), O_CLOEXEC); });
              thread.join();
              return ::write(ends[1], "x", 1) == 1 ? 0L : -1L;
            }),
            status(0));
}

TEST(DropAllCapabilities, LeavesNoCapability) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!drop_all_capabilities()) ::_exit(1);
    const cap_t now = cap_get_proc(), none = cap_init();
    ::_exit(cap_compare(now, none) == 0 ? 0 : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Sandbox, RefusesSystemCallsThatAManagerDoesNotUse) {
  EXPECT_EQ(end_of({}, [] { return ::fork() < 0 ? errno : 0; }), fmt::format("status {}", EPERM));
  EXPECT_EQ(end_of({}, [] { return ::socket(AF_PACKET, SOCK_RAW, 0) < 0 ? errno : 0; }),
            fmt::format("status {}", ENOSYS));
  EXPECT_EQ(end_of({}, [] { return ::setuid(1) != 0 ? errno : 0; }),
            fmt::format("status {}", ENOSYS));
  EXPECT_EQ(end_of({},
                   [] {
                     void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                     return page == MAP_FAILED ? errno : 0;
                   }),
            fmt::format("status {}", EPERM));
  EXPECT_EQ(
      end_of({}, [] { return static_cast<int>(::syscall(SYS_io_uring_setup, 1, 0)) < 0 ? 7 : 0; }),
      "status 7");
}

TEST_F(Sandbox, AllowsThreadsFilesAndSockets) {
  const TempDir folder;
  EXPECT_EQ(end_of({},
                   [&] {
                     int done = 0;
                     std::thread([&] { done = 1; }).join();
                     if (done == 0 || !write_file(folder / "file", "text")) return 1;
                     const int socket_fd = ::socket(AF_INET6, SOCK_STREAM, 0);
                     return read_file(folder / "file").value() == "text" && socket_fd >= 0 ? 0 : 2;
                   }),
            "status 0");
}

TEST_F(Sandbox, ThreadsCanLowerOnlyTheirOwnPriority) {
  const pid_t parent = ::getpid();
  EXPECT_EQ(end_of({},
                   [] {
                     lower_own_priority(19);
                     return ::getpriority(PRIO_PROCESS, 0);
                   }),
            "status 19");
  for (const auto& [kind, id] : {std::pair(PRIO_PROCESS, static_cast<id_t>(parent)),
                                 std::pair(PRIO_PGRP, id_t{0}), std::pair(PRIO_USER, id_t{0})})
    EXPECT_EQ(end_of({}, [&] { return error_of(::setpriority(kind, id, 19)); }),
              fmt::format("status {}", ENOSYS));
}

TEST_F(Sandbox, AllowsProgramsForPlugins) {
  const auto run = [] {
    return run_program({"/bin/true", {"true"}, {}}, std::chrono::seconds(60)).empty() ? 0 : 1;
  };
  EXPECT_EQ(end_of({.programs = true}, run), "status 0");
  EXPECT_EQ(end_of({.programs = false}, run), "status 1");
}

TEST_F(Sandbox, AppliesToThreadsThatAlreadyRun) {
  EXPECT_EQ(end_of({}, [] { return 0; }), "status 0");
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<bool> restricted = false;
    std::thread older_thread([&] {
      while (!restricted) std::this_thread::yield();
      ::unshare(CLONE_NEWNS);
    });
    if (!restrict_system_calls({})) ::_exit(100);
    restricted = true;
    older_thread.join();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) << status;
}

TEST_F(Sandbox, PreventsCoreFiles) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(hide_memory() && ::prctl(PR_GET_DUMPABLE) == 0 ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(LockMemory, AppliesToMemoryAllocatedLater) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!lock_memory()) ::_exit(77);
    constexpr std::size_t kSize = 1 << 20;
    auto* later = static_cast<char*>(
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::fill_n(later, kSize, 'x');
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line))
      if (line.starts_with("VmLck:")) ::_exit(std::stoul(line.substr(6)) >= kSize / 1024 ? 0 : 1);
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "the limit of locked memory is too low";
  EXPECT_EQ(status, 0);
}

TEST(DropCapabilities, KeepsOnlyAccessToFiles) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!drop_capabilities()) ::_exit(100);
    cap_t now = cap_get_proc();
    for (cap_value_t cap = 0; CAP_IS_SUPPORTED(cap); ++cap) {
      cap_flag_value_t value = CAP_CLEAR;
      cap_get_flag(now, cap, CAP_PERMITTED, &value);
      if (cap != CAP_DAC_OVERRIDE &&
          (value == CAP_SET || (::geteuid() == 0 && cap_get_bound(cap) != 0)))
        ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(DropCapabilities, SucceedsWithoutCapabilitiesIfCapsetIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "the test requires root to change the user";
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(101);
    // weft-sm.service refuses capset in the same way.
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(capset), 0) != 0 ||
        seccomp_load(filter) != 0)
      ::_exit(102);
    ::_exit(drop_capabilities() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace weft
