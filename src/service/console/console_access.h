// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to the console over a socket: listeners, credentials of local peers, and detection of HTTP
// clients.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// A listening, non-blocking socket.
struct ConsoleListener {
  int fd = -1;
  std::uint16_t port = 0;  // TCP port; 0: a socket in the file system
};

/// Listens on a TCP port (0: any free port) of 127.0.0.1, or of all addresses with `wide`. Fails
/// with kEnvironment.
Result<ConsoleListener> listen_on_tcp(std::uint16_t port, bool wide, int backlog);

/// Listens on a socket in the file system. Only root, the user of this process and `group` can
/// connect. Creates the folder of the socket if its parent exists. Replaces a socket on which no
/// process listens. Fails with kUsage if other users can write the folder or the path is too long.
/// Fails with kEnvironment if another process listens on the socket, the path is another kind of
/// file, or a system call fails.
Result<ConsoleListener> listen_on_path(const std::string& path, std::optional<gid_t> group,
                                       int backlog);

enum class ConsolePeer {
  kRefused,
  kOperator,  // a member of the group: may use every command, but secret keys are not printed
  kOwner,     // root or the user of this process
};
/// The kind of the peer of a connection to a socket in the file system, by the credentials of its
/// process.
ConsolePeer peer_of(int connection, std::optional<gid_t> group);

/// The id of the group with this name. Fails with kUsage if there is no such group.
Result<gid_t> find_group(const std::string& name);

/// Whether a line is an HTTP request or the start of TLS. A web page can make a browser send both
/// to any port of the user's machine.
bool looks_like_http(std::string_view line);

}  // namespace weft
