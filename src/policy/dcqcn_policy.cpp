// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/dcqcn_policy.h"

#include <span>
#include <string_view>

#include "base/text.h"
#include "ib/gmps/dcqcn_unconfirmed.h"

namespace weft {
namespace {

constexpr std::uint32_t kAllBits = 0xFFFFFFFF;

/// A number of an attribute. `bits` has a 1 for each bit of the field.
template <class Attribute>
struct DcqcnNumber {
  std::string_view name;
  std::uint32_t Attribute::*member;
  std::uint32_t bits;
  std::uint32_t most = bits;
};

template <class Attribute>
struct DcqcnFlag {
  std::string_view name;
  bool Attribute::*member;
};

constexpr std::array<DcqcnNumber<DcqcnSwitchGeneral>, 3> kSwitchNumbers{{
    {"averaging-weight", &DcqcnSwitchGeneral::averaging_weight, 0xFF},
    {"averaging-time", &DcqcnSwitchGeneral::averaging_time, 0xFF,
     DcqcnSwitchGeneral::kAveragingTimeMax},
    {"profile-step", &DcqcnSwitchGeneral::profile_step, 0xFF},
}};
constexpr std::array<DcqcnFlag<DcqcnSwitchGeneral>, 1> kSwitchFlags{
    {{"enable", &DcqcnSwitchGeneral::is_enabled}}};
constexpr std::array<DcqcnFlag<DcqcnPortProfiles>, 2> kPortFlags{
    {{"percent", &DcqcnPortProfiles::is_percent}, {"kilobytes", &DcqcnPortProfiles::is_kilobytes}}};
constexpr std::array<DcqcnFlag<DcqcnCaGeneral>, 3> kCaFlags{
    {{"notify", &DcqcnCaGeneral::notifies},
     {"react", &DcqcnCaGeneral::reacts},
     {"per-plane", &DcqcnCaGeneral::is_per_plane}}};
constexpr std::array<DcqcnNumber<DcqcnReactionPoint>, 14> kReactionNumbers{{
    {"time-reset", &DcqcnReactionPoint::time_reset, 0x1FFFF},
    {"byte-reset", &DcqcnReactionPoint::byte_reset, 0x7FFFF},
    {"threshold", &DcqcnReactionPoint::threshold, 0x1F},
    {"highest-rate", &DcqcnReactionPoint::highest_rate, 0x7FFFF},
    {"additive-increase", &DcqcnReactionPoint::additive_increase, 0xFFFF},
    {"hyper-increase", &DcqcnReactionPoint::hyper_increase, 0xFFFF},
    {"decrease", &DcqcnReactionPoint::decrease, 0xF},
    {"least-decrease", &DcqcnReactionPoint::least_decrease, 0xFF, 100},
    {"least-rate", &DcqcnReactionPoint::least_rate, kAllBits},
    {"first-cnp-rate", &DcqcnReactionPoint::first_cnp_rate, kAllBits},
    {"g", &DcqcnReactionPoint::g, 0x3FF},
    {"rtt", &DcqcnReactionPoint::rtt, 0x1FFFF},
    {"monitor-period", &DcqcnReactionPoint::monitor_period, kAllBits},
    {"first-alpha", &DcqcnReactionPoint::first_alpha, 0x3FF},
}};
constexpr std::array<DcqcnFlag<DcqcnReactionPoint>, 2> kReactionFlags{
    {{"clamp-bit-7", &DcqcnReactionPoint::clamp_bit_7},
     {"clamp-bit-6", &DcqcnReactionPoint::clamp_bit_6}}};
constexpr std::array<DcqcnNumber<DcqcnNotificationPoint>, 1> kNotificationNumbers{
    {{"cnp-interval", &DcqcnNotificationPoint::cnp_interval, 0xFFFF}}};

constexpr std::array<std::string_view, DcqcnPortProfiles::kProfiles> kProfileNames{
    "profile-1", "profile-2", "profile-3"};
constexpr std::array<std::string_view, DcqcnPortProfiles::kProfiles> kSlsNames{"sls-1", "sls-2",
                                                                               "sls-3"};

constexpr std::array<std::string_view, 1> kDcqcnMandatory{"group"};
constexpr std::array<std::string_view, 5> kDcqcnSwitchNames{"group", "enable", "averaging-weight",
                                                            "averaging-time", "profile-step"};
constexpr std::array<std::string_view, 10> kDcqcnPortNames{
    "group",     "percent",   "kilobytes", "vls",   "profile-1",
    "profile-2", "profile-3", "sls-1",     "sls-2", "sls-3"};
constexpr std::array<std::string_view, 4> kDcqcnCaNames{"group", "notify", "react", "per-plane"};
constexpr std::array<std::string_view, 17> kDcqcnReactionNames{"group",
                                                               "clamp-bit-7",
                                                               "clamp-bit-6",
                                                               "time-reset",
                                                               "byte-reset",
                                                               "threshold",
                                                               "highest-rate",
                                                               "additive-increase",
                                                               "decrease",
                                                               "hyper-increase",
                                                               "least-decrease",
                                                               "least-rate",
                                                               "g",
                                                               "first-cnp-rate",
                                                               "rtt",
                                                               "monitor-period",
                                                               "first-alpha"};
constexpr std::array<std::string_view, 4> kDcqcnNotificationNames{"group", "cnp-interval", "cnp-sl",
                                                                  "rtt-sl"};

/// Collects the values of one attribute, and a 1 for each bit of a field with a value.
template <class Attribute>
class DcqcnFieldReader {
 public:
  DcqcnFieldReader(const Paragraph& paragraph, Problems& problems)
      : paragraph_(paragraph), problems_(problems) {}

