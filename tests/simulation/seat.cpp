// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "seat.h"

#include <filesystem>
#include <fstream>

namespace weft::simulation {
namespace {

namespace fs = std::filesystem;

constexpr KernelLimits kKernelLimits{.receive_max = 128};

// A folder below a file cannot be created or written to, not even by root.
constexpr const char* kNowhere = "/dev/null/full";

void copy_files(const std::string& from, const std::string& to) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(from, ignored))
    if (entry.is_regular_file())
      fs::copy_file(entry.path(), fs::path(to) / entry.path().filename(),
                    fs::copy_options::overwrite_existing, ignored);
}

}  // namespace

Seat::Seat(EmulatedFabric& emulated, EndportId where, SmOptions options, Fuse::Garble garble,
           bool kernel)
    : emulated_(emulated),
      where_(where),
      options_(std::move(options)),
      garble_(std::move(garble)),
      has_kernel_(kernel) {
  options_.cache_dir = folder_.path();
  const Fabric& fabric = emulated_.fabric();
  options_.own_port_guid = fabric.port(fabric.endport(where).port).guid;
}

SaOptions Seat::sa_options() const {
  SaOptions options;
  options.sa_key = SmKey(options_.sa_key);
  options.subnet_prefix = options_.subnet_prefix;
  options.subnet_timeout = options_.subnet_timeout;
  options.qos = options_.qos.enabled;
  return options;
}

void Seat::start() {
  leave();
  ++starts_;
  fuse_ = std::make_unique<Fuse>(emulated_.attach(where_), garble_);
  kernel_ = std::make_unique<KernelWire>(*fuse_, emulated_.clock(), kKernelLimits);
  SmpTransport& wire = has_kernel_ ? static_cast<SmpTransport&>(*kernel_) : *fuse_;
  sm_ = std::make_unique<SubnetManager>(wire, emulated_.clock(), options_);
  queries_ = &emulated_.attach_gmps(where_, MgmtClass::kSubnAdm);
  sa_ = std::make_unique<SaServer>(sa_options(), send_by(*queries_));
}

void Seat::leave() {
  if (!sm_) return;
  sa_.reset();
  emulated_.detach_gmps(where_, MgmtClass::kSubnAdm);
  sm_.reset();
  kernel_.reset();
  fuse_.reset();
  published_.reset();
  emulated_.detach(where_);
}

void Seat::step(TimeNs deadline) {
  sm_->step(deadline);
  if (fuse_->blown() || sm_->stopped()) return leave();
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
}

void Seat::reload() {
  if (!sm_) return;
  sm_->set_options(options_);
  sm_->request_full_look("SIGHUP");
}

void Seat::keep_first_day() {
  if (has_first_day_) return;
  has_first_day_ = true;
  copy_files(folder_.path(), first_day_.path());
}

void Seat::restore_first_day() {
  lose_files();
  copy_files(first_day_.path(), folder_.path());
}

void Seat::lose_files() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_.path(), ignored))
    fs::remove_all(entry.path(), ignored);
}

void Seat::damage_files(std::uint64_t how) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_.path(), ignored)) {
    if (!entry.is_regular_file()) continue;
    const auto size = entry.file_size();
    if (size == 0) continue;
    if (how % 2 == 0) {
      fs::resize_file(entry.path(), how / 2 % size, ignored);
    } else {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(how / 2 % size));
      file << "0xdamaged \xff\n";
    }
  }
}

void Seat::set_disk_full(bool full) {
  options_.cache_dir = full ? kNowhere : folder_.path();
  if (sm_) sm_->set_options(options_);
}

}  // namespace weft::simulation
