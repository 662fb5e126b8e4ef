// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/partition_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace weft {
namespace {

constexpr std::size_t kPartitionNameMax = 64;

std::string text_of(const PartitionChange::Wanted& wanted) {
  return fmt::format("0x{:016x}={}", wanted.port.value(), word(wanted.membership));
}

/// Deletions and insertions in a text.
class TextEdits {
 public:
  explicit TextEdits(std::string_view text) : text_(text), erased_(text.size(), false) {}

  void erase(TextSpan span) {
    std::fill(erased_.begin() + static_cast<std::ptrdiff_t>(span.begin),
              erased_.begin() + static_cast<std::ptrdiff_t>(span.end), true);
  }
  /// Erases a word, and the blanks before it on its line.
  void erase_word(TextSpan span) {
    while (span.begin > 0 && is_blank(text_[span.begin - 1])) --span.begin;
    erase(span);
  }
  void insert(std::size_t at, std::string_view piece) { inserted_[at] += piece; }

  /// Applies all edits; lines that become empty are removed.
  std::string result() {
    std::string text;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
      append_line(begin, end, text);
      begin = end;
    }
    if (const auto last = inserted_.find(text_.size()); last != inserted_.end())
      text += last->second;
    return text;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  void append_line(std::size_t begin, std::size_t end, std::string& text) {
    bool touched = false, empty = true;
    for (std::size_t i = begin; i < end; ++i) {
      touched = touched || erased_[i];
      if (inserted_.contains(i)) empty = false;
      if (!erased_[i] && !is_blank(text_[i]) && text_[i] != '\n') empty = false;
    }
    if (touched && empty) return;
    for (std::size_t i = begin; i < end; ++i) {
      if (const auto piece = inserted_.find(i); piece != inserted_.end()) text += piece->second;
      if (!erased_[i]) text += text_[i];
    }
  }

  std::string_view text_;
  std::vector<bool> erased_;
  std::map<std::size_t, std::string> inserted_;
};

class Editor {
  /// Position of a member in the text.
  struct Mention {
    std::size_t definition = 0, member = 0;
  };

 public:
  Editor(std::string text, const std::string& path, const PartitionChange& change,
         const IncludesPort& includes_port)
      : text_(std::move(text)),
        path_(path),
        change_(change),
        includes_port_(includes_port),
        edits_(text_) {}

  Result<EditedPartitions> run() {
    auto before = parse_partitions(text_, path_, warnings_, &places_);
    if (!before) return forward(before);
    before_ = std::move(*before);
    if (auto status = edit(); !status) return forward(status);
    EditedPartitions edited{edits_.result(), {}, name_, false};
    auto after = parse_partitions(edited.text, path_, warnings_);
    if (!after) return refuse("the change would make the file invalid: " + after.error().message);
    if (!has_only_requested_changes(*after))
      return refuse(
          "the change would alter other rules, or a later rule may overrule it; edit the file, and "
          "send SIGHUP");
    edited.changed = edited.text != text_;
    edited.file = std::move(*after);
    return edited;
  }

 private:
  /// Whether a member includes the port; none if unknown, as for members of port groups, which are
  /// not in the text.
  std::optional<bool> includes(const FiledMember& member, Guid port) const {
    if (member.kind == MemberKind::kGroup) return std::nullopt;
    return includes_port_(member.kind, port);
  }
  tl::unexpected<Error> refuse(const std::string& why) const {
    return fail(Code::kBadInput, "{}: {}", path_, why);
  }
  /// The rules of definition `at` of the text; the first of before_ is implicit.
  const FiledPartition& definition(std::size_t at) const { return before_.partitions[at + 1]; }
  bool is_of_partition(std::size_t at) const { return definition(at).base == change_.base; }

  Status edit() {
    defined_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (is_of_partition(i)) defined_.push_back(i);
    if (!defined_.empty()) name_ = definition(defined_.front()).name;
    if (change_.kind == PartitionChange::Kind::kCreate) return create();
    if (change_.kind == PartitionChange::Kind::kDelete) return remove_all();
    if (change_.base == kDefaultPkeyBase) name_ = "Default";
    if (defined_.empty() && change_.base != kDefaultPkeyBase) return unknown();
    return change_.kind == PartitionChange::Kind::kFlags ? change_flags() : change_members();
  }

