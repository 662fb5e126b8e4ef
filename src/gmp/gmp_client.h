// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests to the agents of one management class, with a limited number outstanding. A request
// without an answer is repeated; after the last retry it fails. The client neither blocks nor
// queues requests: callers check has_room() before send_request().
//
// Every try has its own transaction id: the kernel rejects a second request with an id that is
// outstanding (ib_umad: EINVAL). The answer to any try completes the request.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.h"
#include "ib/gmp_transport.h"

namespace weft {

struct GmpClientOptions {
  std::size_t outstanding_max = 500;  // requests on the wire
  std::chrono::milliseconds timeout{200};
  unsigned retries = 3;
  bool operator==(const GmpClientOptions&) const = default;
};

class GmpClient {
 public:
  /// Result of a request; `answer` is empty if the request failed.
  struct Outcome {
    std::uint64_t ticket = 0;
    std::optional<Gmp> answer;
  };

  GmpClient(GmpTransport& transport, const Clock& clock, const GmpClientOptions& options)
      : transport_(transport), clock_(clock), options_(options) {}

  void set_options(const GmpClientOptions& options) { options_ = options; }
  std::size_t outstanding() const { return pending_.size(); }
  bool has_room() const { return pending_.size() < options_.outstanding_max; }

  /// Sends the request now, with a new transaction id.
  void send_request(std::uint64_t ticket, const Gmp& request);
  /// Processes received answers, and repeats requests that are due or ends them as failed.
  void step();
  /// The next outcome, in the order in which the requests were completed; none if there is none.
  std::optional<Outcome> next();
  /// Time of the next step() if nothing is received before.
  TimeNs next_event() const;
  /// Drops all requests and outcomes; answers to these requests are ignored.
  void forget_all();

 private:
  struct Pending {
    std::uint64_t ticket = 0;
    Gmp request;
    unsigned retries_left = 0;
    TimeNs due{};
    std::vector<std::uint32_t> ids{};  // ids of the tries; the first is the id of the request
  };
  using Pendings = std::map<std::uint32_t, Pending>;
  std::uint32_t unused_id();
  void send(Pending& pending);
  void forget(Pendings::iterator at);

  GmpTransport& transport_;
  const Clock& clock_;
  GmpClientOptions options_;
  Pendings pending_;                                   // by the first transaction id
  std::map<std::uint32_t, std::uint32_t> first_of_;    // first id of a request, by any of its ids
  std::set<std::pair<TimeNs, std::uint32_t>> by_due_;  // due time, first transaction id
  std::deque<Outcome> outcomes_;
  std::uint32_t last_id_ = 0;
};

}  // namespace weft
