// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/ibnetdiscover/ibnetdiscover_records.h"

#include <algorithm>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::string_view kIdLetters = "SHR";  // switch, host (CA), router

std::uint64_t port_key(std::uint32_t node, std::uint8_t port) {
  return std::uint64_t{node} << 8 | port;
}

}  // namespace

std::optional<Guid> guid_in_net_id(std::string_view id) {
  if (id.size() < 3 || id[1] != '-' || kIdLetters.find(id[0]) == std::string::npos)
    return std::nullopt;
  const auto value = parse_number<std::uint64_t>(id.substr(2), 16);
  return value && *value != 0 ? std::optional(Guid(*value)) : std::nullopt;
}

NetRecords::Place NetRecords::place(const LineReader& at) {
  if (file_ >= files_.size() || files_[file_] != at.path()) {
    const auto known = std::ranges::find(files_, at.path());
    file_ = static_cast<std::uint32_t>(known - files_.begin());
    if (known == files_.end()) files_.push_back(at.path());
  }
  return {file_, static_cast<std::uint32_t>(at.line_number())};
}

std::string NetRecords::where(const Place& place) const {
  return fmt::format("{}:{}", files_[place.file], place.line);
}

/// The index of the entry of an id; adds an entry for a new id. Ids that contain a GUID are
/// compared as numbers, because some writers omit leading zeros.
std::uint32_t NetRecords::entry(std::string_view id) {
  const auto next = static_cast<std::uint32_t>(entries_.size());
  const auto guid = guid_in_net_id(id);
  const std::uint32_t index =
      guid ? entry_of_guid_[kIdLetters.find(id[0])].try_emplace(guid->value(), next).first->second
           : entry_of_id_.try_emplace(std::string(id), next).first->second;
  if (index == next) entries_.push_back({std::string(id), kNone, {}});
  return index;
}

std::optional<Guid> NetRecords::guid(const LineReader& at, std::string_view what,
                                     std::string_view text) {
  const auto value = parse_number<std::uint64_t>(text, 16);
  if (value && *value != 0) return Guid(*value);
  if (!value)
    warnings_.add(at, "{}: found '{}', expected up to 16 hex digits: ignored", what, text);
  return std::nullopt;
}

std::optional<LidRange> NetRecords::lid_range(const LineReader& at, std::string_view lid,
                                              std::string_view lmc) {
  if (lid.empty() && lmc.empty()) return std::nullopt;  // not given
  const auto base = parse_number<std::uint16_t>(lid);
  const auto bits = lmc.empty() ? 0 : parse_number<std::uint8_t>(lmc);
  if (base && Lid(*base) == kLidNone) return std::nullopt;        // not configured yet
  if (base && Lid(*base) == kLidPermissive) return std::nullopt;  // unassigned
  if (!base || !is_unicast(Lid(*base))) {
    warnings_.add(at, "found LID '{}', expected 0 to {}: taken as none", lid,
                  kLidUnicastLast.value());
    return std::nullopt;
  }
  if (!bits || *bits > kLmcMax) {
    warnings_.add(at, "found LMC '{}', expected 0 to 7: taken as 0", lmc);
    return LidRange{Lid(*base), 0};
  }
  return LidRange{Lid(*base), *bits};
}

Status NetRecords::key(const LineReader& at, const NetKeyLine& line) {
  if (line.key == "vendid" || line.key == "devid") {
    const auto value = parse_number<std::uint32_t>(line.value, 16);
    if (!value)
      warnings_.add(at, "{}: found '{}', expected a hex number: ignored", line.key, line.value);
    else if (line.key == "vendid")
      pending_.node.vendor_id = *value;
    else
      pending_.node.device_id = static_cast<std::uint16_t>(*value);
  } else if (line.key == "sysimgguid") {
    pending_.node.system_guid = guid(at, line.key, line.value).value_or(Guid{});
  } else {
    pending_.guid = guid(at, line.key, line.value);
    if (!line.port_guid.empty()) pending_.port_guid = guid(at, line.key, line.port_guid);
  }
  return {};
}

