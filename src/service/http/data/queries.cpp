// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/queries.h"

#include <utility>

namespace weft::http_data {

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
