// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/unhealthy_ports.h"

#include <utility>

namespace weft::http_data {

Json unhealthy_ports(const PortHealth::Ports& ports, bool checks, Page page) {
  Json list = Json::array();
  std::size_t at = 0;
  for (const auto& [near, unhealthy] : ports) {
    if (at++ < page.offset) continue;
    if (list.size() >= page.limit) break;
    const HealthPort& port = unhealthy.port;
    Json json{{"node", nullptr},
              {"name", port.name},
              {"port", nullptr},
              {"peer", hex(near.guid)},
              {"peer_name", port.near_name},
              {"peer_port", near.port.value()},
              {"conditions", Json::array()},
              {"action", name(unhealthy.action)}};
    if (port.far.guid != Guid(0)) {
      json["node"] = hex(port.far.guid);
      json["port"] = port.far.port.value();
    }
    for (const HealthCondition condition : unhealthy.conditions)
      json["conditions"].push_back(name(condition));
    list.push_back(std::move(json));
  }
  return {{"total", ports.size()},
          {"offset", page.offset},
          {"checks", checks},
          {"ports", std::move(list)}};
}

}  // namespace weft::http_data
