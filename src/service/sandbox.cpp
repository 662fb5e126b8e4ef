// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/sandbox.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>

namespace weft {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
constexpr bool kHasSanitizer = true;
#else
constexpr bool kHasSanitizer = false;
#endif
#else
constexpr bool kHasSanitizer = false;
#endif

tl::unexpected<Error> sandbox_error(const char* what, int error) {
  return fail(Code::kEnvironment,
              "sandbox: {}: {}: set 'sandbox FALSE' (--no_sandbox) to run without it", what,
              std::strerror(error));
}

// System calls of the manager, its libraries and event plugins, by kind.
constexpr const char* kAllowed[] = {
    // memory
    "brk", "madvise", "membarrier", "memfd_create", "mincore", "mlock", "mlock2", "mlockall",
    "mremap", "msync", "munlock", "munlockall", "munmap", "get_mempolicy", "mbind",
    // files
    "access", "chdir", "chmod", "chown", "close", "close_range", "copy_file_range", "creat", "dup",
    "dup2", "dup3", "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fchmod",
    "fchmodat", "fchmodat2", "fchown", "fchownat", "fcntl", "fcntl64", "fdatasync", "fgetxattr",
    "flock", "fstat", "fstat64", "fstatfs", "fstatfs64", "fsync", "ftruncate", "ftruncate64",
    "getcwd", "getdents", "getdents64", "getxattr", "inotify_add_watch", "inotify_init",
    "inotify_init1", "inotify_rm_watch", "ioctl", "lchown", "lgetxattr", "link", "linkat", "lseek",
    "_llseek", "lstat", "lstat64", "mkdir", "mkdirat", "newfstatat", "open", "openat", "openat2",
    "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read", "readahead",
    "readlink", "readlinkat", "readv", "rename", "renameat", "renameat2", "rmdir", "sendfile",
    "sendfile64", "splice", "stat", "stat64", "statfs", "statfs64", "statx", "symlink", "symlinkat",
    "sync_file_range", "tee", "truncate", "truncate64", "umask", "unlink", "unlinkat", "utime",
    "utimensat", "utimes", "write", "writev",
    // sockets and waiting
    "_newselect", "accept", "accept4", "bind", "connect", "epoll_create", "epoll_create1",
    "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "getpeername",
    "getsockname", "getsockopt", "listen", "pipe", "pipe2", "poll", "ppoll", "pselect6", "recvfrom",
    "recvmmsg", "recvmsg", "select", "sendmmsg", "sendmsg", "sendto", "setsockopt", "shutdown",
    "signalfd4", "socketpair",
    // time
    "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "gettimeofday", "nanosleep",
    "setitimer", "time", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime",
    "timer_settime", "timerfd_create", "timerfd_gettime", "timerfd_settime", "times",
    // threads and signals
    "exit", "exit_group", "futex", "futex_time64", "futex_waitv", "get_robust_list",
    "get_thread_area", "kill", "pause", "pidfd_open", "pidfd_send_signal", "restart_syscall",
    "rseq", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn",
    "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sched_get_priority_max",
    "sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_setaffinity", "sched_yield", "set_robust_list", "set_thread_area",
    "set_tid_address", "sigaltstack", "sigreturn", "tgkill", "tkill", "wait4", "waitid", "waitpid",
    // the process
    "arch_prctl", "capget", "getcpu", "getegid", "geteuid", "getgid", "getgroups", "getpgid",
    "getpgrp", "getpid", "getppid", "getpriority", "getrandom", "getresgid", "getresuid",
    "getrlimit", "getrusage", "getsid", "gettid", "getuid", "prctl", "prlimit64", "setpgid",
    "setrlimit", "setsid", "sysinfo", "uname"};

// System calls of a server, and of its libraries, that uses only open descriptors.
constexpr const char* kAllowedWhenOpen[] = {
    // memory
    "brk", "madvise", "membarrier", "mincore", "mremap", "munmap",
    // descriptors
    "close", "fcntl", "fcntl64", "fstat", "fstat64", "lseek", "newfstatat", "pread64", "read",
    "readv", "write", "writev",
    // sockets and waiting
    "_newselect", "accept", "accept4", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait",
    "eventfd2", "getpeername", "getsockname", "getsockopt", "pipe2", "poll", "ppoll", "pselect6",
    "recvfrom", "recvmsg", "select", "sendmsg", "sendto", "setsockopt", "shutdown",
    // time
    "clock_getres", "clock_gettime", "clock_nanosleep", "gettimeofday", "nanosleep", "time",
    // threads and signals
    "exit", "exit_group", "futex", "futex_time64", "futex_waitv", "get_robust_list",
    "restart_syscall", "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
    "sched_getaffinity", "sched_yield", "set_robust_list", "sigaltstack", "sigreturn",
    // the process
    "arch_prctl", "getcpu", "getegid", "geteuid", "getgid", "getpid", "getppid", "getpriority",
    "getrandom", "getresgid", "getresuid", "getrusage", "gettid", "getuid", "prctl", "sysinfo",
    "uname"};

constexpr const char* kOpening[] = {"creat",    "memfd_create", "open",   "openat",    "openat2",
                                    "readlink", "readlinkat",   "socket", "socketpair"};

constexpr const char* kKillingCalls[] = {"acct",
                                         "add_key",
                                         "adjtimex",
                                         "bpf",
                                         "chroot",
                                         "clock_adjtime",
                                         "clock_settime",
                                         "create_module",
                                         "delete_module",
                                         "finit_module",
                                         "fsconfig",
                                         "fsmount",
                                         "fsopen",
                                         "fspick",
                                         "init_module",
                                         "ioperm",
                                         "iopl",
                                         "kcmp",
                                         "kexec_file_load",
                                         "kexec_load",
                                         "keyctl",
                                         "mknod",
                                         "mknodat",
                                         "mount",
                                         "mount_setattr",
                                         "move_mount",
                                         "open_by_handle_at",
                                         "open_tree",
                                         "perf_event_open",
                                         "pidfd_getfd",
                                         "pivot_root",
                                         "process_madvise",
                                         "process_vm_readv",
                                         "process_vm_writev",
                                         "ptrace",
                                         "quotactl",
                                         "quotactl_fd",
                                         "reboot",
                                         "request_key",
                                         "setdomainname",
                                         "sethostname",
                                         "setns",
                                         "settimeofday",
                                         "swapoff",
                                         "swapon",
                                         "umount",
                                         "umount2",
                                         "unshare",
                                         "userfaultfd"};

/// A filter of system calls. load() returns the first error of all functions.
class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS))) {
    if (context_ == nullptr) error_ = ENOMEM;
    set(SCMP_FLTATR_CTL_TSYNC, 1);
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  /// Adds a rule. Ignores a system call that libseccomp or this processor does not have.
  void add(std::uint32_t action, const char* name,
           std::initializer_list<scmp_arg_cmp> conditions = {}) {
    const int number = seccomp_syscall_resolve_name(name);
    if (error_ != 0 || number == __NR_SCMP_ERROR || number < 0) return;
    const int done = seccomp_rule_add_array(
        context_, action, number, static_cast<unsigned>(conditions.size()), conditions.begin());
    if (done < 0) error_ = -done;
  }
  int load() {
    if (error_ == 0) error_ = -seccomp_load(context_);
    return error_;
  }

