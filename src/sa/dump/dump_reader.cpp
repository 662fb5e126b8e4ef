// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <map>
#include <string_view>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "sa/dump/dump.h"
#include "sa/state.h"

namespace weft::sa {
namespace {

/// The key=value pairs of a line. The first error is stored, and the rest of the line is ignored.
class Fields {
 public:
  Fields(const LineReader& at, std::string_view line) : at_(at) {
    for (std::size_t i = 0; i < line.size();) {
      const std::size_t equals = line.find('=', i);
      if (equals == std::string_view::npos) break;
      const std::size_t begin = line.find_last_of(" :", equals) + 1;  // 0 if there is none
      const std::string_view key = line.substr(begin, equals - begin);
      std::size_t first = equals + 1, end = line.find(' ', first);
      if (first < line.size() &&
          line[first] == '\'') {  // a name, which may contain blanks and quotes
        ++first;
        end = line.rfind('\'');
        if (end < first) end = line.size();
      }
      end = std::min(end, line.size());
      values_[key] = line.substr(first, end - first);
      i = end + 1;
    }
  }

  /// The number that a key has in the line; 0 after the first error.
  std::uint64_t number(std::string_view key, unsigned bits) {
    const auto text = word(key);
    return text ? read(key, *text, bits) : 0;
  }
  Gid gid(std::string_view key) { return pair(key); }
  Gid pair(std::string_view key) {
    const auto text = word(key);
    if (!text) return {};
    const std::size_t colon = text->find(':');
    if (colon == std::string_view::npos) {
      add_error(key, *text, "two numbers with a colon between them");
      return {};
    }
    const std::uint64_t high = read(key, text->substr(0, colon), 64);
    return make_gid(high, Guid(read(key, text->substr(colon + 1), 64)));
  }
  bool flag(std::string_view key) { return number(key, 1) != 0; }
  bool has(std::string_view key) const { return values_.contains(key); }
  std::array<std::byte, 64> name(std::string_view key) {
    std::array<std::byte, 64> bytes{};
    const auto text = word(key);
    std::size_t size = 0;
    for (std::size_t i = 0; text && i < text->size(); ++i, ++size) {
      if (size == bytes.size()) {
        add_error(key, *text, "at most 64 bytes");
        break;
      }
      bytes[size] = static_cast<std::byte>((*text)[i]);
      if (!text->substr(i).starts_with("\\x") || i + 4 > text->size()) continue;
      bytes[size] = static_cast<std::byte>(
          parse_number<std::uint8_t>(text->substr(i + 2, 2), 16).value_or('?'));
      i += 3;
    }
    return bytes;
  }
  Status status() const { return wrong_; }

 private:
  std::optional<std::string_view> word(std::string_view key) {
    if (!wrong_) return std::nullopt;
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    wrong_ = fail(Code::kBadInput, "{}:{}: found no {}=, expected one", at_.path(),
                  at_.line_number(), key);
    return std::nullopt;
  }
  std::uint64_t read(std::string_view key, std::string_view text, unsigned bits) {
    const auto value = parse_c_number<std::uint64_t>(text);
    if (value && (bits == 64 || *value >> bits == 0)) return *value;
    add_error(key, text, fmt::format("a number of {} bits", bits));
    return 0;
  }
  void add_error(std::string_view key, std::string_view found, std::string_view wanted) {
    if (wrong_)
      wrong_ = fail(Code::kBadInput, "{}:{}: {}: found '{}', expected {}", at_.path(),
                    at_.line_number(), key, found, wanted);
  }

