// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hosts of two partitions at the subnet administration: the bytes are a script of joins and leaves,
// subscriptions, services, alias GUIDs, tables, segments and acknowledgements, while hosts appear
// in and disappear from the fabric and the manager loses its mastership. No response to a host
// names a host of the other partition; the groups to be routed stay consistent; in the end no
// transfer and no multicast group remains.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/log.h"
#include "bytes.h"
#include "emulator/emulated_fabric.h"
#include "fabric/generators/spec.h"
#include "fuzz_target.h"
#include "ib/sa_records.h"
#include "sa/attributes.h"
#include "sa/server.h"
#include "sm/subnet_manager.h"

namespace {

using namespace weft;

constexpr unsigned kHosts = 8;
constexpr std::uint64_t kPrefix = 0xFE80000000000000;
constexpr std::array kAttributes{
    SaAttribute::kClassPortInfo, SaAttribute::kInformInfo,      SaAttribute::kNodeRecord,
    SaAttribute::kServiceRecord, SaAttribute::kPortInfoRecord,  SaAttribute::kMcMemberRecord,
    SaAttribute::kPathRecord,    SaAttribute::kPkeyTableRecord, SaAttribute::kGuidInfoRecord,
    SaAttribute::kLinkRecord,    SaAttribute::kMultiPathRecord, SaAttribute::kInformInfoRecord,
    SaAttribute::kSmInfoRecord,  SaAttribute::kLftRecord,       SaAttribute::kMftRecord,
    SaAttribute::kSlToVlRecord,  SaAttribute::kVlArbRecord,     SaAttribute::kSwitchInfoRecord};
constexpr std::array kMethods{Method::kGet,       Method::kSet,         sa_method::kGetTable,
                              sa_method::kDelete, sa_method::kGetMulti, sa_method::kGetTraceTable};

struct Subnet {
  std::vector<std::shared_ptr<const Snapshot>> snapshots;  // all nodes; some nodes missing; null
  std::array<Guid, kHosts> guids;
  std::array<Lid, kHosts> lids;
};

/// Host 0 has the manager, and is in both partitions; the other hosts alternate.
bool are_foreign(unsigned a, unsigned b) { return a != 0 && b != 0 && (a & 1) != (b & 1); }

Subnet bring_up() {
  spdlog::set_level(spdlog::level::off);
  const auto fabric = generate("fattree2:k=4");
  CHECK(fabric.has_value());
  Subnet subnet;
  std::string partitions = "Default=0x7fff : ALL=limited, SELF=full;\n";
  std::array<std::string, 2> members{"A=0x1, ipoib : SELF=full", "B=0x2, ipoib : SELF=full"};
  for (unsigned h = 0; h < kHosts; ++h) {
    const Endport& host = fabric->endport(EndportId(fabric->switch_count() + h));
    subnet.guids[h] = fabric->port(host.port).guid;
    if (h > 0) members[h & 1] += fmt::format(", 0x{:x}=full", subnet.guids[h].value());
  }
  partitions += members[0] + ";\n" + members[1] + ";\n";
  std::vector<std::string> warnings;
  SmOptions options;
  options.routing_engine = {{"updn"}, false};
  options.partitions = *parse_partitions(partitions, "partitions", warnings);
  EmulatedFabric emulated(*fabric, {});
  SubnetManager sm(emulated.attach(EndportId(fabric->switch_count())), emulated.clock(), options);
  const auto settle = [&] {
    for (sm.step(); !sm.settled();) sm.step();
    subnet.snapshots.push_back(sm.snapshot());
  };
  settle();
  for (const unsigned missing : {3u, 6u}) {
    emulated.switch_off_node(fabric->endport(EndportId(fabric->switch_count() + missing)).node);
    sm.request_heavy_sweep("a host left the fabric");
    settle();
    CHECK(!subnet.snapshots.back()->fabric.find_endport(subnet.guids[missing]));
  }
  subnet.snapshots.push_back(nullptr);
  const Fabric& known = subnet.snapshots.front()->fabric;
  for (unsigned h = 0; h < kHosts; ++h)
    subnet.lids[h] = known.endport(*known.find_endport(subnet.guids[h])).lid;
  return subnet;
}

std::array<std::byte, 8> wire_bytes(Guid guid) {
  std::array<std::byte, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(guid.value() >> (56 - 8 * i));
  return bytes;
}

SaOptions small_options() {
  SaOptions options;
  options.rmpp.sending_max = 1 << 20;
  options.answer_max = 1 << 20;
  return options;
}

class Sessions {
 public:
  explicit Sessions(const Subnet& subnet)
      : subnet_(subnet), server_(small_options(), [this](const Gmp& gmp) { check(gmp); }) {
    server_.publish(subnet.snapshots.front());
  }

