// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "clients.h"

#include <algorithm>

#include "ib/sa_records.h"
#include "sa/paths/paths.h"

namespace weft::simulation {
namespace {

constexpr std::uint64_t kPrefix = 0xFE80000000000000;
constexpr std::uint64_t kToJoin = 1u << 0 | 1u << 1 | 1u << 16;  // MGID, PortGID, JoinState
constexpr std::uint64_t kToCreate = kToJoin | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 12 | 1u << 13;
constexpr std::uint64_t kGroups = 3;
constexpr TimeNs kAnswerWait = std::chrono::seconds(3);
constexpr std::uint64_t kServiceId = 0x1000;  // for the first host
constexpr std::uint32_t kLease = 20;          // seconds
constexpr TimeNs kLeaseCertain = std::chrono::seconds(kLease - 3);
constexpr const char* kServiceName = "service";
constexpr const char* kGroupName = "group ";

Gid group(std::uint64_t number) { return make_gid(0xFF15ull << 48, Guid(0x77 + number)); }

}  // namespace

std::string Neighborhood::file(const Fabric& fabric) const {
  if (!partitions_) return {};
  std::string text = "Default=0x7fff : ALL=limited, SELF=full ;\n";
  for (const auto& [name, pkey, without] : {std::tuple("A", 1, 1u), std::tuple("B", 2, 0u)}) {
    text += fmt::format("{}=0x{:x} : SELF=full", name, pkey);
    for (std::uint32_t i = fabric.switch_count(); i < fabric.endport_count(); ++i)
      if ((i - fabric.switch_count()) % 3 != without)
        text += fmt::format(", 0x{:016x}=full",
                            fabric.port(fabric.endport(EndportId(i)).port).guid.value());
    text += " ;\n";
  }
  return text;
}

Client::Client(EmulatedFabric& emulated, std::uint32_t host, std::uint64_t seed,
               std::chrono::milliseconds pause, const Neighborhood& neighborhood,
               std::vector<std::uint32_t> manager_hosts)
    : emulated_(emulated),
      host_(host),
      port_(emulated.fabric().endport(EndportId(emulated.fabric().switch_count() + host)).port),
      pause_(static_cast<std::uint64_t>(pause.count())),
      rng_(Rng(seed).fork(host)),
      neighborhood_(neighborhood),
      manager_hosts_(std::move(manager_hosts)),
      wire_(emulated.attach_gmps(EndportId(emulated.fabric().switch_count() + host),
                                 MgmtClass::kSubnAdm)),
      receiver_({.window = 8}) {}

Client::~Client() {
  emulated_.detach_gmps(EndportId(emulated_.fabric().switch_count() + host_), MgmtClass::kSubnAdm);
}

bool Client::is_ready() const {
  const PortInfo& info = emulated_.port_info(port_);
  return emulated_.is_alive(emulated_.fabric().port(port_).node) && info.lid != kLidNone &&
         info.master_sm_lid != kLidNone && emulated_.carries_data(port_);
}

Gmp Client::request(Method method, std::uint16_t attribute, std::uint64_t mask) {
  Gmp gmp;
  gmp.class_version = kSaClassVersion;
  gmp.method = method;
  gmp.transaction_id = std::uint64_t{host_ + 1} << 32 | ++transaction_;
  gmp.attribute = attribute;
  gmp.peer.lid = emulated_.port_info(port_).master_sm_lid;
  set_sa_header(gmp, {SmKey(0), 0, mask});
  return gmp;
}

std::uint32_t Client::other_host() {
  const std::uint32_t hosts =
      emulated_.fabric().endport_count() - emulated_.fabric().switch_count();
  return static_cast<std::uint32_t>(rng_.below(hosts));
}

Gid Client::gid_of(std::uint32_t host) const {
  const Fabric& fabric = emulated_.fabric();
  return make_gid(kPrefix,
                  fabric.port(fabric.endport(EndportId(fabric.switch_count() + host)).port).guid);
}

/// Removes the registration from acknowledged(), since until the answer it is unknown whether the
/// SA has the registration.
void Client::begin_change(std::string name, bool registers) {
  acknowledged_.erase(name);
  changes_ = std::move(name);
  registers_ = registers;
  arrives_once_ = !may_arrive_twice_;
}

void Client::note_change(bool good) {
  if (good && arrives_once_ && !may_arrive_twice_ && !changes_.empty() &&
      emulated_.reregistrations(port_) == reregistrations_)
    acknowledged_[changes_] = {registers_, emulated_.clock().now(), confirmed_};
  changes_.clear();
}

bool Client::is_held(const std::string& name, const sa::State& state) const {
  const auto number = [&] { return std::stoul(name.substr(name.find(' ') + 1)); };
  if (name == kServiceName) {
    ServiceRecord record;
    record.id = kServiceId + host_;
    record.gid = gid_of(host_);
    record.pkey = Pkey(0xFFFF);
    return state.services.find(sa::Services::rid_of(record)) != nullptr;
  }
  if (name.starts_with(kGroupName)) {
    const sa::McGroup* const found = state.groups.find(group(number()));
    return found != nullptr && found->members.contains(emulated_.fabric().port(port_).guid);
  }
  return std::ranges::any_of(state.subscriptions.all(), [&](const auto& entry) {
    return entry.second.subscriber == gid_of(host_) && entry.second.info.trap == number();
  });
}

void Client::send_request() {
  changes_.clear();
  request_kind_ = static_cast<RequestKind>(rng_.below(kRequestKinds));
  Gmp gmp;
  switch (request_kind_) {
    case RequestKind::kPath: {
      using namespace sa::path_bit;
      gmp = request(Method::kGet, static_cast<std::uint16_t>(SaAttribute::kPathRecord),
                    1u << kSgid | 1u << kDgid);
      requested_host_ = other_host();
      PathRecord record;
      record.sgid = gid_of(host_);
      record.dgid = gid_of(requested_host_);
      std::ranges::copy(encode(record), sa_data(gmp).begin());
      break;
    }
    case RequestKind::kNodes:
      gmp = request(sa_method::kGetTable, static_cast<std::uint16_t>(SaAttribute::kNodeRecord), 0);
      break;
    case RequestKind::kJoin:
    case RequestKind::kLeave: {
      McMemberRecord record;
      const std::uint64_t number = rng_.below(kGroups);
      record.mgid = group(number);
      record.port_gid = gid_of(host_);
      record.pkey = Pkey(0xFFFF);
      record.qkey = 0x111;
      record.join_state = 1;
      const bool joins = request_kind_ == RequestKind::kJoin;
      begin_change(kGroupName + std::to_string(number), joins);
      gmp = request(joins ? Method::kSet : sa_method::kDelete,
                    static_cast<std::uint16_t>(SaAttribute::kMcMemberRecord),
                    joins ? kToCreate : kToJoin);
      if (joins)
        joined_[record.mgid] = 1;
      else
        joined_.erase(record.mgid);
      std::ranges::copy(encode(record), sa_data(gmp).begin());
      break;
    }
    case RequestKind::kSubscribe: {
      InformInfo info;
      info.lid_begin = Lid(0xFFFF);
      info.generic = true;
      info.subscribe = rng_.below(4) != 0;
      info.type = 0xFFFF;
      info.trap = static_cast<std::uint16_t>(64 + rng_.below(4));
      info.qpn = 1;
      info.producer = 0xFFFFFF;
      begin_change("trap " + std::to_string(info.trap), info.subscribe);
      gmp = request(Method::kSet, static_cast<std::uint16_t>(SaAttribute::kInformInfo), 0);
      std::ranges::copy(encode(info), sa_data(gmp).begin());
      break;
    }
    case RequestKind::kService: {
      ServiceRecord record;
      record.id = kServiceId + host_;
      record.gid = gid_of(host_);
      record.pkey = Pkey(0xFFFF);
      record.lease = kLease;
      record.name[0] = std::byte{'s'};
      const bool withdraws = rng_.below(3) == 0;
      begin_change(kServiceName, !withdraws);
      gmp = request(withdraws ? sa_method::kDelete : Method::kSet,
                    static_cast<std::uint16_t>(SaAttribute::kServiceRecord), 0x7F);
      std::ranges::copy(encode(record), sa_data(gmp).begin());
      break;
    }
  }
  if (!wire_.send(gmp)) return;
  ++counts_.requests;
  request_id_ = gmp.transaction_id;
  waiting_ = true;
  deadline_ = emulated_.clock().now() + kAnswerWait;
}

void Client::check_path_record(const Gmp& gmp) {
  if (gmp.status != mad_status::kGood) return;
  const PathRecord record = decode_path_record(sa_data(gmp).first<PathRecord::kSize>());
  const auto is_manager = [&](std::uint32_t host) {
    return std::ranges::find(manager_hosts_, host) != manager_hosts_.end();
  };
  if (!is_manager(host_) && !is_manager(requested_host_) &&
      !neighborhood_.may_communicate(host_, requested_host_))
    problem_ =
        fmt::format("host {} received a path to host {} across partitions", host_, requested_host_);
  if (record.dgid != gid_of(requested_host_) || record.sgid != gid_of(host_))
    problem_ =
        fmt::format("host {} requested a path to host {} and received a path to another host",
                    host_, requested_host_);
}

void Client::check_node_records(std::span<const std::byte> records, std::size_t offset) {
  if (offset < NodeRecord::kSize) return;
  const Fabric& fabric = emulated_.fabric();
  for (std::size_t at = 0; at + NodeRecord::kSize <= records.size(); at += offset) {
    const auto record = decode_node_record(records.subspan(at).first<NodeRecord::kSize>());
    if (!record) {
      problem_ = fmt::format("host {} received a damaged NodeRecord", host_);
      return;
    }
    const auto endport = fabric.find_endport(record->info.port_guid);
    if (!endport) {
      if (expects_absent_nodes_) continue;
      problem_ = fmt::format("host {} received a record of port GUID 0x{:x}, which does not exist",
                             host_, record->info.port_guid.value());
      return;
    }
    if (endport->value() < fabric.switch_count()) continue;
    const std::uint32_t host = endport->value() - fabric.switch_count();
    const auto is_manager = [&](std::uint32_t h) {
      return std::ranges::find(manager_hosts_, h) != manager_hosts_.end();
    };
    if (!is_manager(host_) && !is_manager(host) && !neighborhood_.may_communicate(host_, host))
      problem_ = fmt::format("host {} received a record of host {} across partitions", host_, host);
  }
}

void Client::process_mad(const Gmp& gmp) {
  const GmpSink back = [&](const Gmp& ack) { static_cast<void>(wire_.send(ack)); };
  if (gmp.method == Method::kReport) {
    ++counts_.reports;
    Gmp answer = gmp;
    answer.method = Method::kReportResp;
    static_cast<void>(wire_.send(answer));
    return;
  }
  if (rmpp_header(gmp).active) {
    if (rmpp_header(gmp).type != RmppType::kData) return;
    if (const auto whole = receiver_.on_data(gmp, emulated_.clock().now(), back)) {
      ++counts_.tables;
      check_node_records(whole->payload, sa_header(gmp).attribute_offset * std::size_t{8});
      waiting_ = false;
    }
    return;
  }
  if (gmp.transaction_id != request_id_ || !waiting_) return;
  waiting_ = false;
  ++(gmp.status == mad_status::kGood ? counts_.answered : counts_.refused);
  note_change(gmp.status == mad_status::kGood);
  if (request_kind_ == RequestKind::kPath) check_path_record(gmp);
}

void Client::join_again_after_reregistration() {
  const std::uint32_t now = emulated_.reregistrations(port_);
  if (now == reregistrations_) return;
  reregistrations_ = now;
  acknowledged_.clear();
  for (const auto& [mgid, state] : joined_) {
    Gmp gmp =
        request(Method::kSet, static_cast<std::uint16_t>(SaAttribute::kMcMemberRecord), kToCreate);
    McMemberRecord record;
    record.mgid = mgid;
    record.port_gid = gid_of(host_);
    record.pkey = Pkey(0xFFFF);
    record.qkey = 0x111;
    record.join_state = state;
    std::ranges::copy(encode(record), sa_data(gmp).begin());
    static_cast<void>(wire_.send(gmp));
  }
}

void Client::step() {
  while (const auto gmp = wire_.receive()) process_mad(*gmp);
  const TimeNs now = emulated_.clock().now();
  if (waiting_ && now >= deadline_) waiting_ = false;
  if (const auto service = acknowledged_.find(kServiceName);
      service != acknowledged_.end() && now - service->second.at > kLeaseCertain)
    acknowledged_.erase(service);
  if (!is_ready()) return;
  join_again_after_reregistration();
  if (waiting_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(50 + rng_.below(pause_));
  send_request();
}

}  // namespace weft::simulation
