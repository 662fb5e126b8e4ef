// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/replication/copy_message.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"

namespace weft::replication {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kEpochDigits = 16;
constexpr std::size_t kChecksumDigits = 32;

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Encodes each byte as the code point with its value, because texts are bytes, but JSON strings
/// are UTF-8.
std::string to_json_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
    text += byte >= 0x80 ? static_cast<char>(0x80 | (byte & 0x3F)) : c;
  }
  return text;
}

/// Reverses to_json_text(). Empty if a code point is above 255. `text` must be valid UTF-8.
std::optional<std::string> from_json_text(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead >= 0xC4) return std::nullopt;
    if (lead >= 0x80)
      bytes += static_cast<char>(lead << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F));
    else
      bytes += text[i];
  }
  return bytes;
}

tl::unexpected<Error> invalid_member(std::string_view member, std::string_view expected) {
  return fail(Code::kBadInput, "{}: expected {}", member, expected);
}

Result<std::uint64_t> number_of(const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end() || !found->is_number_unsigned())
    return invalid_member(member, "a number from 0 on");
  return found->get<std::uint64_t>();
}

Result<std::string> hex_of(const Json& json, const char* member, std::size_t digits) {
  const auto found = json.find(member);
  if (found == json.end() || !found->is_string() ||
      !is_hex(found->get_ref<const std::string&>(), digits))
    return invalid_member(member, fmt::format("{} hex digits", digits));
  return found->get<std::string>();
}

/// Decodes [number, part, key, text or null]. Returns an empty value for an unknown part. Fails
/// with kBadInput.
Result<std::optional<RecordStore::Change>> change_of(const Json& json) {
  const bool has_form = json.is_array() && json.size() == 4 && json[0].is_number_unsigned() &&
                        json[1].is_string() && json[2].is_string() &&
                        (json[3].is_string() || json[3].is_null());
  if (!has_form) return invalid_member("changes", "[number, part, key, text or null]");
  const auto part = part_named(json[1].get_ref<const std::string&>());
  if (!part) return std::nullopt;
  RecordStore::Change change{json[0].get<std::uint64_t>(), *part, json[2].get<std::string>(), {}};
  if (change.key.empty() || change.key.size() > kKeyMax)
    return fail(Code::kBadInput, "key: found {} bytes, expected 1 to {}", change.key.size(),
                kKeyMax);
  if (json[3].is_null()) return change;
  change.text = from_json_text(json[3].get_ref<const std::string&>());
  if (!change.text) return invalid_member("text of a record", "bytes as code points up to 255");
  if (change.text->size() > kTextMax)
    return fail(Code::kBadInput, "record: found {} bytes, expected at most {}", change.text->size(),
                kTextMax);
  return change;
}

Status read_changes(const Json& json, CopyMessage& message) {
  const auto list = json.find("changes");
  if (list == json.end() || !list->is_array() || list->size() > kChangesMax)
    return invalid_member("changes", fmt::format("an array of at most {} changes", kChangesMax));
  std::uint64_t number = message.after;
  for (const Json& item : *list) {
    auto change = change_of(item);
    if (!change) return forward(change);
    if (!*change) continue;
    if ((*change)->number <= number || (*change)->number > message.last)
      return fail(Code::kBadInput, "number of a change: found {}, expected {} to {}",
                  (*change)->number, number + 1, message.last);
    number = (*change)->number;
    message.changes.push_back(std::move(**change));
  }
  return {};
}

Status read_checksums(const Json& json, CopyMessage& message) {
  const auto found = json.find("checksums");
  if (found == json.end() || !found->is_object())
    return invalid_member("checksums", "an object with a checksum for each part");
  message.checksums.emplace();
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::string part_name(name(static_cast<Part>(part)));
    (*message.checksums)[part] = std::string(kChecksumDigits, '0');  // checksum of no records
    if (!found->contains(part_name)) continue;
    auto sum = hex_of(*found, part_name.c_str(), kChecksumDigits);
    if (!sum) return forward(sum);
    (*message.checksums)[part] = std::move(*sum);
  }
  return {};
}

Status read_head(const Json& json, CopyMessage& message) {
  const auto format = number_of(json, "format");
  if (!format) return forward(format);
  if (*format != kFormat)
    return fail(Code::kBadInput, "format: found {}, expected {}: another version of Weft", *format,
                kFormat);
  auto epoch = hex_of(json, "epoch", kEpochDigits);
  if (!epoch) return forward(epoch);
  const auto manager = hex_of(json, "manager", kEpochDigits);
  if (!manager) return forward(manager);
  message.epoch = std::move(*epoch);
  message.manager = Guid(*parse_number<std::uint64_t>(*manager, 16));
  for (const auto& [member, value] :
       {std::pair("after", &message.after), std::pair("last", &message.last),
        std::pair("newest", &message.newest)}) {
    const auto number = number_of(json, member);
    if (!number) return forward(number);
    *value = *number;
  }
  if (message.after <= message.last && message.last <= message.newest) return {};
  return fail(Code::kBadInput, "after {}, last {}, newest {}: expected them in this order",
              message.after, message.last, message.newest);
}

}  // namespace

std::string encode(const CopyMessage& message) {
  Json changes = Json::array();
  for (const RecordStore::Change& change : message.changes)
    changes.push_back({change.number, name(change.part), change.key,
                       change.text ? Json(to_json_text(*change.text)) : Json(nullptr)});
  Json json{{"format", kFormat},
            {"epoch", message.epoch},
            {"manager", fmt::format("{:016x}", message.manager.value())},
            {"after", message.after},
            {"last", message.last},
            {"newest", message.newest},
            {"changes", std::move(changes)}};
  if (message.checksums)
    for (std::size_t part = 0; part < kParts; ++part)
      json["checksums"][std::string(name(static_cast<Part>(part)))] = (*message.checksums)[part];
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Result<CopyMessage> decode_copy(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(Code::kBadInput, "expected a JSON object");
  CopyMessage message;
  if (const Status head = read_head(json, message); !head) return forward(head);
  if (const Status changes = read_changes(json, message); !changes) return forward(changes);
  if (message.last == message.newest)
    if (const Status sums = read_checksums(json, message); !sums) return forward(sums);
  return message;
}

std::string refusal_text(const std::string& why) {
  return Json{{"error", why}}.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

CopyMessage message_after(const RecordStore& store, const std::string& own_epoch, Guid manager,
                          const std::string& epoch, std::uint64_t after, std::size_t bytes) {
  const bool continues = epoch == own_epoch && after <= store.last() && store.has_all_after(after);
  CopyMessage message{own_epoch, manager, continues ? after : 0, store.last(), store.last(),
                      {},        {}};
  message.changes = store.after(message.after, bytes);
  const auto rest = message.changes.empty() ? std::vector<RecordStore::Change>{}
                                            : store.after(message.changes.back().number, 0);
  if (!rest.empty()) {
    message.last = message.changes.back().number;
    return message;
  }
  message.checksums.emplace();
  for (std::size_t part = 0; part < kParts; ++part)
    (*message.checksums)[part] = store.checksum(static_cast<Part>(part));
  return message;
}

}  // namespace weft::replication
