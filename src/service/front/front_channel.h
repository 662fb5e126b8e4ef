// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages over a pair of Unix sockets (SOCK_SEQPACKET) that carry descriptors too, and sealed
// files in memory for contents that exceed a message.
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

/// Closes its descriptor.
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

/// Both ends, non-blocking, closed on exec. Fails with kEnvironment.
Result<std::pair<Descriptor, Descriptor>> socket_pair();

/// A file in memory that cannot be changed any more. Fails with kEnvironment.
Result<Descriptor> sealed_file(std::string_view content);
/// Its content. Fails with kBadInput if it can still be changed, or has another size.
Result<std::string> content_of(int file, std::size_t size);

struct Message {
  std::uint8_t kind = 0;
  std::string bytes;  // after the kind
  std::vector<Descriptor> descriptors;
};

class Channel {
 public:
  enum class Got { kMessage, kNothing, kClosed, kInvalid };

  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
  int fd() const { return socket_.get(); }
  /// Gives the socket away; nothing else may be called afterwards.
  Descriptor take_socket() { return std::move(socket_); }

  /// Sends a message whole; thread-safe. Waits at most `patience` for a peer that reads too slowly.
  /// False: it did not, or has closed its end.
  bool send(std::uint8_t kind, std::string_view bytes, std::span<const int> descriptors,
            std::chrono::milliseconds patience);
  /// The same; bytes that exceed a message travel in a file, the last descriptor.
  bool send_any(Kind kind, std::string_view bytes, std::span<const int> descriptors,
                std::chrono::milliseconds patience);
  /// Waits until the peer has read what was sent, all but a few messages. False: it did not.
  bool await_read(std::chrono::milliseconds patience) const;
  /// Does not block. kInvalid: a message that is too long, or that names a file that is not valid.
  /// Without `may_have_descriptors` those that arrive are closed, and the message is invalid.
  Got receive(Message& message, bool may_have_descriptors);

 private:
  Descriptor socket_;
  std::mutex sending_;
  std::string buffer_;  // of receive()
};

}  // namespace weft::front
