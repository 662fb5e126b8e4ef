// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/congestion_manager.h"

#include <algorithm>

#include "base/log.h"
#include "gmp/addresses.h"

namespace weft {

CongestionManager::CongestionManager(GmpTransport& transport, const Clock& clock,
                                     CongestionOptions options)
    : options_(std::move(options)), client_(transport, clock, options_.client) {}

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

/// Ignores answers to an earlier plan; all devices get their settings again.
void CongestionManager::plan() {
  client_.forget_all();
  tasks_.clear();
  next_task_ = 0;
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
  set_cc_key(gmp, options_.cc_key);
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

/// Logs the failure of a port once.
void CongestionManager::on_outcome(const GmpClient::Outcome& outcome) {
  const Task& task = tasks_[outcome.ticket];
  const PortId port = snapshot_->fabric.endport(task.to).port;
  const Guid guid = snapshot_->fabric.port(port).guid;
  if (outcome.answer && outcome.answer->status == mad_status::kGood) {
    ++counts_.answered;
    return;
  }
  ++(outcome.answer ? counts_.refused : counts_.silent);
  if (!logged_.insert(guid).second) return;
  log::warn("congestion control of {}: attribute 0x{:02x}: {}", describe(snapshot_->fabric, port),
            static_cast<unsigned>(task.attribute),
            outcome.answer ? fmt::format("status 0x{:04x}", outcome.answer->status)
                           : std::string("no answer"));
}

void CongestionManager::step() {
  client_.step();
  while (const auto outcome = client_.next()) on_outcome(*outcome);
  for (; client_.has_room() && next_task_ < tasks_.size(); ++next_task_) {
    ++counts_.sent;
    client_.send_request(next_task_, request(tasks_[next_task_]));
  }
}

TimeNs CongestionManager::next_event() const { return client_.next_event(); }

}  // namespace weft
