// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/queries.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace weft::http_data {
namespace {

/// The name of a service, which ends at the first zero byte of the field.
std::string service_name(const ServiceRecord& record) {
  const auto* bytes = reinterpret_cast<const char*>(record.name.data());
  return {bytes, strnlen(bytes, record.name.size())};
}

}  // namespace

Json multicast(const sa::State& state) {
  Json list = Json::array();
  for (const auto& [mgid, group] : state.groups.all()) {
    Json members = Json::array();
    for (const auto& [guid, member] : group.members)
      members.push_back({{"guid", hex(guid)}, {"join_state", member.state}});
    list.push_back({{"mgid", hex(mgid)},
                    {"mlid", group.record.mlid.value()},
                    {"pkey", hex(group.record.pkey)},
                    {"qkey", group.record.qkey},
                    {"mtu", group.record.mtu},
                    {"rate", group.record.rate},
                    {"sl", group.record.sl.value()},
                    {"of_partition", group.well_known},
                    {"members", std::move(members)}});
  }
  return {{"groups", std::move(list)}};
}

Json services(const sa::State& state) {
  Json list = Json::array();
  state.services.for_all([&](const sa::Service& service) {
    const ServiceRecord& record = service.record;
    const bool unlimited = record.lease == sa::Services::kForEver;
    list.push_back({{"id", fmt::format("{:#018x}", record.id)},
                    {"gid", hex(record.gid)},
                    {"pkey", hex(record.pkey)},
                    {"name", service_name(record)},
                    {"lease_s", unlimited ? Json() : Json(record.lease)},
                    {"registrant", hex(service.registrant)}});
  });
  return {{"services", std::move(list)}};
}

Json subscriptions(const sa::State& state) {
  Json list = Json::array();
  for (const auto& [id, subscription] : state.subscriptions.all())
    list.push_back({{"id", id},
                    {"subscriber", hex(subscription.subscriber)},
                    {"lid", subscription.address.lid.value()},
                    {"trap", subscription.info.trap},
                    {"generic", subscription.info.generic},
                    {"unheard", subscription.unacknowledged}});
  return {{"subscriptions", std::move(list)}};
}

}  // namespace weft::http_data
