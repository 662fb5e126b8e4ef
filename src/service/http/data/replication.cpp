// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/replication.h"

namespace weft::http_data {
namespace {

using replication::ReplicationStatus;

Json parts_json(const ReplicationStatus& status) {
  Json parts = Json::object();
  for (std::size_t part = 0; part < replication::kParts; ++part)
    parts[std::string(replication::name(static_cast<replication::Part>(part)))] = {
        {"records", status.parts[part].records}, {"checksum", status.parts[part].checksum}};
  return parts;
}

Json standbys_json(const ReplicationStatus& status) {
  Json standbys = Json::array();
  for (const replication::StandbyStatus& standby : status.standbys)
    standbys.push_back({{"guid", hex(standby.guid)},
                        {"address", standby.address},
                        {"confirmed", standby.confirmed},
                        {"missing", standby.missing},
                        {"in_step", standby.in_step},
                        {"silence_ms", standby.silence.count()}});
  return standbys;
}

/// JSON of the state of the copy at a standby.
Json copy_json(const ReplicationStatus& status) {
  Json json{{"peer", status.peer}, {"in_step", status.in_step}, {"missing", status.missing},
            {"lag_ms", nullptr},   {"error", status.error},     {"mismatches", status.mismatches}};
  if (status.lag) json["lag_ms"] = status.lag->count();
  return json;
}

}  // namespace

Json replication(const replication::Replication* replication) {
  if (replication == nullptr) return {{"enabled", false}};
  const ReplicationStatus status = replication->status();
  Json json{{"enabled", true},
            {"role", replication::name(status.role)},
            {"epoch", status.epoch},
            {"manager", hex(status.manager)},
            {"newest", status.newest},
            {"bytes", status.bytes},
            {"parts", parts_json(status)},
            {"standbys", standbys_json(status)},
            {"copy", nullptr},
            {"dropped", status.dropped},
            {"dropped_count", status.dropped_count}};
  if (status.role == replication::Role::kFollower) json["copy"] = copy_json(status);
  return json;
}

}  // namespace weft::http_data
