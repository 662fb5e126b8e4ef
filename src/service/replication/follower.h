// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replication at a standby, without sockets: the position of the next request, and the copy of the
// master's state that results from the answers. Answers may be lost, late or repeated: an answer is
// refused if it does not continue the copy, or begins an older copy of the same term. A new copy
// replaces the old copy when it is complete and its checksums equal those of the master.
#pragma once

#include <cstddef>
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
  /// `bytes_max`: limit for the bytes of all records.
  explicit Follower(std::size_t bytes_max = kCopyBytesMax) : bytes_max_(bytes_max) {}

  struct Position {
    std::string epoch;  // empty: no copy yet
    std::uint64_t after = 0;
  };
  /// The position at which the next answer must begin.
  Position position() const;

  /// Applies an answer. Fails with kBadInput, and leaves the copy unchanged, if the answer is
  /// invalid or too large, or does not continue the copy. Fails with kBadInput, and starts again at
  /// 0, if the checksums differ.
  Status take(std::string_view answer);

  /// The last complete copy, with the changes of later answers. Empty before the first complete
  /// copy, and if the checksums differed after later changes.
  const RecordStore& copy() const { return copy_; }
  /// Port GUID of the master of copy(); 0 if there is no copy.
  Guid manager() const { return manager_; }
  const std::string& epoch() const { return epoch_; }
  /// Whether copy() has all changes of the master, according to the last answer that changed
  /// copy(). A new copy that is being received changes the result only if its checksums differ:
  /// then the result is false.
  bool is_complete() const { return !manager_.value() ? false : complete_; }
  /// Number of changes that are missing in the copy, or in the new copy that is being received,
  /// according to the last answer.
  std::uint64_t missing() const;
  /// A number that increases with each answer after which the copy is complete.
  std::uint64_t version() const { return version_; }
  /// Number of copies that were dropped because their checksums differed.
  std::uint64_t mismatches() const { return mismatches_; }

  /// The copy as text for load(), to be stored in a file. Empty if the copy is not complete.
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

  std::size_t bytes_max_;
  RecordStore copy_;
  std::string epoch_;
  Guid manager_;
  bool complete_ = false;
  std::uint64_t newest_ = 0;          // number of the master's last change
  std::optional<Building> building_;  // a new copy that is not complete yet
  std::uint64_t version_ = 0;
  std::uint64_t mismatches_ = 0;
};

}  // namespace weft::replication
