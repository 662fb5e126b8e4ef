#include "sm/dumps.h"

#include "base/file.h"
#include "fabric/formats/ibnetdiscover_write.h"
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
    return append("# The routes use one lane: SL2VL and VL arbitration are left as they are.\n");
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

}  // namespace

Status write_dumps(const Fabric& fabric, const Routes& routes, const std::string& directory,
                   const DumpOptions& options) {
  if (auto status = make_directory(directory); !status) return status;
  auto status = write_file(directory + "/opensm-subnet.lst",
                           [&](const Append& append) { write_lst(fabric, options.sm, append); });
  if (!status || options.subnet_only) return status;
  for (const DumpFile& file : dump_files()) {
    if (file.name == "weft.psl" && fabric.ca_count() > kPslHostsMax && !options.psl_always)
      continue;
    if (file.name == kCaOrderFile && routes.ca_order.empty()) continue;
    if (file.name == kAdaptiveFile && !routes.adaptive) continue;
    status = write_file(fmt::format("{}/{}", directory, file.name),
                        [&](const Append& append) { file.write(fabric, routes, append); });
    if (!status) return status;
  }
  if (options.lanes != nullptr)
    return write_file(directory + "/weft-vlarb.dump",
                      [&](const Append& append) { write_vlarb(fabric, *options.lanes, append); });
  return {};
}

}  // namespace weft
