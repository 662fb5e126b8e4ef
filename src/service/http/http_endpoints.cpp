// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_endpoints.h"

#include "service/http/http_handlers.h"

namespace weft::http {
namespace {

constexpr HttpEndpoint kEndpoints[] = {
    {"GET", "/healthz", "The manager is alive.", &healthz, Role::kNone, true, true},
    {"GET", "/readyz",
     "Ready: a master with verified active routes, or a standby that has found the master.",
     &readyz, Role::kNone, true, true},
    {"GET", "/metrics", "Metrics in the text format of Prometheus.", &metrics, Role::kRead, false,
     true},
    {"GET", "/api/v1/openapi.json", "This OpenAPI document.", &openapi, Role::kRead, true},
    {"GET", "/api/v1/fabric", "Overview: manager, fabric, routes, last sweep.", &fabric,
     Role::kRead, true},
    {"GET", "/api/v1/nodes", "List nodes.", &nodes},
    {"GET", "/api/v1/node/", "Show a node and its ports.", &node},
    {"GET", "/api/v1/ports", "List the ports of all nodes.", &ports},
    {"GET", "/api/v1/links", "List links, each once.", &links},
    {"GET", "/api/v1/routes/path", "Trace the path of packets between two endports, hop by hop.",
     &path},
    {"GET", "/api/v1/partitions", "List partitions according to the P_Key tables of the ports.",
     &partitions},
    {"GET", "/api/v1/partition/", "Show a partition and its members.", &partition},
    {"POST", "/api/v1/partitions", "Create a partition in partitions.conf and in the P_Key tables.",
     &create_partition, Role::kAdminister},
    {"GET", "/api/v1/partitions/", "Same as /api/v1/partition/{pkey}.", &partition},
    {"PATCH", "/api/v1/partitions/",
     "Add or remove members of a partition, or change their membership.", &change_partition,
     Role::kAdminister},
    {"DELETE", "/api/v1/partitions/", "Delete a partition.", &delete_partition, Role::kAdminister},
    {"GET", "/api/v1/emulation/cut", "List disconnected cables of the emulated fabric.",
     &cut_cables},
    {"POST", "/api/v1/emulation/cut",
     "Disconnect a cable of the emulated fabric. The manager is not notified: it detects the "
     "change as on a real fabric.",
     &cut_cable, Role::kOperate},
    {"POST", "/api/v1/emulation/mend",
     "Reconnect a disconnected cable: the link trains and comes up.", &mend_cable, Role::kOperate},
    {"GET", "/api/v1/multicast", "List multicast groups and their members.", &multicast},
    {"GET", "/api/v1/subscriptions", "List the subscriptions to notices.", &subscriptions},
    {"GET", "/api/v1/configuration", "Show the active configuration, without secrets.",
     &configuration, Role::kRead, true},
    {"GET", "/api/v1/events", "List recent events: the last ones, or those after an id.", &events},
    {"GET", "/api/v1/events/stream",
     "Stream events as server-sent events; the data of each is an Event.", &event_stream,
     Role::kRead, true},
    {"GET", "/api/v1/drawing",
     "Drawing of the fabric: positions of switches, links between them, load of the active routes "
     "on each link.",
     &drawing},
    {"GET", "/api/v1/search",
     "Find nodes by substring of the name, by LID, or by at least four digits of a GUID.", &search},
    {"GET", "/api/v1/errors",
     "List ports with errors, as of the last reading of the performance manager.", &errors},
    {"GET", "/api/v1/counters", "List load and errors of every port.", &all_counters},
    {"GET", "/api/v1/counters/", "Show all counters of the ports of a node.", &node_counters},
    {"GET", "/api/v1/history/events", "List past events.", &history_events},
    {"GET", "/api/v1/history/sweeps", "List past heavy sweeps.", &history_sweeps},
    {"GET", "/api/v1/history/counters/",
     "List past counter increments of the ports of a node, in intervals that get longer with age.",
     &history_counters},
    {"GET", "/api/v1/engines", "List the routing engines and the active one.", &engines},
    {"POST", "/api/v1/compare", "Route the current fabric with another engine. Nothing is changed.",
     &compare},
    {"POST", "/api/v1/what-if", "Simulate the failure of a cable or switch. Nothing is changed.",
     &what_if},
    {"POST", "/api/v1/sweep", "Request a sweep or a recalculation of the routes.", &sweep,
     Role::kOperate},
};

}  // namespace

std::span<const HttpEndpoint> endpoints() { return kEndpoints; }

}  // namespace weft::http
