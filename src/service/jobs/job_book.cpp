// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/jobs/job_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "service/jobs/job_records.h"

namespace weft {
namespace {

constexpr std::string_view kEndedKey = "ended ";

}  // namespace

Status JobBook::begin(Job job) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(job.id);
  if (found == running_.end() && running_.size() >= kRunningMax)
    return fail(Code::kRejected, "{} jobs are running, which is the maximum", kRunningMax);
  if (found != running_.end()) traffic_.erase(found->second.get());
  const std::string id = job.id;
  ++version_;
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
  ++ended_count_;
  ++version_;
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

std::uint64_t JobBook::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

std::map<std::string, std::string> JobBook::records() const {
  std::vector<std::pair<std::string, JobPtr>> jobs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : running_) jobs.emplace_back("running " + id, job);
    std::uint64_t number = ended_count_;
    for (const JobPtr& job : ended_) jobs.emplace_back(fmt::format("ended {:020}", number--), job);
  }
  std::map<std::string, std::string> records;
  for (const auto& [key, job] : jobs) records.emplace(key, job_record(*job));
  return records;
}

void JobBook::restore(const std::map<std::string, std::string>& records) {
  std::map<std::string, JobPtr> running;
  std::deque<JobPtr> ended;
  std::uint64_t last = 0;
  for (const auto& [key, text] : records) {
    auto job = job_of_record(text);
    if (!job) continue;
    const std::string id = job->id;
    auto shared = std::make_shared<const Job>(std::move(*job));
    if (shared->ended)
      ended.push_front(std::move(shared));
    else if (running.size() < kRunningMax)
      running[id] = std::move(shared);
    if (key.starts_with(kEndedKey))
      last = std::max(last, parse_number<std::uint64_t>(key.substr(kEndedKey.size())).value_or(0));
  }
  if (ended.size() > kEndedKept) ended.resize(kEndedKept);
  const std::lock_guard lock(mutex_);
  running_ = std::move(running);
  ended_ = std::move(ended);
  ended_count_ = std::max<std::uint64_t>(last, ended_.size());
  traffic_.clear();
  ++version_;
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
