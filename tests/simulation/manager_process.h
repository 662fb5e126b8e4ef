// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulates one process of a subnet manager on one port: the manager, its SA and its files. The
// process can be killed at any SMP, restarted with the files in its folder, and receive corrupted
// answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "agent_managers.h"
#include "emulator/emulated_fabric.h"
#include "plan.h"
#include "sa/server.h"
#include "service/replication/subnet_replication.h"
#include "sm/subnet_manager.h"
#include "support/kernel_wire.h"
#include "support/temp_dir.h"

namespace weft::simulation {

/// Transport of a process that may be killed between any two of its SMPs. A killed process neither
/// sends nor receives.
class KillPoint final : public SmpTransport {
 public:
  using Corrupt = std::function<void(Smp&)>;
  KillPoint(SmpTransport& wire, Corrupt corrupt) : wire_(wire), corrupt_(std::move(corrupt)) {}

  /// The process counts as killed after it has sent this many more SMPs.
  void kill_after(std::uint64_t smps) { left_ = smps; }
  void cancel_kill() { left_.reset(); }
  bool is_killed() const { return left_ && *left_ == 0; }

  Status send(const Smp& smp) override {
    if (left_ && *left_ == 0) return {};
    if (left_) --*left_;
    return wire_.send(smp);
  }
  std::optional<Smp> receive() override {
    if (is_killed()) return std::nullopt;
    auto smp = wire_.receive();
    if (smp) corrupt_(*smp);
    return smp;
  }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }
  bool take_link_change() override { return wire_.take_link_change(); }

 private:
  SmpTransport& wire_;
  Corrupt corrupt_;
  std::optional<std::uint64_t> left_;
};

class ManagerProcess {
 public:
  /// If `kernel`, a model of ib_umad is between the manager and the transport. On a fabric of
  /// several planes the manager uses the CA's port in each plane.
  ManagerProcess(EmulatedFabric& emulated, EndportId where, SmOptions options,
                 KillPoint::Corrupt corrupt, bool kernel);
  ~ManagerProcess() { kill(); }
  /// Adds the managers of class keys and congestion control from the next start; `plan` must
  /// outlive the process.
  void manage_agents(const WorldPlan& plan) { agent_plan_ = &plan; }
  /// Null unless manage_agents() was called.
  AgentManagers* agents() const { return agents_.get(); }
  /// Enables replication from the next start. Answers to registrations wait for a standby for at
  /// most `confirm`.
  void replicate(std::chrono::milliseconds confirm) { confirm_ = confirm; }

  /// Starts the process with the existing files. Ends the process first if it runs.
  void start();
  /// Ends the process as kill -9 does.
  void kill();
  bool runs() const { return sm_ != nullptr; }
  /// Steps the manager, at most until `deadline`, and its SA. Ends the process if kill_after()
  /// leaves it no more SMPs, or if the manager has stopped.
  void step(TimeNs deadline);
  void kill_after(std::uint64_t smps) {
    if (kill_point_) kill_point_->kill_after(smps);
  }
  void cancel_kill() {
    if (kill_point_) kill_point_->cancel_kill();
  }

  /// Copies the files for restore_first_files(), at the first call only.
  void save_first_files();
  // Faults of the files, applied while the process does not run.
  void lose_files();
  /// Truncates each file if `selector` is even, or overwrites a part of each file.
  void damage_files(std::uint64_t selector);
  void restore_first_files();
  /// If true, all writes fail as on a full disk.
  void set_disk_full(bool full);

  SubnetManager& sm() { return *sm_; }
  const SubnetManager& sm() const { return *sm_; }
  const SaServer& sa() const { return *sa_; }
  SmOptions& options() { return options_; }
  const SmOptions& options() const { return options_; }
  /// Passes the current options to the process, as by SIGHUP.
  void reload();
  EndportId where() const { return where_; }
  /// Attaches the manager to its port on this fabric. On a fabric of several planes, attaches the
  /// manager to all ports of its CA.
  SmpTransport& attach_to(EmulatedFabric& emulated) const;
  const TempDir& folder() const { return folder_; }
  std::uint64_t starts() const { return starts_; }
  /// Number of takeovers of this process so far after which clients need not register again.
  std::uint64_t complete_takeovers() const { return subnet_ ? subnet_->complete_takeovers() : 0; }
  /// Null if the manager does not replicate.
  replication::Replication* replication() const { return replication_.get(); }
  /// Time of the last answer to a registration that was sent although no standby has it.
  std::optional<TimeNs> unconfirmed_at() const { return unconfirmed_at_; }

 private:
  SaOptions sa_options() const;
  void start_replication();
  void step_replication();

  EmulatedFabric& emulated_;
  const EndportId where_;
  TempDir folder_, first_files_;
  SmOptions options_;
  KillPoint::Corrupt corrupt_;
  const bool has_kernel_;
  bool uses_all_ports_ = false;
  std::unique_ptr<KillPoint> kill_point_;
  std::unique_ptr<KernelWire> kernel_;
  std::unique_ptr<SubnetManager> sm_;
  std::unique_ptr<SaServer> sa_;
  std::unique_ptr<replication::Replication> replication_;
  std::unique_ptr<replication::SubnetReplication> subnet_;
  std::optional<std::chrono::milliseconds> confirm_;  // none: no replication
  const WorldPlan* agent_plan_ = nullptr;
  std::unique_ptr<AgentManagers> agents_;
  std::uint64_t terms_ = 0;
  std::uint64_t kept_copy_ = 0;  // version of the copy in the file
  TimeNs next_copy_{0};
  std::uint64_t unconfirmed_ = 0;
  std::optional<TimeNs> unconfirmed_at_;
  GmpTransport* queries_ = nullptr;
  std::shared_ptr<const Snapshot> published_;
  std::uint64_t starts_ = 0;
  bool has_first_files_ = false;
};

}  // namespace weft::simulation
