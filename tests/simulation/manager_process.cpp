// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "manager_process.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/file.h"

#include "fabric/planes.h"

namespace weft::simulation {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCopyFile = "/replica.json";
constexpr std::size_t kCopyFileMax = std::size_t{1} << 30;
constexpr TimeNs kCopyPause = std::chrono::seconds(2);  // as in cli/sm/replication_link.cpp
constexpr TimeNs kSimulatedBegin = std::chrono::hours(24) * 365 * 55;  // time since 1970

constexpr KernelLimits kKernelLimits{.receive_max = 128};

// A folder below a file: even root can neither create nor write this folder.
constexpr const char* kUnwritable = "/dev/null/full";

void copy_files(const std::string& from, const std::string& to) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(from, ignored))
    if (entry.is_regular_file())
      fs::copy_file(entry.path(), fs::path(to) / entry.path().filename(),
                    fs::copy_options::overwrite_existing, ignored);
}

}  // namespace

ManagerProcess::ManagerProcess(EmulatedFabric& emulated, EndportId where, SmOptions options,
                               KillPoint::Corrupt corrupt, bool kernel)
    : emulated_(emulated),
      where_(where),
      options_(std::move(options)),
      corrupt_(std::move(corrupt)),
      has_kernel_(kernel) {
  options_.cache_dir = folder_.path();
  const Fabric& fabric = emulated_.fabric();
  const Endport& manager_port = fabric.endport(where);
  options_.own_port_guid = fabric.port(manager_port.port).guid;
  uses_all_ports_ = find_planes(fabric).planes.size() > 1;
  if (!uses_all_ports_) return;
  for (const Port& port : fabric.ports(manager_port.node).subspan(1))
    if (port.num != fabric.port(manager_port.port).num) options_.more_own_ports.push_back(port.num);
}

SmpTransport& ManagerProcess::attach_to(EmulatedFabric& emulated) const {
  return uses_all_ports_ ? emulated.attach_to_all_ports(where_) : emulated.attach(where_);
}

SaOptions ManagerProcess::sa_options() const {
  SaOptions options;
  options.sa_key = SmKey(options_.sa_key);
  options.subnet_prefix = options_.subnet_prefix;
  options.subnet_timeout = options_.subnet_timeout;
  options.qos = options_.qos.enabled;
  return options;
}

void ManagerProcess::start() {
  kill();
  ++starts_;
  kill_point_ = std::make_unique<KillPoint>(attach_to(emulated_), corrupt_);
  kernel_ = std::make_unique<KernelWire>(*kill_point_, emulated_.clock(), kKernelLimits);
  SmpTransport& wire = has_kernel_ ? static_cast<SmpTransport&>(*kernel_) : *kill_point_;
  sm_ = std::make_unique<SubnetManager>(wire, emulated_.clock(), options_);
  queries_ = &emulated_.attach_gmps(where_, MgmtClass::kSubnAdm, uses_all_ports_);
  sa_ = std::make_unique<SaServer>(sa_options(), send_by(*queries_));
  if (confirm_) start_replication();
  if (agent_plan_ != nullptr)
    agents_ = std::make_unique<AgentManagers>(emulated_, where_, uses_all_ports_, *agent_plan_,
                                              folder_.path());
}

