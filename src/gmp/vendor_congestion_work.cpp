// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/vendor_congestion_work.h"

#include <algorithm>

#include "gmp/addresses.h"

namespace weft {
namespace {

constexpr std::string_view kPpccFeature = "programmable congestion control",
                           kDcqcnFeature = "DCQCN";

}  // namespace

void VendorCongestionWork::begin(std::shared_ptr<const Snapshot> snapshot,
                                 const CongestionPolicy& policy, TimeNs now) {
  devices_.clear();
  wanted_ppcc_.clear();
  wanted_dcqcn_.clear();
  round_.begin(std::move(snapshot), now);
  policy_ = policy;
  earlier_ppcc_changes_ += ppcc_counts_.written;
  earlier_dcqcn_changes_ += dcqcn_counts_.written;
  ppcc_counts_ = dcqcn_counts_ = {};
  if (round_.snapshot() == nullptr || policy_.use == CongestionUse::kIgnore) return;
  const Fabric& fabric = round_.snapshot()->fabric;
  const bool enables = policy_.use == CongestionUse::kEnable;
  if (enables)
    wanted_ppcc_ = congestion_settings(policy_, fabric, round_.snapshot()->report.planes.stated);
  wanted_dcqcn_ = enables ? dcqcn_settings(policy_.dcqcn, policy_.groups, fabric)
                          : disabled_dcqcn_settings(fabric);
  for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) add(EndportId(i));
}

void VendorCongestionWork::add(EndportId at) {
  const Fabric& fabric = round_.snapshot()->fabric;
  const Endport& endport = fabric.endport(at);
  if (!is_unicast(endport.lid) ||
      (fabric.node(endport.node).type != NodeType::kCa && !wanted_dcqcn_.contains(at)))
    return;
  const Guid port = fabric.port(endport.port).guid;
  const auto announced = announced_.find(port);
  if (announced == announced_.end() && !round_.is_query_due(port)) return;
  const std::uint32_t index = round_.add(at);
  devices_.emplace_back();
  if (announced == announced_.end())
    round_.queue_query(index);
  else
    start(index, announced->second);
}

/// Whether a CA states that it has ports in several planes.
bool VendorCongestionWork::states_planes(EndportId ca) const {
  const PlanarDevices& planar = *round_.snapshot()->planar;
  const Fabric& fabric = round_.snapshot()->fabric;
  const auto device = planar.find(fabric.node(fabric.endport(ca).node).node_guid);
  return device != planar.end() && std::ranges::any_of(device->second.ports, [](const auto& port) {
           return port.second.planes > 1;
         });
}

/// Begins the features that the policy configures and the port announces.
void VendorCongestionWork::start(std::uint32_t index, const EnhancedCongestionInfo& announced) {
  Device& device = devices_[index];
  const Fabric& fabric = round_.snapshot()->fabric;
  const EndportId at = round_.at(index);
  const Endport& endport = fabric.endport(at);
  device.is_known = true;
  if (announced.has_ppcc && fabric.node(endport.node).type == NodeType::kCa) {
    const auto wanted = wanted_ppcc_.find(endport.port);
    device.ppcc.emplace(wanted == wanted_ppcc_.end() ? nullptr : &wanted->second,
                        policy_.algorithms);
    ++ppcc_counts_.ports;
  }
  const auto wanted = wanted_dcqcn_.find(at);
  if (announced.has_dcqcn && wanted != wanted_dcqcn_.end()) {
    DcqcnSettings settings = wanted->second;
    if (!announced.has(EnhancedCongestionInfo::kEachPlane) || !states_planes(at))
      remove_per_plane(settings);
    if (!settings.empty()) {
      device.dcqcn.emplace(std::move(settings));
      ++dcqcn_counts_.ports;
    }
  }
  go_on(index);
}

/// Queues the next request of the port, if there is one.
void VendorCongestionWork::go_on(std::uint32_t index) {
  if (devices_[index].ppcc || devices_[index].dcqcn) round_.queue_request(index);
}

bool VendorCongestionWork::next(Gmp& request, std::uint64_t& ticket) {
  const auto index = round_.next();
  if (!index) return false;
  const Device& device = devices_[*index];
  request = {};
  request.mgmt_class = kCongestionClass;
  request.class_version = kCongestionClassVersion;
  request.method = Method::kGet;
  request.attribute = kEnhancedCongestionInfo;
  request.peer = address_of(*round_.snapshot(), round_.at(*index));
  if (device.ppcc)
    device.ppcc->write(request);
  else if (device.dcqcn)
    device.dcqcn->write(request);
  ticket = *index;
  return true;
}

void VendorCongestionWork::on_outcome(std::uint64_t ticket, const std::optional<Gmp>& answer) {
  const auto index = static_cast<std::uint32_t>(ticket);
  Device& device = devices_[index];
  round_.on_outcome(index, answer.has_value());
  if (!device.is_known) {
    if (answer) on_capabilities(index, *answer);
    return;
  }
  if (!answer) {
    if (++device.timeouts < kTimeoutsMax) return go_on(index);
    while (device.ppcc || device.dcqcn)
      fail_feature(index, fmt::format("no answer to {} requests", kTimeoutsMax));
    return;
  }
  if (answer->status != mad_status::kGood) {
    fail_feature(index, fmt::format("attribute 0x{:04x}, modifier {}: status 0x{:04x}",
                                    answer->attribute, answer->modifier, answer->status));
  } else {
    const Status status = device.ppcc ? take_ppcc(index, *answer) : take_dcqcn(index, *answer);
    if (!status) fail_feature(index, status.error().message);
  }
  go_on(index);
}

Status VendorCongestionWork::take_ppcc(std::uint32_t index, const Gmp& answer) {
  std::optional<PpccPort>& ppcc = devices_[index].ppcc;
  const std::uint64_t written = ppcc->written();
  const Status status = ppcc->take(answer);
  ppcc_counts_.written += ppcc->written() - written;
  if (!ppcc->missing().empty()) round_.log_once(index, kPpccFeature, ppcc->missing());
  if (!status || !ppcc->is_done()) return status;
  ppcc_counts_.enabled += ppcc->enabled();
  ppcc.reset();
  return {};
}

Status VendorCongestionWork::take_dcqcn(std::uint32_t index, const Gmp& answer) {
  std::optional<DcqcnDevice>& dcqcn = devices_[index].dcqcn;
  const std::uint64_t written = dcqcn->written();
  const Status status = dcqcn->take(answer);
  dcqcn_counts_.written += dcqcn->written() - written;
  if (!status || !dcqcn->is_done()) return status;
  ++dcqcn_counts_.enabled;
  dcqcn.reset();
  return {};
}

void VendorCongestionWork::on_capabilities(std::uint32_t index, const Gmp& answer) {
  EnhancedCongestionInfo announced;
  if (answer.status == mad_status::kGood)
    announced = decode_enhanced_congestion_info(congestion_data(answer));
  announced_[round_.port(index)] = announced;
  start(index, announced);
}

/// Ends the feature that the port is being configured for.
void VendorCongestionWork::fail_feature(std::uint32_t index, const std::string& why) {
  Device& device = devices_[index];
  ++(device.ppcc ? ppcc_counts_ : dcqcn_counts_).failed;
  round_.log_once(index, device.ppcc ? kPpccFeature : kDcqcnFeature, why);
  if (device.ppcc)
    device.ppcc.reset();
  else
    device.dcqcn.reset();
}

}  // namespace weft
