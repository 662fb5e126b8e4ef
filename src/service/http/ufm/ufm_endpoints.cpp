// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of the HTTP endpoints of UFM's REST interface (docs/reference/ufm.md). Clients of UFM
// handle the statuses 400, 401, 403, 404 and 503.
#include <fmt/chrono.h>
#include <sys/stat.h>

#include <ctime>
#include <utility>

#include "base/letters.h"
#include "base/text.h"
#include "service/config/options.h"
#include "service/http/http_handlers.h"
#include "service/http/ufm/ufm_inventory.h"
#include "service/http/ufm/ufm_orders.h"
#include "service/http/ufm/ufm_partitions.h"

namespace weft::http {
namespace {

/// The release of UFM that has this interface.
constexpr const char* kUfmRelease = "6.19.0";

HttpAnswer ufm_refused(const Error& error) {
  switch (error.code) {
    case Code::kUsage:
      return error_answer(404, error.message);
    case Code::kRejected:
    case Code::kTimeout:
      return error_answer(503, error.message);
    case Code::kEnvironment:
      return error_answer(500, error.message);
    default:
      return error_answer(400, error.message);
  }
}

/// Executes a change of partitions. Uses HttpAnswer::later, because the change may block until the
/// end of a sweep. If the change is in the partition file but not applied, the status is 200:
/// the manager retries, and clients of UFM accept no other status as success.
HttpAnswer carry_out_ufm(HttpContext& context, Result<PartitionOrder> order) {
  if (!order) return ufm_refused(order.error());
  HttpAnswer answer;
  answer.later = [&context, order = std::move(*order)] {
    const auto outcome = context.board.partitions_handler.call(order);
    if (!outcome) return error_answer(503, "the manager is not running");
    if (!*outcome) return ufm_refused(outcome->error());
    return json_answer({{"pkey", ufm::pkey_text(order.change.base)},
                        {"changed", (*outcome)->changed},
                        {"applied", (*outcome)->applied},
                        {"error", (*outcome)->error}});
  };
  return answer;
}

/// Executes the change in the body. Requires the type application/json, which pages of other
/// origins cannot send without a CORS preflight. A browser may add Basic credentials to requests of
/// pages of other origins.
template <class Parse>
HttpAnswer change_by_body(HttpContext& context, const HttpCall& call, Parse parse) {
  if (call.request.body_type != "application/json")
    return error_answer(415, "expected Content-Type: application/json");
  const Json body = Json::parse(call.request.body, nullptr, false);
  if (!body.is_object()) return error_answer(400, "expected a JSON object");
  return carry_out_ufm(context, parse(body));
}

/// The filter of a list of ports, links or systems from the query. Fails with the error answer: 400
/// for an invalid value, 501 for a parameter that requires data that Weft does not have.
tl::expected<ufm::InventoryFilter, HttpAnswer> inventory_filter(const HttpCall& call) {
  ufm::InventoryFilter filter;
  for (const auto& [name, value] : call.request.query) {
    const bool is_on = lower(value) == "true";
    if (name == "sys_type" || name == "type") {
      const auto type = ufm::system_type_of(value);
      if (!type)
        return tl::unexpected(
            error_answer(400, fmt::format("{}: found {}, expected computer, host, switch or router",
                                          name, weft::quoted(value))));
      filter.system_type = *type;
    } else if (name == "system") {
      filter.system = value;
    } else if (name == "active") {
      filter.active = is_on;
    } else if (name == "show_disabled") {
      filter.unconnected = is_on;
    } else if (name == "ports") {
      filter.with_ports = is_on;
    } else if (name != "page_number" && name != "rpp" && lower(value) != "false") {
      return tl::unexpected(
          error_answer(501, fmt::format("parameter {} is not supported", weft::quoted(name))));
    }
  }
  return filter;
}

/// A page of the list, as {"data": [..]}, if the query requests a page; otherwise the list.
Json page_of(Json list, const HttpCall& call, std::uint64_t number, std::uint64_t size) {
  if (call.request.find("page_number") == nullptr && call.request.find("rpp") == nullptr)
    return list;
  Json page = Json::array();
  for (std::uint64_t i = (number - 1) * size; i < list.size() && page.size() < size; ++i)
    page.push_back(std::move(list[i]));
  return {{"data", std::move(page)}};
}

template <class Make>
HttpAnswer inventory_list(HttpContext& context, const HttpCall& call, Make make) {
  constexpr std::uint64_t kRowsMax = 100'000;
  auto filter = inventory_filter(call);
  if (!filter) return std::move(filter.error());
  auto number = call.number("page_number", 1, UINT32_MAX);
  if (!number) return std::move(number.error());
  auto size = call.number("rpp", kRowsMax, kRowsMax);
  if (!size) return std::move(size.error());
  if (*number == 0) return error_answer(400, "page_number: found 0, expected 1 or more");
  return from_snapshot(context, call, [&](const Snapshot& snapshot) {
    return page_of(make(snapshot, *filter), call, *number, *size);
  });
}

ufm::PartitionParts parts_of(const HttpCall& call) {
  return {lower(call.text("guids_data")) == "true", lower(call.text("qos_conf")) == "true"};
}

}  // namespace

HttpAnswer ufm_version(HttpContext& context, const HttpCall&) {
  return json_answer(
      {{"ufm_release_version", kUfmRelease}, {"weft_version", context.options.version}});
}

HttpAnswer ufm_configuration(HttpContext&, const HttpCall& call) {
  return json_answer(ufm::manager_configuration(*call.posted.settings));
}

HttpAnswer ufm_ports(HttpContext& context, const HttpCall& call) {
  return inventory_list(context, call, &ufm::ports);
}

HttpAnswer ufm_links(HttpContext& context, const HttpCall& call) {
  return inventory_list(context, call, &ufm::links);
}

HttpAnswer ufm_systems(HttpContext& context, const HttpCall& call) {
  return inventory_list(context, call, &ufm::systems);
}

HttpAnswer ufm_virtual_ports(HttpContext& context, const HttpCall& call) {
  return from_snapshot(context, call, &ufm::virtual_ports);
}

HttpAnswer ufm_pkeys(HttpContext& context, const HttpCall& call) {
  const ufm::PartitionParts parts = parts_of(call);
  if (parts.guids && parts.quality)
    return error_answer(400, "guids_data and qos_conf: found both, expected one for a list");
  return from_snapshot(context, call, [&](const Snapshot& snapshot) {
    return call.request.query.empty() ? ufm::pkeys(snapshot) : ufm::partitions(snapshot, parts);
  });
}

/// Returns a partition. For an unknown P_Key, the body is {} without a line end, because clients
/// compare the text.
HttpAnswer ufm_pkey(HttpContext&, const HttpCall& call) {
  if (!call.posted.snapshot) return no_data_yet();
  const auto base = ufm::pkey_base(call.rest);
  if (!base) return error_answer(400, base.error().message);
  const Json json = ufm::partition(*call.posted.snapshot, *base, parts_of(call));
  if (!json.empty()) return json_answer(json);
  return text_answer(200, "{}", "application/json");
}

HttpAnswer ufm_last_updated(HttpContext&, const HttpCall& call) {
  struct stat about {};
  const std::string path = active_partition_file(*call.posted.settings);
  if (path.empty() || ::stat(path.c_str(), &about) != 0)
    return json_answer({{"last_updated", nullptr}});
  return json_answer(
      {{"last_updated", fmt::format("{:%a %b %e %H:%M:%S UTC %Y}", fmt::gmtime(about.st_mtime))}});
}

HttpAnswer ufm_add_members(HttpContext& context, const HttpCall& call) {
  return change_by_body(context, call, &ufm::members_to_add);
}

HttpAnswer ufm_set_members(HttpContext& context, const HttpCall& call) {
  return change_by_body(context, call, &ufm::all_members);
}

HttpAnswer ufm_add_pkey(HttpContext& context, const HttpCall& call) {
  return change_by_body(context, call, &ufm::empty_partition);
}

HttpAnswer ufm_set_quality(HttpContext& context, const HttpCall& call) {
  return change_by_body(context, call, &ufm::qos_change);
}

HttpAnswer ufm_remove_members(HttpContext& context, const HttpCall& call) {
  return change_by_body(context, call, &ufm::members_to_remove);
}

HttpAnswer ufm_add_hosts(HttpContext& context, const HttpCall& call) {
  if (!call.posted.snapshot) return no_data_yet();
  return change_by_body(context, call, [&](const Json& body) {
    return ufm::hosts_to_add(body, call.posted.snapshot->fabric);
  });
}

/// Deletes a partition or members of a partition. Returns 404 if there is no such partition.
HttpAnswer ufm_delete(HttpContext& context, const HttpCall& call) {
  if (!call.posted.snapshot) return no_data_yet();
  auto order = ufm::removal(call.rest, call.posted.snapshot->fabric);
  if (order && ufm::partition(*call.posted.snapshot, order->change.base, {}).empty())
    return error_answer(
        404, fmt::format("no partition has P_Key {}", ufm::pkey_text(order->change.base)));
  return carry_out_ufm(context, std::move(order));
}

}  // namespace weft::http
