// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/console/console_access.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/secure_path.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr int kStreamSocket = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

/// The error for errno; closes the socket.
tl::unexpected<Error> cannot_listen(const std::string& where, int fd) {
  const auto error =
      fail(Code::kEnvironment, "console: cannot listen on {}: {}", where, std::strerror(errno));
  if (fd >= 0) ::close(fd);
  return error;
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(Code::kUsage, "console_socket: {}: found {} bytes, expected at most {}", path,
                path.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// Removes a socket on which no process listens. Fails if a process listens on it, or if the path
/// is another kind of file.
Status remove_stale_socket(const std::string& path, const sockaddr_un& address) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return {};
  if (!S_ISSOCK(about.st_mode))
    return fail(Code::kEnvironment,
                "console_socket: {}: found a file that is no socket, expected a socket or no file",
                path);
  const int fd = ::socket(AF_UNIX, kStreamSocket, 0);
  if (fd < 0) return cannot_listen(path, fd);
  const bool is_stale =
      ::connect(fd, generic(address), sizeof address) != 0 && errno == ECONNREFUSED;
  ::close(fd);
  if (!is_stale)
    return fail(Code::kEnvironment, "console_socket: {}: another process listens on it", path);
  ::unlink(path.c_str());
  return {};
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool is_member(int connection, const ucred& peer, gid_t group) {
  if (peer.gid == group) return true;
  std::vector<gid_t> groups(NGROUPS_MAX);
  socklen_t size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return false;
  groups.resize(size / sizeof(gid_t));
  return std::ranges::find(groups, group) != groups.end();
}

}  // namespace

Result<ConsoleListener> listen_on_tcp(std::uint16_t port, bool wide, int backlog) {
  const std::string where = fmt::format("TCP port {}", port);
  ConsoleListener listener;
  listener.fd = ::socket(AF_INET, kStreamSocket, 0);
  if (listener.fd < 0) return cannot_listen(where, -1);
  const int yes = 1;
  (void)::setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(wide ? INADDR_ANY : INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener.fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener.fd, backlog) != 0 ||
      ::getsockname(listener.fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return cannot_listen(where, listener.fd);
  listener.port = ntohs(address.sin_port);
  return listener;
}

Result<ConsoleListener> listen_on_path(const std::string& path, std::optional<gid_t> group,
                                       int backlog) {
  constexpr mode_t kFolderMode = 0755, kOwnerOnly = 0600, kOwnerAndGroup = 0660;
  const auto address = address_of(path);
  if (!address) return forward(address);
  const std::string folder = parent_of(path);
  if (::mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST)
    return fail(Code::kEnvironment, "console_socket: cannot create {}: {}", folder,
                std::strerror(errno));
  if (auto status = check_only_owner_writes(folder); !status) return forward(status);
  if (auto status = remove_stale_socket(path, *address); !status) return forward(status);
  ConsoleListener listener;
  listener.fd = ::socket(AF_UNIX, kStreamSocket, 0);
  if (listener.fd < 0) return cannot_listen(path, -1);
  // Set the mode before listen(), so that no peer can connect with another mode.
  const bool is_bound = ::bind(listener.fd, generic(*address), sizeof *address) == 0;
  const bool is_set = is_bound &&
                      (!group || ::chown(path.c_str(), static_cast<uid_t>(-1), *group) == 0) &&
                      ::chmod(path.c_str(), group ? kOwnerAndGroup : kOwnerOnly) == 0;
  if (is_set && ::listen(listener.fd, backlog) == 0) return listener;
  const auto error = cannot_listen(path, listener.fd);
  if (is_bound) ::unlink(path.c_str());
  return error;
}

ConsolePeer peer_of(int connection, std::optional<gid_t> group) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid == 0)
    return ConsolePeer::kRefused;
  if (peer.uid == 0 || peer.uid == ::geteuid()) return ConsolePeer::kOwner;
  return group && is_member(connection, peer, *group) ? ConsolePeer::kOperator
                                                      : ConsolePeer::kRefused;
}

Result<gid_t> find_group(const std::string& name) {
  std::vector<char> buffer(std::size_t{1} << 16);
  group entry{};
  group* found = nullptr;
  if (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) == 0 && found)
    return entry.gr_gid;
  return fail(Code::kUsage, "console_group: found {}, expected the name of a group",
              weft::quoted(name));
}

bool looks_like_http(std::string_view line) {
  constexpr std::string_view kTlsHandshake = "\x16\x03";
  constexpr std::array<std::string_view, 10> kMethods{"GET ",     "HEAD ",    "POST ",  "PUT ",
                                                      "DELETE ",  "CONNECT ", "PATCH ", "TRACE ",
                                                      "OPTIONS ", "PRI "};
  const auto is_start = [&](std::string_view word) { return line.starts_with(word); };
  return is_start(kTlsHandshake) || std::ranges::any_of(kMethods, is_start) ||
         line.find(" HTTP/") != std::string_view::npos;
}

}  // namespace weft
