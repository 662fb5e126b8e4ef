// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/replication/record_store.h"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <cstring>

namespace weft::replication {
namespace {

constexpr std::array<std::string_view, kParts> kPartNames{
    "lids",       "m_keys",   "neighbors", "ports",   "registrations",
    "partitions", "settings", "jobs",      "weights", "group_numbers"};
/// Estimate of the bytes of a change in a message, besides its key and text.
constexpr std::size_t kOverhead = 64;

}  // namespace

std::string_view name(Part part) { return kPartNames[static_cast<std::size_t>(part)]; }

std::optional<Part> part_named(std::string_view name) {
  for (std::size_t part = 0; part < kParts; ++part)
    if (kPartNames[part] == name) return static_cast<Part>(part);
  return std::nullopt;
}

/// The first half of the SHA-256 digest of the key, a zero byte and the text.
RecordStore::Digest RecordStore::digest_of(std::string_view key, std::string_view text) {
  sha256_ctx context;
  sha256_init(&context);
  const auto update = [&](std::string_view bytes) {
    sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  };
  update(key);
  update(std::string_view("\0", 1));
  update(text);
  std::array<std::uint8_t, 16> bytes{};
  sha256_digest(&context, bytes.size(), bytes.data());
  Digest digest{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    digest[i / 8] = digest[i / 8] << 8 | std::uint64_t{bytes[i]};
  return digest;
}

void RecordStore::put(Part part, const std::string& key, std::optional<std::string> text,
                      std::uint64_t number) {
  PartRecords& records = parts_[static_cast<std::size_t>(part)];
  const auto [at, is_new] = records.entries.try_emplace(key);
  Entry& entry = at->second;
  if (entry.text) {
    const Digest old = digest_of(key, *entry.text);
    for (std::size_t i = 0; i < old.size(); ++i) records.sum[i] -= old[i];
    --records.count;
    records.bytes -= key.size() + entry.text->size();
  }
  if (!is_new) {
    order_.erase(entry.number);
    deleted_.erase(entry.number);
  }
  if (text) {
    const Digest digest = digest_of(key, *text);
    for (std::size_t i = 0; i < digest.size(); ++i) records.sum[i] += digest[i];
    ++records.count;
    records.bytes += key.size() + text->size();
  } else {
    deleted_.insert(number);
  }
  entry = {number, std::move(text)};
  order_.emplace(number, std::pair(part, key));
  last_ = number;
}

void RecordStore::replace(Part part, const Records& records) {
  std::vector<std::string> gone;
  for (const auto& [key, entry] : of(part).entries)
    if (entry.text && !records.contains(key)) gone.push_back(key);
  for (const std::string& key : gone) put(part, key, std::nullopt, last_ + 1);
  for (const auto& [key, text] : records) {
    const auto held = of(part).entries.find(key);
    if (held == of(part).entries.end() || held->second.text != text)
      put(part, key, text, last_ + 1);
  }
  forget_deleted();
}

void RecordStore::apply(Change change) {
  put(change.part, change.key, std::move(change.text), change.number);
  forget_deleted();
}

void RecordStore::forget_deleted() {
  while (deleted_.size() > kDeletedMax) {
    const std::uint64_t oldest = *deleted_.begin();
    const auto at = order_.find(oldest);
    const auto& [part, key] = at->second;
    parts_[static_cast<std::size_t>(part)].entries.erase(key);
    order_.erase(at);
    deleted_.erase(deleted_.begin());
    forgotten_ = oldest;
  }
}

std::vector<RecordStore::Change> RecordStore::after(std::uint64_t number, std::size_t bytes) const {
  std::vector<Change> changes;
  std::size_t taken = 0;
  for (auto at = order_.upper_bound(number); at != order_.end(); ++at) {
    const auto& [part, key] = at->second;
    const Entry& entry = of(part).entries.find(key)->second;
    taken += kOverhead + key.size() + (entry.text ? entry.text->size() : 0);
    if (taken > bytes && !changes.empty()) break;
    changes.push_back({at->first, part, key, entry.text});
  }
  return changes;
}

std::size_t RecordStore::bytes() const {
  std::size_t all = 0;
  for (const PartRecords& part : parts_) all += part.bytes;
  return all;
}

std::size_t RecordStore::bytes_of(Part part, std::string_view key) const {
  const auto at = of(part).entries.find(key);
  const bool is_held = at != of(part).entries.end() && at->second.text;
  return is_held ? key.size() + at->second.text->size() : 0;
}

std::string RecordStore::checksum(Part part) const {
  return fmt::format("{:016x}{:016x}", of(part).sum[0], of(part).sum[1]);
}

Records RecordStore::records(Part part) const {
  Records records;
  for (const auto& [key, entry] : of(part).entries)
    if (entry.text) records.emplace_hint(records.end(), key, *entry.text);
  return records;
}

std::string RecordStore::text(Part part, std::string_view end) const {
  std::string text;
  for (const auto& [key, entry] : of(part).entries)
    if (entry.text) (text += *entry.text) += end;
  return text;
}

}  // namespace weft::replication
