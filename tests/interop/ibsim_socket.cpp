// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A library to preload after ibsim's: stores datagrams for ibsim while its socket is full, and
// sends them later in order. ibsim's library has a lock while it writes, so that a client that
// waits for the socket does not receive; ibsim in turn waits while the socket of a client is full.
// Without this library a flood causes a deadlock (the queue of a socket has 10 entries by default).
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kDatagram = 288;  // a MAD with ibsim's header

class Outbox {
 public:
  /// Sends the datagram, or stores it if other datagrams wait or the socket is full.
  ssize_t write(int socket, const void* data, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      const ssize_t sent = ::send(socket, data, size, MSG_DONTWAIT);
      if (sent >= 0 || errno != EAGAIN) return sent;
    }
    const auto* bytes = static_cast<const std::byte*>(data);
    waiting_.emplace_back(socket, std::vector<std::byte>(bytes, bytes + size));
    arrived_.notify_one();
    return static_cast<ssize_t>(size);
  }

  /// The only outbox of the process. It is never destroyed, because its thread runs until the
  /// process ends.
  static Outbox& only() {
    static auto* const outbox = new Outbox;
    return *outbox;
  }

 private:
  Outbox() {
    std::thread([this] { send_waiting(); }).detach();
  }

  [[noreturn]] void send_waiting() {
    while (true) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !waiting_.empty(); });
      const auto [socket, datagram] = waiting_.front();
      lock.unlock();
      ::send(socket, datagram.data(), datagram.size(), MSG_NOSIGNAL);
      lock.lock();
      waiting_.pop_front();  // after send(), so that write() sends no datagram earlier
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::pair<int, std::vector<std::byte>>> waiting_;
};

bool is_socket_of_ibsim(int file, std::size_t size) {
  int type = 0;
  socklen_t length = sizeof type;
  return size == kDatagram && getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
         type == SOCK_DGRAM;
}

}  // namespace

extern "C" ssize_t write(int file, const void* data, std::size_t size) {
  using Write = ssize_t (*)(int, const void*, std::size_t);
  static const auto next = reinterpret_cast<Write>(dlsym(RTLD_NEXT, "write"));
  return is_socket_of_ibsim(file, size) ? Outbox::only().write(file, data, size)
                                        : next(file, data, size);
}
