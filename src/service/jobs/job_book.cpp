// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/jobs/job_book.h"

#include <algorithm>

namespace weft {

Status JobBook::begin(Job job) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(job.id);
  if (found == running_.end() && running_.size() >= kRunningMax)
    return fail(Code::kRejected, "{} jobs run already, expected at most that many", kRunningMax);
  if (found != running_.end()) traffic_.erase(found->second.get());
  const std::string id = job.id;
  running_[id] = std::make_shared<const Job>(std::move(job));
  return {};
}

JobPtr JobBook::end(const std::string& id, WallTime at) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(id);
  if (found == running_.end()) return nullptr;
  Job job = *found->second;
  job.ended = at;
  traffic_.erase(found->second.get());
  running_.erase(found);
  ended_.push_front(std::make_shared<const Job>(std::move(job)));
  if (ended_.size() > kEndedKept) ended_.pop_back();
  return ended_.front();
}

JobPtr JobBook::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = running_.find(id); found != running_.end()) return found->second;
  const auto found = std::ranges::find(ended_, id, [](const JobPtr& job) { return job->id; });
  return found == ended_.end() ? nullptr : *found;
}

std::vector<JobPtr> JobBook::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<JobPtr> jobs;
  for (const auto& [id, job] : running_) jobs.push_back(job);
  jobs.insert(jobs.end(), ended_.begin(), ended_.end());
  return jobs;
}

std::shared_ptr<const JobTraffic> JobBook::traffic(
    const JobPtr& job, const std::shared_ptr<const Snapshot>& snapshot) {
  {
    const std::lock_guard lock(mutex_);
    if (snapshot_ == snapshot)
      if (const auto found = traffic_.find(job.get()); found != traffic_.end())
        return found->second;
  }
  auto traffic = std::make_shared<const JobTraffic>(job_traffic(*snapshot, job->hosts));
  const std::lock_guard lock(mutex_);
  if (snapshot_ != snapshot) {
    traffic_.clear();
    snapshot_ = snapshot;
  }
  const auto running = running_.find(job->id);
  if (running != running_.end() && running->second == job) traffic_[job.get()] = traffic;
  return traffic;
}

}  // namespace weft