Status NetRecords::node(const LineReader& at, const NetNodeLine& line) {
  const std::uint32_t index = entry(line.id);
  if (entries_[index].node != kNone)
    return fail_at(at, "node \"{}\" is described twice, first at {}", line.id,
                   where(entries_[index].place));
  // ibdiagnet writes the GUID of the system in place of that of the node; the id always has the
  // GUID of the node.
  const auto id_guid = guid_in_net_id(line.id);
  const auto own_guid = id_guid ? id_guid : pending_.guid;
  Node node = std::move(pending_.node);
  node.type = line.type;
  node.port_count = line.port_count;
  node.enhanced_port0 = line.enhanced_port0;
  node.description = line.name.empty() && !id_guid ? line.id : line.name;
  if (own_guid) {
    const auto [known, fresh] = node_of_guid_.try_emplace(own_guid->value(), builder_.node_count());
    if (!fresh)
      return fail_at(at, "node \"{}\" has GUID 0x{:016x}, which \"{}\" at {} has", line.id,
                     own_guid->value(), entries_[entry_of_node_[known->second]].id,
                     where(entries_[entry_of_node_[known->second]].place));
    node.node_guid = *own_guid;
  }
  const NodeIndex added = builder_.add_node(std::move(node));
  entries_[index].node = added;
  entries_[index].place = place(at);
  entry_of_node_.push_back(index);
  has_guid_.push_back(own_guid.has_value());
  if (line.type == NodeType::kSwitch) {
    FabricBuilder::PortSpec spec;
    spec.guid = pending_.port_guid;
    spec.lid = lid_range(at, line.lid, line.lmc);
    if (auto status = builder_.describe_port(added, PortNum(0), spec); !status) return status;
  }
  pending_ = {};
  return {};
}

Status NetRecords::port(const LineReader& at, const NetPortLine& line) {
  if (entry_of_node_.empty())
    return fail_at(at, "found a port line, expected a Switch, Ca or Rt line first");
  const NodeIndex node = builder_.node_count() - 1;
  const bool is_switch = builder_.node(node).type == NodeType::kSwitch;
  FabricBuilder::PortSpec spec;
  spec.width = line.width;
  spec.speed = line.speed;
  spec.data_vls = line.data_vls;
  if (!is_switch && !line.guid.empty()) spec.guid = guid(at, "port GUID", line.guid);
  if (!is_switch) spec.lid = lid_range(at, line.lid, line.lmc);
  if (!line.unknown_rate.empty())
    warnings_.add(at, "found rate '{}', expected one such as 4xHDR: ignored", line.unknown_rate);
  if (auto status = builder_.describe_port(node, PortNum(line.port), spec); !status)
    return fail_at(at, "{}", status.error().message);

  const auto [known, fresh] =
      claim_of_.try_emplace(port_key(node, line.port), static_cast<std::uint32_t>(claims_.size()));
  const Claim claim{node, entry(line.peer_id), line.port, line.peer_port, false, place(at)};
  if (fresh) {
    claims_.push_back(claim);
    return {};
  }
  const Claim& first = claims_[known->second];
  if (first.peer != claim.peer || first.peer_port != claim.peer_port)
    warnings_.add(at, "{}: the port is already cabled at {}: ignored", quoted(claim),
                  where(first.place));
  return {};
}

std::string NetRecords::quoted(const Claim& claim) const {
  return fmt::format("\"{}\"[{}] to \"{}\"[{}]", entries_[entry_of_node_[claim.node]].id,
                     claim.port, entries_[claim.peer].id, claim.peer_port);
}

