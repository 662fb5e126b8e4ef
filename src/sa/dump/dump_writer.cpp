// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <iterator>

#include "sa/dump/dump.h"
#include "sa/state.h"

namespace weft::sa {
namespace {

using Text = std::back_insert_iterator<std::string>;

enum class DumpFields : std::uint8_t { kOfOpenSm, kAll };

std::string hex(const Gid& gid) {
  return fmt::format("0x{:016x}:0x{:016x}", prefix_of(gid), guid_of(gid).value());
}

/// Bytes as two numbers of 64 bits.
template <class Bytes>
std::string hex_pair(const Bytes& bytes, std::size_t first) {
  Gid pair;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), pair.size(), pair.begin());
  return hex(pair);
}

unsigned with_selector(Selector selector, std::uint8_t value) {
  return static_cast<unsigned>(selector) << 6 | value;
}

std::string escaped(const std::array<std::byte, 64>& name) {
  std::string text;
  for (const std::byte byte : name) {
    const auto c = static_cast<char>(byte);
    if (c == '\0') break;
    if (c < ' ' || c > '~' || c == '\\')
      fmt::format_to(Text(text), "\\x{:02x}", std::to_integer<unsigned>(byte));
    else
      text += c;
  }
  return text;
}

/// Calls `write` with each block of ports that exist.
template <class Write>
void for_guid_blocks(const State& state, const SaView& view, Write write) {
  for (const auto& [port, guids] : state.aliases.all()) {
    const auto endport = view.fabric().find_endport(port);
    const Lid lid =
        endport ? view.fabric().endport(*endport).lid : view.snapshot().vport_lids.of(port);
    if (lid == kLidNone) continue;
    for (std::size_t block = 0; block < guid_blocks(guids); ++block)
      write(port, lid, block, guid_block(port, guids, block));
  }
}

void write_guids(Guid port, Lid lid, std::size_t block, const GuidInfo& table, Text out) {
  fmt::format_to(out, "GUIDInfo Record: base_guid=0x{:016x} lid=0x{:04x} block_num=0x{:x}",
                 port.value(), lid.value(), block);
  for (std::size_t i = 0; i < table.guids.size(); ++i)
    fmt::format_to(out, " guid{}=0x{:016x}", i, table.guids[i].value());
  fmt::format_to(out, "\n\n");
}

void write_group(const McGroup& group, const SaView& view, DumpFields fields, Text out) {
  const McMemberRecord& r = group.record;
  fmt::format_to(
      out,
      "MC Group 0x{:04x} {}: mgid={} port_gid={} qkey=0x{:08x} mlid=0x{:04x} mtu=0x{:02x} "
      "tclass=0x{:02x} pkey=0x{:04x} rate=0x{:02x} pkt_life=0x{:02x} sl_flow_hop=0x{:08x} "
      "scope_state=0x{:02x} proxy_join=0x{:x}",
      r.mlid.value(), group.well_known ? " (well known)" : "", hex(r.mgid), hex(r.port_gid), r.qkey,
      r.mlid.value(), with_selector(r.mtu_selector, r.mtu), r.tclass, r.pkey.value(),
      with_selector(r.rate_selector, r.rate), with_selector(r.life_selector, r.life),
      std::uint32_t{r.sl.value()} << 28 | r.flow_label << 8 | r.hop_limit,
      r.scope << 4 | r.join_state, r.proxy_join ? 1 : 0);
  if (fields == DumpFields::kAll) fmt::format_to(out, " creator=0x{:016x}", group.creator.value());
  fmt::format_to(out, "\n\n");
  for (const auto& [port, member] : group.members) {
    fmt::format_to(out, "mcm_port: port_gid={} scope_state=0x{:02x} proxy_join=0x{:x}",
                   hex(make_gid(view.options().subnet_prefix, port)), r.scope << 4 | member.state,
                   member.proxy ? 1 : 0);
    if (fields == DumpFields::kAll)
      fmt::format_to(out, " registrant=0x{:016x}", member.registrant.value());
    fmt::format_to(out, "\n\n");
  }
}

