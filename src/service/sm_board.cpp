// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/sm_board.h"

#include <utility>

#include "service/jobs/job_book.h"

namespace weft {

SmStatus status_of(const SubnetManager& sm) {
  SmStatus status;
  status.state = sm.state();
  status.priority = sm.priority();
  status.sweeping = sm.is_sweeping();
  status.heavy_sweeps = sm.heavy_sweeps();
  status.up = sm.last_result().up;
  status.error = sm.last_result().error;
  status.smps = sm.smp_counts();
  status.managers.push_back({sm.own_guid().value_or(Guid(0)), sm.state(), sm.priority(), true});
  if (const auto snapshot = sm.snapshot()) {
    const Fabric& fabric = snapshot->fabric;
    const Port& port = fabric.port(fabric.endport(snapshot->sm).port);
    ManagerStatus& self = status.managers.back();
    self.node = fabric.node(port.node).node_guid;
    self.name = fabric.node(port.node).description;
    self.port = port.num;
    self.lid = snapshot->sm_lid();
  }
  for (const OtherManager& other : sm.others())
    if (!other.silent)
      status.managers.push_back({other.info.guid, other.info.state, other.info.priority, false,
                                 other.node, other.description, other.port, other.lid});
  return status;
}

SmBoard::SmBoard(const Settings& settings) : jobs(std::make_shared<JobBook>()) { post(settings); }

/// The parameter destroys the old snapshot, which may be large, after the lock is released.
void SmBoard::post(SmStatus status, std::shared_ptr<const Snapshot> snapshot) {
  const std::lock_guard lock(mutex_);
  posted_.status = std::move(status);
  posted_.snapshot.swap(snapshot);
}

void SmBoard::post(const Settings& settings) {
  auto copy = std::make_shared<const Settings>(settings);
  const std::lock_guard lock(mutex_);
  posted_.settings = std::move(copy);
}

void SmBoard::set_performance_handler(PerformanceHandler handler) {
  const std::lock_guard lock(performance_mutex_);
  performance_handler_ = std::move(handler);
}

std::optional<std::string> SmBoard::run_performance_command(std::vector<std::string> words) {
  const std::lock_guard lock(performance_mutex_);
  return performance_handler_ ? std::optional(performance_handler_(std::move(words)))
                              : std::nullopt;
}

SmBoard::Posted SmBoard::read() const {
  const std::lock_guard lock(mutex_);
  return posted_;
}

bool SmBoard::add_request(const SmRequest& request) {
  const std::lock_guard lock(mutex_);
  if (requests_.size() >= kRequestsMax) return false;
  requests_.push_back(request);
  has_requests_ = true;
  return true;
}

std::vector<SmRequest> SmBoard::take_requests() {
  if (!has_requests_) return {};
  const std::lock_guard lock(mutex_);
  has_requests_ = false;
  return std::exchange(requests_, {});
}

}  // namespace weft
