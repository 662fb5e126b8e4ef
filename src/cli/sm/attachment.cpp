// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/attachment.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "cli/common.h"
#include "emulator/vport_changes.h"
#include "fabric/planes.h"
#include "ib/gmps/class_keys.h"
#include "ib/sa.h"
#include "sa/reporter.h"

namespace weft::cli {
namespace {

/// The port of the manager on an emulated fabric; GUID 0: the first CA or router port, else the
/// first switch.
EndportId emulated_port(const Fabric& fabric, std::uint64_t guid) {
  if (guid != 0) return fabric.find_endport(Guid(guid)).value_or(kNoEndport);
  for (std::uint32_t i = 0; i < fabric.endport_count(); ++i)
    if (!fabric.is_switch(fabric.endport(EndportId(i)).node)) return EndportId(i);
  return fabric.endport_count() > 0 ? EndportId(0) : kNoEndport;
}

/// The other ports of the manager's CA by which the manager sends; `use`: value of manager_ports.
std::vector<PortNum> more_emulated_ports(const Fabric& fabric, EndportId sm_port,
                                         std::string_view use) {
  const Endport& own = fabric.endport(sm_port);
  if (fabric.is_switch(own.node) || use == "one") return {};
  if (use == "auto" && find_planes(fabric).planes.empty()) return {};
  std::vector<PortNum> ports;
  for (const Port& port : fabric.ports(own.node).subspan(1))
    if (port.num != fabric.port(own.port).num) ports.push_back(port.num);
  return ports;
}

UmadPortUse use_of_ports(const Settings& settings) {
  if (settings.manager_ports == "all") return UmadPortUse::kAll;
  return settings.manager_ports == "one" ? UmadPortUse::kOne : UmadPortUse::kAuto;
}

/// The ports of the manager, for the log.
std::string place_of(const UmadPorts& ports, const std::vector<PortNum>& more) {
  const UmadPort& first = ports.smps.front();
  std::string place = fmt::format("{} port {}", first.device, first.number);
  for (const PortNum port : more) place += fmt::format(", {}", port.value());
  place += fmt::format(" (0x{:016x})", first.guid.value());
  if (ports.gmps.front().device != first.device)
    place +=
        fmt::format(", GMPs by {} port {}", ports.gmps.front().device, ports.gmps.front().number);
  return place;
}

/// Time until the last retry of a request times out, at most one hour; ms.
int total_timeout(TimeNs timeout, std::uint64_t retries) {
  constexpr std::uint64_t kMax = 3'600'000;
  const auto each = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  return static_cast<int>(std::min(static_cast<std::uint64_t>(each) * (retries + 1), kMax));
}

UmadClass sa_class() {
  return {MgmtClass::kSubnAdm,
          kSaClassVersion,
          {Method::kGet, Method::kSet, sa_method::kGetTable, sa_method::kGetTraceTable,
           sa_method::kGetMulti, sa_method::kDelete},
          total_timeout(sa::ReportOptions{}.timeout, sa::ReportOptions{}.retries)};
}

bool uses_congestion_class(const Settings& settings) {
  return settings.congestion_control || settings.cc_key_enable != 0 ||
         settings.mlnx_congestion_control != 0;
}

}  // namespace

Result<std::unique_ptr<Attachment>> attach_to_emulation(const SmArguments& arguments,
                                                        const Settings& settings) {
  auto input = load({arguments.emulate, {.format = arguments.format, .ibnl_dir = {}}});
  if (!input) return forward(input);
  auto attachment = std::make_unique<Attachment>();
  attachment->fabric = std::make_unique<Fabric>(std::move(input->fabric));
  const Fabric& fabric = *attachment->fabric;
  const EndportId sm_port = emulated_port(fabric, settings.guid);
  if (sm_port == kNoEndport)
    return fail(Code::kUsage, "{}: the fabric has no port {} for the subnet manager",
                arguments.emulate,
                settings.guid == 0 ? "at all" : fmt::format("with GUID {:#018x}", settings.guid));
  EmulatorOptions emulator;
  emulator.adaptive = arguments.emulate_adaptive;
  emulator.notifications = arguments.emulate_notifications;
  emulator.vports = static_cast<std::uint16_t>(arguments.emulate_vports);
  emulator.vport_cap = std::max<std::uint16_t>(
      emulator.vport_cap, static_cast<std::uint16_t>(2 * arguments.emulate_vports));
  emulator.vports_need_lids = arguments.emulate_vport_lids;
  emulator.virtual_cas = arguments.emulate_vport_support;
  emulator.planar = arguments.emulate_planes;
  emulator.shared_aport_guids = arguments.emulate_shared_port_guids;
  emulator.port_states = arguments.emulate_port_states;
  emulator.sharp = arguments.emulate_sharp;
  emulator.recovery = arguments.emulate_recovery;
  emulator.class_keys = arguments.emulate_class_keys;
  emulator.ppcc = arguments.emulate_ppcc;
  emulator.dcqcn = arguments.emulate_dcqcn;
  emulator.private_lfts = arguments.emulate_private_lfts;
  emulator.devices = arguments.emulate_devices;
  attachment->emulated = std::make_unique<EmulatedFabric>(fabric, emulator);
  if (arguments.emulate_vports > 0 && arguments.emulate_vport_interval > 0)
    schedule_vport_changes(*attachment->emulated,
                           {.interval = std::chrono::duration_cast<TimeNs>(
                                std::chrono::duration<double>(arguments.emulate_vport_interval))});
  attachment->more_ports = more_emulated_ports(fabric, sm_port, settings.manager_ports);
  const bool all_ports = !attachment->more_ports.empty();
  EmulatedFabric& emulated = *attachment->emulated;
  attachment->transport =
      all_ports ? &emulated.attach_to_all_ports(sm_port) : &emulated.attach(sm_port);
  attachment->queries = &emulated.attach_gmps(sm_port, MgmtClass::kSubnAdm, all_ports);
  if (settings.perfmgr)
    attachment->counters = &emulated.attach_gmps(sm_port, MgmtClass::kPerf, all_ports);
  const auto attach_class = [&](KeyedClass keyed) {
    return &emulated.attach_gmps(sm_port, form_of(keyed).mgmt_class, all_ports);
  };
  if (uses_congestion_class(settings))
    attachment->congestion = attach_class(KeyedClass::kCongestion);
  if (settings.vs_key_enable != 0) attachment->vendor_keys = attach_class(KeyedClass::kVendor);
  if (settings.n2n_key_enable != 0) attachment->node_keys = attach_class(KeyedClass::kNodeToNode);
  attachment->clock = &attachment->emulated->clock();
  attachment->port_guid = fabric.port(fabric.endport(sm_port).port).guid;
  attachment->where = fmt::format("an emulated fabric ({}), at {}", arguments.emulate,
                                  describe(fabric, fabric.endport(sm_port).port));
  return attachment;
}

Result<std::unique_ptr<Attachment>> attach_to_device(const Settings& settings, bool serves) {
  std::optional<Guid> guid;
  if (settings.guid != 0) guid = Guid(settings.guid);
  const auto ports = choose_umad_ports(guid, use_of_ports(settings));
  if (!ports) return forward(ports);
  UmadOptions options;
  options.answer_timeout_ms =
      std::max(options.answer_timeout_ms,
               total_timeout(std::chrono::milliseconds(settings.transaction_timeout),
                             settings.transaction_retries));
  const bool counts = serves && settings.perfmgr;
  std::vector<std::pair<KeyedClass, GmpTransport * Attachment::*>> keyed;
  if (serves && uses_congestion_class(settings))
    keyed.emplace_back(KeyedClass::kCongestion, &Attachment::congestion);
  if (serves && settings.vs_key_enable != 0)
    keyed.emplace_back(KeyedClass::kVendor, &Attachment::vendor_keys);
  if (serves && settings.n2n_key_enable != 0)
    keyed.emplace_back(KeyedClass::kNodeToNode, &Attachment::node_keys);
  if (serves) options.classes.push_back(sa_class());
  if (counts) options.classes.push_back({.mgmt_class = MgmtClass::kPerf});
  for (const auto& [one, transport] : keyed)
    options.classes.push_back({form_of(one).mgmt_class, form_of(one).version});
  auto device = UmadTransport::open(*ports, options);
  if (!device) return forward(device);
  auto attachment = std::make_unique<Attachment>();
  attachment->device = std::move(*device);
  attachment->transport = attachment->device.get();
  if (serves) attachment->queries = &attachment->device->gmps(MgmtClass::kSubnAdm);
  if (counts) attachment->counters = &attachment->device->gmps(MgmtClass::kPerf);
  for (const auto& [one, transport] : keyed)
    (*attachment).*transport = &attachment->device->gmps(form_of(one).mgmt_class);
  attachment->clock = &attachment->real_clock;
  attachment->more_ports = attachment->device->more_ports();
  attachment->port_guid = ports->smps.front().guid;
  attachment->where = place_of(*ports, attachment->more_ports);
  return attachment;
}

}  // namespace weft::cli
