// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subnet administration (SA) of a resident subnet manager. The SA runs on its own thread; on an
// emulated fabric it is stepped with the manager, so that results depend on the seed only.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/sm/attachment.h"
#include "sa/sa_thread.h"
#include "sa/server.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

class SubnetAdministration {
 public:
  using Call = std::function<void(const SaServer&)>;

  /// `attachment` must outlive this object.
  SubnetAdministration(const Attachment& attachment, const SaOptions& options);
  ~SubnetAdministration();
  SubnetAdministration(const SubnetAdministration&) = delete;
  SubnetAdministration& operator=(const SubnetAdministration&) = delete;

  /// Call after each step of the manager: exchanges snapshot, traps, multicast groups and alias
  /// GUIDs.
  void step(SubnetManager& sm);
  /// Called from another thread than step(): runs `call` between two requests of the server.
  /// Returns false after kCallTimeout; `call` may still run later.
  bool execute(Call call);
  std::shared_ptr<const sa::Meter> meter() const;
  /// Writes opensm-sa.dump to `path` at this interval if the content has changed; 0: never.
  void dump_to(std::string path, TimeNs every);
  void set_options(const SaOptions& options);

  // Replication, as in SaThread
  void inherit(std::shared_ptr<const sa::Saved> saved);
  void replicate(std::function<void(sa::Registrations)> take);
  void hold_answers(TimeNs most);
  void confirm(std::uint64_t version);

 private:
  static constexpr std::chrono::seconds kCallTimeout{2};

  std::vector<Call> take_posted();
  void keep_dump();

  const Attachment& attachment_;
  std::string dump_path_, dumped_;
  TimeNs dump_every_{0}, next_dump_{0};
  std::shared_ptr<const Snapshot> published_;
  std::mutex mutex_;
  std::vector<Call> posted_;                          // used without a thread: executed by step()
  std::function<void(sa::Registrations)> replicate_;  // used without a thread
  std::atomic<TimeNs::rep> hold_most_ = 0;            // used without a thread
  std::atomic<std::uint64_t> confirmed_ = 0;
  std::optional<SaServer> server_;
  std::optional<SaThread> thread_;
};

}  // namespace weft::cli
