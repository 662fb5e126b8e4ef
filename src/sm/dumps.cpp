// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/dumps.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/parallel.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_write.h"
#include "fabric/formats/json_fabric.h"
#include "fabric/formats/lst.h"
#include "routes/dump/write.h"

namespace weft {
namespace {

void write_row(PortNum port, const char* table, const std::vector<VlWeight>& entries,
               std::string& text) {
  text += fmt::format("{:<4} {:<4} :", port.value(), table);
  for (const VlWeight& entry : entries)
    text += fmt::format(" {}:{}", entry.vl.value(), entry.weight);
  text += "\n";
}

void write_vlarb(const Fabric& fabric, const LanePlan& lanes, const Append& append) {
  if (!lanes.is_set())
    return append("# The routes use one VL: SL2VL and VL arbitration are left unchanged.\n");
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const Node& node = fabric.node(NodeId(n));
    std::string text = fmt::format("{} 0x{:016x}, \"{}\"\n#port     : VL:weight\n",
                                   fabric.is_switch(NodeId(n)) ? "Switch" : "Channel Adapter",
                                   node.node_guid.value(), net_text_name(node));
    for (const Port& port : fabric.ports(NodeId(n))) {
      const PortArbitration* arbitration = lanes.arbitration(fabric.port_id(NodeId(n), port.num));
      if (arbitration == nullptr) continue;
      write_row(port.num, "low", arbitration->low, text);
      write_row(port.num, "high", arbitration->high, text);
    }
    append(text + "\n");
  }
}

/// Writes groups in the format of --multicast; groups without members are left out.
void write_groups(const Fabric& fabric, std::span<const MulticastGroup> groups,
                  const Append& append) {
  for (const MulticastGroup& group : groups) {
    if (group.members.empty()) continue;
    std::string text = fmt::format("0x{:04X}", group.mlid.value());
    const auto add = [&](EndportId id) {
      text += fmt::format(" 0x{:016x}", fabric.port(fabric.endport(id).port).guid.value());
    };
    for (const EndportId id : group.members) add(id);
    if (!group.senders.empty()) text += " send";
    for (const EndportId id : group.senders) add(id);
    append(text + "\n");
  }
}

/// Whether a file of dump_files() is written for these routes.
bool applies(const DumpFile& file, const Routes& routes, bool all_paths) {
  if (file.name == kPathSlFile) return all_paths;
  if (file.name == kCaOrderFile) return !routes.ca_order.empty();
  if (file.name == kAdaptiveFile) return routes.adaptive.has_value();
  if (file.name == kMulticastSlFile) return !routes.multicast_sl.empty();
  return true;
}

/// Removes a file of an earlier run, which would be read as part of this dump. Files of OpenSM
/// (opensm-ftree-ca-order.dump) stay.
Status remove_stale(const std::string& directory, std::string_view name) {
  if (!name.starts_with("weft")) return {};
  const std::string path = fmt::format("{}/{}", directory, name);
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) return fail(Code::kEnvironment, "cannot remove {}: {}", path, error.message());
  return {};
}

}  // namespace

Status write_dumps(const Fabric& fabric, const Routes& routes, const std::string& directory,
                   const DumpOptions& options) {
  if (auto status = make_directory(directory); !status) return status;
  std::vector<std::function<Status()>> files;
  const auto add = [&](std::string_view name, std::function<void(const Append&)> write) {
    files.emplace_back([path = fmt::format("{}/{}", directory, name), write = std::move(write)] {
      return write_file(path, write);
    });
  };
  const auto add_removal = [&](std::string_view name) {
    files.emplace_back([&directory, name] { return remove_stale(directory, name); });
  };
  const auto add_routes = [&](const DumpFile& file) {
    add(file.name, [&fabric, &routes, write = file.write](const Append& append) {
      write(fabric, routes, append);
    });
  };

  add("opensm-subnet.lst", [&](const Append& append) { write_lst(fabric, options.sm, append); });
  if (!options.subnet_only) {
    add(kFabricFile, [&](const Append& append) { write_fabric_json(fabric, append); });
    const bool all_paths = fabric.ca_count() <= kPslHostsMax || options.psl_always;
    for (const DumpFile& file : dump_files()) {
      if (applies(file, routes, all_paths))
        add_routes(file);
      else if (file.name == kPathSlFile && routes.path_sl.kind() == PathSl::Kind::kUniform)
        add(file.name, [](const Append& append) { append("# All paths use SL 0\n"); });
      else
        add_removal(file.name);
    }
    if (options.groups.empty())
      add_removal(kGroupsFile);
    else
      add(kGroupsFile, [&](const Append& append) { write_groups(fabric, options.groups, append); });
    if (options.lanes != nullptr)
      add("weft-vlarb.dump",
          [&](const Append& append) { write_vlarb(fabric, *options.lanes, append); });
  }

  std::vector<Status> done(files.size());
  parallel_for(files.size(), options.threads, [&](std::size_t i) { done[i] = files[i](); });
  const auto failed = std::ranges::find_if(done, [](const Status& status) { return !status; });
  return failed == done.end() ? Status{} : *failed;
}

}  // namespace weft
