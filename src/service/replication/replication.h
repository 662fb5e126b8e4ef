// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replication of a manager's state between a master and its standbys
// (docs/reference/replication.md). At a master, this object has the numbered state and the standbys
// that request the state. At a standby, it has the copy of the master's state. A separate thread
// compares, encodes and answers, so that this work blocks neither the manager nor the subnet
// administration. Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"
#include "service/replication/copy_message.h"
#include "service/replication/follower.h"
#include "service/replication/record_store.h"

namespace weft::replication {

enum class Role : std::uint8_t {
  kNone,     // neither, such as before an election
  kSource,   // master
  kFollower  // standby
};
std::string_view name(Role role);

/// A request of a standby.
struct Poll {
  Guid standby;  // port GUID of the standby
  std::string address;
  std::string epoch;        // term of the copy; empty: no copy
  std::uint64_t after = 0;  // the standby has all changes up to this number
  std::chrono::milliseconds wait{0};
};

struct StandbyStatus {
  Guid guid;
  std::string address;
  std::uint64_t confirmed = 0;           // number of the last confirmed change
  std::uint64_t missing = 0;             // number of unconfirmed changes
  bool in_step = false;                  // had all changes at least once
  std::chrono::milliseconds silence{0};  // time since the last request; 0 while a request waits
};

struct ReplicationStatus {
  Role role = Role::kNone;
  std::string epoch;
  Guid manager;              // port GUID of the master with this state
  std::uint64_t newest = 0;  // number of the last change
  struct PartSummary {
    std::size_t records = 0;
    std::string checksum;
  };
  std::array<PartSummary, kParts> parts{};
  std::size_t bytes = 0;
  std::vector<StandbyStatus> standbys;  // standbys of a master
  // The members up to `error` are set at a standby only.
  std::string peer;           // URL of the manager from which this manager copies
  bool in_step = false;       // has all changes, and the connection is up
  std::uint64_t missing = 0;  // number of missing changes
  /// 0 while the standby is in step, otherwise the time since the copy was complete or, if later,
  /// since the connection was lost; empty: no answer has completed the copy since the start.
  std::optional<std::chrono::milliseconds> lag;
  std::string error;  // error of the last request; empty: none
  std::uint64_t mismatches = 0;
  /// The first lines of at most 50 registrations of this manager's last term that the master does
  /// not have. `dropped_count` is the number of all these registrations.
  std::vector<std::string> dropped;
  std::uint64_t dropped_count = 0;
};

class Replication {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Options {
    std::chrono::milliseconds confirm{0};  // longest wait of answers to registrations
    /// Time without a request after which a standby counts as lost.
    std::chrono::milliseconds silence = std::chrono::seconds(3);
    std::function<Time()> now = std::chrono::steady_clock::now;
  };
  /// Sends status and body of the answer to a poll.
  using Answer = std::function<void(int status, std::string body)>;
  static constexpr std::size_t kStandbysMax = 16;
  static constexpr std::size_t kAnswerBytes = std::size_t{1} << 20;

  explicit Replication(const Options& options) : options_(options) {}
  ~Replication();
  Replication(const Replication&) = delete;
  Replication& operator=(const Replication&) = delete;

  /// Starts the thread. Set the callbacks before this call.
  void start();
  /// Executes all work that is due, for use without a thread.
  void step();

  // As master
  /// Begins a term. Standbys receive the state after every part was posted; before, a poll is
  /// refused when its wait has passed.
  void begin_term(Guid manager, std::string epoch);
  /// Ends the term and refuses the requests that wait.
  void end_term();
  /// Sets the records of a part. `version` of the registrations is the argument of on_confirmed.
  void post(Part part, Records records, std::uint64_t version = 0);
  /// Answers a poll on the thread of this object when there are later changes, Poll::wait has
  /// passed, or the standby sends another poll. Calls `answer` immediately to refuse the poll.
  /// end_term() and close() refuse waiting polls.
  void poll(const Poll& poll, Answer answer);
  /// Called on the thread of this object, without a lock, when all standbys in step have the
  /// registrations of this version.
  std::function<void(std::uint64_t version)> on_confirmed;
  /// Called on the thread of this object, without a lock, when the longest time changes that
  /// answers to registrations must wait for standbys.
  std::function<void(std::chrono::milliseconds most)> on_hold;