void write_subscription(const Subscription& subscription, DumpFields fields, Text out) {
  const InformInfo& i = subscription.info;
  const GmpAddress& to = subscription.address;
  fmt::format_to(
      out,
      "InformInfo Record: subscriber_gid={} subscriber_enum=0x0 InformInfo: gid={} "
      "lid_range_begin=0x{:x} lid_range_end=0x{:x} is_generic=0x{:x} subscribe=0x{:x} "
      "trap_type=0x{:x} trap_num=0x{:x} qpn_resp_time_val=0x{:x} node_type=0x{:06x} rep_addr: "
      "lid=0x{:04x} path_bits=0x{:02x} static_rate=0x00 remote_qp=0x{:08x} remote_qkey=0x{:08x} "
      "pkey_ix=0x{:04x} sl=0x{:02x}",
      hex(subscription.subscriber), hex(i.gid), i.lid_begin.value(), i.lid_end.value(),
      i.generic ? 1 : 0, i.subscribe ? 1 : 0, i.type, i.trap, i.qpn << 8 | i.response_time_value,
      i.producer, to.lid.value(), to.path_bits, to.qpn, to.qkey, to.pkey_index, to.sl.value());
  if (fields == DumpFields::kAll)
    fmt::format_to(out, " trusted=0x{:x}", subscription.trusted ? 1 : 0);
  fmt::format_to(out, "\n\n");
}

/// The start of the lease, rounded to seconds, so that texts and records made at different times
/// are equal.
std::uint64_t lease_begin(const Service& service, TimeNs now, std::chrono::nanoseconds unix_now) {
  if (service.expires == TimeNs::max()) return 0;
  const auto end = std::chrono::round<std::chrono::seconds>(unix_now + (service.expires - now));
  return static_cast<std::uint64_t>(end.count()) - service.record.lease;
}

void write_service(const Service& service, std::uint64_t set_at, Text out) {
  const ServiceRecord& r = service.record;
  fmt::format_to(out,
                 "Service Record: id=0x{:016x} gid={} pkey=0x{:x} lease=0x{:x} key={} name='{}' "
                 "data8={} data16={} data32={} data64={} modified_time=0x{:x} "
                 "lease_period=0x{:x}",
                 r.id, hex(r.gid), r.pkey.value(), r.lease, hex_pair(r.key, 0), escaped(r.name),
                 hex_pair(r.data, 0), hex_pair(r.data, 16), hex_pair(r.data, 32),
                 hex_pair(r.data, 48), set_at, r.lease);
}

}  // namespace

std::string dump_text(const State& state, const SaView& view, TimeNs now,
                      std::chrono::nanoseconds unix_now) {
  std::string text;
  const Text out(text);
  for_guid_blocks(state, view, [&](Guid port, Lid lid, std::size_t block, const GuidInfo& table) {
    write_guids(port, lid, block, table, out);
  });
  for (const auto& [mgid, group] : state.groups.all())
    write_group(group, view, DumpFields::kOfOpenSm, out);
  for (const auto& [id, subscription] : state.subscriptions.all())
    write_subscription(subscription, DumpFields::kOfOpenSm, out);
  state.services.for_all([&](const Service& service) {
    if (service.expires <= now) return;
    write_service(service, lease_begin(service, now, unix_now), out);
    fmt::format_to(out, "\n\n");
  });
  return text;
}

std::vector<DumpRecord> dump_records(const State& state, const SaView& view, TimeNs now,
                                     std::chrono::nanoseconds unix_now) {
  std::vector<DumpRecord> records;
  const auto add = [&](std::string key) {
    records.push_back({std::move(key), {}});
    return Text(records.back().text);
  };
  for_guid_blocks(state, view, [&](Guid port, Lid lid, std::size_t block, const GuidInfo& table) {
    write_guids(port, lid, block, table, add(fmt::format("1 {:016x} {:02x}", port.value(), block)));
  });
  for (const auto& [mgid, group] : state.groups.all())
    write_group(group, view, DumpFields::kAll,
                add(fmt::format("2 {:016x}{:016x}", prefix_of(mgid), guid_of(mgid).value())));
  for (const auto& [id, subscription] : state.subscriptions.all())
    write_subscription(subscription, DumpFields::kAll, add(fmt::format("3 {:016x}", id)));
  state.services.for_numbered([&](std::uint64_t number, const Service& service) {
    if (service.expires <= now) return;
    const Text out = add(fmt::format("4 {:016x}", ~number));  // the newest first
    write_service(service, lease_begin(service, now, unix_now), out);
    fmt::format_to(out, " registrant={}\n\n", hex(service.registrant));
  });
  return records;
}

}  // namespace weft::sa