  Status unknown() const {
    return fail(Code::kUsage, "{}: no partition 0x{:04x}", path_, change_.base);
  }

  Status create() {
    if (change_.base == kDefaultPkeyBase)
      return refuse("0x7fff is the default partition, which exists");
    if (!defined_.empty())
      return refuse(fmt::format("0x{:04x} is the partition '{}', line {}", change_.base, name_,
                                definition(defined_.front()).line));
    for (const FiledPartition& other : before_.partitions)
      if (other.name == change_.name)
        return refuse(fmt::format("a partition '{}' exists, 0x{:04x}", other.name, other.base));
    if (!is_partition_name(change_.name))
      return refuse(fmt::format("found name {}, expected 1 to 64 letters, digits and _.-+",
                                weft::quoted(change_.name)));
    name_ = change_.name;
    return append_definition(change_.ipoib ? ", ipoib" : "", change_.set);
  }

  /// Appends a definition at the end of the file.
  Status append_definition(const std::string& flags,
                           const std::vector<PartitionChange::Wanted>& members) {
    if (!places_.empty() && !places_.back().ended)
      return refuse("its last definition has no ';': append ';', and send SIGHUP");
    std::string line = appended_ || text_.empty() || text_.back() == '\n' ? "" : "\n";
    line += fmt::format("{}=0x{:04x}{} :", name_, change_.base, flags);
    for (std::size_t i = 0; i < members.size(); ++i)
      line += (i == 0 ? "\n    " : ",\n    ") + text_of(members[i]);
    edits_.insert(text_.size(), line + " ;\n");
    appended_ = true;
    return {};
  }

  /// The definition with the flags of the broadcast group: the first with ipoib, otherwise the
  /// first.
  std::size_t head_definition() const {
    for (const std::size_t at : defined_)
      if (definition(at).ipoib) return at;
    return defined_.front();
  }

  Status change_flags() {
    const PartitionChange::Flags& wanted = change_.flags;
    const bool has_group = !defined_.empty() && definition(head_definition()).ipoib;
    std::string added;
    if (wanted.ipoib && *wanted.ipoib && !has_group) added = ", ipoib";
    if (wanted.ipoib && !*wanted.ipoib)
      for (const std::size_t at : defined_) erase_flag(at, "ipoib");
    const auto set = [&](const char* name, const std::optional<std::uint8_t>& value,
                         std::optional<std::uint8_t> GroupFlags::*held) {
      if (!value) return;
      if (!defined_.empty()) {
        if (definition(head_definition()).flags.*held == *value) return;
        erase_flag(head_definition(), name);
      }
      added += fmt::format(", {}={}", name, *value);
    };
    set("rate", wanted.rate, &GroupFlags::rate);
    set("mtu", wanted.mtu, &GroupFlags::mtu);
    set("sl", wanted.sl, &GroupFlags::sl);
    if (added.empty()) return {};
    if (defined_.empty()) return append_definition(added, {});
    edits_.insert(places_[head_definition()].head_end, added);
    return {};
  }

  void erase_flag(std::size_t at, std::string_view name) {
    for (const FlagPlace& flag : places_[at].flags)
      if (flag.name == name) edits_.erase_word(flag.words);
  }

  Status remove_all() {
    if (change_.base == kDefaultPkeyBase)
      return refuse("the default partition 0x7fff cannot be deleted");
    if (defined_.empty()) return unknown();
    for (const std::size_t at : defined_) edits_.erase(places_[at].all);
    return {};
  }

  Status change_members() {
    index_members();
    for (const Guid port : change_.remove)
      if (auto status = remove(port); !status) return status;
    for (const PartitionChange::Wanted& wanted : change_.set) remove_if_index0_differs(wanted);
    for (const std::size_t at : defined_) remove_surplus_commas(at);
    std::vector<PartitionChange::Wanted> added;
    for (const PartitionChange::Wanted& wanted : change_.set)
      if (!is_member_as(wanted)) added.push_back(wanted);
    return append(added);
  }

  /// Removes all entries of a member if the last entry is in a definition with an indx0 that
  /// differs from the requested value. The member is then appended to another definition.
  void remove_if_index0_differs(const PartitionChange::Wanted& wanted) {
    const auto found = mentions_.find(wanted.port);
    if (!wanted.index0 || found == mentions_.end() ||
        definition(found->second.back().definition).index0 == *wanted.index0)
      return;
    remove_mentions(found->second);
    mentions_.erase(found);
  }

