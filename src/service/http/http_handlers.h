// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The handlers of the HTTP endpoints. http_endpoints.cpp has the table of the endpoints.
#pragma once

#include "service/http/http_call.h"

namespace weft::http {

// health_endpoints.cpp
HttpAnswer healthz(HttpContext& context, const HttpCall& call);
HttpAnswer readyz(HttpContext& context, const HttpCall& call);
HttpAnswer metrics(HttpContext& context, const HttpCall& call);
HttpAnswer exporter_names(HttpContext& context, const HttpCall& call);
HttpAnswer openapi(HttpContext& context, const HttpCall& call);

// fabric_endpoints.cpp
HttpAnswer fabric(HttpContext& context, const HttpCall& call);
HttpAnswer nodes(HttpContext& context, const HttpCall& call);
HttpAnswer node(HttpContext& context, const HttpCall& call);
HttpAnswer ports(HttpContext& context, const HttpCall& call);
HttpAnswer links(HttpContext& context, const HttpCall& call);
HttpAnswer path(HttpContext& context, const HttpCall& call);
HttpAnswer drawing(HttpContext& context, const HttpCall& call);
HttpAnswer search(HttpContext& context, const HttpCall& call);

// partition_endpoints.cpp
HttpAnswer partitions(HttpContext& context, const HttpCall& call);
HttpAnswer partition(HttpContext& context, const HttpCall& call);
HttpAnswer create_partition(HttpContext& context, const HttpCall& call);
HttpAnswer change_partition(HttpContext& context, const HttpCall& call);
HttpAnswer delete_partition(HttpContext& context, const HttpCall& call);

// emulation_endpoints.cpp
HttpAnswer cut_cables(HttpContext& context, const HttpCall& call);
HttpAnswer cut_cable(HttpContext& context, const HttpCall& call);
HttpAnswer reconnect_cable(HttpContext& context, const HttpCall& call);

// unhealthy_endpoints.cpp
HttpAnswer unhealthy_ports(HttpContext& context, const HttpCall& call);
HttpAnswer mark_healthy(HttpContext& context, const HttpCall& call);

// vport_endpoints.cpp
HttpAnswer vports(HttpContext& context, const HttpCall& call);

// plane_endpoints.cpp
HttpAnswer aports(HttpContext& context, const HttpCall& call);
HttpAnswer planes(HttpContext& context, const HttpCall& call);

// topology_endpoints.cpp
HttpAnswer topology_findings(HttpContext& context, const HttpCall& call);

// query_endpoints.cpp
HttpAnswer multicast(HttpContext& context, const HttpCall& call);
HttpAnswer subscriptions(HttpContext& context, const HttpCall& call);
HttpAnswer services(HttpContext& context, const HttpCall& call);

// configuration_endpoints.cpp
HttpAnswer configuration(HttpContext& context, const HttpCall& call);

// event_endpoints.cpp
HttpAnswer events(HttpContext& context, const HttpCall& call);
HttpAnswer event_stream(HttpContext& context, const HttpCall& call);

// sweep_endpoints.cpp
HttpAnswer sweep(HttpContext& context, const HttpCall& call);

// counter_endpoints.cpp
HttpAnswer errors(HttpContext& context, const HttpCall& call);
HttpAnswer node_counters(HttpContext& context, const HttpCall& call);
HttpAnswer all_counters(HttpContext& context, const HttpCall& call);

// history_endpoints.cpp
HttpAnswer history_events(HttpContext& context, const HttpCall& call);
HttpAnswer history_sweeps(HttpContext& context, const HttpCall& call);
HttpAnswer history_counters(HttpContext& context, const HttpCall& call);
HttpAnswer history_traffic(HttpContext& context, const HttpCall& call);

// alarm_endpoints.cpp
HttpAnswer alarms(HttpContext& context, const HttpCall& call);
HttpAnswer acknowledge_alarm(HttpContext& context, const HttpCall& call);

// study_endpoints.cpp
HttpAnswer engines(HttpContext& context, const HttpCall& call);
HttpAnswer compare(HttpContext& context, const HttpCall& call);
HttpAnswer what_if(HttpContext& context, const HttpCall& call);

// job_endpoints.cpp
HttpAnswer jobs(HttpContext& context, const HttpCall& call);
HttpAnswer job(HttpContext& context, const HttpCall& call);
HttpAnswer begin_job(HttpContext& context, const HttpCall& call);
HttpAnswer end_job(HttpContext& context, const HttpCall& call);

// replication_endpoints.cpp
HttpAnswer replication(HttpContext& context, const HttpCall& call);
HttpAnswer replication_changes(HttpContext& context, const HttpCall& call);
HttpAnswer replication_history(HttpContext& context, const HttpCall& call);
HttpAnswer hand_over(HttpContext& context, const HttpCall& call);

// ufm/ufm_endpoints.cpp
HttpAnswer ufm_version(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_configuration(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_ports(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_links(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_systems(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_virtual_ports(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_pkeys(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_pkey(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_last_updated(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_add_members(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_set_members(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_add_pkey(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_set_quality(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_remove_members(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_add_hosts(HttpContext& context, const HttpCall& call);
HttpAnswer ufm_delete(HttpContext& context, const HttpCall& call);

}  // namespace weft::http
