// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Connects a resident subnet manager and its subnet administration with replication. The service of
// a master posts the state of both, and the jobs. The service of a standby stores the partition
// file of the master and copies its history. At a takeover the service passes the state of the
// previous master to the manager, the subnet administration and the list of jobs. All functions are
// called on the manager's thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "cli/sm/history_copier.h"
#include "cli/sm/replication_link.h"
#include "cli/sm/subnet_administration.h"
#include "service/config/settings.h"
#include "service/replication/replication.h"
#include "service/replication/subnet_replication.h"
#include "service/sm_board.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

/// Identifies a version of a file by its size and the time of the last write.
struct FileState {
  std::string path;
  std::optional<std::uintmax_t> size;  // empty: there is no such file
  std::filesystem::file_time_type written;
  bool operator==(const FileState&) const = default;
};

class ReplicationService {
 public:
  /// All references must outlive this object. `cache_dir`: folder of persistent files; empty: none
  /// are stored.
  ReplicationService(std::shared_ptr<replication::Replication> replication, SmBoard& board,
                     SubnetAdministration& administration, std::string cache_dir);
  ~ReplicationService() { end(); }
  ReplicationService(const ReplicationService&) = delete;
  ReplicationService& operator=(const ReplicationService&) = delete;

  /// Call after each step of the manager, before that of the subnet administration.
  void step(SubnetManager& sm);
  /// Closes the replication and ends the threads.
  void end();
  /// Reads the configuration and the partition file again, as SIGHUP does.
  std::function<void(SubnetManager&)> reload;

 private:
  using Part = replication::Part;
  using Copy = replication::Replication::Copy;

  void begin_term();
  void post_partitions(const SubnetManager& sm);
  void post_settings(const SubnetManager& sm);
  void post_jobs();
  void keep_partitions(SubnetManager& sm, const Copy& copy);
  void take_over_settings();
  Settings settings() const { return *board_.read().settings; }

  const std::shared_ptr<replication::Replication> replication_;
  SmBoard& board_;
  SubnetAdministration& administration_;
  std::string posted_settings_;
  std::optional<FileState> posted_partitions_;
  TimeNs next_partitions_{0};
  std::optional<std::uint64_t> posted_jobs_;  // version of the jobs that were posted last
  TimeNs next_jobs_{0};
  std::string kept_partitions_;  // checksum of the stored partition file
  RealClock clock_;
  std::optional<ReplicationLink> link_;
  std::optional<HistoryCopier> history_;
  std::optional<replication::SubnetReplication> subnet_;
};

}  // namespace weft::cli