 private:
  void set(scmp_filter_attr attribute, std::uint32_t value) {
    if (error_ == 0) error_ = -seccomp_attr_set(context_, attribute, value);
  }

  scmp_filter_ctx context_;
  int error_ = 0;
};

scmp_arg_cmp has_all(unsigned argument, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, bits};
}
scmp_arg_cmp has_none(unsigned argument, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, 0};
}
scmp_arg_cmp is(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, UINT32_MAX, value};
}

void allow_processes(Filter& filter, bool programs) {
  constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                                        CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  const std::uint32_t refused = SCMP_ACT_ERRNO(EPERM);
  // clone3 is not allowed, because its flags are in memory; the C library then uses clone.
  if (programs) {
    filter.add(SCMP_ACT_ALLOW, "clone", {has_none(0, kNamespaces)});
    for (const char* name : {"fork", "vfork", "execve", "execveat"})
      filter.add(SCMP_ACT_ALLOW, name);
    return;
  }
  filter.add(SCMP_ACT_ALLOW, "clone", {has_all(0, CLONE_THREAD)});
  filter.add(refused, "clone", {has_none(0, CLONE_THREAD)});
  for (const char* name : {"fork", "vfork"}) filter.add(refused, name);
  for (const char* name : {"execve", "execveat"}) filter.add(SCMP_ACT_KILL_PROCESS, name);
}

/// Refuses memory that is both writable and executable, because injected code could run in it.
void allow_memory(Filter& filter) {
  for (const char* name : {"mmap", "mmap2", "mprotect", "pkey_mprotect"}) {
    constexpr unsigned kProtection = 2;
    filter.add(SCMP_ACT_ALLOW, name, {has_none(kProtection, PROT_EXEC)});
    filter.add(SCMP_ACT_ALLOW, name,
               {{kProtection, SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, PROT_EXEC}});
    filter.add(SCMP_ACT_ERRNO(EPERM), name, {has_all(kProtection, PROT_EXEC | PROT_WRITE)});
  }
}

void allow_sockets(Filter& filter) {
  for (const int family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK})
    filter.add(SCMP_ACT_ALLOW, "socket", {is(0, static_cast<std::uint64_t>(family))});
}

/// Allows each thread to change its own priority. Without privileges, a thread can only lower its
/// priority.
void allow_own_priority(Filter& filter) {
  filter.add(SCMP_ACT_ALLOW, "setpriority", {is(0, PRIO_PROCESS), is(1, 0)});
}

