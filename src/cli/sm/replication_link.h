// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The connection of a standby to the HTTP service of the master, on a separate thread: searches the
// peers for the master and copies its state while this manager is standby. The copy is stored in a
// file, so that a restarted standby continues with this copy.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/api_client.h"
#include "service/config/settings.h"
#include "service/replication/replication.h"

namespace weft::cli {

/// The peers of replication_peers, with the credentials of this manager.
std::vector<ServerArgument> replication_servers(const Settings& settings);

class ReplicationLink {
 public:
  /// Reads the copy of an earlier run from `file` (empty: no file), and starts the thread.
  /// `replication` must outlive this object.
  ReplicationLink(replication::Replication& replication, const Settings& settings,
                  std::string file);
  ~ReplicationLink() { stop(); }
  ReplicationLink(const ReplicationLink&) = delete;
  ReplicationLink& operator=(const ReplicationLink&) = delete;

  /// Sets the port GUID that identifies this manager to the master; nothing is copied before.
  void set_guid(Guid guid) { guid_ = guid.value(); }
  const std::vector<ServerArgument>& peers() const { return peers_; }
  /// Ends the thread. Call it after `replication` is closed.
  void stop();

 private:
  void load();
  void save(bool at_once);
  void run();
  bool copy_from(const ServerArgument& peer);
  bool copy_once(ApiClient& client);
  void set_client(ApiClient* client);

  replication::Replication& replication_;
  std::vector<ServerArgument> peers_;
  const std::string file_;
  std::atomic<std::uint64_t> guid_ = 0;
  std::uint64_t saved_version_ = 0;
  std::chrono::steady_clock::time_point next_save_{};
  std::mutex mutex_;
  ApiClient* client_ = nullptr;  // client with a request in progress
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace weft::cli
