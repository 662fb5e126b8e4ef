// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/replication/follower.h"

#include <set>
#include <utility>

namespace weft::replication {
namespace {

void apply_all(RecordStore& store, CopyMessage& message) {
  for (RecordStore::Change& change : message.changes) store.apply(std::move(change));
  store.advance(message.last);
}

/// Bytes of the store after the changes, with the keys of the deleted records. A record that
/// changes several times counts with all its texts.
std::size_t bytes_with(const RecordStore& store, const CopyMessage& message) {
  std::size_t bytes = store.bytes();
  std::set<std::pair<Part, std::string_view>> replaced;
  for (const RecordStore::Change& change : message.changes) {
    bytes += change.key.size() + (change.text ? change.text->size() : 0);
    if (replaced.emplace(change.part, change.key).second)
      bytes -= store.bytes_of(change.part, change.key);
  }
  return bytes;
}

}  // namespace

Follower::Position Follower::position() const {
  if (building_) return {building_->epoch, building_->store.last()};
  return {epoch_, copy_.last()};
}

/// Fails with kBadInput if the message does not continue the copy, is older than the copy, or
/// exceeds the size limit. `begins`: the message begins a new copy.
Status Follower::check_continues(const CopyMessage& message, bool begins) const {
  const Position at = position();
  if (!begins && (message.epoch != at.epoch || message.after != at.after))
    return fail(Code::kBadInput, "found changes after {} of term {}, expected after {} of term {}",
                message.after, message.epoch, at.after, at.epoch.empty() ? "any" : at.epoch);
  const bool is_old = (message.epoch == at.epoch && message.newest < at.after) ||
                      (message.epoch == epoch_ && message.newest < copy_.last());
  if (is_old)
    return fail(Code::kBadInput,
                "found changes up to {} of term {}, expected later changes: the answer is repeated",
                message.newest, message.epoch);
  const RecordStore none;
  const std::size_t bytes = bytes_with(begins      ? none
                                       : building_ ? building_->store
                                                   : copy_,
                                       message);
  if (bytes <= bytes_max_) return {};
  return fail(Code::kBadInput, "found a state of up to {} bytes, expected at most {}", bytes,
              bytes_max_);
}

Status Follower::take(std::string_view answer) {
  auto message = decode_copy(answer);
  if (!message) return forward(message);
  const bool begins = message->after == 0 && position().after != 0;
  const bool is_first = message->after == 0 && position().epoch != message->epoch;
  if (const Status good = check_continues(*message, begins || is_first); !good) return good;
  if (begins || is_first) building_ = Building{{}, message->epoch, message->manager};
  RecordStore& store = building_ ? building_->store : copy_;
  apply_all(store, *message);
  newest_ = message->newest;
  if (message->last == message->newest) return finish(store, *message);
  if (!building_) complete_ = false;
  return {};
}

/// Compares the checksums with the checksums of the master, which differ if a change was lost or
/// altered. If they are equal, the copy is complete; otherwise drops this copy and fails with
/// kBadInput.
Status Follower::finish(RecordStore& store, const CopyMessage& message) {
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::string found = store.checksum(static_cast<Part>(part));
    const std::string& expected = (*message.checksums)[part];
    if (found == expected) continue;
    ++mismatches_;
    if (!building_) {
      copy_ = {};
      manager_ = Guid(0);
    }
    building_.reset();
    epoch_.clear();
    complete_ = false;
    return fail(Code::kBadInput, "checksum of {}: found {}, expected {}: copying begins anew",
                name(static_cast<Part>(part)), found, expected);
  }
  if (building_) {
    copy_ = std::move(building_->store);
    epoch_ = std::move(building_->epoch);
    manager_ = building_->manager;
    building_.reset();
  }
  complete_ = true;
  ++version_;
  return {};
}

std::uint64_t Follower::missing() const {
  const std::uint64_t held = building_ ? building_->store.last() : copy_.last();
  return newest_ > held ? newest_ - held : 0;
}

std::string Follower::save() const {
  if (!complete_) return {};
  CopyMessage message{epoch_, manager_, 0, copy_.last(), copy_.last(), {}, {}};
  message.changes = copy_.after(0, SIZE_MAX);
  message.checksums.emplace();
  for (std::size_t part = 0; part < kParts; ++part)
    (*message.checksums)[part] = copy_.checksum(static_cast<Part>(part));
  return encode(message);
}

}  // namespace weft::replication