/// Allows signals and limits only for this process. Otherwise this process could end or slow down
/// other processes of its user.
void allow_own_process(Filter& filter) {
  const auto own = static_cast<std::uint64_t>(::getpid());
  filter.add(SCMP_ACT_ALLOW, "tgkill", {is(0, own)});
  filter.add(SCMP_ACT_ALLOW, "prlimit64", {is(0, 0)});
  for (const char* name : {"kill", "tkill", "pidfd_send_signal", "rt_sigqueueinfo"})
    filter.add(SCMP_ACT_ERRNO(EPERM), name);
}

struct FreeCapabilities {
  void operator()(void* state) const { cap_free(state); }
};
using Capabilities = std::unique_ptr<_cap_struct, FreeCapabilities>;

}  // namespace

Status drop_capabilities() {
  constexpr cap_value_t kKept = CAP_DAC_OVERRIDE;
  const Capabilities before(cap_get_proc());
  const Capabilities after(cap_init());
  if (!before || !after) return sandbox_error("capabilities", errno);
  // Programs that this process starts must not regain the other capabilities. Dropping them from
  // the bounding set fails without privileges, but is then not required.
  for (cap_value_t cap = 0; CAP_IS_SUPPORTED(cap); ++cap)
    if (cap != kKept) (void)cap_drop_bound(cap);
  (void)cap_reset_ambient();
  cap_flag_value_t is_permitted = CAP_CLEAR;
  cap_get_flag(before.get(), kKept, CAP_PERMITTED, &is_permitted);
  for (const cap_flag_t flag : {CAP_PERMITTED, CAP_EFFECTIVE})
    if (cap_set_flag(after.get(), flag, 1, &kKept, is_permitted) != 0)
      return sandbox_error("capabilities", errno);
  // Without a change, omit the call, because the systemd unit of an unprivileged service refuses
  // it.
  if (cap_compare(before.get(), after.get()) == 0) return {};
  if (cap_set_proc(after.get()) != 0) return sandbox_error("capabilities", errno);
  return {};
}

Status drop_all_capabilities() {
  const Capabilities before(cap_get_proc());
  const Capabilities none(cap_init());
  if (!before || !none) return sandbox_error("capabilities", errno);
  for (cap_value_t cap = 0; CAP_IS_SUPPORTED(cap); ++cap) (void)cap_drop_bound(cap);
  (void)cap_reset_ambient();
  if (cap_compare(before.get(), none.get()) == 0) return {};
  if (cap_set_proc(none.get()) != 0) return sandbox_error("capabilities", errno);
  return {};
}

Status hide_memory() {
  if (kHasSanitizer) return {};
  if (::prctl(PR_SET_DUMPABLE, 0) != 0) return sandbox_error("core files", errno);
  return {};
}

bool lock_memory() {
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  if (::setrlimit(RLIMIT_MEMLOCK, &unlimited) != 0) {
    rlimit now{};
    if (::getrlimit(RLIMIT_MEMLOCK, &now) != 0 || now.rlim_max != RLIM_INFINITY) return false;
    now.rlim_cur = RLIM_INFINITY;
    if (::setrlimit(RLIMIT_MEMLOCK, &now) != 0) return false;
  }
  return ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
}

bool can_restrict_system_calls() { return !kHasSanitizer; }

Status restrict_system_calls(const SandboxNeeds& needs) {
  if (kHasSanitizer) return {};
  Filter filter;
  for (const char* name : kAllowed) filter.add(SCMP_ACT_ALLOW, name);
  for (const char* name : kKillingCalls) filter.add(SCMP_ACT_KILL_PROCESS, name);
  if (needs.filters) filter.add(SCMP_ACT_ALLOW, "seccomp");
  allow_processes(filter, needs.programs);
  allow_memory(filter);
  allow_sockets(filter);
  allow_own_priority(filter);
  if (const int error = filter.load(); error != 0)
    return sandbox_error("restriction of system calls", error);
  return {};
}

Status restrict_to_open_descriptors() {
  if (kHasSanitizer) return {};
  Filter filter;
  for (const char* name : kAllowedWhenOpen) filter.add(SCMP_ACT_ALLOW, name);
  for (const char* name : kOpening) filter.add(SCMP_ACT_ERRNO(EACCES), name);
  for (const char* name : kKillingCalls) filter.add(SCMP_ACT_KILL_PROCESS, name);
  // Allow ioctl() requests of sockets, but none of terminals.
  for (const int request : {FIONBIO, FIONREAD, TIOCOUTQ})
    filter.add(SCMP_ACT_ALLOW, "ioctl", {is(1, static_cast<std::uint64_t>(request))});
  allow_processes(filter, false);
  allow_memory(filter);
  allow_own_process(filter);
  allow_own_priority(filter);
  if (const int error = filter.load(); error != 0)
    return sandbox_error("restriction of system calls", error);
  return {};
}

}  // namespace weft
