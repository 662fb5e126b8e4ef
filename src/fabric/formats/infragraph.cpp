// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/infragraph.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "fabric/formats/guid_generator.h"
#include "fabric/formats/infragraph_slices.h"
#include "fabric/formats/link_of_rate.h"
#include "fabric/formats/yaml_tree.h"

namespace weft {
namespace {

constexpr std::uint64_t kInfraEdgesMax = 1'000'000;    // after expansion
constexpr std::uint32_t kInfraInstancesMax = 65'536;   // instances of all devices
constexpr std::uint32_t kInfraComponentsMax = 65'536;  // components of one device and name

constexpr std::size_t kInfraDevicesMax = 1'000;
constexpr std::size_t kInfraPathMax = 8;  // names in "cx5[0].port[1]"

struct InfraComponent {
  std::uint32_t count = 0;
  std::string choice;  // nic, port, switch, device, or the type of a custom component
};
struct InfraDevice {
  std::map<std::string, InfraComponent, std::less<>> components;
  bool is_host = false;
};
struct InfraInstance {
  const InfraDevice* device = nullptr;
  std::uint32_t count = 0;
  std::size_t line = 0;
};

/// A component of an instance, with a port if the component is a port: {leaf.0, "", 3} of a switch,
/// {host.0, "nic.3", none} of a host.
struct InfraEnd {
  std::string node;
  std::string adapter;
  std::optional<std::uint32_t> port;
};

class InfraReader {
 public:
  InfraReader(const LineReader& lines, FabricBuilder& builder, Warnings& warnings)
      : lines_(lines), builder_(builder), warnings_(warnings) {}

  Status read(const YamlNode& file) {
    const YamlNode* inner = file.find("infrastructure");
    const YamlNode& root = inner != nullptr ? *inner : file;
    for (const char* key : {"devices", "instances", "edges"})
      if (const YamlNode* list = root.find(key);
          list == nullptr || list->kind != YamlNode::Kind::kList)
        return wrong(root, fmt::format("the infrastructure has no list '{}'", key));
    if (const YamlNode* links = root.find("links"))
      for (const YamlNode& link : links->elements)
        if (auto status = take_link(link); !status) return status;
    for (const YamlNode& device : root.find("devices")->elements)
      if (auto status = take_device(device); !status) return status;
    mark_hosts();
    for (const YamlNode& instance : root.find("instances")->elements)
      if (auto status = take_instance(instance); !status) return status;
    if (auto status = add_switches(); !status) return status;
    for (const YamlNode& edge : root.find("edges")->elements)
      if (auto status = take_edge(edge); !status) return status;
    return connect_all();
  }

 private:
  struct InfraNode {
    FabricBuilder::NodeIndex index = 0;
    bool is_host = false;
    std::uint32_t highest = 0;            // highest port in use
    std::map<std::uint32_t, bool> taken;  // by port
    std::uint32_t next = 1;               // all lower ports are in use
    std::string name;
  };
  struct InfraCable {
    std::size_t a, b;              // indexes of nodes
    std::uint32_t a_port, b_port;  // 0: the lowest free port
    std::size_t line;
    std::optional<LinkOfRate> rate;
  };

  Status wrong(const YamlNode& at, std::string_view what) const { return wrong_at(at.line, what); }
  Status wrong_at(std::size_t line, std::string_view what) const {
    return fail(Code::kBadInput, "{}:{}: {}", lines_.path(), line, what);
  }

  /// The text of a key; empty if the key is missing or its value is not a text.
  static std::string text_of(const YamlNode& node, std::string_view key) {
    const YamlNode* value = node.find(key);
    return value != nullptr ? value->text : std::string();
  }

  Result<std::uint32_t> count_of(const YamlNode& node, std::string_view what,
                                 std::uint32_t most) const {
    const YamlNode* value = node.find("count");
    if (value == nullptr) return 1;
    const auto count = parse_number<std::uint32_t>(value->text);
    if (!count || *count > most)
      return forward(wrong(*value, fmt::format("{}: count: found '{}', expected 0 to {}", what,
                                               value->text.substr(0, 80), most)));
    return *count;
  }