/// Starts replication as cli/sm/replication_service.cpp does, but without threads.
void ManagerProcess::start_replication() {
  const VirtualClock& clock = emulated_.clock();
  using replication::Part;
  using replication::Replication;
  replication_ = std::make_unique<Replication>(Replication::Options{
      .confirm = *confirm_, .now = [&clock] { return Replication::Time(clock.now()); }});
  replication_->on_confirmed = [this](std::uint64_t version) { sa_->confirm(version); };
  replication_->on_hold = [this](std::chrono::milliseconds most) { sa_->hold_answers(most); };
  if (const auto copy = read_file(folder_.path() + kCopyFile, kCopyFileMax))
    static_cast<void>(replication_->load(*copy));
  kept_copy_ = replication_->copy(0).version;
  subnet_ = std::make_unique<replication::SubnetReplication>(*replication_, folder_.path());
  subnet_->inherit = [this](std::shared_ptr<const sa::Saved> saved) {
    sa_->inherit(std::move(saved), emulated_.clock().now());
  };
  subnet_->on_term_begun = [this] {
    replication_->post(Part::kPartitions, {});
    replication_->post(Part::kSettings, {});
    replication_->post(Part::kJobs, {});
  };
  subnet_->on_copy = [](SubnetManager&, const auto&) {};
  subnet_->on_take_over = [] {};
  subnet_->new_epoch = [this] {
    return fmt::format("{:08x}{:08x}", where_.value(), static_cast<std::uint32_t>(++terms_));
  };
  sa_->set_replicated(true);
  sa_->set_time_of_day([&clock] { return kSimulatedBegin + clock.now(); });
  unconfirmed_ = 0;
}

/// Exchanges data between the SA, the manager and replication. Called after each step of the SA.
void ManagerProcess::step_replication() {
  const TimeNs now = emulated_.clock().now();
  if (auto all = sa_->take_registrations(now)) subnet_->post(std::move(*all));
  replication_->step();
  if (std::exchange(unconfirmed_, sa_->unconfirmed()) != unconfirmed_) unconfirmed_at_ = now;
  const std::uint64_t version = replication_->copy(kept_copy_).version;
  if (now < next_copy_ || version == kept_copy_) return;
  next_copy_ = now + kCopyPause;
  const std::string text = replication_->save();
  if (text.empty()) return;
  kept_copy_ = version;
  static_cast<void>(write_file(options_.cache_dir + kCopyFile, text));
}

void ManagerProcess::kill() {
  if (!sm_) return;
  agents_.reset();
  subnet_.reset();
  sa_.reset();
  emulated_.detach_gmps(where_, MgmtClass::kSubnAdm);
  sm_.reset();
  kernel_.reset();
  kill_point_.reset();
  published_.reset();
  replication_.reset();
  emulated_.detach(where_);
}

void ManagerProcess::step(TimeNs deadline) {
  sm_->step(deadline);
  if (kill_point_->is_killed() || sm_->stopped()) return kill();
  if (subnet_) subnet_->step(*sm_);
  if (const auto snapshot = sm_->snapshot(); snapshot != published_) {
    published_ = snapshot;
    sa_->publish(snapshot);
  }
  for (const Notice& trap : sm_->take_traps()) sa_->on_trap(trap);
  sm_->take_occurrences();
  serve(*sa_, *queries_, emulated_.clock());
  if (auto groups = sa_->take_multicast_groups(emulated_.clock().now()))
    sm_->change_multicast_groups(std::move(*groups));
  if (auto aliases = sa_->take_alias_guids()) sm_->set_alias_guids(std::move(*aliases));
  if (subnet_) step_replication();
  if (agents_) agents_->step(*sm_);
}

void ManagerProcess::reload() {
  if (!sm_) return;
  sm_->set_options(options_);
  sm_->request_full_discovery("SIGHUP");
}

void ManagerProcess::save_first_files() {
  if (has_first_files_) return;
  has_first_files_ = true;
  copy_files(folder_.path(), first_files_.path());
}

void ManagerProcess::restore_first_files() {
  lose_files();
  copy_files(first_files_.path(), folder_.path());
}

void ManagerProcess::lose_files() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_.path(), ignored))
    fs::remove_all(entry.path(), ignored);
}

void ManagerProcess::damage_files(std::uint64_t selector) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_.path(), ignored)) {
    if (!entry.is_regular_file()) continue;
    const auto size = entry.file_size();
    if (size == 0) continue;
    if (selector % 2 == 0) {
      fs::resize_file(entry.path(), selector / 2 % size, ignored);
    } else {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(selector / 2 % size));
      file << "0xdamaged \xff\n";
    }
  }
}

void ManagerProcess::set_disk_full(bool full) {
  options_.cache_dir = full ? kUnwritable : folder_.path();
  if (sm_) sm_->set_options(options_);
}

}  // namespace weft::simulation