  void remove_mentions(const std::vector<Mention>& mentions) {
    for (const Mention& at : mentions) {
      edits_.erase_word(places_[at.definition].members[at.member].words);
      removed_[at.definition][at.member] = true;
    }
  }

  void index_members() {
    for (const std::size_t at : defined_)
      for (std::size_t m = 0; m < definition(at).members.size(); ++m) {
        const FiledMember& member = definition(at).members[m];
        if (member.kind == MemberKind::kGuid)
          mentions_[member.guid].push_back({at, m});
        else
          keywords_.push_back({at, m});
      }
    removed_.resize(places_.size());
    for (const std::size_t at : defined_) removed_[at].resize(definition(at).members.size());
  }

  Status remove(Guid port) {
    const std::string port_guid = fmt::format("0x{:016x}", port.value());
    if (change_.base == kDefaultPkeyBase)
      return refuse("every port is a member of the default partition: " + port_guid +
                    " can only become a limited member");
    for (const Mention& at : keywords_) {
      const FiledMember& member = definition(at.definition).members[at.member];
      if (includes(member, port) != false)
        return refuse(fmt::format(
            "line {} makes or may make {} a member by a keyword or a port group: remove it "
            "there, and send SIGHUP",
            member.line, port_guid));
    }
    const auto found = mentions_.find(port);
    if (found == mentions_.end())
      return fail(Code::kUsage, "{}: {} is no member of 0x{:04x}", path_, port_guid, change_.base);
    remove_mentions(found->second);
    return {};
  }

  /// Removes surplus commas; commas between the remaining members stay.
  void remove_surplus_commas(std::size_t at) {
    const std::vector<MemberPlace>& members = places_[at].members;
    const auto erase = [&](std::optional<std::size_t> comma) {
      if (comma) edits_.erase_word({*comma, *comma + 1});
    };
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (!removed_[at][m]) continue;
      erase(members[m].comma_after);
      if (members[m].comma_after || m + 1 < members.size()) continue;
      std::size_t first = m;  // first of the removed members at the end
      while (first > 0 && removed_[at][first - 1]) --first;
      erase(members[first].comma_before);
    }
  }

  /// True if the rules already give the desired membership, possibly after an existing entry was
  /// changed.
  bool is_member_as(const PartitionChange::Wanted& wanted) {
    const auto found = mentions_.find(wanted.port);
    std::optional<Mention> last;
    if (found != mentions_.end()) last = found->second.back();
    std::optional<bool> overruled = false;  // by a keyword after the last entry
    Membership by_keyword{};
    bool has_index0 = false;
    if (change_.base == kDefaultPkeyBase && !last) {  // by the implicit rules before the file
      overruled = true;
      const bool self = includes_port_(MemberKind::kSelf, wanted.port) == true;
      by_keyword = self ? Membership::kFull : Membership::kLimited;
    }
    for (const Mention& at : keywords_) {
      if (last && std::pair(at.definition, at.member) < std::pair(last->definition, last->member))
        continue;
      const FiledMember& member = definition(at.definition).members[at.member];
      const auto is_included = includes(member, wanted.port);
      if (is_included == false) continue;
      overruled = is_included;
      by_keyword = member.membership;
      has_index0 = definition(at.definition).index0;
    }
    if (overruled == true)
      return by_keyword == wanted.membership && has_index0 == wanted.index0.value_or(has_index0);
    if (!overruled || !last) return false;
    if (definition(last->definition).members[last->member].membership == wanted.membership)
      return true;
    const TextSpan words = places_[last->definition].members[last->member].words;
    const std::string_view member_text =
        std::string_view(text_).substr(words.begin, words.end - words.begin);
    const std::size_t guid =
        std::min(member_text.find_first_of("= \t\r\f\v\n#"), member_text.size());
    edits_.erase({words.begin + guid, words.end});
    edits_.insert(words.end, fmt::format("={}", word(wanted.membership)));
    return true;
  }

  Status append(const std::vector<PartitionChange::Wanted>& wanted) {
    for (const std::optional<bool> index0 :
         {std::optional<bool>(), std::optional(false), std::optional(true)}) {
      std::vector<PartitionChange::Wanted> members;
      for (const PartitionChange::Wanted& one : wanted)
        if (one.index0 == index0) members.push_back(one);
      if (members.empty()) continue;
      const auto at = definition_for(members, index0);
      if (at) {
        append_to(*at, members);
      } else if (auto status = append_definition(index0 == true ? ", indx0" : "", members);
                 !status) {
        return status;
      }
    }
    return {};
  }