  const LineReader& at_;
  std::map<std::string_view, std::string_view> values_;
  Status wrong_;
};

std::pair<Selector, std::uint8_t> split_selector(std::uint64_t byte) {
  return {static_cast<Selector>(byte >> 6), static_cast<std::uint8_t>(byte & 0x3F)};
}

template <class T>
T narrow(std::uint64_t value) {
  return static_cast<T>(value);
}

Status read_guids(Fields fields, Saved& saved) {
  SavedGuids guids{Guid(fields.number("base_guid", 64)), fields.number("block_num", 5), {}};
  for (std::size_t i = 0; i < GuidInfo::kEntries; ++i)
    guids.table.guids[i] = Guid(fields.number(fmt::format("guid{}", i), 64));
  saved.guids.push_back(guids);
  return fields.status();
}

Status read_group(Fields fields, Saved& saved) {
  McMemberRecord r;
  r.mgid = fields.gid("mgid");
  r.qkey = narrow<std::uint32_t>(fields.number("qkey", 32));
  r.mlid = Lid(narrow<std::uint16_t>(fields.number("mlid", 16)));
  std::tie(r.mtu_selector, r.mtu) = split_selector(fields.number("mtu", 8));
  r.tclass = narrow<std::uint8_t>(fields.number("tclass", 8));
  r.pkey = Pkey(narrow<std::uint16_t>(fields.number("pkey", 16)));
  std::tie(r.rate_selector, r.rate) = split_selector(fields.number("rate", 8));
  std::tie(r.life_selector, r.life) = split_selector(fields.number("pkt_life", 8));
  const std::uint64_t label = fields.number("sl_flow_hop", 32);
  r.sl = Sl(narrow<std::uint8_t>(label >> 28));
  r.flow_label = narrow<std::uint32_t>(label >> 8 & 0xFFFFF);
  r.hop_limit = narrow<std::uint8_t>(label & 0xFF);
  r.scope = narrow<std::uint8_t>(fields.number("scope_state", 8) >> 4);
  const Guid creator(fields.has("creator") ? fields.number("creator", 64) : 0);
  saved.groups.push_back({r, {}, creator});
  return fields.status();
}

Status read_member(const LineReader& at, Fields fields, Saved& saved) {
  if (saved.groups.empty())
    return fail(Code::kBadInput, "{}:{}: found an mcm_port before the first MC Group", at.path(),
                at.line_number());
  McMember member;
  const Guid port = guid_of(fields.gid("port_gid"));
  member.state = narrow<std::uint8_t>(fields.number("scope_state", 8) & 0xF);
  member.proxy = fields.flag("proxy_join");
  if (fields.has("registrant")) member.registrant = Guid(fields.number("registrant", 64));
  if (member.state != 0) saved.groups.back().members.emplace_back(port, member);
  return fields.status();
}

/// Keys are unique in a line: gid= belongs to InformInfo, and lid= belongs to the address.
Status read_subscription(Fields fields, Saved& saved) {
  Subscription s;
  s.subscriber = fields.gid("subscriber_gid");
  s.info.gid = fields.gid("gid");
  s.info.lid_begin = Lid(narrow<std::uint16_t>(fields.number("lid_range_begin", 16)));
  s.info.lid_end = Lid(narrow<std::uint16_t>(fields.number("lid_range_end", 16)));
  s.info.generic = fields.flag("is_generic");
  s.info.subscribe = fields.flag("subscribe");
  s.info.type = narrow<std::uint16_t>(fields.number("trap_type", 16));
  s.info.trap = narrow<std::uint16_t>(fields.number("trap_num", 16));
  const std::uint64_t qpn = fields.number("qpn_resp_time_val", 32);
  s.info.qpn = narrow<std::uint32_t>(qpn >> 8);
  s.info.response_time_value = narrow<std::uint8_t>(qpn & 0x1F);
  s.info.producer = narrow<std::uint32_t>(fields.number("node_type", 24));
  s.address.lid = Lid(narrow<std::uint16_t>(fields.number("lid", 16)));
  s.address.path_bits = narrow<std::uint8_t>(fields.number("path_bits", 8));
  s.address.qpn = narrow<std::uint32_t>(fields.number("remote_qp", 32));
  s.address.qkey = narrow<std::uint32_t>(fields.number("remote_qkey", 32));
  s.address.pkey_index = narrow<std::uint16_t>(fields.number("pkey_ix", 16));
  s.address.sl = Sl(narrow<std::uint8_t>(fields.number("sl", 4)));
  s.trusted = fields.has("trusted") && fields.flag("trusted");
  saved.subscriptions.push_back(s);
  return fields.status();
}

Status read_service(Fields fields, Saved& saved) {
  ServiceRecord r;
  r.id = fields.number("id", 64);
  r.gid = fields.gid("gid");
  r.pkey = Pkey(narrow<std::uint16_t>(fields.number("pkey", 16)));
  r.lease = narrow<std::uint32_t>(fields.number("lease", 32));
  r.key = fields.pair("key");
  r.name = fields.name("name");
  constexpr const char* kParts[] = {"data8", "data16", "data32", "data64"};
  for (std::size_t part = 0; part < std::size(kParts); ++part)
    std::ranges::copy(fields.pair(kParts[part]),
                      r.data.begin() + static_cast<std::ptrdiff_t>(part * sizeof(Gid)));
  const std::uint64_t from = fields.number("modified_time", 64);
  const std::uint64_t left = fields.number("lease_period", 32);
  saved.services.push_back({r,
                            left == Services::kForEver ? UINT64_MAX
                            : from > UINT64_MAX - left ? UINT64_MAX
                                                       : from + left,
                            fields.has("registrant") ? fields.pair("registrant") : Gid{}});
  return fields.status();
}

Status take_line(const LineReader& at, std::string_view line, Saved& saved) {
  if (line.empty()) return {};
  if (line.starts_with("GUIDInfo Record:")) return read_guids({at, line}, saved);
  if (line.starts_with("MC Group ")) return read_group({at, line}, saved);
  if (line.starts_with("mcm_port:")) return read_member(at, {at, line}, saved);
  if (line.starts_with("InformInfo Record:")) return read_subscription({at, line}, saved);
  if (line.starts_with("Service Record:")) return read_service({at, line}, saved);
  return fail(
      Code::kBadInput,
      "{}:{}: found '{:.40}', expected a GUIDInfo Record, MC Group, mcm_port, InformInfo Record or "
      "Service Record",
      at.path(), at.line_number(), line);
}

/// Restores the groups with a member that is present; all groups if `with_empty`.
void restore_groups(const Saved& saved, State& state, const SaView& view, bool with_empty) {
  for (const SavedGroup& group : saved.groups) {
    const auto is_present = [&](const auto& member) {
      return view.find(make_gid(view.options().subnet_prefix, member.first)).has_value();
    };
    if (state.groups.find(group.record.mgid) == nullptr) {
      if (!is_multicast(group.record.mgid) ||
          (!with_empty && std::ranges::none_of(group.members, is_present)))
        continue;
      McMemberRecord record = group.record;
      if (!state.groups.create(record, record.scope, view, group.creator)) continue;
    }
    for (auto [port, member] : group.members) {
      const auto endport = view.find(make_gid(view.options().subnet_prefix, port));
      if (!endport) continue;
      if (member.registrant == Guid(0)) member.registrant = guid_of(view.gid(*endport));
      state.groups.join(group.record.mgid, port, member);
    }
  }
}

}  // namespace

Result<Saved> read_dump(LineReader lines) {
  Saved saved;
  std::string_view line;
  for (;;) {
    const auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) return saved;
    if (const Status taken = take_line(lines, line, saved); !taken) return forward(taken);
  }
}

