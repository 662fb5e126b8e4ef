// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the state of several subnet managers from their HTTP services, each on its own thread with
// limits of time and size, so that a manager that does not answer does not delay the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/fleet/fleet_config.h"

namespace weft::cli {

/// The data about one manager.
struct FleetMember {
  using Time = std::chrono::steady_clock::time_point;

  std::string name, url;
  bool polled = false;           // at least one poll has ended
  std::string error;             // error of the last poll; empty: it succeeded
  std::optional<Time> answered;  // time of the data below; none: never
  // Responses to /api/v1/fabric, /api/v1/alarms and /api/v1/events, unchecked; null: none.
  Json fabric, alarms, events;
};

struct PollTimes {
  std::chrono::milliseconds interval = std::chrono::seconds(10);  // between two polls
  std::chrono::milliseconds timeout = std::chrono::seconds(5);    // time limit of a request
};

class Fleet {
 public:
  /// Starts polling. A thread that waits for a manager may outlive this object; such a thread ends
  /// after the poll in progress.
  Fleet(const std::vector<FleetEntry>& entries, const PollTimes& pace);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  /// Waits until each manager was polled once, at most for this time. Returns whether all were
  /// polled.
  bool wait_for_all(std::chrono::milliseconds most) const;
  std::vector<FleetMember> members() const;

  struct SearchResult {
    std::string manager;
    std::string error;  // empty: the manager answered
    Json answer;        // response to /api/v1/search
  };
  /// Sends the query, for at most `limit` nodes, to all managers that answered the last poll.
  /// Returns a result for each manager, in the order of the file; without a query the result has
  /// the error of the last poll, or "not polled yet".
  std::vector<SearchResult> search(const std::string& text, std::size_t limit) const;

 private:
  struct Shared;
  static void poll_member(const std::shared_ptr<Shared>& shared, std::size_t at);

  const std::shared_ptr<Shared> shared_;
};

}  // namespace weft::cli
