// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/front/front_channel.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

namespace weft::front {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::uint8_t kInFile = 0x80;         // bit of the kind: the content is in a file
constexpr std::size_t kInsideMax = 32 * 1024;  // longer contents are sent in a file
constexpr std::size_t kDescriptorsMax = 4;     // most descriptors of a message
constexpr int kUnreadMax = 64 * 1024;          // unread bytes, with the kernel's overhead
constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

tl::unexpected<Error> channel_error(const char* what) {
  return fail(Code::kEnvironment, "HTTP process: {}: {}", what, std::strerror(errno));
}

std::chrono::milliseconds left_until(Steady::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Steady::now());
  return std::max(left, std::chrono::milliseconds(0));
}

struct ControlBytes {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptorsMax * sizeof(int))> bytes{};
};

void attach(msghdr& header, ControlBytes& control, std::span<const int> descriptors) {
  if (descriptors.empty()) return;
  header.msg_control = control.bytes.data();
  header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
}

std::vector<Descriptor> detach(msghdr& header) {
  std::vector<Descriptor> found;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      found.emplace_back(fd);
    }
  }
  return found;
}

/// Replaces the size in the message by the content of its file. Returns false if the message or the
/// file is invalid.
bool read_file_of(Message& message) {
  std::uint64_t size = 0;
  if (message.bytes.size() != sizeof size || message.descriptors.empty()) return false;
  std::memcpy(&size, message.bytes.data(), sizeof size);
  if (size > kFileMax) return false;
  auto content = content_of(message.descriptors.back().get(), static_cast<std::size_t>(size));
  if (!content) return false;
  message.bytes = std::move(*content);
  message.descriptors.pop_back();
  return true;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::pair<Descriptor, Descriptor>> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
    return channel_error("socketpair");
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

Result<Descriptor> sealed_file(std::string_view content) {
  Descriptor file(::memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.get() < 0) return channel_error("memfd_create");
  while (!content.empty()) {
    const ssize_t done = ::write(file.get(), content.data(), content.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return channel_error("file in memory");
    content.remove_prefix(static_cast<std::size_t>(done));
  }
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return channel_error("seal");
  return file;
}

Result<std::string> content_of(int file, std::size_t size) {
  struct stat about {};
  const int seals = ::fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || ::fstat(file, &about) != 0 || about.st_size < 0 ||
      static_cast<std::size_t>(about.st_size) != size)
    return fail(Code::kBadInput, "file of a message: not sealed, or its size is not {}", size);
  std::string content(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const ssize_t got = ::pread(file, content.data() + at, size - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(Code::kBadInput, "file of a message: {}", std::strerror(errno));
    at += static_cast<std::size_t>(got);
  }
  return content;
}

bool Channel::send(std::uint8_t kind, std::string_view bytes, std::span<const int> descriptors,
                   std::chrono::milliseconds wait_max) {
  std::array<iovec, 2> parts{
      {{&kind, sizeof kind}, {const_cast<char*>(bytes.data()), bytes.size()}}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  ControlBytes control;
  attach(header, control, descriptors);
  const auto end = Steady::now() + wait_max;
  const std::lock_guard lock(sending_);
  while (::sendmsg(fd(), &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    const auto left = left_until(end);
    if (errno != EAGAIN || left.count() == 0) return false;
    pollfd ready{fd(), POLLOUT, 0};
    (void)::poll(&ready, 1, static_cast<int>(left.count()));
  }
  return true;
}

bool Channel::send_any(Kind kind, std::string_view bytes, std::span<const int> descriptors,
                       std::chrono::milliseconds wait_max) {
  const auto number = static_cast<std::uint8_t>(kind);
  if (bytes.size() <= kInsideMax) return send(number, bytes, descriptors, wait_max);
  const auto file = sealed_file(bytes);
  if (!file) return false;
  std::vector<int> all(descriptors.begin(), descriptors.end());
  all.push_back(file->get());
  const std::uint64_t size = bytes.size();
  return send(number | kInFile, {reinterpret_cast<const char*>(&size), sizeof size}, all, wait_max);
}

bool Channel::await_read(std::chrono::milliseconds wait_max) const {
  constexpr auto kPause = std::chrono::milliseconds(1);
  const auto end = Steady::now() + wait_max;
  int unread = 0;
  while (::ioctl(fd(), SIOCOUTQ, &unread) == 0 && unread > kUnreadMax) {
    if (left_until(end).count() == 0) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

Channel::Got Channel::receive(Message& message, bool may_have_descriptors) {
  buffer_.resize(kMessageMax);
  iovec part{buffer_.data(), buffer_.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  ControlBytes control;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  const ssize_t got = ::recvmsg(fd(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Got::kNothing;
  if (got <= 0) return Got::kClosed;
  message.descriptors = detach(header);
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ||
      (!may_have_descriptors && !message.descriptors.empty())) {
    message.descriptors.clear();
    return Got::kInvalid;
  }
  message.kind = static_cast<std::uint8_t>(buffer_[0]);
  message.bytes.assign(buffer_, 1, static_cast<std::size_t>(got) - 1);
  if ((message.kind & kInFile) == 0) return Got::kMessage;
  message.kind &= static_cast<std::uint8_t>(~kInFile);
  return read_file_of(message) ? Got::kMessage : Got::kInvalid;
}

}  // namespace weft::front
