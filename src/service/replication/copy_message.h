// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The message by which a master sends changes of its state to a standby: a JSON object. A standby
// also stores its copy in a file in this form.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"
#include "service/replication/record_store.h"

namespace weft::replication {

inline constexpr unsigned kFormat = 1;
inline constexpr std::size_t kKeyMax = 512;                           // bytes
inline constexpr std::size_t kTextMax = std::size_t{16} << 20;        // bytes of a record
inline constexpr std::size_t kChangesMax = 1'000'000;                 // changes in a message
inline constexpr std::size_t kCopyBytesMax = std::size_t{256} << 20;  // bytes of all records

struct CopyMessage {
  std::string epoch;         // identifies the term of the master: 16 hex digits
  Guid manager;              // port GUID of the master
  std::uint64_t after = 0;   // number of the last change before this message
  std::uint64_t last = 0;    // number of the last change in this message
  std::uint64_t newest = 0;  // number of the master's last change
  std::vector<RecordStore::Change> changes;
  std::optional<std::array<std::string, kParts>> checksums;  // set if last == newest
};

std::string encode(const CopyMessage& message);
/// Decodes a message; checks form, sizes and numbers. The master may have another version: unknown
/// parts are omitted, and parts that the master does not send are empty. Fails with kBadInput; the
/// text of the error contains the member and the expected value, but no text of records, which may
/// be secret.
Result<CopyMessage> decode_copy(std::string_view text);

/// The body {"error": why} of a refused request.
std::string refusal_text(const std::string& why);

/// The message for a standby that has all changes up to `after` of the term `epoch`, with about
/// `bytes` bytes. The message begins at 0 if the term is not `own_epoch`, if `after` is above the
/// number of the store's last change, or if the store has dropped later deletions.
CopyMessage message_after(const RecordStore& store, const std::string& own_epoch, Guid manager,
                          const std::string& epoch, std::uint64_t after, std::size_t bytes);

}  // namespace weft::replication
