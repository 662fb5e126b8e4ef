// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The replicated state of a subnet manager. The state has parts; a part has records with a key, a
// text and the number of their last change. The master numbers its changes. A standby that has all
// changes up to a number receives the records with higher numbers. A record that changes again gets
// a new number, so no old changes are stored, except a limited number of keys of deleted records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::replication {

enum class Part : std::uint8_t {
  kLids,           // lines of guid2lid, by port GUID
  kMkeys,          // lines of guid2mkey, by port GUID
  kNeighbors,      // lines of the file neighbors, by port
  kPorts,          // ports that need not register again
  kRegistrations,  // lines of opensm-sa.dump with all fields
  kPartitions,     // the partition file, as one record
  kSettings,       // settings changed while the manager runs, by name
  kJobs,           // jobs of the scheduler, running and recently ended
  kWeights,        // lines of guid2weight, by port GUID
  kGroupNumbers,   // lines of guid2argroup, by switch GUID
};
inline constexpr std::size_t kParts = 10;
std::string_view name(Part part);
std::optional<Part> part_named(std::string_view name);

using Records = std::map<std::string, std::string>;

class RecordStore {
 public:
  static constexpr std::size_t kDeletedMax = 65536;

  struct Change {
    std::uint64_t number = 0;
    Part part{};
    std::string key;
    std::optional<std::string> text;  // empty: the record is deleted
    bool operator==(const Change&) const = default;
  };

  /// Replaces the records of a part; each record that is changed, added or deleted gets the next
  /// number.
  void replace(Part part, const Records& records);
  /// Changes after this number, in order: at most about `bytes` bytes, but at least one change.
  std::vector<Change> after(std::uint64_t number, std::size_t bytes) const;
  /// Whether after() returns all deletions that a copy with the changes up to `number` needs, as
  /// for a copy without records (0). Otherwise, the copy must begin at 0.
  bool has_all_after(std::uint64_t number) const { return number == 0 || number >= forgotten_; }
  /// Applies a change of another store. The number of the change must be higher than last().
  void apply(Change change);
  /// Sets last() after apply(). The other store must have no further changes up to `number`.
  void advance(std::uint64_t number) { last_ = number; }

  /// Number of the last change.
  std::uint64_t last() const { return last_; }
  std::size_t count(Part part) const { return of(part).count; }
  /// Bytes of all keys and texts.
  std::size_t bytes() const;
  /// Bytes of the key and the text of a record; 0 if there is no such record.
  std::size_t bytes_of(Part part, std::string_view key) const;
  /// Checksum of the records of a part, as 32 hex digits; independent of the numbers of changes.
  std::string checksum(Part part) const;
  Records records(Part part) const;
  /// The texts of a part in the order of their keys, each followed by `end`.
  std::string text(Part part, std::string_view end) const;

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::optional<std::string> text;
  };
  using Digest = std::array<std::uint64_t, 2>;
  struct PartRecords {
    std::map<std::string, Entry, std::less<>> entries;  // including deleted records
    std::size_t count = 0, bytes = 0;                   // without deleted records
    Digest sum{};                                       // sum of the digests of all records
  };
  const PartRecords& of(Part part) const { return parts_[static_cast<std::size_t>(part)]; }
  static Digest digest_of(std::string_view key, std::string_view text);
  void put(Part part, const std::string& key, std::optional<std::string> text,
           std::uint64_t number);
  void forget_deleted();

  std::array<PartRecords, kParts> parts_;
  std::map<std::uint64_t, std::pair<Part, std::string>> order_;  // by number
  std::set<std::uint64_t> deleted_;
  std::uint64_t last_ = 0;
  std::uint64_t forgotten_ = 0;  // number of the last deletion that is no longer stored
};

}  // namespace weft::replication
