// Questions to the agents of one management class, so many at a time: sent again when no answer
// comes, given up after that. It neither waits nor queues: whoever asks looks whether there is
// room.
//
// Every try has a transaction id of its own: the kernel refuses a second request with the id of one
// that it waits for (ib_umad: EINVAL). The answer to any try is the answer to the question.
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
  std::size_t outstanding_max = 500;  // questions on the wire
  std::chrono::milliseconds timeout{200};
  unsigned retries = 3;
  bool operator==(const GmpClientOptions&) const = default;
};

class GmpClient {
 public:
  /// What became of a question; no answer: it was given up.
  struct Outcome {
    std::uint64_t ticket = 0;
    std::optional<Gmp> answer;
  };

  GmpClient(GmpTransport& transport, const Clock& clock, const GmpClientOptions& options)
      : transport_(transport), clock_(clock), options_(options) {}

  void set_options(const GmpClientOptions& options) { options_ = options; }
  std::size_t outstanding() const { return pending_.size(); }
  bool has_room() const { return pending_.size() < options_.outstanding_max; }

  /// Sends it now; its transaction id is ours to choose.
  void ask(std::uint64_t ticket, const Gmp& question);
  /// Takes in what has arrived, sends again what is due.
  void step();
  std::optional<Outcome> next();
  /// When step() has something to do, if nothing comes before.
  TimeNs next_event() const;
  /// Forgets every question; answers that still come are nobody's.
  void forget_all();

 private:
  struct Pending {
    std::uint64_t ticket = 0;
    Gmp question;
    unsigned retries_left = 0;
    TimeNs due{};
    std::vector<std::uint32_t> ids{};  // of the tries; the first is the question's own
  };
  using Pendings = std::map<std::uint32_t, Pending>;
  std::uint32_t unused_id();
  void send(Pending& pending);
  void forget(Pendings::iterator at);

  GmpTransport& transport_;
  const Clock& clock_;
  GmpClientOptions options_;
  Pendings pending_;                                   // by the first transaction id
  std::map<std::uint32_t, std::uint32_t> first_of_;    // that of the question, by any of its ids
  std::set<std::pair<TimeNs, std::uint32_t>> by_due_;  // by the first
  std::deque<Outcome> outcomes_;
  std::uint32_t last_id_ = 0;
};

}  // namespace weft
