// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to the console over a socket: listeners, credentials of peers on this machine, and the
// detection of HTTP clients.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// A listening socket, non-blocking.
struct ConsoleListener {
  int fd = -1;
  std::uint16_t port = 0;  // TCP port
};

/// Listens on a TCP port (0: any free port) of 127.0.0.1, or of all addresses with `wide`. Fails
/// with kEnvironment.
Result<ConsoleListener> listen_on_tcp(std::uint16_t port, bool wide, int backlog);

/// Listens on a socket in the file system; its mode permits root, the user of this process and
/// `group` to connect. Creates a missing folder, one level. Replaces a socket that no process
/// listens on. Fails with kUsage if other users can write the folder or the path is too long, and
/// with kEnvironment if another process listens on it or a file of another kind is in the way.
Result<ConsoleListener> listen_on_path(const std::string& path, std::optional<gid_t> group,
                                       int backlog);

enum class ConsolePeer {
  kRefused,
  kOperator,  // a member of the group: every command, but no secret keys
  kOwner,     // root or the user of this process
};
/// The peer of a connection to a socket in the file system, by the kernel's credentials.
ConsolePeer peer_of(int connection, std::optional<gid_t> group);

/// The group of this name. Fails with kUsage.
Result<gid_t> find_group(const std::string& name);

/// Whether a line is a request of HTTP or the start of TLS: a web page can make a browser send
/// those to any port of this machine.
bool looks_like_http(std::string_view line);

}  // namespace weft
