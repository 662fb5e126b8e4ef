// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// opensm-sa.dump: the registrations of SA clients in OpenSM's format, so that each manager can
// restore what the other manager saved. One record per line:
//   GUIDInfo Record: base_guid=.. lid=.. block_num=.. guid0=.. to guid7=..
//   MC Group 0xc001 : mgid=.. mlid=..    followed by one line per member   mcm_port: port_gid=..
//   InformInfo Record: subscriber_gid=.. InformInfo: gid=.. rep_addr: lid=..
//   Service Record: id=.. gid=.. name='..' modified_time=.. lease_period=..
// Backslashes and bytes of a name that are not printable are written as \xNN.
// Replicas between managers (dump_records()) have fields that OpenSM's file lacks: creator= of a
// group, registrant= of members and services, trusted= of subscriptions.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "ib/sa_records.h"
#include "policy/group_file.h"
#include "sa/multicast/multicast_groups.h"
#include "sa/service_records.h"
#include "sa/subscriptions.h"
#include "sm/lids/alias_guids.h"

namespace weft::sa {

struct State;

/// `unix_now`: time since 1970; readers compute the remaining lease periods from it.
std::string dump_text(const State& state, const SaView& view, TimeNs now,
                      std::chrono::nanoseconds unix_now);

/// The lines of a registration in the dump, with all fields.
struct DumpRecord {
  std::string key;  // unique; records of the dump are in the order of keys
  std::string text;
  bool operator==(const DumpRecord&) const = default;
};
/// All registrations, in order of keys. `unix_now`: time since 1970.
std::vector<DumpRecord> dump_records(const State& state, const SaView& view, TimeNs now,
                                     std::chrono::nanoseconds unix_now);

struct SavedGuids {
  Guid port;
  std::size_t block = 0;
  GuidInfo table;
};
struct SavedGroup {
  McMemberRecord record;
  std::vector<std::pair<Guid, McMember>> members;  // registrant 0: unknown
  Guid creator{};                                  // 0: unknown
};
struct SavedService {
  ServiceRecord record;
  std::uint64_t expires = 0;  // seconds since 1970; UINT64_MAX: lease without end
  Gid registrant{};           // 0: unknown
};
struct Saved {
  std::vector<SavedGuids> guids;
  std::vector<SavedGroup> groups;
  std::vector<Subscription> subscriptions;
  std::vector<SavedService> services;  // newest first
};

/// Fails with kBadInput, giving file and line, and the missing key or the value found and the value
/// expected; fails with kEnvironment if the file cannot be read.
Result<Saved> read_dump(const std::string& path);
Result<Saved> read_dump(LineReader lines);

/// The alias GUIDs and the groups, for a manager that has not discovered the subnet yet. Members of
/// the groups may be absent.
AliasGuids alias_guids_of(const Saved& saved);
std::vector<FiledGroup> filed_groups_of(const Saved& saved);

/// Restores the records of ports that exist, without expired services and without groups of which
/// no member exists. Groups keep their LIDs if these LIDs are free.
void restore(const Saved& saved, State& state, const SaView& view, TimeNs now,
             std::uint64_t unix_now);
/// Restores the registrations of the previous master like restore(), before the state is updated to
/// the view. Groups without an existing member are restored, too, so that the groups of partitions
/// keep their LIDs.
void inherit(const Saved& saved, State& state, const SaView& view, TimeNs now,
             std::uint64_t unix_now);

}  // namespace weft::sa