  void read(std::span<const DcqcnNumber<Attribute>> numbers) {
    for (const DcqcnNumber<Attribute>& number : numbers)
      if (const Qualifier* found = paragraph_.find(number.name)) {
        const auto parsed = parse_c_number<std::uint32_t>(found->value);
        if (!parsed || *parsed > number.most)
          report(*found, found->value, fmt::format("a number from 0 to {}", number.most),
                 problems_);
        value.*number.member = parsed && *parsed <= number.most ? *parsed : 0;
        mask.*number.member = number.bits;
      }
  }
  void read(std::span<const DcqcnFlag<Attribute>> flags) {
    for (const DcqcnFlag<Attribute>& flag : flags)
      if (const Qualifier* found = paragraph_.find(flag.name)) {
        if (found->value != "on" && found->value != "off")
          report(*found, found->value, "on or off", problems_);
        value.*flag.member = found->value == "on";
        mask.*flag.member = true;
      }
  }
  /// Adds the fields to `setting`, unless there are none.
  void finish(std::uint16_t attribute, FiledDcqcnSetting& setting) const {
    const DcqcnFields fields{encode(mask), encode(value)};
    if (!fields.is_empty()) setting.attributes[attribute] = fields;
  }

  Attribute value{}, mask{};

 private:
  const Paragraph& paragraph_;
  Problems& problems_;
};

/// Parses "MINIMUM MAXIMUM PERCENT".
std::optional<DcqcnProfile> parse_dcqcn_profile(std::string_view text) {
  constexpr std::uint32_t kMaximumMax = 0xFFFFF, kPercentMax = 100;
  const auto words = split_words(text);
  if (words.size() != 3) return std::nullopt;
  const auto minimum = parse_c_number<std::uint32_t>(words[0]);
  const auto maximum = parse_c_number<std::uint32_t>(words[1]);
  const auto percent = parse_c_number<std::uint32_t>(words[2]);
  if (!minimum || !maximum || !percent || *maximum > kMaximumMax || *minimum > *maximum ||
      *percent > kPercentMax)
    return std::nullopt;
  return DcqcnProfile{*minimum, *percent, *maximum};
}

/// The profiles apply to all VLs, unless the paragraph states the VLs.
void read_profiles(const Paragraph& paragraph, FiledDcqcnSetting& setting, Problems& problems) {
  DcqcnFieldReader<DcqcnPortProfiles> reader(paragraph, problems);
  reader.read(std::span<const DcqcnFlag<DcqcnPortProfiles>>(kPortFlags));
  for (std::size_t i = 0; i < kProfileNames.size(); ++i) {
    const Qualifier* found = paragraph.find(kProfileNames[i]);
    if (found == nullptr) continue;
    const auto profile = parse_dcqcn_profile(found->value);
    if (!profile)
      report(*found, found->value,
             "MINIMUM MAXIMUM PERCENT with MINIMUM <= MAXIMUM <= 1048575 and PERCENT <= 100",
             problems);
    reader.value.profiles[i] = profile.value_or(DcqcnProfile{});
    reader.mask.profiles[i] = {kAllBits, 0x7F, 0xFFFFF};
  }
  const Qualifier* vls = paragraph.find("vls");
  if (vls == nullptr && encode(reader.mask) == CongestionData{}) return;
  const auto parsed = vls == nullptr ? std::uint16_t{0xFFFF} : parse_sls(vls->value);
  if (!parsed) report(*vls, vls->value, "VLs from 0 to 15, such as 0-3,8", problems);
  reader.value.vls = parsed.value_or(0);
  reader.mask.vls = 0xFFFF;
  reader.finish(kDcqcnPortProfiles, setting);
}

void read_sl_map(const Paragraph& paragraph, FiledDcqcnSetting& setting, Problems& problems) {
  constexpr std::uint8_t kBitsOfProfile = 3;
  DcqcnFieldReader<DcqcnSlMap> reader(paragraph, problems);
  for (std::size_t i = 0; i < kSlsNames.size(); ++i) {
    const Qualifier* found = paragraph.find(kSlsNames[i]);
    if (found == nullptr) continue;
    const auto sls = parse_sls(found->value);
    if (!sls) report(*found, found->value, "SLs from 0 to 15, such as 0-3,8", problems);
    for (unsigned sl = 0; sl < kSlCount; ++sl) {
      if ((sls.value_or(0) >> sl & 1) == 0) continue;
      if (reader.value.profiles[sl] != 0)
        report(*found, found->value, fmt::format("SLs without another profile, unlike SL {}", sl),
               problems);
      reader.value.profiles[sl] = static_cast<std::uint8_t>(i + 1);
      reader.mask.profiles[sl] = kBitsOfProfile;
    }
  }
  reader.finish(kDcqcnSlMap, setting);
}

/// "off", or an SL.
void read_own_sl(const Paragraph& paragraph, std::string_view name, bool& is_used,
                 std::uint32_t& sl, bool& is_used_mask, std::uint32_t& sl_mask,
                 Problems& problems) {
  const Qualifier* found = paragraph.find(name);
  if (found == nullptr) return;
  is_used_mask = true;
  if (found->value == "off") return;
  const auto parsed = parse_c_number<std::uint8_t>(found->value);
  if (!parsed || *parsed >= kSlCount)
    return report(*found, found->value, "an SL from 0 to 15, or off", problems);
  is_used = true;
  sl = *parsed;
  sl_mask = 0xFF;
}

template <class Attribute, class Numbers, class Flags>
void read_fields(const Paragraph& paragraph, std::uint16_t attribute, const Numbers& numbers,
                 const Flags& flags, FiledDcqcnSetting& setting, Problems& problems) {
  DcqcnFieldReader<Attribute> reader(paragraph, problems);
  reader.read(std::span<const DcqcnNumber<Attribute>>(numbers));
  reader.read(std::span<const DcqcnFlag<Attribute>>(flags));
  reader.finish(attribute, setting);
}

void read_notification_point(const Paragraph& paragraph, FiledDcqcnSetting& setting,
                             Problems& problems) {
  DcqcnFieldReader<DcqcnNotificationPoint> reader(paragraph, problems);
  reader.read(std::span<const DcqcnNumber<DcqcnNotificationPoint>>(kNotificationNumbers));
  read_own_sl(paragraph, "cnp-sl", reader.value.has_cnp_sl, reader.value.cnp_sl,
              reader.mask.has_cnp_sl, reader.mask.cnp_sl, problems);
  read_own_sl(paragraph, "rtt-sl", reader.value.has_rtt_sl, reader.value.rtt_sl,
              reader.mask.has_rtt_sl, reader.mask.rtt_sl, problems);
  reader.finish(kDcqcnNotificationPoint, setting);
}

constexpr bool is_of_switch_port(std::uint16_t attribute) {
  return attribute == kDcqcnPortProfiles || attribute == kDcqcnSlMap;
}

constexpr bool is_of_switch(std::uint16_t attribute) { return attribute == kDcqcnSwitchGeneral; }

DcqcnFields disabled_switch() {
  return {encode(DcqcnSwitchGeneral{.is_enabled = true}), CongestionData{}};
}

DcqcnFields disabled_ca() {
  return {encode(DcqcnCaGeneral{.notifies = true, .reacts = true}), CongestionData{}};
}

}  // namespace

const std::array<ParagraphForm, 5> kDcqcnForms{{
    {"dcqcn-switch", kDcqcnSwitchNames, kDcqcnMandatory},
    {"dcqcn-port", kDcqcnPortNames, kDcqcnMandatory},
    {"dcqcn-ca", kDcqcnCaNames, kDcqcnMandatory},
    {"dcqcn-reaction-point", kDcqcnReactionNames, kDcqcnMandatory},
    {"dcqcn-notification-point", kDcqcnNotificationNames, kDcqcnMandatory},
}};

FiledDcqcnSetting read_dcqcn_setting(const Paragraph& paragraph, Problems& problems) {
  FiledDcqcnSetting setting{.group = paragraph.value("group")};
  const std::size_t before = problems.size();
  const std::array<DcqcnNumber<DcqcnCaGeneral>, 0> none{};
  if (paragraph.keyword == "dcqcn-switch") {
    read_fields<DcqcnSwitchGeneral>(paragraph, kDcqcnSwitchGeneral, kSwitchNumbers, kSwitchFlags,
                                    setting, problems);
  } else if (paragraph.keyword == "dcqcn-port") {
    read_profiles(paragraph, setting, problems);
    read_sl_map(paragraph, setting, problems);
  } else if (paragraph.keyword == "dcqcn-ca") {
    read_fields<DcqcnCaGeneral>(paragraph, kDcqcnCaGeneral, none, kCaFlags, setting, problems);
  } else if (paragraph.keyword == "dcqcn-reaction-point") {
    read_fields<DcqcnReactionPoint>(paragraph, kDcqcnReactionPoint, kReactionNumbers,
                                    kReactionFlags, setting, problems);
  } else {
    read_notification_point(paragraph, setting, problems);
  }
  if (setting.attributes.empty() && problems.size() == before)
    problems.push_back(fmt::format("{}: {}: found only a group, expected at least one value",
                                   paragraph.place, paragraph.keyword));
  return setting;
}

std::map<EndportId, DcqcnSettings> dcqcn_settings(const std::vector<FiledDcqcnSetting>& filed,
                                                  const PortGroups& groups, const Fabric& fabric) {
  std::map<EndportId, DcqcnSettings> settings;
  for (const FiledDcqcnSetting& of_group : filed) {
    const std::vector<bool> members = ports_of_group(groups, of_group.group, fabric);
    for (const auto& [attribute, fields] : of_group.attributes)
      for (std::uint32_t p = 0; p < members.size(); ++p) {
        if (!members[p]) continue;
        const Port& port = fabric.port(PortId(p));
        const NodeType type = fabric.node(port.node).type;
        const bool is_switch_port = type == NodeType::kSwitch && port.num.value() != 0;
        const bool applies = is_of_switch_port(attribute) ? is_switch_port
                             : is_of_switch(attribute)
                                 ? type == NodeType::kSwitch && !is_switch_port
                                 : type == NodeType::kCa;
        if (!applies) continue;
        const EndportId endport =
            fabric.endport_at(is_switch_port ? fabric.port_id(port.node, PortNum(0)) : PortId(p));
        const std::uint32_t modifier =
            is_switch_port ? dcqcn_unconfirmed::port_modifier(port.num.value()) : 0;
        settings[endport][{attribute, modifier}].add(fields);
      }
  }
  return settings;
}

std::map<EndportId, DcqcnSettings> disabled_dcqcn_settings(const Fabric& fabric) {
  std::map<EndportId, DcqcnSettings> settings;
  for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) {
    const NodeType type = fabric.node(fabric.endport(EndportId(i)).node).type;
    if (type == NodeType::kSwitch)
      settings[EndportId(i)][{kDcqcnSwitchGeneral, 0}] = disabled_switch();
    else if (type == NodeType::kCa)
      settings[EndportId(i)][{kDcqcnCaGeneral, 0}] = disabled_ca();
  }
  return settings;
}

}  // namespace weft
