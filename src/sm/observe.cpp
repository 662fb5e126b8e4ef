#include "sm/observe.h"

#include <algorithm>

#include "base/check.h"
#include "fabric/builder.h"
#include "ib/modifiers.h"
#include "sm/directed.h"

namespace weft {
namespace {

constexpr std::uint64_t kPortShift = 32;
constexpr std::uint64_t kAttributeShift = 40;

std::uint32_t data_vls(const PortInfo& info) { return std::max(1u, data_vls_of_code(info.vl_cap)); }

/// What a port says about itself, as the graph keeps it.
FabricBuilder::PortSpec spec_of(const PortInfo& info, Guid port_guid) {
  FabricBuilder::PortSpec spec;
  spec.guid = port_guid;
  spec.width = active_width(info);
  spec.speed = active_speed(info);
  if (info.mtu_cap >= static_cast<std::uint8_t>(Mtu::k256))
    spec.mtu_cap = static_cast<Mtu>(info.mtu_cap);
  spec.data_vls = static_cast<std::uint8_t>(data_vls(info));
  if (info.lid != kLidNone && info.lid != kLidPermissive) spec.lid = LidRange{info.lid, info.lmc};
  return spec;
}

}  // namespace

Discovery::Discovery(Mkey mkey) : mkey_(mkey) { ask(AttributeId::kNodeInfo, 0, kOwnNode); }

void Discovery::ask(AttributeId attribute, std::uint32_t node, std::uint8_t port) {
  questions_.push_back({attribute, node, port});
}

std::string Discovery::name(std::uint32_t node) const {
  return fmt::format("'{}' (0x{:016x})", drafts_[node].description,
                     drafts_[node].seen.info.node_guid.value());
}

DirectedPath Discovery::path_over(std::uint32_t node, std::uint8_t port) const {
  DirectedPath path = drafts_[node].seen.path;
  path.hops[++path.count] = port;
  return path;
}

/// A cable that was met from its other end needs no question.
bool Discovery::explored(const Question& question) const {
  return question.attribute == AttributeId::kNodeInfo && question.port != kOwnNode &&
         drafts_[question.node].cables[question.port].has_value();
}

bool Discovery::next(Smp& request, std::uint64_t& cookie) {
  while (!questions_.empty() && explored(questions_.front())) questions_.pop_front();
  if (questions_.empty()) return false;
  const Question question = questions_.front();
  questions_.pop_front();
  DirectedPath path;
  if (question.attribute == AttributeId::kNodeInfo) {
    if (question.port != kOwnNode) path = path_over(question.node, question.port);
  } else {
    path = drafts_[question.node].seen.path;
  }
  const std::uint32_t modifier = question.attribute == AttributeId::kPortInfo
                                     ? modifier::port_info(PortNum(question.port), true)
                                     : 0;
  request = directed_request(Method::kGet, question.attribute, modifier, path, mkey_);
  cookie = question.node | std::uint64_t{question.port} << kPortShift |
           static_cast<std::uint64_t>(question.attribute) << kAttributeShift;
  return true;
}

void Discovery::answered(std::uint64_t cookie, const Smp& answer) {
  const Question question{static_cast<AttributeId>(cookie >> kAttributeShift),
                          static_cast<std::uint32_t>(cookie),
                          static_cast<std::uint8_t>(cookie >> kPortShift)};
  if (answer.status != mad_status::kGood) {
    failed(cookie, answer);
    return;
  }
  switch (question.attribute) {
    case AttributeId::kNodeInfo:
      return on_node_info(question, answer);
    case AttributeId::kPortInfo:
      return on_port_info(question, answer);
    case AttributeId::kSwitchInfo:
      return on_switch_info(question, answer);
    case AttributeId::kNodeDescription:
      drafts_[question.node].description = decode_node_description(answer.data)->text;
      return;
    default:
      return;
  }
}

void Discovery::failed(std::uint64_t cookie, const Smp& request) {
  const auto port = static_cast<std::uint8_t>(cookie >> kPortShift);
  const auto node = static_cast<std::uint32_t>(cookie);
  const std::string why = request.status == mad_status::kGood
                              ? "does not answer"
                              : fmt::format("answers with status 0x{:04x}", request.status);
  if (drafts_.empty()) return;  // result() says it
  switch (static_cast<AttributeId>(cookie >> kAttributeShift)) {
    case AttributeId::kNodeInfo:
      warnings_.push_back(
          fmt::format("the node behind {} port {} {}: left out", name(node), port, why));
      return;
    case AttributeId::kPortInfo:
      warnings_.push_back(fmt::format("{} port {} {}: taken as down", name(node), port, why));
      return;
    case AttributeId::kSwitchInfo:
      warnings_.push_back(fmt::format("{} {} when asked for SwitchInfo", name(node), why));
      return;
    default:
      warnings_.push_back(fmt::format("{} {} when asked for its description", name(node), why));
      return;
  }
}

std::uint32_t Discovery::add_node(const NodeInfo& info, const DirectedPath& path) {
  const auto index = static_cast<std::uint32_t>(drafts_.size());
  by_guid_.emplace(info.node_guid, index);
  Draft draft;
  draft.seen.info = info;
  draft.seen.path = path;
  draft.seen.ports.resize(std::size_t{info.port_count} + 1);
  draft.seen.asked.resize(std::size_t{info.port_count} + 1, false);
  draft.cables.resize(std::size_t{info.port_count} + 1);
  draft.port_guids.resize(std::size_t{info.port_count} + 1,
                          info.port_guid);  // one for all on a switch
  drafts_.push_back(std::move(draft));
  ask(AttributeId::kNodeDescription, index);
  if (info.type == NodeType::kSwitch) {
    ask(AttributeId::kSwitchInfo, index);
    for (unsigned port = 0; port <= info.port_count; ++port)
      ask(AttributeId::kPortInfo, index, static_cast<std::uint8_t>(port));
  }
  return index;
}

void Discovery::on_node_info(const Question& question, const Smp& answer) {
  const auto info = decode_node_info(answer.data);
  if (!info || info->local_port.value() > info->port_count || info->port_count == 255 ||
      (info->type != NodeType::kSwitch && info->local_port == PortNum(0))) {
    warnings_.push_back(
        question.port == kOwnNode
            ? std::string("the own port answers NodeInfo with nonsense")
            : fmt::format("the node behind {} port {} answers NodeInfo with nonsense: left out",
                          name(question.node), question.port));
    return;
  }
  const bool own = question.port == kOwnNode;
  const auto known = by_guid_.find(info->node_guid);
  std::uint32_t node = 0;
  if (known == by_guid_.end()) {
    node = add_node(*info, own ? DirectedPath{} : path_over(question.node, question.port));
  } else {
    node = known->second;
    const NodeInfo& first = drafts_[node].seen.info;
    if (first.type != info->type || first.port_count != info->port_count) {
      warnings_.push_back(fmt::format(
          "GUID 0x{:016x} is claimed by {} and by another node behind {} port {}: left out",
          info->node_guid.value(), name(node), name(question.node), question.port));
      return;
    }
  }
  const std::uint8_t port = info->local_port.value();
  if (info->type !=
      NodeType::kSwitch) {  // a CA's ports are met one by one, each with a GUID of its own
    drafts_[node].port_guids[port] = info->port_guid;
    ask(AttributeId::kPortInfo, node, port);
  }
  if (own) {
    own_port_ = info->type == NodeType::kSwitch ? std::uint8_t{0} : port;
  } else {
    connect(question.node, question.port, node, port);
  }
}

void Discovery::connect(std::uint32_t a, std::uint8_t a_port, std::uint32_t b,
                        std::uint8_t b_port) {
  auto& near = drafts_[a].cables[a_port];
  auto& far = drafts_[b].cables[b_port];
  const auto same = [](const std::optional<Cable>& cable, std::uint32_t node, std::uint8_t port) {
    return !cable || (cable->node == node && cable->port == port);
  };
  if (b_port == 0 || !same(near, b, b_port) || !same(far, a, a_port)) {
    warnings_.push_back(fmt::format(
        "{} port {} leads to {} port {}, which is cabled elsewhere: two nodes with one GUID, "
        "or a cable that moved; left out",
        name(a), a_port, name(b), b_port));
    return;
  }
  near = Cable{b, b_port};
  far = Cable{a, a_port};
}

void Discovery::on_port_info(const Question& question, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  Draft& draft = drafts_[question.node];
  if (!info) {
    warnings_.push_back(fmt::format("{} port {} answers PortInfo with nonsense ({}): taken as down",
                                    name(question.node), question.port, info.error().message));
    return;
  }
  draft.seen.ports[question.port] = *info;
  draft.seen.asked[question.port] = true;
  // CAs do not forward: only the manager's own is left, and only by the port that it sits on.
  const bool from_here = draft.seen.info.type == NodeType::kSwitch ||
                         (question.node == 0 && question.port == own_port_);
  if (!from_here || question.port == 0 || !link_is_up(*info)) return;
  if (draft.seen.path.count >= kHopsMax) {
    warnings_.push_back(fmt::format("{} is {} hops away: what lies behind it cannot be reached",
                                    name(question.node), draft.seen.path.count));
    return;
  }
  ask(AttributeId::kNodeInfo, question.node, question.port);
}

void Discovery::on_switch_info(const Question& question, const Smp& answer) {
  drafts_[question.node].seen.switch_info = *decode_switch_info(answer.data);
}

Result<Observed> Discovery::result() && {
  if (drafts_.empty())
    return fail(Code::kEnvironment, "the own port does not answer: {}", "NodeInfo timed out");
  FabricBuilder builder;
  for (const Draft& draft : drafts_) {
    const NodeInfo& info = draft.seen.info;
    Node node;
    node.type = info.type;
    node.node_guid = info.node_guid;
    node.system_guid = info.system_guid;
    node.vendor_id = info.vendor_id;
    node.device_id = info.device_id;
    node.revision = info.revision;
    node.port_count = info.port_count;
    node.enhanced_port0 = draft.seen.switch_info.enhanced_port0;
    node.description = draft.description;
    const auto index = builder.add_node(std::move(node));
    for (std::uint32_t port = 0; port < draft.seen.ports.size(); ++port) {
      if (!draft.seen.asked[port]) continue;
      const Guid guid = draft.port_guids[port];
      if (auto status = builder.describe_port(index, PortNum(static_cast<std::uint8_t>(port)),
                                              spec_of(draft.seen.ports[port], guid));
          !status)
        return forward(status);
    }
  }
  for (std::uint32_t a = 0; a < drafts_.size(); ++a)
    for (std::uint32_t port = 1; port < drafts_[a].cables.size(); ++port)
      if (const auto& cable = drafts_[a].cables[port])
        if (auto status = builder.connect(a, PortNum(static_cast<std::uint8_t>(port)), cable->node,
                                          PortNum(cable->port));
            !status)
          return forward(status);

  Observed observed;
  observed.warnings = std::move(warnings_);
  auto fabric = builder.build(&observed.warnings);
  if (!fabric) return forward(fabric);
  observed.fabric = std::move(*fabric);
  observed.nodes.resize(drafts_.size());
  const Guid self = drafts_[0].seen.info.node_guid;
  for (Draft& draft : drafts_) {
    const auto id = observed.fabric.find_node(draft.seen.info.node_guid);
    CHECK(id.has_value());
    observed.nodes[id->value()] = std::move(draft.seen);
  }
  observed.self = *observed.fabric.find_node(self);
  observed.self_port = PortNum(own_port_);
  for (std::uint32_t i = 0; i < observed.fabric.endport_count(); ++i) {
    const Endport& endport = observed.fabric.endport(EndportId(i));
    if (endport.node == observed.self &&
        observed.fabric.port(endport.port).num == observed.self_port)
      observed.self_endport = EndportId(i);
  }
  return observed;
}

}  // namespace weft
