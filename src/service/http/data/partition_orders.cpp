// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/partition_orders.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/text.h"

namespace weft::http_data {
namespace {

/// The value for an error message. An array or object is replaced by its type, because it may be
/// deeply nested.
std::string found(const Json& json) {
  return json.is_structured() ? std::string(json.type_name()) : weft::quoted(trim(text(json)));
}

Status only(const Json& body, std::initializer_list<std::string_view> known) {
  if (!body.is_object()) return fail(Code::kBadField, "expected a JSON object");
  for (const auto& [name, value] : body.items())
    if (std::ranges::find(known, name) == known.end())
      return fail(Code::kBadField, "unknown member {}", weft::quoted(name));
  return {};
}

Result<Guid> guid_of(const Json& json) {
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    const auto guid = parse_number<std::uint64_t>(text, 16);
    if (guid && *guid != 0) return Guid(*guid);
  }
  return fail(Code::kBadField,
              "found {}, expected the GUID of a port such as \"0x0002c903000e0b73\"", found(json));
}

Result<PartitionChange::Wanted> member_of(const Json& json) {
  PartitionChange::Wanted wanted;
  if (json.is_object())
    if (const auto status = only(json, {"guid", "membership"}); !status) return forward(status);
  const auto guid = guid_of(json.is_object() ? json.value("guid", Json()) : json);
  if (!guid) return forward(guid);
  wanted.port = *guid;
  if (!json.is_object() || !json.contains("membership")) return wanted;
  const Json& word = json["membership"];
  const auto membership =
      word.is_string() ? membership_of(word.get<std::string>()) : std::optional<Membership>();
  if (!membership)
    return fail(Code::kBadField, "membership: found {}, expected full, limited or both",
                found(word));
  wanted.membership = *membership;
  return wanted;
}

template <class T, class Read>
Status read_list(const Json& body, const char* name, std::vector<T>& list, Read read) {
  if (!body.contains(name)) return {};
  if (!body[name].is_array()) return fail(Code::kBadField, "{}: expected a list", name);
  for (const Json& item : body[name]) {
    auto one = read(item);
    if (!one) return fail(Code::kBadField, "{}: {}", name, one.error().message);
    list.push_back(std::move(*one));
  }
  return {};
}

Status read_flag(const Json& body, const char* name, bool& flag) {
  if (!body.contains(name)) return {};
  if (!body[name].is_boolean()) return fail(Code::kBadField, "{}: expected true or false", name);
  flag = body[name].get<bool>();
  return {};
}

/// Fails with kBadField if a port occurs twice in a change.
Status check_once(const PartitionChange& change) {
  std::vector<Guid> ports = change.remove;
  for (const PartitionChange::Wanted& wanted : change.set) ports.push_back(wanted.port);
  std::ranges::sort(ports);
  const auto twice = std::ranges::adjacent_find(ports);
  if (twice == ports.end()) return {};
  return fail(Code::kBadField, "port {} is repeated", hex(*twice));
}

}  // namespace

Result<std::uint16_t> pkey_base(std::string_view text) {
  const auto pkey = parse_c_number<std::uint16_t>(text);
  if (pkey && (*pkey & kPkeyBaseMask) != 0) return *pkey & kPkeyBaseMask;
  if (!pkey && parse_number<std::uint16_t>(text, 16))
    return fail(
        Code::kBadField,
        "found {}, expected a P_Key in decimal, or in hexadecimal with 0x as in partitions.conf: "
        "did you mean 0x{}?",
        weft::quoted(text), text);
  return fail(
      Code::kBadField,
      "found {}, expected a P_Key from 0x0001 to 0xffff (hexadecimal with 0x, decimal without), "
      "not 0x8000",
      weft::quoted(text));
}

Result<PartitionOrder> new_partition(const Json& body) {
  PartitionOrder order;
  PartitionChange& change = order.change;
  change.kind = PartitionChange::Kind::kCreate;
  if (const auto status = only(body, {"pkey", "name", "ipoib", "members", "absent_ports"}); !status)
    return forward(status);
  for (const char* name : {"pkey", "name"})
    if (!body.contains(name) || !body[name].is_string())
      return fail(Code::kBadField, "{}: expected text", name);
  const auto base = pkey_base(body["pkey"].get<std::string>());
  if (!base) return fail(Code::kBadField, "pkey: {}", base.error().message);
  change.base = *base;
  change.name = body["name"].get<std::string>();
  if (!is_partition_name(change.name))
    return fail(Code::kBadField, "name: found {}, expected letters, digits and _.-+, 64 at most",
                weft::quoted(change.name));
  Status status = read_flag(body, "ipoib", change.ipoib);
  if (status) status = read_flag(body, "absent_ports", order.absent_ports);
  if (status) status = read_list(body, "members", change.set, member_of);
  if (status) status = check_once(change);
  if (!status) return forward(status);
  return order;
}

Result<PartitionOrder> member_change(std::uint16_t base, const Json& body) {
  PartitionOrder order;
  PartitionChange& change = order.change;
  change.base = base;
  Status status = only(body, {"add", "remove", "absent_ports"});
  if (status) status = read_flag(body, "absent_ports", order.absent_ports);
  if (status) status = read_list(body, "add", change.set, member_of);
  if (status) status = read_list(body, "remove", change.remove, guid_of);
  if (status) status = check_once(change);
  if (!status) return forward(status);
  if (change.set.empty() && change.remove.empty())
    return fail(Code::kBadField, "expected ports to add or to remove");
  return order;
}

Json outcome(std::uint16_t base, const PartitionOutcome& outcome) {
  return {{"pkey", fmt::format("0x{:04x}", base)},
          {"name", outcome.name},
          {"changed", outcome.changed},
          {"file_created", outcome.file_created},
          {"ports", outcome.ports},
          {"nodes", outcome.nodes},
          {"applied", outcome.applied},
          {"error", outcome.error}};
}

}  // namespace weft::http_data
