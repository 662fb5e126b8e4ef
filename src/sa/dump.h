// opensm-sa.dump: what clients told the subnet administration, as OpenSM writes and reads it, so
// that either manager goes on where the other ended. A line a record:
//   GUIDInfo Record: base_guid=.. lid=.. block_num=.. guid0=.. to guid7=..
//   MC Group 0xc001 : mgid=.. mlid=..    and below it for each member   mcm_port: port_gid=..
//   InformInfo Record: subscriber_gid=.. InformInfo: gid=.. rep_addr: lid=..
//   Service Record: id=.. gid=.. name='..' modified_time=.. lease_period=..
// Bytes of a name that are not printable, and backslashes, stand as \xNN.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "ib/sa_records.h"
#include "sa/multicast_groups.h"
#include "sa/service_records.h"
#include "sa/subscriptions.h"

namespace weft::sa {

struct State;

/// `unix_now`: seconds since 1970, by which whoever reads the file knows what is left of leases.
std::string dump_text(const State& state, const SaView& view, TimeNs now, std::uint64_t unix_now);

struct SavedGuids {
  Guid port;
  std::size_t block = 0;
  GuidInfo table;
};
struct SavedGroup {
  McMemberRecord record;
  std::vector<std::pair<Guid, McMember>> members;
};
struct SavedService {
  ServiceRecord record;
  std::uint64_t expires = 0;  // seconds since 1970; of leases that end
};
struct Saved {
  std::vector<SavedGuids> guids;
  std::vector<SavedGroup> groups;
  std::vector<Subscription> subscriptions;
  std::vector<SavedService> services;  // the newest first
};

/// Fails with kBadInput naming file, line, what was found and what was wanted; with kEnvironment
/// where the file cannot be read.
Result<Saved> read_dump(const std::string& path);
Result<Saved> read_dump(LineReader lines);

/// Adds what belongs to ports that are there; the rest is forgotten. Groups get the LIDs that they
/// had, where these are free.
void restore(const Saved& saved, State& state, const SaView& view, TimeNs now,
             std::uint64_t unix_now);

}  // namespace weft::sa