  void run(Bytes& script) {
    const std::uint8_t op = script.u8();
    switch (op % 8) {
      case 0:
        server_.publish(subnet_.snapshots[script.u8() % subnet_.snapshots.size()]);
        break;
      case 1:
        server_.step(now_ += std::chrono::milliseconds(20 * script.u8()));
        break;
      case 2:
        rmpp(script);
        break;
      case 3:
        trap(script);
        break;
      default:
        request(script);
    }
    check_order(server_.multicast_groups());
  }

  void end() {
    server_.publish(subnet_.snapshots.front());
    for (int i = 0; i < 100; ++i) server_.step(now_ += std::chrono::seconds(2));
    if (server_.transfers_under_way() > 0 || server_.bytes_under_way() > 0) std::abort();
    server_.publish(nullptr);
    if (!server_.multicast_groups().empty() || server_.bytes_under_way() > 0) std::abort();
  }

 private:
  static constexpr std::uint64_t kTrusted = std::uint64_t{1} << 32;  // in transaction ids

  void request(Bytes& script) {
    const unsigned requester = script.u8() % kHosts;
    Gmp gmp;
    gmp.class_version = kSaClassVersion;
    const SaAttribute attribute = kAttributes[script.u8() % kAttributes.size()];
    const std::uint8_t kind = script.u8();
    gmp.attribute = static_cast<std::uint16_t>(attribute);
    gmp.method = kMethods[kind % 8 % kMethods.size()];
    gmp.peer.lid = subnet_.lids[requester];
    gmp.transaction_id = script.u8() % 16;
    const bool trusted = kind >= 0xF0;
    if (trusted) gmp.transaction_id |= kTrusted;
    if (trusted)
      suspended_ |= 1u << requester;  // responses to this host are not checked from now on
    std::uint64_t mask = 0;
    const auto components = sa::components_of(attribute);
    const auto data = sa_data(gmp);
    for (unsigned n = script.u8() % 12; n > 0 && !components.empty(); --n) {
      const Component& part = components[script.u8() % components.size()];
      const std::uint8_t what = script.u8();
      if ((what & 0x80) == 0) mask |= std::uint64_t{1} << part.bit;
      fill(data.subspan(std::min<std::size_t>(part.offset / 8, data.size())), part.width, what,
           requester, script);
    }
    set_sa_header(gmp, {SmKey(trusted ? 1 : 0), 0, mask});
    if (gmp.method == Method::kSet || gmp.method == sa_method::kDelete) taint(gmp, requester);
    server_.on_gmp(gmp, now_);
  }

  /// A GID, GUID or LID of some host, or arbitrary bytes.
  void fill(std::span<std::byte> at, std::size_t width, std::uint8_t what, unsigned requester,
            Bytes& script) {
    const std::size_t size = std::min((width + 7) / 8, at.size());
    const unsigned host = (what & 1) != 0 ? requester : (what >> 1) % kHosts;
    if (size == 16 && (what & 0x70) < 0x40) {
      std::ranges::copy(make_gid(kPrefix, subnet_.guids[host]), at.begin());
    } else if (size == 8 && (what & 0x70) < 0x40) {
      std::ranges::copy(wire_bytes(subnet_.guids[host]), at.begin());
    } else if (size == 2 && (what & 0x70) < 0x40) {
      at[0] = static_cast<std::byte>(subnet_.lids[host].value() >> 8);
      at[1] = static_cast<std::byte>(subnet_.lids[host].value());
    } else {
      for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<std::byte>(script.u8());
    }
  }

