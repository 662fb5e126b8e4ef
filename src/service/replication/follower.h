// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The standby's side of replication, without sockets: what to request next, and the copy of the
// master's state that results from the answers. Lost, late and repeated answers are harmless: an
// answer that does not continue the copy, or begins an older one of the same term, is refused. A
// new copy replaces the old one once it is complete and its checksums are those of the master.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "service/replication/copy_message.h"
#include "service/replication/record_store.h"

namespace weft::replication {

class Follower {
 public:
  struct Position {
    std::string epoch;  // empty: none yet
    std::uint64_t after = 0;
  };
  /// The position at which the next answer has to begin.
  Position position() const;

  /// Fails with kBadInput for an answer that is invalid or does not continue the copy, which is
  /// then unchanged, and for one after which the checksums differ: copying then begins at 0.
  Status take(std::string_view answer);

  /// The last copy that was complete, and changed by later answers; empty before the first.
  const RecordStore& copy() const { return copy_; }
  /// Port GUID of the master of that copy; 0: none.
  Guid manager() const { return manager_; }
  const std::string& epoch() const { return epoch_; }
  /// Whether the last answer completed the copy.
  bool is_complete() const { return !manager_.value() ? false : complete_; }
  /// Changes of the master that the copy lacks, according to the last answer.
  std::uint64_t missing() const;
  /// Grows whenever the copy was completed.
  std::uint64_t version() const { return version_; }
  /// Copies that were dropped because their checksums differed.
  std::uint64_t mismatches() const { return mismatches_; }

  /// The copy as text, for a file; load() takes it. Empty without a complete copy.
  std::string save() const;
  Status load(std::string_view text) { return take(text); }

 private:
  struct Building {
    RecordStore store;
    std::string epoch;
    Guid manager;
  };
  Status check_continues(const CopyMessage& message, bool begins) const;
  Status finish(RecordStore& store, const CopyMessage& message);

  RecordStore copy_;
  std::string epoch_;
  Guid manager_;
  bool complete_ = false;
  std::uint64_t newest_ = 0;          // number of the master's last change
  std::optional<Building> building_;  // a new copy, not complete yet
  std::uint64_t version_ = 0;
  std::uint64_t mismatches_ = 0;
};

}  // namespace weft::replication
