// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/speed_reader.h"

#include <utility>

#include "base/log.h"

namespace weft {

void SpeedReader::complete(const DiscoveryQuery& query, const PortInfo& info) {
  if (may_hide_extended_speeds(query, info))
    state_.queries.push_back({AttributeId::kPortInfo, query.node, query.port, false, 0, true});
  else
    ask_fdr10(query);
}

/// True if the answer to a request without SMSupportExtendedSpeeds may lack extended speeds, and
/// the link may run at one of these speeds. The switch port at the other end was read before.
bool SpeedReader::may_hide_extended_speeds(const DiscoveryQuery& query,
                                           const PortInfo& info) const {
  const DiscoveredNode& about = state_.node(query.node);
  const auto shows = [](const PortInfo& port) {
    return port.link_speed_ext_supported != 0 || port.link_speed_ext2_supported != 0;
  };
  if (query.extended || about.seen.info.type == NodeType::kSwitch || shows(info) ||
      !about.seen.takes_extended_speeds(PortNum(query.port)))
    return false;
  if (about.reached_from.empty() || !about.reached_from[query.port].known()) return true;
  const Neighbor& near = about.reached_from[query.port];
  const ObservedNode& other = state_.node(near.node).seen;
  return other.info.type != NodeType::kSwitch || other.refuses_extended_speeds ||
         shows(other.ports[near.port]);
}

bool SpeedReader::is_second_read(const DiscoveryQuery& query) const {
  return query.extended && !state_.is_switch(query.node);
}

void SpeedReader::on_extended_speeds(const DiscoveryQuery& query, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  if (!info) {
    on_no_extended_speeds(query, "answers with invalid data", false);
    return;
  }
  PortInfo& seen = state_.node(query.node).seen.ports[query.port];
  const Mkey mkey = seen.mkey;
  seen = *info;
  seen.mkey = mkey;
  ask_fdr10(query);
}

bool SpeedReader::on_no_extended_speeds(DiscoveryQuery query, const std::string& what,
                                        bool invalid) {
  DiscoveredNode& about = state_.node(query.node);
  if (invalid && !std::exchange(about.seen.refuses_extended_speeds, true))
    log::debug("{} {} to PortInfo with SMSupportExtendedSpeeds: read without it", describe(about),
               what);
  if (is_second_read(query)) {
    if (!invalid)
      state_.warn(
          fmt::format("{} {} to PortInfo with extended speeds: treated as a port without them",
                      state_.near_port(query), what));
    ask_fdr10(query);
    return true;
  }
  if (!invalid) return false;
  query.extended = false;
  state_.queries.push_back(query);
  return true;
}

void SpeedReader::ask_fdr10(const DiscoveryQuery& query) {
  const ObservedNode& seen = state_.node(query.node).seen;
  if (fdr10_ != nullptr && query.port != 0 &&
      fdr10_->should_query(seen.info, seen.ports[query.port]))
    state_.ask(AttributeId::kMlnxExtendedPortInfo, query.node, query.port);
}

bool SpeedReader::is_obsolete(const DiscoveryQuery& query) const {
  if (query.attribute != AttributeId::kMlnxExtendedPortInfo) return false;
  const ObservedNode& seen = state_.node(query.node).seen;
  return !fdr10_->should_query(seen.info, seen.ports[query.port]);
}

void SpeedReader::on_extended_port_info(const DiscoveryQuery& query, const Smp& answer) {
  ObservedNode& seen = state_.node(query.node).seen;
  fdr10_->answered(seen.info);
  if (seen.extended.empty()) seen.extended.resize(seen.ports.size());
  seen.extended[query.port] = answer.data;
}

/// Logs no warning, because the attribute is not in the specification.
void SpeedReader::on_no_extended_port_info(const DiscoveryQuery& query, const QueryFailure& why) {
  const DiscoveredNode& about = state_.node(query.node);
  if (why.silent)
    fdr10_->note_silence(about.seen.info);
  else
    fdr10_->refused(about.seen.info);
  log::debug("{} {} to ExtendedPortInfo: FDR10 is unknown", state_.near_port(query), why.what);
}

}  // namespace weft
