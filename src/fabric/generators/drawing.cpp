#include "fabric/generators/drawing.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "fabric/builder.h"

namespace weft {
namespace {

constexpr std::uint64_t kSwitchGuids = 0x0010000000000000;
constexpr std::uint64_t kHostGuids = 0x0020000000000000;
constexpr std::uint64_t kGuidsPerHost = 16;
constexpr unsigned kPortsMax = 254;

/// Groups that merge: which switches can reach each other.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t find(std::uint32_t at) {
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  void merge(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

Drawing::Switch Drawing::add_switch(std::string name) {
  switches_.push_back({std::move(name)});
  return static_cast<Switch>(switches_.size() - 1);
}

void Drawing::cable(Switch a, Switch b, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned a_port = ++switches_[a].ports;
    const unsigned b_port = ++switches_[b].ports;
    cables_.push_back({a, b, a_port, b_port});
  }
}

void Drawing::reserve_ports(unsigned count) {
  for (const SwitchDraft& draft : switches_)
    reserved_begin_ = std::max(reserved_begin_, draft.ports);
  for (SwitchDraft& draft : switches_) draft.ports = reserved_begin_ + count;
}

void Drawing::cable_at(Switch a, unsigned a_offset, Switch b, unsigned b_offset) {
  cables_.push_back({a, b, reserved_begin_ + a_offset, reserved_begin_ + b_offset});
}

void Drawing::host(Switch at, std::string name) {
  hosts_.push_back({at, ++switches_[at].ports, std::move(name)});
}

bool Drawing::joined(Switch a, Switch b) const {
  return std::ranges::any_of(cables_, [&](const Cable& cable) {
    return (cable.a == a && cable.b == b) || (cable.a == b && cable.b == a);
  });
}

bool Drawing::hosts_connected() const {
  Groups groups(switches_.size());
  for (const Cable& cable : cables_)
    if (!cable.cut && !switches_[cable.a].dead && !switches_[cable.b].dead)
      groups.merge(cable.a, cable.b);
  const Host* first = nullptr;
  for (const Host& host : hosts_) {
    if (switches_[host.at].dead) continue;
    if (first == nullptr) first = &host;
    if (groups.find(host.at) != groups.find(first->at)) return false;
  }
  return true;
}

Status Drawing::damage(unsigned dead_switches, unsigned failed_cables, bool stay_connected,
                       Rng rng) {
  const auto pick = [&](std::size_t count, unsigned wanted, const char* what,
                        const auto& flag_of) -> Status {
    unsigned done = 0;
    for (const std::uint32_t victim : rng.permutation(static_cast<std::uint32_t>(count))) {
      if (done == wanted) return {};
      bool* flag = flag_of(victim);
      if (flag == nullptr) continue;
      *flag = true;
      if (stay_connected && !hosts_connected()) {
        *flag = false;
        continue;
      }
      ++done;
    }
    if (done == wanted) return {};
    return fail(Code::kUsage, "{}={}: only {} can be taken away{}", what, wanted, done,
                stay_connected ? " without separating hosts (connected=0 allows that)" : "");
  };
  auto status = pick(switches_.size(), dead_switches, "dead",
                     [&](std::uint32_t i) { return &switches_[i].dead; });
  if (!status) return status;
  return pick(cables_.size(), failed_cables, "fail", [&](std::uint32_t i) {
    Cable& cable = cables_[i];
    return switches_[cable.a].dead || switches_[cable.b].dead ? nullptr : &cable.cut;
  });
}

Result<Fabric> Drawing::finish(unsigned radix, LinkWidth width, LinkSpeed speed) const {
  FabricBuilder builder;
  std::vector<FabricBuilder::NodeIndex> index(switches_.size());
  std::uint64_t endports = 0;
  const auto describe_link = [&](FabricBuilder::NodeIndex node, PortNum port) {
    FabricBuilder::PortSpec spec;
    spec.width = width;
    spec.speed = speed;
    spec.mtu_cap = Mtu::k4096;
    CHECK(builder.describe_port(node, port, spec).has_value());
  };
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const SwitchDraft& draft = switches_[i];
    if (draft.dead) continue;
    const unsigned ports = std::max(draft.ports, radix);
    if (ports > kPortsMax)
      return fail(Code::kUsage, "switch '{}' would need {} ports, at most {} are possible",
                  draft.name, ports, kPortsMax);
    Node node;
    node.type = NodeType::kSwitch;
    node.node_guid = node.system_guid = Guid(kSwitchGuids + i + 1);
    node.port_count = static_cast<std::uint8_t>(ports);
    node.description = draft.name;
    index[i] = builder.add_node(std::move(node));
    ++endports;
  }
  const auto connect = [&](FabricBuilder::NodeIndex a, unsigned a_port, FabricBuilder::NodeIndex b,
                           unsigned b_port) {
    const PortNum pa(static_cast<std::uint8_t>(a_port));
    const PortNum pb(static_cast<std::uint8_t>(b_port));
    describe_link(a, pa);
    describe_link(b, pb);
    CHECK(builder.connect(a, pa, b, pb).has_value());
  };
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    if (switches_[host.at].dead) continue;
    Node node;
    node.node_guid = node.system_guid = Guid(kHostGuids + kGuidsPerHost * (i + 1));
    node.port_count = 1;
    node.description = host.name;
    connect(builder.add_node(std::move(node)), 1, index[host.at], host.port);
    ++endports;
  }
  if (endports > kUnicastLidCount)
    return fail(Code::kUsage, "the fabric has {} endports, there are {} unicast LIDs", endports,
                kUnicastLidCount);
  for (const Cable& cable : cables_)
    if (!cable.cut && !switches_[cable.a].dead && !switches_[cable.b].dead)
      connect(index[cable.a], cable.a_port, index[cable.b], cable.b_port);
  return builder.build();
}

}  // namespace weft
