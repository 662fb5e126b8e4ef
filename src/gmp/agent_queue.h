// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tasks that wait for their agents. Agents are served round-robin, and the number of tasks in
// progress is limited for each agent, so that requests do not queue up in an agent that also
// answers SMPs.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace weft {

template <class Agent, class Task>
class AgentQueue {
 public:
  void push(const Agent& agent, Task task) {
    work_[agent].waiting.push_back(std::move(task));
    make_ready(agent);
  }
  /// Inserts a task before the other tasks of the agent.
  void push_front(const Agent& agent, Task task) {
    work_[agent].waiting.push_front(std::move(task));
    make_ready(agent);
  }
  /// The next task, which is in progress from now on; none if every agent with waiting tasks has
  /// `limit` tasks in progress. 0: no limit.
  std::optional<Task> take(std::size_t limit) {
    while (!ready_.empty()) {
      const Agent agent = ready_.front();
      ready_.pop_front();
      Work& work = work_[agent];
      work.is_ready = false;
      if (work.waiting.empty() || (limit > 0 && work.in_progress >= limit)) continue;
      Task task = std::move(work.waiting.front());
      work.waiting.pop_front();
      ++work.in_progress;
      if (!work.waiting.empty()) make_ready(agent);
      return task;
    }
    return std::nullopt;
  }
  /// Ends a task of the agent.
  void finish(const Agent& agent) {
    const auto found = work_.find(agent);
    if (found == work_.end() || found->second.in_progress == 0) return;
    --found->second.in_progress;
    if (!found->second.waiting.empty()) make_ready(agent);
  }
  void clear() {
    work_.clear();
    ready_.clear();
  }

 private:
  struct Work {
    std::deque<Task> waiting;
    std::size_t in_progress = 0;
    bool is_ready = false;
  };
  void make_ready(const Agent& agent) {
    Work& work = work_[agent];
    if (!std::exchange(work.is_ready, true)) ready_.push_back(agent);
  }

  std::map<Agent, Work> work_;
  std::deque<Agent> ready_;  // agents in the order of service
};

}  // namespace weft
