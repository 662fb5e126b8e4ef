// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/devices/device_profiles.h"

#include <algorithm>

#include "base/text.h"

namespace weft {
namespace {

using enum DeviceKind;

// Sources of the values of a row. The headers of OpenSM 5.24 have attributes and capability bits,
// but no list of devices.
constexpr std::string_view kObserved =
    "ids: drivers of Linux, SMPs of OpenSM 3.3.23; speed: product";
constexpr std::string_view kAssumed =
    "ids: drivers of Linux; speed: product; features: assumed by generation";
constexpr std::string_view kAggregation = "id: as reported by switches with SHARP";

constexpr std::array<std::string_view, kDeviceFeatures> kFeatureNames{
    "port states", "SHARP", "recovery", "planes", "private tables", "class keys", "PPCC", "DCQCN"};
constexpr std::array<std::string_view, kDeviceFeatures> kFeatureSources{
    "", "product (SHARP of the vendor)", "", "product (XDR ports in four planes)", "", "", "", ""};

constexpr DeviceSupport kLacks = DeviceSupport::kNone;
constexpr DeviceSupport kGuess = DeviceSupport::kAssumed;
constexpr DeviceSupport kKnown = DeviceSupport::kSourced;
// By DeviceFeature: port states, SHARP, recovery, planes, private tables, class keys, PPCC,
// DCQCN.
constexpr FeatureRow kOfSwitchIb2{kLacks, kKnown, kLacks, kLacks, kLacks, kLacks, kLacks, kLacks};
constexpr FeatureRow kOfQuantum{kGuess, kKnown, kLacks, kLacks, kGuess, kGuess, kLacks, kLacks};
constexpr FeatureRow kOfQuantum2{kGuess, kKnown, kGuess, kLacks, kGuess, kGuess, kLacks, kGuess};
constexpr FeatureRow kOfQuantum3{kGuess, kKnown, kGuess, kKnown, kGuess, kGuess, kLacks, kGuess};
constexpr FeatureRow kOfHdrCa{kLacks, kLacks, kLacks, kLacks, kLacks, kGuess, kLacks, kLacks};
constexpr FeatureRow kOfNdrCa{kLacks, kLacks, kLacks, kLacks, kLacks, kGuess, kGuess, kGuess};
constexpr FeatureRow kOfXdrCa{kLacks, kLacks, kLacks, kKnown, kLacks, kGuess, kGuess, kGuess};

constexpr DeviceProfile kProfiles[] = {
    {.name = "switchx",
     .product = "SwitchX",
     .kind = kSwitch,
     .ids = {0xC738, 0xC739, 0xC73A, 0xC73B},
     .speed = LinkSpeed::kFdr,
     .extended_ports = true,
     .adaptive = AdaptiveSupport::kOld,
     .source = kObserved},
    {.name = "switch-ib",
     .product = "Switch-IB",
     .kind = kSwitch,
     .ids = {0xCB20},
     .speed = LinkSpeed::kEdr,
     .extended_ports = true,
     .adaptive = AdaptiveSupport::kFull,
     .source = kObserved},
    {.name = "switch-ib-2",
     .product = "Switch-IB 2",
     .kind = kSwitch,
     .ids = {0xCF08, 0xCF09},
     .speed = LinkSpeed::kEdr,
     .extended_ports = true,
     .adaptive = AdaptiveSupport::kFull,
     .features = kOfSwitchIb2,
     .source = kObserved},
    {.name = "quantum",
     .product = "Quantum",
     .kind = kSwitch,
     .ids = {0xD2F0},
     .speed = LinkSpeed::kHdr,
     .extended_ports = true,
     .adaptive = AdaptiveSupport::kFull,
     .notifications = true,
     .features = kOfQuantum,
     .source = kObserved},
    {.name = "quantum-2",
     .product = "Quantum-2",
     .kind = kSwitch,
     .ids = {0xD2F2},
     .speed = LinkSpeed::kNdr,
     .adaptive = AdaptiveSupport::kFull,
     .notifications = true,
     .features = kOfQuantum2,
     .source = kAssumed},
    {.name = "quantum-3",
     .product = "Quantum-3",
     .kind = kSwitch,
     .ids = {0xD2F4},
     .speed = LinkSpeed::kXdr,
     .adaptive = AdaptiveSupport::kFull,
     .notifications = true,
     .features = kOfQuantum3,
     .source = kAssumed},
    {.name = "connectx-3",
     .product = "ConnectX-3",
     .ids = {0x1003, 0x1007},
     .speed = LinkSpeed::kFdr,
     .extended_ports = true,
     .source = kObserved},
    {.name = "connect-ib",
     .product = "Connect-IB",
     .ids = {0x1011},
     .speed = LinkSpeed::kFdr,
     .extended_ports = true,
     .source = kObserved},
    {.name = "connectx-4",
     .product = "ConnectX-4",
     .ids = {0x1013},
     .speed = LinkSpeed::kEdr,
     .extended_ports = true,
     .virtual_ports = true,
     .source = kObserved},
    {.name = "connectx-5",
     .product = "ConnectX-5",
     .ids = {0x1017, 0x1019},
     .speed = LinkSpeed::kEdr,
     .extended_ports = true,
     .virtual_ports = true,
     .source = kObserved},
    {.name = "connectx-6",
     .product = "ConnectX-6",
     .ids = {0x101B},
     .speed = LinkSpeed::kHdr,
     .extended_ports = true,
     .virtual_ports = true,
     .features = kOfHdrCa,
     .source = kObserved},
    {.name = "connectx-7",
     .product = "ConnectX-7",
     .ids = {0x1021},
     .speed = LinkSpeed::kNdr,
     .virtual_ports = true,
     .features = kOfNdrCa,
     .source = kAssumed},
    {.name = "connectx-8",
     .product = "ConnectX-8",
     .ids = {0x1023},
     .speed = LinkSpeed::kXdr,
     .virtual_ports = true,
     .features = kOfXdrCa,
     .source = kAssumed},
    {.name = "bluefield",
     .product = "BlueField",
     .ids = {0xA2D2},
     .speed = LinkSpeed::kEdr,
     .extended_ports = true,
     .virtual_ports = true,
     .source = kObserved},
    {.name = "bluefield-2",
     .product = "BlueField-2",
     .ids = {0xA2D6},
     .speed = LinkSpeed::kHdr,
     .virtual_ports = true,
     .features = kOfHdrCa,
     .source = kAssumed},
    {.name = "bluefield-3",
     .product = "BlueField-3",
     .ids = {0xA2DC},
     .speed = LinkSpeed::kNdr,
     .virtual_ports = true,
     .features = kOfNdrCa,
     .source = kAssumed},
    {.name = "aggregation-node",
     .product = "SHARP aggregation node",
     .kind = kAggregationNode,
     .ids = {0xCF09},
     .speed = LinkSpeed::kXdr,
     .source = kAggregation},
};

bool is_of_type(const DeviceProfile& profile, NodeType type) {
  return (profile.kind == kSwitch) == (type == NodeType::kSwitch) && type != NodeType::kRouter;
}

std::string profile_names() {
  std::string text;
  for (const DeviceProfile& profile : kProfiles)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", profile.name);
  return text;
}

}  // namespace

bool DeviceProfile::has_id(std::uint16_t id) const {
  return id != 0 && std::ranges::find(ids, id) != ids.end();
}

std::span<const DeviceProfile> device_profiles() { return kProfiles; }

const DeviceProfile* profile_of(const Node& node) {
  const auto found = std::ranges::find_if(kProfiles, [&](const DeviceProfile& profile) {
    return is_of_type(profile, node.type) && profile.has_id(node.device_id);
  });
  return found == std::end(kProfiles) ? nullptr : found;
}

Result<DeviceList> parse_device_list(std::string_view names) {
  DeviceList devices;
  for (const std::string_view part : split(names, ',')) {
    const std::string_view name = trim(part);
    const auto found = std::ranges::find(kProfiles, name, &DeviceProfile::name);
    if (found == std::end(kProfiles))
      return fail(Code::kUsage, "found {}, expected one or more of {}", quoted(name),
                  profile_names());
    devices.push_back(found);
  }
  return devices;
}

const DeviceProfile* emulated_profile(const Fabric& fabric, NodeId id, const DeviceList& devices) {
  const Node& node = fabric.node(id);
  if (node.device_id != 0) return profile_of(node);
  const auto fits = [&](const DeviceProfile* one) { return is_of_type(*one, node.type); };
  const auto count = static_cast<std::uint32_t>(std::ranges::count_if(devices, fits));
  if (count == 0) return nullptr;
  std::uint32_t position =
      (fabric.is_switch(id) ? id.value() : id.value() - fabric.switch_count()) % count;
  for (const DeviceProfile* one : devices)
    if (fits(one) && position-- == 0) return one;
  return nullptr;
}

std::string_view device_feature_name(DeviceFeature feature) {
  return kFeatureNames[static_cast<std::size_t>(feature)];
}

std::string_view device_feature_source(DeviceFeature feature) {
  return kFeatureSources[static_cast<std::size_t>(feature)];
}

bool device_has(const Fabric& fabric, NodeId node, const DeviceList& devices,
                DeviceFeature feature) {
  const DeviceProfile* profile = emulated_profile(fabric, node, devices);
  return profile == nullptr || profile->support(feature) != DeviceSupport::kNone;
}

std::string supported_features(const DeviceProfile& profile) {
  std::string text;
  const auto add = [&](bool supported, std::string_view what) {
    if (supported) text += fmt::format("{}{}", text.empty() ? "" : ", ", what);
  };
  add(profile.extended_ports, "FDR10");
  add(profile.adaptive == AdaptiveSupport::kOld, "adaptive routing of an old version");
  add(profile.adaptive == AdaptiveSupport::kFull, "adaptive routing");
  add(profile.notifications, "routing notifications");
  add(profile.virtual_ports, "virtual ports");
  return text;
}

}  // namespace weft