  /// Whether the standby has received the whole state, has not restarted since, and has received
  /// the answer to a request sent after `since`, because earlier requests may be of a process that
  /// has ended. Empty if the standby copies nothing.
  std::optional<bool> had_all_after(Guid standby, Time since) const;

  /// Port GUIDs of the standbys that copy the state.
  std::vector<Guid> standbys() const;
  /// Waits for a new request of the standby that confirms all changes, because the status of a
  /// standby that has just failed is still in step. Answers the waiting request of the standby, so
  /// that the standby sends the next request. Fails with kTimeout if there is no such request
  /// within `most`, or if this manager ends or is no longer master.
  Status probe(Guid standby, std::chrono::milliseconds most);

  // As standby
  /// The position at which the next request must begin.
  Follower::Position position() const;
  /// Applies the answer of a peer; does nothing if this manager is not a standby. Fails as
  /// Follower::take().
  Status take(const std::string& peer, std::string_view answer);
  /// Records that the peer is not master or cannot be reached; does nothing while another peer is
  /// connected.
  void lose(const std::string& peer, const std::string& why);
  /// Loads the result of save(). Fails as Follower::take().
  Status load(std::string_view text);
  struct Copy {
    std::uint64_t version = 0;  // increases with each answer that completes the copy; 0: no copy
    Guid manager;               // port GUID of the master with this state
    bool is_complete = false;
    std::optional<Time> lost;  // when the connection to the master was lost; empty: connected
    std::array<std::string, kParts> checksums;
  };
  /// The state of the copy. `checksums` are computed only if the version is not `known_version`.
  Copy copy(std::uint64_t known_version) const;
  Records copied(Part part) const;
  std::string copied_text(Part part, std::string_view end) const;
  /// The copy as text for load(); empty if the copy is not complete.
  std::string save() const;
  /// Sets the role of a standby.
  void follow();
  bool is_following() const;
  /// Blocks until follow() or close(), at most for this time.
  void wait_until_following(std::chrono::milliseconds most);
  /// Blocks until close(), at most for this time.
  void pause(std::chrono::milliseconds time);

  ReplicationStatus status() const;
  Time now() const { return options_.now(); }
  /// Refuses waiting polls and ends the thread. Call before the destruction of the objects that
  /// send the answers.
  void close();
  bool is_closed() const;

 private:
  struct Standby {
    std::string address;
    std::uint64_t confirmed = 0;
    bool in_step = false;
    Time last_seen{};
    Time requested{};
    Time answered{};  // time of the last request with a received answer
    /// `answered` since the standby had the whole state; empty before, and after a restart.
    std::optional<Time> had_all;
    bool waits = false;
    std::uint64_t requests = 0;  // number of requests
  };
  struct Waiting {
    Poll poll;
    Answer answer;
    Time until;
  };
  struct Posted {
    Part part;
    Records records;
    std::uint64_t version;
  };
  struct Done {
    Answer answer;
    int status;
    std::string body;
  };
  void run();
  bool work(std::unique_lock<std::mutex>& lock);
  void take_posts();
  std::vector<Done> answer_polls(Time now);
  void note_standbys(Time now);
  std::pair<std::uint64_t, std::chrono::milliseconds> confirmation();
  void refuse_waiting(const std::string& why);
  bool is_ready() const { return posted_parts_.size() == kParts; }
  void compare_with_last_term();

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  Role role_ = Role::kNone;

  // State of a master
  std::string epoch_;
  Guid manager_;
  RecordStore store_;
  std::set<Part> posted_parts_;
  std::deque<Posted> posts_;
  std::vector<Waiting> waiting_;
  std::map<Guid, Standby> standbys_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>>
      versions_;                 // version of the registrations, number of the last change
  std::uint64_t confirmed_ = 0;  // version of the registrations
  std::chrono::milliseconds hold_{0};

  // State of a standby
  Follower follower_;
  std::string peer_;
  std::optional<Time> complete_at_;
  std::optional<Time> lost_;
  bool is_connected_ = false;
  std::string error_;
  std::optional<Records> last_term_;  // registrations of this manager's last term, until compared
  std::vector<std::string> dropped_;
  std::uint64_t dropped_count_ = 0;

  std::thread thread_;
};

}  // namespace weft::replication
