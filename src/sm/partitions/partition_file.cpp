// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/partition_file.h"

#include <algorithm>
#include <bitset>

#include "base/file.h"
#include "base/text.h"
#include "ib/rates.h"
#include "sm/partitions/partition_lexer.h"

namespace weft {
namespace {

constexpr std::string_view kMemberWanted =
    "a port GUID (0x.. or decimal), group:NAME, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS or SELF";
constexpr std::size_t kFileMax = std::size_t{64} << 20;

std::string_view member_keyword(MemberKind kind) {
  switch (kind) {
    case MemberKind::kAll:
      return "ALL";
    case MemberKind::kAllCas:
      return "ALL_CAS";
    case MemberKind::kAllSwitches:
      return "ALL_SWITCHES";
    case MemberKind::kAllRouters:
      return "ALL_ROUTERS";
    case MemberKind::kSelf:
      return "SELF";
    case MemberKind::kGuid:
    case MemberKind::kGroup:
      break;
  }
  return "";
}

std::optional<MemberKind> keyword(std::string_view word) {
  for (const auto kind : {MemberKind::kAll, MemberKind::kAllCas, MemberKind::kAllSwitches,
                          MemberKind::kAllRouters, MemberKind::kSelf})
    if (word == member_keyword(kind)) return kind;
  return std::nullopt;
}

/// The membership of a word; any prefix is accepted: "lim", "f".
std::optional<Membership> membership_of(std::string_view word) {
  if (std::string_view("full").starts_with(word)) return Membership::kFull;
  if (std::string_view("limited").starts_with(word)) return Membership::kLimited;
  if (std::string_view("both").starts_with(word)) return Membership::kBoth;
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path, Warnings& warnings)
      : text_(text), lexer_(text), path_(path), warnings_(warnings) {
    bases_.set(kDefaultPkeyBase);
  }

  /// Appends definitions to those of `file`.
  Status parse(PartitionFile& file) {
    while (!lexer_.peek().is_end()) {
      FiledPartition partition;
      place_ = {};
      for (const auto step : {&Parser::definition, &Parser::properties})
        if (auto status = (this->*step)(partition); !status) return status;
      file.partitions.push_back(std::move(partition));
      places.push_back(std::move(place_));
    }
    return {};
  }

  PartitionPlaces places;

 private:
  std::size_t begin_of(const Token& token) const {
    return static_cast<std::size_t>(token.text.data() - text_.data());
  }
  std::size_t end_of(const Token& token) const { return begin_of(token) + token.text.size(); }
  tl::unexpected<Error> wrong(const Token& found, std::string_view want) const {
    return fail(Code::kBadInput, "{}:{}:{}: found {}, expected {}", path_, found.line, found.column,
                found.is_end() ? "the end of the file" : weft::quoted(found.text), want);
  }
  void warn(const Token& at, const std::string& what) {
    warnings_.add(fmt::format("{}:{}:{}: {}", path_, at.line, at.column, what));
  }

  Status definition(FiledPartition& partition);
  Result<std::uint16_t> base_of(const Token& word);
  Result<std::uint16_t> free_base(const Token& at);
  Status flag(FiledPartition& partition);
  Status properties(FiledPartition& partition);
  Status member(FiledPartition& partition);
  Status default_membership();
  Membership membership(const Token& word);
  Status group(FiledPartition& partition);
  /// True if the name is a mgroup_flag; then its value is parsed.
  Result<bool> group_flag(const Token& name, GroupFlags& flags);
  Result<std::uint32_t> value(std::uint32_t least, std::uint32_t most, std::string_view want);

