// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/congestion_manager.h"

#include <algorithm>

#include "base/log.h"
#include "gmp/addresses.h"

namespace weft {
namespace {

// Flags in tickets of requests for keys, and for vendor-specific congestion control.
constexpr std::uint64_t kKeyTicket = std::uint64_t{1} << 63, kVendorTicket = std::uint64_t{1} << 62;

}  // namespace

CongestionManager::CongestionManager(GmpTransport& transport, const Clock& clock,
                                     CongestionOptions options,
                                     std::shared_ptr<CongestionMeter> meter)
    : clock_(clock),
      options_(std::move(options)),
      client_(transport, clock, options_.client),
      key_file_(options_.keys.file),
      meter_(std::move(meter)) {
  key_work_.recall(key_file_.read());
}

void CongestionManager::publish(std::shared_ptr<const Snapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  plan();
}

void CongestionManager::set_options(CongestionOptions options) {
  if (options == options_) return;
  options_ = std::move(options);
  client_.set_options(options_.client);
  plan();
}

/// Plans the settings of all devices; answers to an earlier plan are ignored.
void CongestionManager::plan() {
  client_.forget_all();
  tasks_.clear();
  next_task_ = 0;
  key_version_ = key_version_at(options_.keys, clock_.now());
  key_work_.begin(snapshot_, options_.keys, key_version_.number, clock_.now());
  vendor_.begin(snapshot_, options_.ppcc, clock_.now());
  is_vendor_round_ = true;
  if (!snapshot_ || !options_.congestion_control) return;
  const Fabric& fabric = snapshot_->fabric;
  const std::size_t per_block = CongestionControlTable::kEntries;
  const std::size_t blocks =
      std::max<std::size_t>((options_.cct.size() + per_block - 1) / per_block, 1);
  for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) {
    const Endport& endport = fabric.endport(EndportId(i));
    if (!is_unicast(endport.lid)) continue;
    const NodeType type = fabric.node(endport.node).type;
    if (type == NodeType::kSwitch) {
      tasks_.push_back({EndportId(i), CongestionAttribute::kSwitchCongestionSetting, 0});
    } else if (type == NodeType::kCa) {
      tasks_.push_back({EndportId(i), CongestionAttribute::kCaCongestionSetting, 0});
      for (std::uint32_t block = 0; block < blocks; ++block)
        tasks_.push_back({EndportId(i), CongestionAttribute::kCongestionControlTable, block});
    }
  }
}

Gmp CongestionManager::request(const Task& task) const {
  Gmp gmp;
  gmp.mgmt_class = kCongestionClass;
  gmp.class_version = kCongestionClassVersion;
  gmp.method = Method::kSet;
  gmp.attribute = static_cast<std::uint16_t>(task.attribute);
  gmp.modifier = task.block;
  gmp.peer = address_of(*snapshot_, task.to);
  const Fabric& fabric = snapshot_->fabric;
  set_key(gmp, fabric.port(fabric.endport(task.to).port).guid);
  const CongestionData data = [&] {
    if (task.attribute == CongestionAttribute::kSwitchCongestionSetting)
      return encode(options_.switches);
    if (task.attribute == CongestionAttribute::kCaCongestionSetting) return encode(options_.cas);
    CongestionControlTable table;
    table.ccti_limit = options_.cct.empty() ? std::uint16_t{0}
                                            : static_cast<std::uint16_t>(options_.cct.size() - 1);
    const auto rest =
        std::span(options_.cct)
            .subspan(std::min(task.block * CongestionControlTable::kEntries, options_.cct.size()));
    std::ranges::copy(rest.first(std::min(rest.size(), CongestionControlTable::kEntries)),
                      table.entries.begin());
    return encode(table);
  }();
  std::ranges::copy(data, congestion_data(gmp).begin());
  return gmp;
}

void CongestionManager::set_key(Gmp& request, Guid port) const {
  const std::uint64_t own = key_work_.key_of(port);
  set_cc_key(request, own != 0 ? own : options_.cc_key);
}

