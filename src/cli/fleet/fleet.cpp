// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/fleet/fleet.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace weft::cli {
namespace {

constexpr std::size_t kAnswerBytesMax = std::size_t{8} << 20;
constexpr int kStatusNoCounters = 409;
constexpr int kStatusUnknownPath = 404;  // response of a manager without /api/v1/alarms

Result<ApiClient> client_for(const FleetEntry& entry, const PollTimes& pace) {
  auto client = ApiClient::open(entry.server);
  if (client) client->limit(pace.timeout, kAnswerBytesMax);
  return client;
}

/// Fails unless the manager answers all requests; a manager without alarms may refuse the request
/// for alarms.
Result<FleetMember> state_of(const FleetEntry& entry, const PollTimes& pace) {
  auto client = client_for(entry, pace);
  if (!client) return forward(client);
  FleetMember member;
  auto fabric = client->get("/api/v1/fabric");
  if (!fabric) return forward(fabric);
  auto alarms = client->get("/api/v1/alarms?limit=1000");
  if (!alarms && client->status() != kStatusNoCounters && client->status() != kStatusUnknownPath)
    return forward(alarms);
  auto events = client->get("/api/v1/events?limit=200");
  if (!events) return forward(events);
  member.fabric = std::move(*fabric);
  if (alarms) member.alarms = std::move(*alarms);
  member.events = std::move(*events);
  return member;
}

}  // namespace

/// Data shared by this object and its threads.
struct Fleet::Shared {
  std::vector<FleetEntry> entries;
  PollTimes pace;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::vector<FleetMember> members;
  bool ending = false;
};

Fleet::Fleet(const std::vector<FleetEntry>& entries, const PollTimes& pace)
    : shared_(std::make_shared<Shared>()) {
  shared_->entries = entries;
  shared_->pace = pace;
  for (const FleetEntry& entry : entries) {
    shared_->members.emplace_back();
    shared_->members.back().name = entry.name;
    shared_->members.back().url = entry.server.url;
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    std::thread([shared = shared_, i] { poll_member(shared, i); }).detach();
}

Fleet::~Fleet() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ending = true;
  }
  shared_->changed.notify_all();
}

void Fleet::poll_member(const std::shared_ptr<Shared>& shared, std::size_t at) {
  std::unique_lock lock(shared->mutex);
  while (!shared->ending) {
    lock.unlock();
    auto state = state_of(shared->entries[at], shared->pace);
    lock.lock();
    FleetMember& member = shared->members[at];
    member.polled = true;
    member.error = state ? "" : state.error().message;
    if (state) {
      member.answered = std::chrono::steady_clock::now();
      member.fabric = std::move(state->fabric);
      member.alarms = std::move(state->alarms);
      member.events = std::move(state->events);
    }
    shared->changed.notify_all();
    shared->changed.wait_for(lock, shared->pace.interval, [&] { return shared->ending; });
  }
}

bool Fleet::wait_for_all(std::chrono::milliseconds most) const {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(
      lock, most, [&] { return std::ranges::all_of(shared_->members, &FleetMember::polled); });
}

std::vector<FleetMember> Fleet::members() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->members;
}

std::vector<Fleet::SearchResult> Fleet::search(const std::string& text, std::size_t limit) const {
  const std::string path =
      fmt::format("/api/v1/search?q={}&limit={}", percent_encoded(text), limit);
  std::vector<SearchResult> found;
  std::vector<std::size_t> asked;
  for (const FleetMember& member : members()) {
    if (member.polled && member.error.empty()) asked.push_back(found.size());
    found.push_back({member.name, member.polled ? member.error : "not polled yet", nullptr});
  }
  // Each thread writes its own element of `found`; the time limits of its requests end it.
  std::vector<std::thread> threads;
  for (const std::size_t at : asked)
    threads.emplace_back([&, at] {
      auto client = client_for(shared_->entries[at], shared_->pace);
      auto answer = client ? client->get(path) : Result<Json>(forward(client));
      if (answer)
        found[at].answer = std::move(*answer);
      else
        found[at].error = answer.error().message;
    });
  for (std::thread& thread : threads) thread.join();
  return found;
}

}  // namespace weft::cli