  std::string_view text_;
  Lexer lexer_;
  const std::string& path_;
  Warnings& warnings_;
  DefinitionPlace place_;                              // place of the definition being read
  std::optional<std::size_t> last_comma_;              // the last token, if it was a comma
  std::bitset<std::size_t{kPkeyBaseMask} + 1> bases_;  // P_Keys in use
  std::uint16_t lowest_free_ = 1;                      // no lower P_Key is free
  Membership default_ = Membership::kLimited;
};

/// Parses [NAME][=P_KEY][,FLAG..]:
Status Parser::definition(FiledPartition& partition) {
  const Token first = lexer_.peek();
  place_.all = {begin_of(first), text_.size()};
  place_.head_end = place_.all.begin;
  partition.line = static_cast<std::uint32_t>(first.line);
  default_ = Membership::kLimited;
  while (lexer_.peek().is_word())
    partition.name += (partition.name.empty() ? "" : " ") + std::string(lexer_.take().text);
  Result<std::uint16_t> base = kDefaultPkeyBase;
  if (lexer_.peek().is('=')) {
    lexer_.take();
    base = base_of(lexer_.take());
  } else if (partition.name != "Default") {
    base = free_base(first);
  }
  if (!base) return forward(base);
  partition.base = *base;
  bases_.set(*base);
  if (begin_of(lexer_.peek()) > place_.all.begin) place_.head_end = lexer_.end_of_taken();
  while (lexer_.peek().is(',')) {
    const std::size_t comma = begin_of(lexer_.take());
    const std::string name(lexer_.peek().text);
    if (auto status = flag(partition); !status) return status;
    place_.head_end = lexer_.end_of_taken();
    place_.flags.push_back({name, {comma, place_.head_end}});
  }
  if (!lexer_.peek().is(':')) return wrong(lexer_.peek(), "',' or ':' in a partition's definition");
  place_.colon = begin_of(lexer_.take());
  return {};
}

Result<std::uint16_t> Parser::base_of(const Token& word) {
  const auto number = parse_c_number<std::uint16_t>(word.text);
  if (!number || !word.is_word()) return wrong(word, "a P_Key, a number of 16 bits");
  const auto base = static_cast<std::uint16_t>(*number & kPkeyBaseMask);
  if (base != 0) return base;
  warn(word, fmt::format("found {}, expected a P_Key other than 0: the partition gets a free one",
                         weft::quoted(word.text)));
  return free_base(word);
}

/// The lowest P_Key that no earlier definition has.
Result<std::uint16_t> Parser::free_base(const Token& at) {
  for (; lowest_free_ < kDefaultPkeyBase; ++lowest_free_)
    if (!bases_.test(lowest_free_)) return lowest_free_;
  return wrong(at, "no more partitions: all P_Keys are in use");
}

Status Parser::flag(FiledPartition& partition) {
  if (!lexer_.peek().is_word()) {
    if (lexer_.peek().is(',') || lexer_.peek().is(':')) return {};  // an empty flag
    return wrong(lexer_.peek(), "a flag of the partition");
  }
  const Token name = lexer_.take();
  if (name.text == "defmember") return default_membership();
  if (name.text == "indx0") {
    partition.index0 = true;
  } else if (name.text == "ipoib") {
    partition.ipoib = true;
  } else {
    const auto known = group_flag(name, partition.flags);
    if (!known) return forward(known);
    if (*known) return {};
    warn(name, fmt::format("unknown flag {}: left out", weft::quoted(name.text)));
  }
  if (!lexer_.peek().is('=')) return {};
  lexer_.take();  // a value of indx0, ipoib or an unknown flag is ignored
  if (lexer_.peek().is_word()) lexer_.take();
  return {};
}

Status Parser::default_membership() {
  if (!lexer_.peek().is('=')) return wrong(lexer_.peek(), "'=' after defmember");
  lexer_.take();
  default_ = lexer_.peek().is_word() ? membership(lexer_.take()) : Membership::kLimited;
  return {};
}

Membership Parser::membership(const Token& word) {
  if (const auto known = membership_of(word.text)) return *known;
  warn(word, fmt::format("found {}, expected full, limited or both: taken as limited",
                         weft::quoted(word.text)));
  return Membership::kLimited;
}

Result<std::uint32_t> Parser::value(std::uint32_t least, std::uint32_t most,
                                    std::string_view want) {
  if (!lexer_.peek().is('=')) return wrong(lexer_.peek(), fmt::format("'=' and {}", want));
  lexer_.take();
  const Token word = lexer_.take();
  const auto number = parse_c_number<std::uint32_t>(word.text);
  if (!number || *number < least || *number > most) return wrong(word, want);
  return *number;
}

Result<bool> Parser::group_flag(const Token& name, GroupFlags& flags) {
  const auto take = [&](auto& into, std::uint32_t least, std::uint32_t most,
                        std::string_view want) -> Result<bool> {
    const auto number = value(least, most, want);
    if (!number) return forward(number);
    into = static_cast<typename std::remove_reference_t<decltype(into)>::value_type>(*number);
    return true;
  };
  if (name.text == "rate") return take(flags.rate, 2, kRateLast, "a rate's code from 2 to 26");
  if (name.text == "mtu") return take(flags.mtu, 1, 5, "an MTU's code from 1 to 5");
  if (name.text == "sl") return take(flags.sl, 0, 15, "an SL from 0 to 15");
  if (name.text == "Q_Key") return take(flags.qkey, 0, 0xFFFFFFFF, "a Q_Key of 32 bits");
  if (name.text == "TClass") return take(flags.tclass, 0, 255, "a TClass from 0 to 255");
  if (name.text == "FlowLabel") return take(flags.flow_label, 0, 0xFFFFF, "a FlowLabel of 20 bits");
  if (name.text != "scope") return false;
  const auto scope = value(0, 15, "a scope from 0 to 15");
  if (!scope) return forward(scope);
  flags.scopes = static_cast<std::uint16_t>(flags.scopes | 1u << *scope);
  return true;
}

/// Parses members and groups up to the semicolon.
Status Parser::properties(FiledPartition& partition) {
  last_comma_.reset();
  for (; !lexer_.peek().is(';'); place_.empty = false) {
    const Token& next = lexer_.peek();
    if (next.is_end()) {
      warn(next, "found the end of the file, expected ';'");
      return {};
    }
    if (next.is(',')) {
      last_comma_ = begin_of(lexer_.take());
      continue;
    }
    if (!next.is_word()) return wrong(next, kMemberWanted);
    const bool is_group = next.text == "mgid";
    if (auto status = is_group ? group(partition) : member(partition); !status) return status;
    last_comma_.reset();
  }
  place_.all.end = end_of(lexer_.take());
  place_.ended = true;
  return {};
}

Status Parser::member(FiledPartition& partition) {
  const Token name = lexer_.take();
  if (name.text == "defmember") {
    if (auto status = default_membership(); !status) return status;
    if (lexer_.peek().is(':')) lexer_.take();
    return {};
  }
  FiledMember member;
  member.line = static_cast<std::uint32_t>(name.line);
  const bool is_virtual = name.text == "ALL_VCAS";
  MemberPlace place{{begin_of(name), end_of(name)}, last_comma_, {}};
  const auto take = [&] {
    const Token taken = lexer_.take();
    place.words.end = end_of(taken);
    return taken;
  };
  if (const auto kind = keyword(name.text)) {
    member.kind = *kind;
  } else if (const auto guid = parse_c_number<std::uint64_t>(name.text); guid && *guid != 0) {
    member.guid = Guid(*guid);
  } else if (name.text == "group" && lexer_.peek().is(':')) {
    take();
    if (!lexer_.peek().is_word()) return wrong(lexer_.peek(), "the name of a port group");
    member.kind = MemberKind::kGroup;
    member.group = take().text;
  } else if (!is_virtual) {
    return wrong(name, kMemberWanted);
  }
  member.membership = default_;
  if (lexer_.peek().is('=')) {
    take();
    if (lexer_.peek().is_word()) member.membership = membership(take());
  }
  const Token& next = lexer_.peek();
  if (next.is(',')) place.comma_after = begin_of(next);
  const bool group_follows = next.is_word() && next.text == "mgid";
  if (!next.is(',') && !next.is(';') && !next.is_end() && !group_follows)
    return wrong(next, "',' or ';' after a member");
  if (is_virtual) {
    warn(name, "ALL_VCAS includes no port: ALL and ALL_CAS include virtual ports");
  } else {
    partition.members.push_back(member);
    place_.members.push_back(place);
  }
  return {};
}

/// Parses mgid=GID[,FLAG..], up to the end of the line.
Status Parser::group(FiledPartition& partition) {
  const Token word = lexer_.take();
  if (!lexer_.peek().is('=')) return wrong(lexer_.peek(), "'=' and a multicast GID");
  FiledMcastGroup group;
  group.line = static_cast<std::uint32_t>(word.line);
  const Token text = lexer_.take_to_blank();
  if (text.is_end()) return wrong(lexer_.peek(), "a multicast GID");
  const auto mgid = parse_gid(text.text);
  if (!mgid || (*mgid)[0] != std::byte{0xFF})
    return wrong(text, "a multicast GID such as ff12:401b::16");
  group.mgid = *mgid;
  const auto goes_on = [&] { return !lexer_.peek().is_end() && lexer_.peek().line == word.line; };
  while (goes_on() && lexer_.peek().is(',')) {
    lexer_.take();
    if (!goes_on() || !lexer_.peek().is_word()) continue;  // an empty flag
    const Token name = lexer_.take();
    const auto known = group_flag(name, group.flags);
    if (!known) return forward(known);
    if (*known) continue;
    if (name.text == "mgid" || name.text == "defmember" || name.text == "ALL_VCAS" ||
        keyword(name.text) || parse_c_number<std::uint64_t>(name.text))
      return wrong(name, "a flag of the multicast group, or a line end before it");
    warn(name, fmt::format("unknown flag {}: left out", weft::quoted(name.text)));
    if (!lexer_.peek().is('=')) continue;
    lexer_.take();
    if (goes_on() && lexer_.peek().is_word()) lexer_.take();
  }
  if (goes_on() && !lexer_.peek().is(';'))
    return wrong(lexer_.peek(), "',', ';' or the end of the line after a multicast group");
  partition.groups.push_back(group);
  return {};
}

FiledPartition default_partition(bool ipoib, std::vector<FiledMember> members) {
  FiledPartition partition;
  partition.name = "Default";
  partition.base = kDefaultPkeyBase;
  partition.ipoib = ipoib;
  partition.members = std::move(members);
  return partition;
}

}  // namespace

