// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replication of a manager's state between a master and its standbys
// (docs/reference/replication.md). A master has the numbered state and the standbys that request
// it; a standby has the copy of the master's state. A separate thread compares, encodes and
// answers, so that neither the manager nor the subnet administration waits for it. Thread-safe.
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
  kNone,     // no replication
  kSource,   // master
  kFollower  // standby
};
std::string_view name(Role role);

/// A request of a standby.
struct Poll {
  Guid standby;  // port GUID of the standby
  std::string address;
  std::string epoch;        // empty: none
  std::uint64_t after = 0;  // the standby has all changes up to this one
  std::chrono::milliseconds wait{0};
};

struct StandbyStatus {
  Guid guid;
  std::string address;
  std::uint64_t confirmed = 0;           // number of the last confirmed change
  std::uint64_t missing = 0;             // number of changes that it lacks
  bool in_step = false;                  // has all changes, or had them a moment ago
  std::chrono::milliseconds silence{0};  // since its last request; 0 while one waits
};

struct ReplicationStatus {
  Role role = Role::kNone;
  std::string epoch;
  Guid manager;              // port GUID of the master with this state
  std::uint64_t newest = 0;  // number of the last change
  struct OfPart {
    std::size_t records = 0;
    std::string checksum;
  };
  std::array<OfPart, kParts> parts{};
  std::size_t bytes = 0;
  std::vector<StandbyStatus> standbys;  // standbys of a master
  // Of a standby
  std::string peer;                              // the manager from which it copies
  bool in_step = false;                          // has all changes, and the connection is up
  std::uint64_t missing = 0;                     // changes
  std::optional<std::chrono::milliseconds> lag;  // since the copy was complete; none: never
  std::string error;                             // of the last failed request; empty: none
  std::uint64_t mismatches = 0;
  std::vector<std::string> dropped;  // registrations of the own last term that the master lacks
  std::uint64_t dropped_count = 0;
};

class Replication {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Options {
    std::chrono::milliseconds confirm{0};  // longest wait of answers to registrations; 0: no wait
    std::chrono::milliseconds silence = std::chrono::seconds(3);  // until a standby counts as lost
    std::function<Time()> now = std::chrono::steady_clock::now;
  };
  /// Status and body of the answer to a poll.
  using Answer = std::function<void(int status, std::string body)>;
  static constexpr std::size_t kStandbysMax = 16;
  static constexpr std::size_t kAnswerBytes = std::size_t{1} << 20;

  explicit Replication(const Options& options) : options_(options) {}
  ~Replication();
  Replication(const Replication&) = delete;
  Replication& operator=(const Replication&) = delete;

  /// Starts the thread, once the callbacks are set.
  void start();
  /// For use without a thread: does all work that is due.
  void step();

  // As master
  /// Begins a term. Standbys are answered as soon as every part was posted.
  void lead(Guid manager, std::string epoch);
  /// Ends the term; the requests of waiting standbys are refused.
  void step_down();
  /// Sets the records of a part; `version` is that of the source, for on_confirmed.
  void post(Part part, Records records, std::uint64_t version = 0);
  /// Answers once there are changes after those of the poll, or its time has passed; on the thread
  /// of this object or, for a refusal, at once.
  void poll(const Poll& poll, Answer answer);
  /// Called without lock, on the thread of this object: all standbys in step have the registrations
  /// of this version.
  std::function<void(std::uint64_t version)> on_confirmed;
  /// Called on the same thread: sets how long answers to registrations wait for standbys.
  std::function<void(std::chrono::milliseconds most)> on_hold;

  /// Whether this standby has received the whole state, has not restarted since, and has received
  /// the answer to a request sent after `since`; earlier requests may be of a process that has
  /// ended. None: this standby copies nothing.
  std::optional<bool> had_all_after(Guid standby, Time since) const;

  /// The standbys that copy, by port GUID.
  std::vector<Guid> standbys() const;
  /// Blocks until the standby has sent a request after this call that confirms all changes: a
  /// standby that died a moment ago still counts as one that has them. Fails with kTimeout if it
  /// does not within this time. Its waiting request is answered at once, so that it sends the next.
  Status probe(Guid standby, std::chrono::milliseconds most);

  // As standby
  /// The position from which to request changes next.
  Follower::Position position() const;
  /// Applies the answer of a peer.
  Status take(const std::string& peer, std::string_view answer);
  /// Records that the peer is not master or cannot be reached.
  void lose(const std::string& peer, const std::string& why);
  Status load(std::string_view text);
  struct Copy {
    std::uint64_t version = 0;  // increases when the copy becomes complete; 0: no copy
    Guid manager;               // port GUID of the master with this state
    bool is_complete = false;
    std::optional<Time> lost;  // when the connection to the master was lost; empty: it is up
    std::array<std::string, kParts> checksums;
  };
  /// `checksums` are computed only if the version differs from this one.
  Copy copy(std::uint64_t known_version) const;
  Records copied(Part part) const;
  std::string copied_text(Part part, std::string_view end) const;
  /// The copy for load(); empty if it is not complete.
  std::string save() const;
  void follow();
  bool is_following() const;
  /// Blocks a standby's thread until it follows a master, or for this time, or until close().
  void wait_until_following(std::chrono::milliseconds most);
  /// Blocks for this time, or until close().
  void pause(std::chrono::milliseconds time);

  ReplicationStatus status() const;
  Time now() const { return options_.now(); }
  /// Refuses waiting polls and ends the thread. Call before the objects that send the answers end.
  void close();
  bool is_closed() const;

 private:
  struct Standby {
    std::string address;
    std::uint64_t confirmed = 0;
    bool in_step = false;
    Time last_seen{};
    Time requested{};
    Time answered{};  // the last request with an answer that the standby has received
    /// `answered`; none if it never had the whole state, or has restarted since.
    std::optional<Time> had_all;
    bool waits = false;
    std::uint64_t requests = 0;  // number of its requests
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

  // Master
  std::string epoch_;
  Guid manager_;
  RecordStore store_;
  std::set<Part> posted_parts_;
  std::deque<Posted> posts_;
  std::vector<Waiting> waiting_;
  std::map<Guid, Standby> standbys_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>>
      versions_;                 // of registrations: version, number
  std::uint64_t confirmed_ = 0;  // version
  std::chrono::milliseconds hold_{0};

  // Standby
  Follower follower_;
  std::string peer_;
  std::optional<Time> complete_at_;
  std::optional<Time> lost_;
  bool is_connected_ = false;
  std::string error_;
  std::optional<Records> last_term_;  // registrations of the own term that ended; until compared
  std::vector<std::string> dropped_;
  std::uint64_t dropped_count_ = 0;

  std::thread thread_;
};

}  // namespace weft::replication