/// Handles an outcome; logs the failure of a port only once.
void CongestionManager::on_outcome(const GmpClient::Outcome& outcome) {
  const Task& task = tasks_[outcome.ticket];
  const PortId port = snapshot_->fabric.endport(task.to).port;
  const Guid guid = snapshot_->fabric.port(port).guid;
  if (outcome.answer && outcome.answer->status == mad_status::kGood) {
    ++meter_->answered;
    return;
  }
  ++(outcome.answer ? meter_->refused : meter_->silent);
  if (!logged_.insert(guid).second) return;
  log::warn("congestion control of {}: attribute 0x{:02x}: {}", describe(snapshot_->fabric, port),
            static_cast<unsigned>(task.attribute),
            outcome.answer ? fmt::format("status 0x{:04x}", outcome.answer->status)
                           : std::string("no answer"));
}

/// Sends the requests for keys. All keys are set before the settings, because MADs with settings
/// carry the keys.
void CongestionManager::step_keys() {
  Gmp request;
  std::uint64_t ticket = 0;
  while (client_.has_room() && key_work_.next(request, ticket))
    client_.send_request(ticket | kKeyTicket, request);
}

void CongestionManager::step_vendor() {
  Gmp request;
  std::uint64_t ticket = 0;
  while (client_.has_room() && vendor_.next(request, ticket)) {
    set_key(request, vendor_.port_of(ticket));
    client_.send_request(ticket | kVendorTicket, request);
  }
}

void CongestionManager::step() {
  if (snapshot_ && clock_.now() >= key_version_.until) plan();
  const bool had_keys = !key_work_.is_done();
  client_.step();
  while (const auto outcome = client_.next()) {
    if ((outcome->ticket & kKeyTicket) != 0)
      key_work_.on_outcome(outcome->ticket & ~kKeyTicket, outcome->answer);
    else if ((outcome->ticket & kVendorTicket) != 0)
      vendor_.on_outcome(outcome->ticket & ~kVendorTicket, outcome->answer);
    else
      on_outcome(*outcome);
  }
  meter_->programmable_changes = vendor_.ppcc_changes();
  meter_->dcqcn_changes = vendor_.dcqcn_changes();
  step_keys();
  if (!key_work_.is_done()) return;
  if (had_keys) key_file_.write(key_work_.known_keys());
  for (; client_.has_room() && next_task_ < tasks_.size(); ++next_task_) {
    ++meter_->sent;
    client_.send_request(next_task_, request(tasks_[next_task_]));
  }
  step_vendor();
  if (is_vendor_round_ && vendor_.is_done()) end_vendor_round();
}

void CongestionManager::end_vendor_round() {
  is_vendor_round_ = false;
  const VendorCongestionWork::Counts& counts = vendor_.ppcc_counts();
  meter_->programmable_ports = counts.ports;
  meter_->algorithms_enabled = counts.enabled;
  meter_->programmable_failures = counts.failed;
  if (counts.written > 0)
    log::info(
        "programmable congestion control: {} settings changed; {} pairs of port and algorithm are "
        "configured as in the policy; {} ports announce this feature",
        counts.written, counts.enabled, counts.ports);
  const VendorCongestionWork::Counts& dcqcn = vendor_.dcqcn_counts();
  meter_->dcqcn_devices = dcqcn.ports;
  meter_->dcqcn_configured = dcqcn.enabled;
  meter_->dcqcn_failures = dcqcn.failed;
  if (dcqcn.written > 0)
    log::info(
        "DCQCN: {} attributes changed; {} of {} CA ports and switches are configured as in the "
        "policy",
        dcqcn.written, dcqcn.enabled, dcqcn.ports);
}

TimeNs CongestionManager::next_event() const {
  return std::min(client_.next_event(), snapshot_ ? key_version_.until : TimeNs::max());
}

}  // namespace weft
