// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/ufm/ufm_orders.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "exports/names.h"
#include "fabric/formats/slurm_topology.h"
#include "service/http/ufm/ufm_rates.h"

namespace weft::ufm {
namespace {

constexpr std::size_t kGuidCharactersMax = 20;  // limit of UFM, with 0x
constexpr std::size_t kHostsMax = 100'000;

std::string found_in(const Json& json) {
  if (json.is_array()) return fmt::format("a list of {}", json.size());
  return json.is_object() ? "an object" : weft::quoted(trim(http_data::text(json)));
}

/// The value of a member of an object, or "nothing" if the member is missing.
std::string found_at(const Json& body, const char* name) {
  return body.contains(name) ? found_in(body[name]) : "nothing";
}

Status known_members(const Json& body, std::initializer_list<std::string_view> known) {
  if (!body.is_object())
    return fail(Code::kBadField, "found {}, expected a JSON object", found_in(body));
  for (const auto& [name, value] : body.items())
    if (std::ranges::find(known, name) == known.end())
      return fail(Code::kBadField, "unknown member {}", weft::quoted(name));
  return {};
}

Result<std::uint16_t> base_of(const Json& body) {
  if (!body.contains("pkey") || !body["pkey"].is_string())
    return fail(Code::kBadField, "pkey: found {}, expected text such as \"0x00a1\"",
                found_at(body, "pkey"));
  auto base = pkey_base(body["pkey"].get<std::string>());
  if (!base) return fail(Code::kBadField, "pkey: {}", base.error().message);
  return base;
}

tl::unexpected<Error> wrong_guid(std::string_view found) {
  return fail(Code::kBadField,
              "guids: found {}, expected a GUID: a hexadecimal number other than 0, {} characters "
              "at most",
              found, kGuidCharactersMax);
}

Result<Guid> guid_of(std::string_view text) {
  const auto guid = parse_number<std::uint64_t>(text, 16);
  if (guid && *guid != 0 && text.size() <= kGuidCharactersMax) return Guid(*guid);
  return wrong_guid(weft::quoted(text));
}

Result<std::vector<Guid>> guids_of(const Json& body) {
  if (!body.contains("guids") || !body["guids"].is_array() || body["guids"].empty())
    return fail(Code::kBadField, "guids: found {}, expected a list of at least one GUID",
                found_at(body, "guids"));
  std::vector<Guid> guids;
  for (const Json& item : body["guids"]) {
    if (!item.is_string()) return wrong_guid(found_in(item));
    const auto guid = guid_of(item.get<std::string>());
    if (!guid) return forward(guid);
    guids.push_back(*guid);
  }
  return guids;
}

Result<Membership> membership_in(const Json& json) {
  const auto membership =
      json.is_string() ? membership_of(json.get<std::string>()) : std::optional<Membership>();
  if (!membership || *membership == Membership::kBoth)
    return fail(Code::kBadField, "membership: found {}, expected full or limited", found_in(json));
  return *membership;
}

Result<bool> flag_in(const Json& body, const char* name, bool otherwise) {
  if (!body.contains(name)) return otherwise;
  if (!body[name].is_boolean())
    return fail(Code::kBadField, "{}: found {}, expected true or false", name,
                found_in(body[name]));
  return body[name].get<bool>();
}

/// The name of a new partition: partition_name, or a default name. Fails with kBadField.
Result<std::string> name_of(const Json& body, std::uint16_t base) {
  if (!body.contains("partition_name")) return "api_pkey_" + pkey_text(base);
  const Json& name = body["partition_name"];
  if (name.is_string() && is_partition_name(name.get<std::string>()))
    return name.get<std::string>();
  return fail(Code::kBadField,
              "partition_name: found {}, expected letters, digits and _.-+, 64 at most",
              found_in(name));
}

/// The members without repeated GUIDs: of the members with the same GUID, the last one remains.
std::vector<PartitionChange::Wanted> each_once(std::vector<PartitionChange::Wanted> all) {
  std::map<Guid, std::size_t> last;
  for (std::size_t i = 0; i < all.size(); ++i) last[all[i].port] = i;
  std::vector<PartitionChange::Wanted> once;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (last[all[i].port] == i) once.push_back(all[i]);
  return once;
}

PartitionOrder order_for(std::uint16_t base) {
  PartitionOrder order;
  order.change.base = base;
  order.absent_ports = true;
  order.update.emplace();
  return order;
}

/// The order from pkey, ip_over_ib and partition_name. The partition is created if it is missing.
/// Fails with kBadField.
Result<PartitionOrder> creating_order(const Json& body) {
  const auto base = base_of(body);
  if (!base) return forward(base);
  PartitionOrder order = order_for(*base);
  auto name = name_of(body, *base);
  if (!name) return forward(name);
  order.change.name = std::move(*name);
  const auto ipoib = flag_in(body, "ip_over_ib", true);
  if (!ipoib) return forward(ipoib);
  order.change.ipoib = *ipoib;
  order.update->creates = true;
  return order;
}

Status read_memberships(const Json& body, std::vector<PartitionChange::Wanted>& members) {
  if (body.contains("membership")) {
    const auto membership = membership_in(body["membership"]);
    if (!membership) return forward(membership);
    for (PartitionChange::Wanted& member : members) member.membership = *membership;
  }
  if (!body.contains("memberships")) return {};
  const Json& list = body["memberships"];
  if (!list.is_array() || list.size() != members.size())
    return fail(Code::kBadField,
                "memberships: found {}, expected a list of {} memberships, one for each GUID",
                found_in(list), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto membership = membership_in(list[i]);
    if (!membership) return forward(membership);
    members[i].membership = *membership;
  }
  return {};
}

Result<PartitionOrder> order_of_ports(const Json& body, const std::vector<Guid>& ports) {
  auto order = creating_order(body);
  if (!order) return forward(order);
  const auto index0 = flag_in(body, "index0", false);
  if (!index0) return forward(index0);
  std::vector<PartitionChange::Wanted> members;
  members.reserve(ports.size());
  for (const Guid port : ports) members.push_back({port, Membership::kFull, *index0});
  if (const Status status = read_memberships(body, members); !status) return forward(status);
  order->change.set = each_once(std::move(members));
  if (body.contains("ip_over_ib") && order->change.ipoib) order->update->flags.ipoib = true;
  return order;
}

template <class Value, class Convert>
Status read_qos_value(const Json& body, const char* name, Value& value, std::string_view wanted,
                      Convert convert) {
  if (!body.contains(name)) return {};
  const std::optional<std::uint8_t> code =
      body[name].is_number() ? convert(body[name].get<double>()) : std::nullopt;
  if (!code)
    return fail(Code::kBadField, "{}: found {}, expected {}", name, found_in(body[name]), wanted);
  value = *code;
  return {};
}

Status read_qos_values(const Json& body, PartitionChange::Flags& flags) {
  Status status = read_qos_value(body, "mtu_limit", flags.mtu, "2 or 4, in kB", &mtu_code);
  if (status)
    status = read_qos_value(body, "rate_limit", flags.rate, "a rate in Gbit/s, from 2.5 to 300",
                            &rate_code_of);
  if (status)
    status = read_qos_value(body, "service_level", flags.sl, "an SL from 0 to 15",
                            [](double sl) -> std::optional<std::uint8_t> {
                              if (sl < 0 || sl > 15 || sl != std::floor(sl)) return std::nullopt;
                              return static_cast<std::uint8_t>(sl);
                            });
  return status;
}

PartitionOrder removal_of(std::uint16_t base, std::vector<Guid> ports) {
  std::ranges::sort(ports);
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  PartitionOrder order = order_for(base);
  order.change.remove = std::move(ports);
  order.update->deletes_empty = true;
  return order;
}

/// The GUIDs of the connected ports of all adapters of the hosts in a hostlist. Fails with
/// kBadField for an invalid list or if no port is connected, and with kUsage for an unknown host.
Result<std::vector<Guid>> ports_of_hosts(std::string_view list, const Fabric& fabric) {
  std::size_t left = kHostsMax;
  const auto items = expand_hostlist(list, left);
  if (!items)
    return fail(Code::kBadField, "hosts_names: column {}: {}", items.error().column,
                items.error().message);
  const std::vector<Host> hosts = hosts_of(fabric, {});
  std::map<std::string_view, const Host*> by_name;
  for (const Host& host : hosts) by_name.emplace(host.name, &host);
  std::vector<Guid> ports;
  for (const HostlistItem& item : *items)
    for (const std::string& name : item.names) {
      const auto found = by_name.find(name);
      if (found == by_name.end())
        return fail(Code::kUsage, "host {} is not on this fabric", weft::quoted(name));
      for (const NodeId adapter : found->second->adapters)
        for (const Port& port : fabric.ports(adapter).subspan(1))
          if (port.peer != kNoPort) ports.push_back(port.guid);
    }
  if (ports.empty())
    return fail(Code::kBadField, "hosts_names: found no connected port, expected at least one");
  return ports;
}

}  // namespace

Result<std::uint16_t> pkey_base(std::string_view text) {
  const auto pkey = parse_number<std::uint16_t>(text, 16);
  if (pkey && (*pkey & kPkeyBaseMask) != 0) return *pkey & kPkeyBaseMask;
  return fail(Code::kBadField, "found {}, expected a hexadecimal P_Key from 0x1 to 0x7fff",
              weft::quoted(text));
}

std::string pkey_text(std::uint16_t base) { return fmt::format("0x{:x}", base); }

Result<PartitionOrder> members_to_add(const Json& body) {
  if (const Status status = known_members(body, {"pkey", "guids", "membership", "memberships",
                                                 "index0", "ip_over_ib", "partition_name"});
      !status)
    return forward(status);
  const auto guids = guids_of(body);
  if (!guids) return forward(guids);
  return order_of_ports(body, *guids);
}

Result<PartitionOrder> all_members(const Json& body) {
  auto order = members_to_add(body);
  if (!order) return forward(order);
  order->update->replaces = true;
  if (body.contains("ip_over_ib")) order->update->flags.ipoib = order->change.ipoib;
  return order;
}

Result<PartitionOrder> empty_partition(const Json& body) {
  if (const Status status = known_members(body, {"pkey", "partition_name", "ip_over_ib", "index0",
                                                 "mtu_limit", "rate_limit", "service_level"});
      !status)
    return forward(status);
  auto order = creating_order(body);
  if (!order) return forward(order);
  order->update->must_be_new = true;
  // index0 is checked but has no effect: it is a property of members, and there are none.
  if (const auto index0 = flag_in(body, "index0", false); !index0) return forward(index0);
  if (const Status status = read_qos_values(body, order->update->flags); !status)
    return forward(status);
  return order;
}

Result<PartitionOrder> qos_change(const Json& body) {
  if (const Status status =
          known_members(body, {"pkey", "mtu_limit", "rate_limit", "service_level"});
      !status)
    return forward(status);
  const auto base = base_of(body);
  if (!base) return forward(base);
  PartitionOrder order = order_for(*base);
  if (const Status status = read_qos_values(body, order.update->flags); !status)
    return forward(status);
  if (order.update->flags == PartitionChange::Flags{})
    return fail(Code::kBadField,
                "found no QoS value, expected mtu_limit, rate_limit or service_level");
  return order;
}

Result<PartitionOrder> members_to_remove(const Json& body) {
  if (const Status status = known_members(body, {"pkey", "guids"}); !status) return forward(status);
  const auto base = base_of(body);
  if (!base) return forward(base);
  auto guids = guids_of(body);
  if (!guids) return forward(guids);
  return removal_of(*base, std::move(*guids));
}

Result<PartitionOrder> removal(std::string_view rest, const Fabric& fabric) {
  const std::vector<std::string_view> words = split(rest, '/');
  const auto base = pkey_base(words.front());
  if (!base) return forward(base);
  if (words.size() == 1) {
    PartitionOrder order;
    order.change.kind = PartitionChange::Kind::kDelete;
    order.change.base = *base;
    return order;
  }
  if (words.size() != 3 || (words[1] != "guids" && words[1] != "hosts"))
    return fail(Code::kUsage, "found {}, expected PKEY, PKEY/guids/GUID,.. or PKEY/hosts/HOST,..",
                weft::quoted(rest));
  std::vector<Guid> ports;
  if (words[1] == "hosts") {
    auto found = ports_of_hosts(words[2], fabric);
    if (!found) return forward(found);
    ports = std::move(*found);
  } else {
    for (const std::string_view word : split(words[2], ',')) {
      const auto guid = guid_of(trim(word));
      if (!guid) return forward(guid);
      ports.push_back(*guid);
    }
  }
  return removal_of(*base, std::move(ports));
}

Result<PartitionOrder> hosts_to_add(const Json& body, const Fabric& fabric) {
  if (const Status status =
          known_members(body, {"hosts_names", "pkey", "membership", "index0", "ip_over_ib"});
      !status)
    return forward(status);
  if (!body.contains("hosts_names") || !body["hosts_names"].is_string())
    return fail(Code::kBadField,
                "hosts_names: found {}, expected names of hosts, separated by commas",
                found_at(body, "hosts_names"));
  const auto ports = ports_of_hosts(body["hosts_names"].get<std::string>(), fabric);
  if (!ports) return forward(ports);
  return order_of_ports(body, *ports);
}

}  // namespace weft::ufm