  Status take_link(const YamlNode& link) {
    const std::string name = text_of(link, "name");
    if (name.empty()) return wrong(link, "the link has no name");
    std::optional<LinkOfRate>& place = links_[name];
    const YamlNode* physical = link.find("physical");
    const YamlNode* bandwidth = (physical != nullptr ? *physical : link).find("bandwidth");
    if (bandwidth == nullptr) return {};
    for (const auto& [key, scale] :
         {std::pair("gigabits_per_second", 1.0), std::pair("gigabytes_per_second", 8.0)}) {
      const YamlNode* value = bandwidth->find(key);
      if (value == nullptr) continue;
      const auto rate = parse_plain_decimal(value->text);
      if (!rate || *rate <= 0)
        return wrong(*value, fmt::format("link '{}': {}: found '{}', expected a positive number",
                                         name, key, value->text.substr(0, 80)));
      place = link_of_rate(*rate * scale);
      if (!place->exact)
        warnings_.add(fmt::format(
            "{}:{}: link '{}': no InfiniBand link has {} Gbit/s: read as {}{}", lines_.path(),
            value->line, name, *rate * scale, weft::name(place->width), weft::name(place->speed)));
    }
    return {};
  }

  Status take_device(const YamlNode& device) {
    const std::string name = text_of(device, "name");
    const YamlNode* components = device.find("components");
    if (name.empty()) return wrong(device, "the device has no name");
    if (components == nullptr)
      return wrong(device, fmt::format("device '{}' has no components", name));
    const auto [at, fresh] = devices_.try_emplace(name);
    if (!fresh) return wrong(device, fmt::format("device '{}' is defined twice", name));
    if (devices_.size() > kInfraDevicesMax)
      return wrong(device, fmt::format("found more than {} devices", kInfraDevicesMax));
    for (const YamlNode& component : components->elements) {
      const std::string own_name = text_of(component, "name");
      if (own_name.empty())
        return wrong(component, fmt::format("device '{}': the component has no name", name));
      const auto count =
          count_of(component, fmt::format("component '{}'", own_name), kInfraComponentsMax);
      if (!count) return forward(count);
      InfraComponent made{*count, text_of(component, "choice")};
      if (const YamlNode* custom = component.find("custom");
          custom != nullptr && made.choice == "custom")
        made.choice = text_of(*custom, "type");
      if (!at->second.components.try_emplace(own_name, std::move(made)).second)
        return wrong(component,
                     fmt::format("device '{}': component '{}' is defined twice", name, own_name));
    }
    return {};
  }

