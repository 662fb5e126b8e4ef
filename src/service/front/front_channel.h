// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages over a pair of Unix sockets (SOCK_SEQPACKET). A message may carry descriptors. Contents
// of more than 32 KiB that send_any() sends are in sealed files in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "service/front/front_wire.h"

namespace weft::front {

/// Owner of a file descriptor; the destructor closes the descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Creates a pair of connected, non-blocking sockets that are closed on exec. Fails with
/// kEnvironment.
Result<std::pair<Descriptor, Descriptor>> socket_pair();

/// Creates a file in memory and seals it against changes. Fails with kEnvironment.
Result<Descriptor> sealed_file(std::string_view content);
/// The content of a sealed file. Fails with kBadInput if the file is not sealed, its size is not
/// `size`, or it cannot be read.
Result<std::string> content_of(int file, std::size_t size);

struct Message {
  std::uint8_t kind = 0;
  std::string bytes;  // bytes after the kind
  std::vector<Descriptor> descriptors;
};

class Channel {
 public:
  enum class Got { kMessage, kNothing, kClosed, kInvalid };

  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
  int fd() const { return socket_.get(); }
  /// Moves the socket out; no other function may be called afterwards.
  Descriptor take_socket() { return std::move(socket_); }

  /// Sends one message; thread-safe. If the socket is full, waits at most `wait_max` until the peer
  /// reads. Returns false on a timeout, if the peer has closed its socket, or on another error.
  bool send(std::uint8_t kind, std::string_view bytes, std::span<const int> descriptors,
            std::chrono::milliseconds wait_max);
  /// Like send(). More than 32 KiB are sent in a sealed file, as the last descriptor. Also returns
  /// false if this file cannot be created.
  bool send_any(Kind kind, std::string_view bytes, std::span<const int> descriptors,
                std::chrono::milliseconds wait_max);
  /// Waits at most `wait_max` until at most 64 KiB are unread. Returns false on a timeout.
  bool await_read(std::chrono::milliseconds wait_max) const;
  /// Receives a message; does not block. kInvalid: the message is too long or has an invalid file.
  /// Without `may_have_descriptors`, a message with descriptors is invalid; the descriptors are
  /// closed.
  Got receive(Message& message, bool may_have_descriptors);

 private:
  Descriptor socket_;
  std::mutex sending_;
  std::string buffer_;  // used by receive()
};

}  // namespace weft::front