PartitionFile partitions_without_file() {
  return {"", {default_partition(true, {{MemberKind::kAll, Membership::kFull, Guid(0), 0}})}};
}

Result<PartitionFile> parse_partitions(std::string_view text, const std::string& path,
                                       std::vector<std::string>& warnings,
                                       PartitionPlaces* places) {
  PartitionFile file{
      path,
      {default_partition(false, {{MemberKind::kAll, Membership::kLimited, Guid(0), 0},
                                 {MemberKind::kSelf, Membership::kFull, Guid(0), 0}})}};
  Warnings found;
  Parser parser(text, path, found);
  Status status = parser.parse(file);
  if (status) status = check_groups(file, found);
  found.append_to(warnings);
  if (!status) return forward(status);
  if (places != nullptr) *places = std::move(parser.places);
  return file;
}

Status check_port_groups(const PartitionFile& file) {
  std::string all;
  for (const FiledPartition& partition : file.partitions)
    for (const FiledMember& member : partition.members)
      if (member.kind == MemberKind::kGroup && !file.port_groups.has(member.group))
        all += fmt::format("{}{}:{}: {}", all.empty() ? "" : "\n", file.path, member.line,
                           file.port_groups.missing_text(member.group));
  if (all.empty()) return {};
  return fail(Code::kBadInput, "{}", all);
}

Result<PartitionFile> read_partition_file(const std::string& path,
                                          std::vector<std::string>& warnings) {
  const auto text = read_file(path, kFileMax);
  if (text) return parse_partitions(*text, path, warnings);
  if (text.error().code != Code::kEnvironment) return forward(text);
  warnings.push_back(text.error().message +
                     ": all ports are full members of the default partition");
  return partitions_without_file();
}

}  // namespace weft