  /// Adds the hosts with GUIDs in public fields of the request to disclosed_.
  void taint(const Gmp& gmp, unsigned requester) {
    const auto data = sa_data(gmp);
    for (unsigned h = 0; h < kHosts; ++h) {
      const auto wanted = wire_bytes(subnet_.guids[h]);
      for (auto at = data.begin();; ++at) {
        at = std::search(at, data.end(), wanted.begin(), wanted.end());
        if (at == data.end()) break;
        const auto offset = static_cast<std::size_t>(at - data.begin());
        const auto attribute = static_cast<SaAttribute>(gmp.attribute);
        // PortGID is hidden. The ServiceGID of a host of the other partition is refused.
        const bool hidden = attribute == SaAttribute::kMcMemberRecord && offset == 24;
        const bool refused = attribute == SaAttribute::kServiceRecord && offset == 16;
        if (!(hidden && (h == requester || are_foreign(h, requester))) &&
            !(refused && are_foreign(h, requester)))
          disclosed_ |= 1u << h;
      }
    }
  }

  void rmpp(Bytes& script) {
    const unsigned requester = script.u8() % kHosts;
    Gmp gmp;
    gmp.class_version = kSaClassVersion;
    gmp.method = (script.u8() & 1) != 0 ? sa_method::kGetMulti : sa_method::kGetTable;
    gmp.attribute = static_cast<std::uint16_t>(kAttributes[script.u8() % kAttributes.size()]);
    gmp.peer.lid = subnet_.lids[requester];
    gmp.transaction_id = script.u8() % 16;
    RmppHeader header;
    header.version = kRmppVersion;
    header.active = true;
    const std::uint8_t kind = script.u8();
    header.type = static_cast<RmppType>(kind % 5);
    header.first = (kind & 0x40) != 0;
    header.last = (kind & 0x80) != 0;
    header.segment = script.number();
    header.length = script.number();
    set_rmpp_header(gmp, header);
    for (std::byte& byte : sa_data(gmp).first<24>()) byte = static_cast<std::byte>(script.u8());
    server_.on_gmp(gmp, now_);
  }

  void trap(Bytes& script) {
    Notice notice;
    notice.type = static_cast<NoticeType>(script.u8() % 5);
    notice.producer = script.u8() % 5;
    const unsigned trap = script.u8();
    notice.trap = static_cast<std::uint16_t>(trap % 8 + (trap >= 128 ? 128 : 64));
    notice.issuer_lid = subnet_.lids[script.u8() % kHosts];
    server_.on_trap(notice);
  }

  void check_order(const std::vector<FiledGroup>& groups) const {
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i].mlid < kLidMulticastFirst || groups[i].mlid > kLidMulticastLast ||
          (i > 0 && groups[i].mlid <= groups[i - 1].mlid))
        std::abort();
  }

  void check(const Gmp& gmp) {
    const auto at = std::ranges::find(subnet_.lids, gmp.peer.lid);
    if (at == subnet_.lids.end()) std::abort();  // a response without a requester
    const auto to = static_cast<unsigned>(at - subnet_.lids.begin());
    if (gmp.status != mad_status::kGood) return;  // an error response has the data of the request
    if ((gmp.transaction_id & kTrusted) != 0 || (suspended_ >> to & 1) != 0) return;
    const RmppHeader header = rmpp_header(gmp);
    if (header.active && header.type != RmppType::kData) return;
    for (unsigned h = 0; h < kHosts; ++h) {
      if (!are_foreign(to, h) || (disclosed_ >> h & 1) != 0) continue;
      const auto data = sa_data(gmp);
      const auto guid = wire_bytes(subnet_.guids[h]);
      if (std::search(data.begin(), data.end(), guid.begin(), guid.end()) == data.end()) continue;
      fmt::print(stderr, "host {} received an address of host {}: method {:#x}, attribute {:#x}\n",
                 to, h, static_cast<unsigned>(gmp.method), gmp.attribute);
      std::abort();
    }
  }

  const Subnet& subnet_;
  unsigned suspended_ = 0;  // by bit: hosts that used the trusted key
  unsigned disclosed_ = 0;  // by bit: hosts with GUIDs that requests disclosed
  TimeNs now_{0};
  SaServer server_;
};

}  // namespace

WEFT_FUZZ_TARGET(sa_sessions, data, size) {
  static const Subnet subnet = bring_up();
  Bytes script(data, std::min<std::size_t>(size, 4096));
  Sessions sessions(subnet);
  while (!script.empty()) sessions.run(script);
  sessions.end();
  return 0;
}
