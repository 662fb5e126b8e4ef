// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/local_changes.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "fabric/port_guids.h"
#include "ib/modifiers.h"
#include "ib/node_info.h"
#include "sm/discovery/directed.h"
#include "sm/discovery/discovered.h"

namespace weft {

LocalChangeReading::LocalChangeReading(const Observed& observed, const LocalChanges& changes)
    : observed_(observed) {
  const Fabric& fabric = observed.fabric;
  for (const Guid guid : changes.names)
    if (const auto node = fabric.find_node(guid)) queries_.push_back({*node, std::nullopt});
  for (const Guid guid : changes.capabilities)
    for (const EndportId endport : find_endports(fabric, guid)) {
      const Port& port = fabric.port(fabric.endport(endport).port);
      queries_.push_back({port.node, port.num});
    }
}

/// The path to the port of a query. NodeDescription can be read at any port with a path. At a CA
/// other than the manager's, some ports may have no path.
DirectedPath LocalChangeReading::path_to(const Query& query) const {
  const ObservedNode& seen = observed_.nodes[query.node.value()];
  if (query.port) return seen.path(*query.port);
  if (query.node == observed_.self || observed_.fabric.is_switch(query.node))
    return seen.paths.front();
  const auto known =
      std::ranges::find_if(seen.paths, [](const DirectedPath& path) { return path.count > 0; });
  return known == seen.paths.end() ? DirectedPath{} : *known;
}

bool LocalChangeReading::next(Smp& request, std::uint64_t& cookie) {
  if (at_ == queries_.size()) return false;
  const Query& query = queries_[at_];
  cookie = at_++;
  request = query.port
                ? directed_request(Method::kGet, AttributeId::kPortInfo,
                                   modifier::port_info(*query.port), path_to(query))
                : directed_request(Method::kGet, AttributeId::kNodeDescription, 0, path_to(query));
  return true;
}

void LocalChangeReading::answered(std::uint64_t cookie, const Smp& answer) {
  const Query& query = queries_[cookie];
  if (answer.status != mad_status::kGood) return miss(query, status_text(answer.status));
  if (!query.port) {
    names_.push_back({query.node, decode_node_description(answer.data)->text});
  } else if (const auto info = decode_port_info(answer.data)) {
    capabilities_.push_back(
        {query.node, *query.port, info->capability_mask, info->capability_mask2});
  } else {
    miss(query, info.error().message);
  }
}

void LocalChangeReading::failed(std::uint64_t cookie, const Error& why) {
  miss(queries_[cookie], why.message);
}

void LocalChangeReading::miss(const Query& query, const std::string& why) {
  const Fabric& fabric = observed_.fabric;
  missed_a_port_ = missed_a_port_ || query.port;
  silent_.push_back(fmt::format(
      "{}: {}",
      query.port ? "PortInfo of " + describe(fabric, fabric.port_id(query.node, *query.port))
                 : "NodeDescription of " + describe(fabric.node(query.node)),
      why));
}

Status rename(Observed& observed, const std::vector<LocalChangeReading::Name>& names,
              const NodeNames& given) {
  bool is_new = false;
  Discovered found = as_found(observed);
  for (const auto& [node, text] : names) {
    const Guid guid = observed.fabric.node(node).node_guid;
    const std::string name = printable(text);
    const bool is_given = given.contains(guid);
    observed.nodes[node.value()].own_description = is_given || name != text ? text : "";
    if (is_given) continue;
    const auto draft = std::ranges::find(
        found.nodes, guid, [](const DiscoveredNode& n) { return n.seen.info.node_guid; });
    is_new = is_new || draft->description != name;
    draft->description = name;
  }
  if (!is_new) return {};
  auto again = assemble(std::move(found));
  if (!again) return forward(again);
  const bool same = std::ranges::equal(again->fabric.nodes(), observed.fabric.nodes(), {},
                                       &Node::node_guid, &Node::node_guid);
  if (!same) return fail(Code::kBadInput, "the fabric changed");
  observed.fabric = std::move(again->fabric);
  return {};
}

}  // namespace weft