/// Assigns GUIDs to nodes without one, as ibsim does. Each node type has its own base; the next
/// GUID follows the GUIDs of the previous node of the type. A switch has one GUID; a CA or router
/// has one GUID for the node and one for each port.
Status NetRecords::number_nodes() {
  std::uint64_t next_switch = 0x200000;
  std::uint64_t next_ca = 0x100000;
  std::uint64_t next_router = 0x300000;
  for (NodeIndex i = 0; i < has_guid_.size(); ++i) {
    Node& node = builder_.node(i);
    std::uint64_t& next = node.type == NodeType::kSwitch ? next_switch
                          : node.type == NodeType::kCa   ? next_ca
                                                         : next_router;
    const std::uint64_t step = node.type == NodeType::kSwitch ? 1 : node.port_count + 1u;
    const Entry& entry = entries_[entry_of_node_[i]];
    if (has_guid_[i]) {
      if (!guid_in_net_id(entry.id)) next = node.node_guid.value() + step;
      continue;
    }
    while (next == 0 || !node_of_guid_.try_emplace(next, i).second) next += step;
    node.node_guid = Guid(next);
    next += step;
    if (entry.id.size() > 1 && entry.id[1] == '-')
      warnings_.add(fmt::format("{}: node \"{}\" has no readable GUID: given 0x{:016x}",
                                where(entry.place), entry.id, node.node_guid.value()));
  }
  return {};
}

std::uint32_t NetRecords::find_claim(NodeIndex node, std::uint8_t port) const {
  const auto found = claim_of_.find(port_key(node, port));
  return found == claim_of_.end() ? kNone : found->second;
}

/// Adds the cable of a claim, or a warning with the reason why it is ignored.
void NetRecords::add_cable(Claim& claim) {
  const Entry& peer = entries_[claim.peer];
  if (peer.node == kNone) {
    warnings_.add(fmt::format("{}: {}: the peer has no record: the cable is left out",
                              where(claim.place), quoted(claim)));
    return;
  }
  const auto connected =
      builder_.connect(claim.node, PortNum(claim.port), peer.node, PortNum(claim.peer_port));
  if (!connected) {
    warnings_.add(fmt::format("{}: {}: the cable is left out: {}", where(claim.place),
                              quoted(claim), connected.error().message));
    return;
  }
  const std::uint32_t answer = find_claim(peer.node, claim.peer_port);
  if (answer != kNone && !claims_[answer].used)
    warnings_.add(fmt::format("{}: {}: the peer's record has {} at {}", where(claim.place),
                              quoted(claim), quoted(claims_[answer]),
                              where(claims_[answer].place)));
}

Status NetRecords::finish(const std::string& path) {
  if (entry_of_node_.empty())
    return fail(Code::kBadInput,
                "{}: found no node, expected lines that begin with Switch, Ca or Rt", path);
  if (pending_.guid)
    warnings_.add(
        fmt::format("{}: the file ends in the record of node 0x{:016x}, expected its line Switch, "
                    "Ca or Rt: it may "
                    "have been cut off",
                    path, pending_.guid->value()));
  if (auto status = number_nodes(); !status) return status;
  for (Claim& claim : claims_) {
    const Entry& peer = entries_[claim.peer];
    const std::uint32_t answer =
        peer.node == kNone ? kNone : find_claim(peer.node, claim.peer_port);
    if (answer == kNone) continue;
    const Claim& back = claims_[answer];
    if (entries_[back.peer].node != claim.node || back.peer_port != claim.port) continue;
    claim.used =
        builder_.connect(claim.node, PortNum(claim.port), peer.node, PortNum(claim.peer_port))
            .has_value();
  }
  for (Claim& claim : claims_)
    if (!claim.used) add_cable(claim);
  return {};
}

namespace {

Status take_line(const LineReader& at, std::string_view line, NetRecords& records,
                 const std::function<Status(NetLineKind, std::string_view)>& other) {
  const NetLineKind kind = kind_of_net_line(line);
  if (kind == NetLineKind::kBlank) return {};
  if (kind == NetLineKind::kKey) return records.key(at, parse_net_key(line));
  if (kind == NetLineKind::kNode) {
    auto node = parse_net_node(line);
    return node ? records.node(at, *node) : fail_at(at, node.error());
  }
  if (kind == NetLineKind::kPort) {
    auto port = parse_net_port(line);
    return port ? records.port(at, *port) : fail_at(at, port.error());
  }
  return other(kind, line);
}

}  // namespace

Status read_net_lines(LineReader& lines, NetRecords& records,
                      const std::function<Status(NetLineKind, std::string_view)>& other) {
  std::string_view line;
  while (true) {
    auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) return {};
    auto taken = each_part(
        line, [&](std::string_view part) { return take_line(lines, part, records, other); });
    if (!taken) return taken;
  }
}

}  // namespace weft
