// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Connects a resident subnet manager and its subnet administration with the replication: as master
// it passes their state on, as standby it keeps the files of the master, and at a takeover it gives
// them the state of the previous master. Called on the manager's thread.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "cli/sm/replication_link.h"
#include "cli/sm/subnet_administration.h"
#include "service/config/settings.h"
#include "service/replication/replication.h"
#include "service/sm_board.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

/// Differs once a file was replaced or written.
struct FileState {
  std::string path;
  std::optional<std::uintmax_t> size;  // none: there is no such file
  std::filesystem::file_time_type written;
  bool operator==(const FileState&) const = default;
};

class ReplicationService {
 public:
  /// All must outlive it. `cache_dir`: folder of persistent files; empty: none are kept.
  ReplicationService(std::shared_ptr<replication::Replication> replication, SmBoard& board,
                     SubnetAdministration& administration, std::string cache_dir);
  ~ReplicationService() { end(); }
  ReplicationService(const ReplicationService&) = delete;
  ReplicationService& operator=(const ReplicationService&) = delete;

  /// After each step of the manager, before that of the subnet administration.
  void step(SubnetManager& sm);
  /// Ends the threads.
  void end();
  /// Reads the configuration and the partition file again, as SIGHUP does.
  std::function<void(SubnetManager&)> reload;

 private:
  using Part = replication::Part;
  using Copy = replication::Replication::Copy;

  void change_state(SubnetManager& sm, SmState before);
  void take_over(SubnetManager& sm);
  void take_over_settings();
  void lead(const SubnetManager& sm);
  void post_subnet(const SubnetManager& sm);
  void post_partitions(const SubnetManager& sm);
  void post_settings(const SubnetManager& sm);
  void keep_files(SubnetManager& sm);
  bool keep_file(const Copy& copy, Part part, const std::string& name);
  void keep_partitions(SubnetManager& sm, const Copy& copy);
  Settings settings() const { return *board_.read().settings; }

  const std::shared_ptr<replication::Replication> replication_;
  SmBoard& board_;
  SubnetAdministration& administration_;
  const std::string cache_dir_;
  SmState state_ = SmState::kDiscovering;
  bool leads_ = false;
  std::uint64_t posted_sweeps_ = 0;
  std::string posted_settings_;
  std::optional<FileState> posted_partitions_;
  TimeNs next_partitions_{0};
  std::uint64_t kept_version_ = 0;
  std::array<std::string, replication::kParts> kept_;  // checksums
  RealClock clock_;
  std::optional<ReplicationLink> link_;
};

}  // namespace weft::cli