Result<Saved> read_dump(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return forward(lines);
  return read_dump(std::move(*lines));
}

namespace {

/// Whether a saved alias may belong to a port: the port exists, and the alias is not in use, or the
/// device of the virtual port has it already.
bool may_restore_alias(const SaView& view, Guid port, Guid alias) {
  const Vports& vports = view.snapshot().vports;
  const Vport* const vport = vports.find(port);
  if (vport == nullptr && !view.fabric().find_endport(port)) return false;
  if (vport != nullptr && alias != vport->info.port_guid && vports.find(alias) == vport)
    return true;
  return !view.find(make_gid(view.options().subnet_prefix, alias));
}

void restore_all(const Saved& saved, State& state, const SaView& view, TimeNs now,
                 std::uint64_t unix_now, bool with_empty_groups) {
  for (const SavedGuids& guids : saved.guids)
    for (std::size_t i = 0; i < GuidInfo::kEntries; ++i) {
      const Guid alias = guids.table.guids[i];
      const bool own = guids.block == 0 && i == 0;
      if (own || alias == Guid(0) || !may_restore_alias(view, guids.port, alias)) continue;
      state.aliases.set(guids.port, guids.block * GuidInfo::kEntries + i, alias);
    }
  restore_groups(saved, state, view, with_empty_groups);
  for (Subscription subscription : saved.subscriptions) {
    const auto holder = view.find(subscription.subscriber);
    if (!holder) continue;
    subscription.address.lid = view.fabric().endport(*holder).lid;
    state.subscriptions.add(subscription);
  }
  for (auto service = saved.services.rbegin(); service != saved.services.rend(); ++service) {
    if (!is_served(view, service->record) || service->expires <= unix_now) continue;
    const TimeNs expires = service->expires == UINT64_MAX
                               ? TimeNs::max()
                               : now + std::chrono::seconds(std::min<std::uint64_t>(
                                           service->expires - unix_now, Services::kForEver));
    const bool is_known = service->registrant != Gid{};
    state.services.put(
        {service->record, is_known ? service->registrant : service->record.gid, expires});
  }
  log::info(
      "SA: registrations restored; in total alias GUIDs of {} ports, {} groups, "
      "{} subscriptions and {} services",
      state.aliases.all().size(), state.groups.all().size(), state.subscriptions.size(),
      state.services.size());
}

}  // namespace

void restore(const Saved& saved, State& state, const SaView& view, TimeNs now,
             std::uint64_t unix_now) {
  restore_all(saved, state, view, now, unix_now, false);
}

void inherit(const Saved& saved, State& state, const SaView& view, TimeNs now,
             std::uint64_t unix_now) {
  restore_all(saved, state, view, now, unix_now, true);
}

AliasGuids alias_guids_of(const Saved& saved) {
  AliasGuids aliases;
  for (const SavedGuids& guids : saved.guids) {
    std::vector<Guid>& of_port = aliases[guids.port];
    const std::size_t begin = guids.block * GuidInfo::kEntries;
    if (of_port.size() < begin + GuidInfo::kEntries)
      of_port.resize(begin + GuidInfo::kEntries, Guid(0));
    for (std::size_t i = 0; i < GuidInfo::kEntries; ++i)
      if (begin + i > 0) of_port[begin + i] = guids.table.guids[i];
  }
  return aliases;
}

std::vector<FiledGroup> filed_groups_of(const Saved& saved) {
  std::map<Lid, FiledGroup> by_lid;
  for (const SavedGroup& group : saved.groups)
    for (const auto& [port, member] : group.members) {
      FiledGroup& filed = by_lid[group.record.mlid];
      filed.mlid = group.record.mlid;
      const bool receives = (member.state & (join_state::kFull | join_state::kNonMember)) != 0;
      (receives ? filed.members : filed.senders).push_back(port);
    }
  std::vector<FiledGroup> groups;
  for (auto& [lid, group] : by_lid)
    if (is_multicast(lid)) groups.push_back(std::move(group));
  return groups;
}

}  // namespace weft::sa