  /// Marks as hosts the devices with a NIC, an accelerator or a component that is a host. A
  /// component that is a device has the name of that device.
  void mark_hosts() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [name, device] : devices_)
        for (const auto& [component, part] : device.components) {
          const auto inner = devices_.find(component);
          const bool host =
              part.choice == "nic" || part.choice == "xpu" ||
              (part.choice == "device" && inner != devices_.end() && inner->second.is_host);
          changed = changed || (host && !device.is_host);
          device.is_host = device.is_host || host;
        }
    }
  }

  Status take_instance(const YamlNode& instance) {
    const std::string name = text_of(instance, "name");
    const std::string device = text_of(instance, "device");
    if (name.empty()) return wrong(instance, "the instance has no name");
    const auto found = devices_.find(device);
    if (found == devices_.end())
      return wrong(instance,
                   fmt::format("instance '{}': no device has the name '{}'", name, device));
    const auto count = count_of(instance, fmt::format("instance '{}'", name), kInfraInstancesMax);
    if (!count) return forward(count);
    all_instances_ += *count;
    if (all_instances_ > kInfraInstancesMax)
      return wrong(instance, fmt::format("found {} instances, expected at most {}", all_instances_,
                                         kInfraInstancesMax));
    if (!instances_.try_emplace(name, InfraInstance{&found->second, *count, instance.line}).second)
      return wrong(instance, fmt::format("instance '{}' is defined twice", name));
    return {};
  }

  /// Adds all switches, cabled or not. The adapters of hosts are added with the edges.
  Status add_switches() {
    for (const auto& [name, instance] : instances_)
      if (!instance.device->is_host)
        for (std::uint32_t i = 0; i < instance.count; ++i)
          node_of(fmt::format("{}.{}", name, i), "", false);
    return {};
  }

  std::size_t node_of(const std::string& name, const std::string& adapter, bool is_host) {
    const std::string description = adapter.empty() ? name : name + " " + adapter;
    const auto [at, fresh] = node_at_.try_emplace(description, nodes_.size());
    if (fresh) {
      nodes_.emplace_back().is_host = is_host;
      nodes_.back().name = description;
    }
    return at->second;
  }

  /// The ends that {instance: "host[0:4]", component: "nic[0]"} names: by instance, then component.
  Result<std::vector<InfraEnd>> ends_of(const YamlNode& edge, std::string_view key) const {
    const YamlNode* end = edge.find(key);
    if (end == nullptr) return forward(wrong(edge, fmt::format("the edge has no {}", key)));
    const std::string text = text_of(*end, "instance");
    const auto slice = parse_infra_slice(text);
    const auto found = slice ? instances_.find(slice->name) : instances_.end();
    if (found == instances_.end())
      return forward(wrong(*end, fmt::format("{}: instance: found '{}', expected a name of the "
                                             "instances, such as host[0:4]",
                                             key, text.substr(0, 80))));
    const InfraInstance& instance = found->second;
    const auto range = slice->of(instance.count);
    if (!range)
      return forward(wrong(*end, fmt::format("{}: instance '{}': expected numbers below {}", key,
                                             text.substr(0, 80), instance.count)));
    auto paths = paths_of(*end, key, *instance.device);
    if (!paths) return forward(paths);
    if (std::uint64_t{range->size()} * paths->size() > kInfraEdgesMax)
      return forward(wrong(*end, fmt::format("{}: found {} ends, expected at most {}", key,
                                             range->size() * paths->size(), kInfraEdgesMax)));
    std::vector<InfraEnd> ends;
    for (const std::uint32_t i : *range)
      for (const InfraEnd& path : *paths)
        ends.push_back({fmt::format("{}.{}", found->first, i), path.adapter, path.port});
    return ends;
  }

  /// The ends that "nic[0]", "port[0:4]" or, through devices, "cx5[0].port[1]" name.
  Result<std::vector<InfraEnd>> paths_of(const YamlNode& end, std::string_view key,
                                         const InfraDevice& first) const {
    const std::string text = text_of(end, "component");
    const auto parts = split(text, '.');
    if (parts.size() > kInfraPathMax)
      return forward(wrong(end, fmt::format("{}: component: found {} names, expected at most {}",
                                            key, parts.size(), kInfraPathMax)));
    std::vector<InfraEnd> paths{{}};
    const InfraDevice* device = &first;
    for (const std::string_view part : parts) {
      const auto slice = parse_infra_slice(part);
      const auto found = slice && device != nullptr ? device->components.find(slice->name)
                                                    : first.components.end();
      const bool known = slice && device != nullptr && found != device->components.end();
      const auto range = known ? slice->of(found->second.count) : std::nullopt;
      if (!range)
        return forward(wrong(
            end, fmt::format("{}: component: found '{}', expected {}", key, text.substr(0, 80),
                             known ? fmt::format("numbers below {}", found->second.count)
                                   : std::string("a component of the device, such as nic[0]"))));
      if (range->size() * paths.size() > kInfraEdgesMax)
        return forward(wrong(end, fmt::format("{}: more than {} components", key, kInfraEdgesMax)));
      std::vector<InfraEnd> longer;
      for (const InfraEnd& path : paths)
        for (const std::uint32_t i : *range)
          longer.push_back(extended(path, *slice, found->second, i));
      paths = std::move(longer);
      const auto inner = devices_.find(slice->name);
      device = inner == devices_.end() ? nullptr : &inner->second;
    }
    return paths;
  }

  static InfraEnd extended(InfraEnd path, const InfraSlice& slice, const InfraComponent& component,
                           std::uint32_t number) {
    if (component.choice == "port") {
      path.port = number;
    } else {
      path.adapter += fmt::format("{}{}.{}", path.adapter.empty() ? "" : "-", slice.name, number);
    }
    return path;
  }

  Status take_edge(const YamlNode& edge) {
    const auto first = ends_of(edge, "ep1");
    if (!first) return forward(first);
    const auto second = ends_of(edge, "ep2");
    if (!second) return forward(second);
    const std::string scheme = text_of(edge, "scheme");
    const std::string link = text_of(edge, "link");
    const auto rate = links_.find(link);
    if (!link.empty() && rate == links_.end())
      return wrong(edge, fmt::format("link: no link has the name '{}'", link.substr(0, 80)));
    const auto add = [&](const InfraEnd& a, const InfraEnd& b) {
      return add_cable(a, b, edge.line, rate == links_.end() ? std::nullopt : rate->second);
    };
    if (scheme == "many2many") {
      if (first->size() * second->size() > kInfraEdgesMax)
        return wrong(edge, fmt::format("many2many: found {} cables, expected at most {}",
                                       first->size() * second->size(), kInfraEdgesMax));
      for (const InfraEnd& a : *first)
        for (const InfraEnd& b : *second)
          if (auto status = add(a, b); !status) return status;
      return {};
    }
    if (scheme != "one2one")
      return wrong(edge, fmt::format("scheme: found '{}', expected one2one or many2many",
                                     scheme.substr(0, 80)));
    if (first->size() != second->size())
      warnings_.add(
          fmt::format("{}:{}: one2one: {} ends and {} ends: the ends without a partner are ignored",
                      lines_.path(), edge.line, first->size(), second->size()));
    for (std::size_t i = 0; i < std::min(first->size(), second->size()); ++i)
      if (auto status = add((*first)[i], (*second)[i]); !status) return status;
    return {};
  }

  Status add_cable(const InfraEnd& a, const InfraEnd& b, std::size_t line,
                   const std::optional<LinkOfRate>& rate) {
    if (cables_.size() >= kInfraEdgesMax)
      return wrong_at(line, fmt::format("found more than {} cables", kInfraEdgesMax));
    InfraCable cable{0, 0, 0, 0, line, rate};
    for (const auto& [end, node, port] :
         {std::tuple(&a, &cable.a, &cable.a_port), std::tuple(&b, &cable.b, &cable.b_port)}) {
      const auto found = instances_.find(end->node.substr(0, end->node.rfind('.')));
      const bool is_host = found->second.device->is_host;
      *node = node_of(end->node, is_host ? end->adapter : "", is_host);
      // A port of a module in a switch has no number that is unique within the switch.
      const bool numbered = end->port && (is_host || end->adapter.empty());
      if (!numbered) continue;
      *port = *end->port + 1;
      if (*port > kPortMax || !nodes_[*node].taken.try_emplace(*port, true).second)
        return wrong_at(line, fmt::format("{} port {}: {}", nodes_[*node].name, *end->port,
                                          *port > kPortMax ? "expected a number below 254"
                                                           : "has another cable already"));
      nodes_[*node].highest = std::max(nodes_[*node].highest, *port);
    }
    if (cable.a == cable.b)
      return wrong_at(line, fmt::format("the edge connects {} to itself", nodes_[cable.a].name));
    cables_.push_back(cable);
    return {};
  }

  Status connect_all() {
    for (InfraCable& cable : cables_)
      for (const auto& [node, port] :
           {std::pair(cable.a, &cable.a_port), std::pair(cable.b, &cable.b_port)}) {
        if (*port != 0) continue;
        InfraNode& at = nodes_[node];
        while (at.taken.contains(at.next)) ++at.next;
        if (at.next > kPortMax)
          return wrong_at(cable.line, fmt::format("{} has more than {} cables", at.name, kPortMax));
        *port = at.next;
        at.taken[at.next] = true;
        at.highest = std::max(at.highest, at.next);
      }
    if (nodes_.empty())
      return fail(Code::kBadInput, "{}: the infrastructure has no switches and no edges",
                  lines_.path());
    GuidGenerator guids;
    for (InfraNode& at : nodes_) {
      Node node;
      node.type = at.is_host ? NodeType::kCa : NodeType::kSwitch;
      node.port_count = static_cast<std::uint8_t>(std::max(1u, at.highest));
      node.node_guid = node.system_guid = guids.next(node.type, node.port_count);
      node.description = at.name;
      at.index = builder_.add_node(std::move(node));
    }
    for (const InfraCable& cable : cables_)
      if (auto status = connect(cable); !status)
        return wrong_at(cable.line, status.error().message);
    return {};
  }

  Status connect(const InfraCable& cable) {
    const PortNum a_port(static_cast<std::uint8_t>(cable.a_port));
    const PortNum b_port(static_cast<std::uint8_t>(cable.b_port));
    const auto a = nodes_[cable.a].index, b = nodes_[cable.b].index;
    FabricBuilder::PortSpec spec;
    if (cable.rate) spec.width = cable.rate->width;
    if (cable.rate) spec.speed = cable.rate->speed;
    if (auto status = builder_.describe_port(a, a_port, spec); !status) return status;
    if (auto status = builder_.describe_port(b, b_port, spec); !status) return status;
    return builder_.connect(a, a_port, b, b_port);
  }

  const LineReader& lines_;
  FabricBuilder& builder_;
  Warnings& warnings_;
  std::map<std::string, std::optional<LinkOfRate>, std::less<>> links_;
  std::map<std::string, InfraDevice, std::less<>> devices_;
  std::map<std::string, InfraInstance, std::less<>> instances_;
  std::uint64_t all_instances_ = 0;
  std::map<std::string, std::size_t> node_at_;  // by name
  std::vector<InfraNode> nodes_;
  std::vector<InfraCable> cables_;
};

}  // namespace

bool looks_like_infragraph(std::string_view head) {
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  const bool has_edges = has("ep1") || has("edges");
  return has_edges && has("devices") && has("instances") && has("components") &&
         !has("weft-fabric");
}

Status read_infragraph(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                       Warnings& warnings) {
  const auto file = parse_yaml(lines);
  if (!file) return forward(file);
  return InfraReader(lines, builder, warnings).read(*file);
}

}  // namespace weft
