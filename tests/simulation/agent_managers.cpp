// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "agent_managers.h"

#include "base/check.h"
#include "base/file.h"
#include "devices.h"
#include "emulator/feature_support.h"
#include "gmp/addresses.h"
#include "support/temp_dir.h"

namespace weft::simulation {
namespace {

constexpr AgentManagers::AgentFeature kClassKeys{DeviceFeature::kClassKeys,
                                                 emulator::Feature::kClassKeys};
constexpr AgentManagers::AgentFeature kPpcc{DeviceFeature::kPpcc, emulator::Feature::kPpcc};
constexpr AgentManagers::AgentFeature kDcqcn{DeviceFeature::kDcqcn, emulator::Feature::kDcqcn};

constexpr std::array kKeyManagers{KeyedClass::kVendor, KeyedClass::kNodeToNode};

constexpr const char* kAlgorithmText =
    "algorithm\n"
    "  name: reactive\n"
    "  id: 0x101\n"
    "  version: 1.1\n"
    "  parameters: rate 100 1 400, gain 3\n"
    "end-algorithm\n";

constexpr const char* kProfiles =
    "congestion-control\n"
    "  group: ALL_CAS\n"
    "  algorithm: reactive\n"
    "  sls: 0-3, 8\n"
    "  set: gain 5\n"
    "  counters: on\n"
    "end-congestion-control\n"
    "dcqcn-switch\n"
    "  group: ALL_SWITCHES\n"
    "  enable: on\n"
    "  averaging-weight: 4\n"
    "end-dcqcn-switch\n"
    "dcqcn-port\n"
    "  group: ALL_SWITCHES\n"
    "  kilobytes: on\n"
    "  profile-1: 100 1000 50\n"
    "  sls-1: 0-2\n"
    "end-dcqcn-port\n"
    "dcqcn-ca\n"
    "  group: ALL_CAS\n"
    "  notify: on\n"
    "  react: on\n"
    "end-dcqcn-ca\n"
    "dcqcn-notification-point\n"
    "  group: ALL_CAS\n"
    "  cnp-interval: 4\n"
    "  cnp-sl: 3\n"
    "end-dcqcn-notification-point\n";

CongestionPolicy policy_of(const WorldPlan& plan) {
  CongestionPolicy policy;
  if (!plan.ppcc && !plan.dcqcn) return policy;
  policy.use = CongestionUse::kEnable;
  const TempDir files;
  CHECK(write_file(files / "algorithms", kAlgorithmText).has_value());
  CHECK(write_file(files / "policy", kProfiles).has_value());
  auto algorithms = read_congestion_algorithms(files / "algorithms");
  CHECK(algorithms.has_value());
  policy.algorithms = std::move(*algorithms);
  CHECK(read_congestion_policy(files / "policy", policy).has_value());
  return policy;
}

ClassKeyOptions key_options_of(const WorldPlan& plan) {
  ClassKeyOptions options;
  options.use = plan.class_keys ? KeyUse::kEnable : KeyUse::kIgnore;
  options.seed = Secret(std::string(16, 'k'));
  options.period = plan.key_period;
  options.epoch = std::chrono::hours(1);
  return options;
}

const char* file_of(KeyedClass keyed) {
  return keyed == KeyedClass::kCongestion ? "/guid2cckey"
         : keyed == KeyedClass::kVendor   ? "/guid2vskey"
                                          : "/guid2n2nkey";
}

}  // namespace

AgentManagers::AgentManagers(EmulatedFabric& emulated, EndportId where, bool uses_all_ports,
                             const WorldPlan& plan, const std::string& folder)
    : emulated_(emulated),
      where_(where),
      plan_(plan),
      devices_(device_options(plan).devices),
      key_options_(key_options_of(plan)),
      policy_(policy_of(plan)) {
  const auto with_file = [&](KeyedClass keyed) {
    ClassKeyOptions options = key_options_;
    options.file = folder + file_of(keyed);
    return options;
  };
  CongestionOptions congestion;
  congestion.keys = with_file(KeyedClass::kCongestion);
  congestion.ppcc = policy_;
  congestion_ = std::make_unique<CongestionManager>(
      emulated.attach_gmps(where, kCongestionClass, uses_all_ports), emulated.clock(), congestion);
  for (std::size_t i = 0; i < kKeyManagers.size(); ++i)
    keys_[i] = std::make_unique<ClassKeyManager>(
        kKeyManagers[i],
        emulated.attach_gmps(where, form_of(kKeyManagers[i]).mgmt_class, uses_all_ports),
        emulated.clock(), with_file(kKeyManagers[i]));
}

AgentManagers::~AgentManagers() {
  congestion_.reset();
  emulated_.detach_gmps(where_, kCongestionClass);
  for (std::size_t i = 0; i < kKeyManagers.size(); ++i) {
    keys_[i].reset();
    emulated_.detach_gmps(where_, form_of(kKeyManagers[i]).mgmt_class);
  }
}

void AgentManagers::step(const SubnetManager& sm) {
  if (auto snapshot = sm.snapshot(); snapshot != published_) {
    const bool begins = begins_round(published_.get(), snapshot.get());
    published_ = std::move(snapshot);
    if (begins) begin_round();
  }
  congestion_->step();
  for (const auto& keys : keys_) keys->step();
}

void AgentManagers::begin_round() {
  congestion_->publish(published_);
  for (const auto& keys : keys_) keys->publish(published_);
}

bool AgentManagers::settled() const {
  return congestion_->settled() && keys_[0]->settled() && keys_[1]->settled();
}

std::uint64_t AgentManagers::written() const {
  std::uint64_t sum = congestion_->ppcc_counts().written + congestion_->dcqcn_counts().written;
  for (const ClassKeyWork* work : {&congestion_->keys(), &keys_[0]->work(), &keys_[1]->work()})
    sum += work->counts().set + work->counts().neighbors;
  return sum;
}

std::optional<PortId> AgentManagers::supporting_port(const Snapshot& snapshot, EndportId at,
                                                     AgentFeature feature) const {
  const Fabric& fabric = emulated_.fabric();
  const auto endport =
      fabric.find_endport(snapshot.fabric.port(snapshot.fabric.endport(at).port).guid);
  if (!endport) return std::nullopt;
  const NodeId node = fabric.endport(*endport).node;
  const FeatureDevices devices = plan_.all_agents ? FeatureDevices::kAll : FeatureDevices::kMixed;
  const bool is_supported = device_has(fabric, node, devices_, feature.in_profiles) &&
                            emulator::feature_support(feature.in_mixed_support, devices, node) ==
                                emulator::FeatureSupport::kFull;
  return is_supported ? std::optional(fabric.endport(*endport).port) : std::nullopt;
}

std::string AgentManagers::wrong_key(const Snapshot& snapshot, KeyedClass keyed) const {
  const std::uint64_t version = key_version_at(key_options_, emulated_.clock().now()).number;
  for (std::uint32_t i = 0; i < snapshot.fabric.endport_count(); ++i) {
    const auto port = supporting_port(snapshot, EndportId(i), kClassKeys);
    const bool is_switch = snapshot.fabric.is_switch(snapshot.fabric.endport(EndportId(i)).node);
    if (!port || (keyed == KeyedClass::kNodeToNode && !is_switch)) continue;
    const Guid guid = emulated_.fabric().port(*port).guid;
    const ClassKeyInfo& info = emulated_.class_key_agent(keyed, *port).info;
    const std::uint64_t wanted = derive_class_key(key_options_.seed, keyed, guid, version);
    if (info.key != wanted || !info.is_protected)
      return fmt::format(
          "{} has {} key 0x{:x}, {}protected, expected 0x{:x} of version {}, protected",
          describe(emulated_.fabric(), *port), form_of(keyed).name, info.key,
          info.is_protected ? "" : "not ", wanted, version);
  }
  return {};
}

std::string AgentManagers::wrong_ppcc(const Snapshot& snapshot) const {
  const auto settings =
      congestion_settings(policy_, snapshot.fabric, snapshot.report.planes.stated);
  for (std::uint32_t i = 0; i < snapshot.fabric.endport_count(); ++i) {
    const auto wanted = settings.find(snapshot.fabric.endport(EndportId(i)).port);
    const auto port = supporting_port(snapshot, EndportId(i), kPpcc);
    if (wanted == settings.end() || !port) continue;
    const PpccAgent& agent = emulated_.congestion_agent(*port).ppcc;
    for (const CongestionSetting& setting : wanted->second) {
      const std::uint16_t id = policy_.algorithms[setting.algorithm].id.id;
      const auto slot = static_cast<std::size_t>(
          std::ranges::find(agent.algorithms, id, &PpccAlgorithmId::id) - agent.algorithms.begin());
      const bool is_as_wanted =
          slot < agent.algorithms.size() && agent.configs[slot].is_enabled &&
          agent.configs[slot].sls == setting.sls && agent.configs[slot].counts == setting.counts &&
          std::ranges::equal(std::span(agent.parameters[slot].values).first(setting.values.size()),
                             setting.values);
      if (!is_as_wanted)
        return fmt::format("{} has other settings of algorithm 0x{:x} than configured",
                           describe(emulated_.fabric(), *port), id);
    }
  }
  return {};
}

std::string AgentManagers::wrong_dcqcn(const Snapshot& snapshot) const {
  for (const auto& [at, settings] :
       dcqcn_settings(policy_.dcqcn, policy_.groups, snapshot.fabric)) {
    const auto port = supporting_port(snapshot, at, kDcqcn);
    if (!port) continue;
    DcqcnAgent& agent = emulated_.congestion_agent(*port).dcqcn;
    for (const auto& [attribute, fields] : settings)
      if (!fields.agrees_with(agent.held[attribute]))
        return fmt::format("{} has another DCQCN attribute 0x{:04x}, modifier {}, than configured",
                           describe(emulated_.fabric(), *port), attribute.first, attribute.second);
  }
  return {};
}

std::string AgentManagers::wrong_device() const {
  if (!published_) return "no snapshot";
  std::string wrong;
  if (plan_.class_keys)
    for (const KeyedClass keyed :
         {KeyedClass::kCongestion, KeyedClass::kVendor, KeyedClass::kNodeToNode})
      if (wrong.empty()) wrong = wrong_key(*published_, keyed);
  if (plan_.ppcc && wrong.empty()) wrong = wrong_ppcc(*published_);
  if (plan_.dcqcn && wrong.empty()) wrong = wrong_dcqcn(*published_);
  return wrong;
}

}  // namespace weft::simulation