  /// The last definition with the required indx0. None if there is no such definition, or if a
  /// keyword or a port group in a later definition includes or may include one of the members,
  /// because the last entry for a port applies.
  std::optional<std::size_t> definition_for(const std::vector<PartitionChange::Wanted>& members,
                                            std::optional<bool> index0) const {
    for (std::size_t i = defined_.size(); i-- > 0;) {
      const std::size_t at = defined_[i];
      if (definition(at).index0 == index0.value_or(definition(at).index0)) return at;
      for (const FiledMember& other : definition(at).members)
        if (other.kind != MemberKind::kGuid &&
            std::ranges::any_of(members, [&](const PartitionChange::Wanted& one) {
              return includes(other, one.port) != false;
            }))
          return std::nullopt;
    }
    return std::nullopt;
  }

  /// Appends members after the last member of the definition.
  void append_to(std::size_t at, const std::vector<PartitionChange::Wanted>& wanted) {
    std::string list;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      list += (i == 0 ? "" : ",\n    ") + text_of(wanted[i]);
    const DefinitionPlace& place = places_[at];
    std::size_t last = place.members.size();
    while (last > 0 && removed_[at][last - 1]) --last;
    if (last > 0) {
      edits_.insert(place.members[last - 1].words.end, ",\n    " + list);
    } else {
      const bool removes_all = !place.members.empty() && definition(at).groups.empty();
      edits_.insert(place.colon + 1, "\n    " + list + (place.empty || removes_all ? "" : ","));
    }
  }

  /// True if the requested flags are the only difference.
  bool has_only_requested_flags(const PartitionFile& after) const {
    const PartitionChange::Flags& wanted = change_.flags;
    const FiledPartition* head = nullptr;
    for (std::size_t i = 1; i < after.partitions.size(); ++i) {  // the first is implicit
      const FiledPartition& partition = after.partitions[i];
      if (partition.base == change_.base && (head == nullptr || (partition.ipoib && !head->ipoib)))
        head = &partition;
    }
    const auto other = [](const std::optional<std::uint8_t>& want,
                          const std::optional<std::uint8_t>& is) { return want && want != is; };
    if (head == nullptr || head->ipoib != wanted.ipoib.value_or(head->ipoib) ||
        other(wanted.rate, head->flags.rate) || other(wanted.mtu, head->flags.mtu) ||
        other(wanted.sl, head->flags.sl))
      return false;
    const auto rest = [&](const PartitionFile& file) {
      PartitionFile plain = file;
      for (FiledPartition& partition : plain.partitions) {
        if (partition.base != change_.base) continue;
        if (wanted.ipoib) partition.ipoib = false;
        if (wanted.rate) partition.flags.rate.reset();
        if (wanted.mtu) partition.flags.mtu.reset();
        if (wanted.sl) partition.flags.sl.reset();
      }
      erase_empty_definitions(plain);
      return plain;
    };
    return same_rules(rest(before_), rest(after));
  }

  /// Removes definitions of this partition that have no effect.
  void erase_empty_definitions(PartitionFile& file) const {
    std::erase_if(file.partitions, [&](const FiledPartition& partition) {
      return partition.base == change_.base && partition.members.empty() &&
             partition.groups.empty() && !partition.ipoib && partition.flags == GroupFlags{};
    });
  }

