// Records of the topology: nodes, ports, switches, links, tables, managers. Each function offers
// the records that the requester may see, in order of GUIDs and ports, to the query's filter, and
// returns a status.
#pragma once

#include "sa/query.h"

namespace weft::sa {

struct State;

std::uint16_t class_port_info(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t node_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t port_info_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t sl_to_vl_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t switch_info_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t lft_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t mft_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t sm_info_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t link_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t pkey_table_records(State&, const SaQuery& query, SaAnswer& answer);
std::uint16_t vl_arb_records(State&, const SaQuery& query, SaAnswer& answer);

}  // namespace weft::sa
