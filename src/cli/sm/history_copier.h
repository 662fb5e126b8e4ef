// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Copies the history of the master to that of this standby, in parts, on a separate thread, while
// the standby is in step. The history itself contains the position, so that copying continues after
// a restart.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/api_client.h"
#include "service/replication/replication.h"

namespace weft::cli {

class HistoryCopier {
 public:
  /// Starts the thread. `peers`: the managers of which one may be the master; `file`: the history
  /// of this manager. `replication` must outlive this object.
  HistoryCopier(replication::Replication& replication, std::vector<ServerArgument> peers,
                std::string file);
  ~HistoryCopier() { stop(); }
  HistoryCopier(const HistoryCopier&) = delete;
  HistoryCopier& operator=(const HistoryCopier&) = delete;

  /// Ends the thread. Call it after `replication` is closed.
  void stop();

 private:
  void run();
  Result<bool> copy_piece(ApiClient& client);
  void copy_from(const ServerArgument& master);
  void set_client(ApiClient* client);

  replication::Replication& replication_;
  const std::vector<ServerArgument> peers_;
  const std::string file_;
  std::string error_;  // the last logged error
  std::mutex mutex_;
  ApiClient* client_ = nullptr;  // client with a request in progress
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace weft::cli
