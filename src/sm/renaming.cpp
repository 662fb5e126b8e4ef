#include "sm/renaming.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "ib/node_info.h"
#include "sm/directed.h"
#include "sm/discovered.h"
#include "sm/subnet_manager.h"

namespace weft {

NameReading::NameReading(const Observed& observed, const std::set<Guid>& nodes)
    : observed_(observed) {
  for (const Guid guid : nodes)
    if (const auto node = observed.fabric.find_node(guid)) nodes_.push_back(*node);
}

/// By a port that leads to the node: a CA that is not the manager's own has no others.
DirectedPath NameReading::path_to(NodeId node) const {
  const ObservedNode& seen = observed_.nodes[node.value()];
  if (node == observed_.self || observed_.fabric.is_switch(node)) return seen.paths.front();
  const auto known =
      std::ranges::find_if(seen.paths, [](const DirectedPath& path) { return path.count > 0; });
  return known == seen.paths.end() ? DirectedPath{} : *known;
}

bool NameReading::next(Smp& request, std::uint64_t& cookie) {
  if (at_ == nodes_.size()) return false;
  cookie = nodes_[at_].value();
  request = directed_request(Method::kGet, AttributeId::kNodeDescription, 0, path_to(nodes_[at_]),
                             Mkey(0));
  ++at_;
  return true;
}

void NameReading::answered(std::uint64_t cookie, const Smp& answer) {
  const NodeId node(static_cast<std::uint32_t>(cookie));
  if (answer.status != mad_status::kGood)
    return silent_.push_back(
        fmt::format("{} {}", describe(observed_.fabric.node(node)), status_text(answer.status)));
  names_.push_back({node, decode_node_description(answer.data)->text});
}

void NameReading::failed(std::uint64_t cookie, const Error& why) {
  const NodeId node(static_cast<std::uint32_t>(cookie));
  silent_.push_back(fmt::format("{} {}", describe(observed_.fabric.node(node)), why.message));
}

Status rename(Observed& observed, const std::vector<NameReading::Name>& names,
              const NodeNames& given) {
  bool is_new = false;
  Discovered found = as_found(observed);
  for (const auto& [node, text] : names) {
    const Guid guid = observed.fabric.node(node).node_guid;
    if (given.contains(guid)) {
      observed.nodes[node.value()].own_description = text;
      continue;
    }
    const auto draft = std::ranges::find(
        found.nodes, guid, [](const DiscoveredNode& n) { return n.seen.info.node_guid; });
    is_new = is_new || draft->description != text;
    draft->description = text;
  }
  if (!is_new) return {};
  auto again = assemble(std::move(found));
  if (!again) return forward(again);
  const bool same = std::ranges::equal(again->fabric.nodes(), observed.fabric.nodes(), {},
                                       &Node::node_guid, &Node::node_guid);
  if (!same) return fail(Code::kBadInput, "the fabric is not what it was");
  observed.fabric = std::move(again->fabric);
  return {};
}

// ---- Of the SubnetManager

void SubnetManager::begin_reading_names() {
  names_ = std::make_unique<NameReading>(*observed_, std::exchange(renamed_, {}));
  stage_ = Stage::kReadingNames;
}

void SubnetManager::finish_reading_names() {
  const auto reading = std::move(names_);
  for (const std::string& who : reading->silent()) log::warn("description not read: {}", who);
  if (const auto done = rename(*observed_, reading->names(), options_.node_names); !done) {
    regrouping_ = false;
    stage_ = Stage::kWatching;
    return request_heavy_sweep("nodes were renamed");
  }
  read_tables();
}

}  // namespace weft