  /// True if the requested flags or members, or the created or deleted partition, are the only
  /// difference.
  bool has_only_requested_changes(const PartitionFile& after) const {
    if (change_.kind == PartitionChange::Kind::kFlags) return has_only_requested_flags(after);
    std::unordered_set<Guid> named(change_.remove.begin(), change_.remove.end());
    for (const PartitionChange::Wanted& one : change_.set) named.insert(one.port);
    const bool whole = change_.kind != PartitionChange::Kind::kMembers;
    const auto rest = [&](const PartitionFile& file) {
      PartitionFile other = file;
      std::erase_if(other.partitions, [&](FiledPartition& partition) {
        if (partition.base != change_.base) return false;
        std::erase_if(partition.members, [&](const FiledMember& member) {
          return member.kind == MemberKind::kGuid && named.contains(member.guid);
        });
        return whole;
      });
      erase_empty_definitions(other);
      return other;
    };
    if (!same_rules(rest(before_), rest(after))) return false;
    if (change_.kind == PartitionChange::Kind::kDelete)
      return std::ranges::find(after.partitions, change_.base, &FiledPartition::base) ==
             after.partitions.end();
    struct Entry {
      Membership membership;
      bool index0;
    };
    std::unordered_map<Guid, Entry> entries;
    for (const FiledPartition& partition : after.partitions) {
      if (partition.base != change_.base) continue;
      for (const FiledMember& member : partition.members) {
        if (member.kind == MemberKind::kGuid) {
          entries[member.guid] = {member.membership, partition.index0};
          continue;
        }
        for (const PartitionChange::Wanted& one : change_.set) {
          const auto is_included = includes(member, one.port);
          if (is_included == true) entries[one.port] = {member.membership, partition.index0};
          if (!is_included) entries.erase(one.port);
        }
      }
    }
    for (const PartitionChange::Wanted& one : change_.set) {
      const auto found = entries.find(one.port);
      if (found == entries.end() || found->second.membership != one.membership ||
          found->second.index0 != one.index0.value_or(found->second.index0))
        return false;
    }
    return std::ranges::none_of(change_.remove, [&](Guid port) { return entries.contains(port); });
  }

  const std::string text_;
  const std::string& path_;
  const PartitionChange& change_;
  const IncludesPort& includes_port_;
  TextEdits edits_;
  std::vector<std::string> warnings_;
  PartitionPlaces places_;
  PartitionFile before_;
  std::string name_;
  bool appended_ = false;             // a definition was appended
  std::vector<std::size_t> defined_;  // definitions of the partition
  std::unordered_map<Guid, std::vector<Mention>> mentions_;
  std::vector<Mention> keywords_;
  std::vector<std::vector<bool>> removed_;  // by definition and member
};

Status check_request(const PartitionChange& change) {
  if (change.base == 0 || change.base > kPkeyBaseMask)
    return fail(Code::kBadInput, "found P_Key 0x{:04x}, expected 0x0001 to 0x7fff", change.base);
  std::unordered_set<Guid> named;
  const auto check_unique = [&](Guid port) -> Status {
    if (port == Guid(0))
      return fail(Code::kBadInput, "found port GUID 0, expected a GUID other than 0");
    if (named.insert(port).second) return {};
    return fail(Code::kBadInput, "found port 0x{:016x} twice, expected each port once",
                port.value());
  };
  for (const auto& wanted : change.set)
    if (auto status = check_unique(wanted.port); !status) return status;
  for (const Guid port : change.remove)
    if (auto status = check_unique(port); !status) return status;
  return {};
}

}  // namespace

std::string_view word(Membership membership) {
  switch (membership) {
    case Membership::kFull:
      return "full";
    case Membership::kLimited:
      return "limited";
    case Membership::kBoth:
      break;
  }
  return "both";
}

std::optional<Membership> membership_of(std::string_view word) {
  if (word == "full") return Membership::kFull;
  if (word == "limited") return Membership::kLimited;
  if (word == "both") return Membership::kBoth;
  return std::nullopt;
}

bool is_partition_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.-+").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kPartitionNameMax && std::ranges::all_of(name, good);
}

bool same_rules(const PartitionFile& a, const PartitionFile& b) {
  const auto plain = [](const PartitionFile& file) {
    std::vector<FiledPartition> partitions = file.partitions;
    for (FiledPartition& partition : partitions) {
      partition.line = 0;
      for (FiledMember& member : partition.members) member.line = 0;
      for (FiledMcastGroup& group : partition.groups) group.line = 0;
    }
    return partitions;
  };
  return plain(a) == plain(b);
}

Result<EditedPartitions> edit_partitions(const std::optional<std::string>& text,
                                         const std::string& path, const PartitionChange& change,
                                         const IncludesPort& includes_port) {
  if (auto status = check_request(change); !status) return forward(status);
  auto edited =
      Editor(text ? *text : std::string(kPartitionsWithoutFile), path, change, includes_port).run();
  if (edited && !text) edited->changed = edited->text != kPartitionsWithoutFile;
  return edited;
}

}  // namespace weft
