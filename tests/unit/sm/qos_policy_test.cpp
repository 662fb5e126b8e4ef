// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// qos-policy.conf: parsing, errors with file and line, and the QoS level of each query. The
// expected results are the answers of OpenSM 3.3.23 to saquery for the same rules.
#include "sm/qos/qos_policy.h"

#include <gmock/gmock.h>

#include "base/check.h"
#include "base/file.h"
#include "sm/qos/qos_matcher.h"
#include "support/mutated.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kFullPolicy = R"(# everything
port-groups
    port-group # by GUID
        name: Storage
        use: SRP Targets
        port-guid: 0x10001, 0x10011-0x10012
        port-guid: 0xFF
    end-port-group
    port-group
        name: Virtual Servers
        port-name: H0/P1, H 1/P2
    end-port-group
    port-group
        name: Partitions
        partition: Part1
        pkey: 0x1234
    end-port-group
    port-group
        name: CAs and SM
        node-type: CA, SELF
    end-port-group
end-port-groups
qos-setup
    whatever: it says
end-qos-setup
qos-levels
    qos-level
        name: DEFAULT
        use: default QoS Level
        sl: 0
    end-qos-level
    qos-level
        name: WholeSet
        sl: 1
        mtu-limit: 4
        rate-limit: 5
        pkey: 0x1234
        packet-life: 8
    end-qos-level
end-qos-levels
qos-match-rules
    qos-match-rule
        use: by QoS class
        qos-class: 7-9,11
        qos-level-name: WholeSet
    end-qos-match-rule
    qos-match-rule
        destination: Storage
        service-id: 0x10000000000001, 0x10000000000008-0x10000000000FFF
        qos-level-name: WholeSet
    end-qos-match-rule
    qos-match-rule
        source: Storage, Virtual Servers
        pkey: 0x0F00-0x0FFF
        qos-level-name: default
    end-qos-match-rule
end-qos-match-rules
)";

constexpr std::string_view kUlps = R"(qos-ulps
    default                       : 0 # default SL
    sdp, port-num 30000           : 1
    sdp, port-num 10000-20000     : 2
    sdp                           : 3
    rds                           : 4
    iser, port-num 900            : 5
    iser                          : 6
    ipoib, pkey 0x0001            : 7
    ipoib                         : 8
    any, service-id 0x6234        : 9
    any, pkey 0x0ABC              : 10
    srp, target-port-guid 0x1234  : 11
    any, target-port-guid 0x0ABC-0xFFFFF : 12
    any, source-port-guid 0x5678  : 13
end-qos-ulps
)";

Result<QosPolicy> parse(std::string_view text) {
  std::vector<std::string> warnings;
  return parse_qos_policy(text, "p", warnings);
}

QosMatcher matcher(std::string_view text) {
  auto policy = parse(text);
  CHECK(policy.has_value());
  std::vector<std::string> warnings;
  return QosMatcher(std::move(*policy), Tiny(1).hosts(0, 2).build(), EndportId(1),
                    partitions_without_file(), warnings);
}

unsigned sl(const QosMatcher& matcher, const QosQuery& query) {
  return matcher.match(query)->sl.value();
}

TEST(QosPolicy, ReadsEveryKeyword) {
  std::vector<std::string> warnings;
  const auto policy = parse_qos_policy(kFullPolicy, "p", warnings);
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("p:23:1: the section qos-setup has no effect")));
  ASSERT_EQ(policy->groups.size(), 4u);
  EXPECT_EQ(policy->groups[0].name, "Storage");
  EXPECT_EQ(policy->groups[0].port_guids,
            (NumberRanges{{0x10001, 0x10001}, {0x10011, 0x10012}, {0xFF, 0xFF}}));
  EXPECT_THAT(policy->groups[1].port_names, ElementsAre("H0/P1", "H 1/P2"));
  EXPECT_THAT(policy->groups[2].partitions, ElementsAre("Part1"));
  EXPECT_EQ(policy->groups[2].pkeys, (NumberRanges{{0x1234, 0x1234}}));
  EXPECT_TRUE(policy->groups[3].cas && policy->groups[3].self);
  EXPECT_FALSE(policy->groups[3].all || policy->groups[3].switches);
  ASSERT_EQ(policy->levels.size(), 2u);
  EXPECT_EQ(policy->levels[1].sl, Sl(1));
  EXPECT_EQ(policy->levels[1].mtu_limit, 4);
  EXPECT_EQ(policy->levels[1].rate_limit, 5);
  EXPECT_EQ(policy->levels[1].packet_life, 8);
  EXPECT_TRUE(allows(policy->levels[1], Pkey(0x9234)) && !allows(policy->levels[1], Pkey(0xFFFF)));
  EXPECT_TRUE(allows(policy->levels[0], Pkey(0xFFFF)));
  ASSERT_EQ(policy->rules.size(), 3u);
  EXPECT_THAT(policy->rules[2].sources, ElementsAre(0u, 1u));
  EXPECT_EQ(policy->rules[2].level, 0u);
  EXPECT_EQ(policy->default_level, 0u);
}

TEST(QosPolicy, ReportsErrorsWithTheirPlaces) {
  const struct {
    const char *text, *error;
  } cases[] = {
      {"",
       "p:1:1: found 0 levels and no default among them, expected a qos-level of the name DEFAULT"},
      {"foo", "p:1:1: found 'foo', expected port-groups, qos-setup"},
      {"qos-levels\n qos-level\n name: A\n end-qos-level\nend-qos-levels\n",
       "p:2:2: found 'qos-level', expected a name: and an sl:"},
      {"qos-levels\n qos-level\n sl: 16\n", "p:3:6: found '16', expected a number up to 0xf"},
      {"qos-levels\n qos-level\n sl: 1\n", "p:2:2: found no end-qos-level until the end"},
      {"qos-levels\n qos-level\n  speed: 1\n",
       "p:3:3: found 'speed: 1', expected name:, use:, sl:"},
      {"qos-levels\n qos-level\n name:\n", "p:3:2: found 'name:', expected a value after name"},
      {"qos-levels\n sl: 1\n", "p:2:2: found 'sl: 1', expected qos-level or end-qos-levels"},
      {"qos-levels\n", "p:1:1: found no end-qos-levels until the end of the file"},
      {"port-groups\n port-group\n port-guid: 0x1, y\n", "p:3:18: found 'y', expected a number"},
      {"port-groups\n port-group\n port-guid: 9-3\n",
       "p:3:13: found '9-3', expected a range FIRST-LAST with FIRST at most"},
      {"port-groups\n port-group\n pkey: 0x7fff-0x8000\n",
       "expected P_Keys with the membership bit at both"},
      {"port-groups\n port-group\n node-type: HUB\n", "p:3:13: found 'HUB', expected ALL, CA"},
      {"port-groups\n port-group\n port-name: H1\n",
       "p:3:13: found 'H1', expected NODE DESCRIPTION/P"},
      {"port-groups\n port-group\n use: x\n end-port-group\n",
       "p:2:2: found 'port-group', expected a name:"},
      {"qos-match-rules\n qos-match-rule\n qos-level-name: X\n "
       "end-qos-match-rule\nend-qos-match-rules\n",
       "p:2:2: found 'X', expected the name of a qos-level"},
      {"qos-match-rules\n qos-match-rule\n source: G\n qos-level-name: X\n "
       "end-qos-match-rule\nend-qos-match-rules\n",
       "p:2:2: found 'G', expected the name of a port-group"},
      {"qos-match-rules\n qos-match-rule\n qos-class: 4096\n", "p:3:13: found '4096'"},
      {"qos-match-rules\n qos-match-rule\n end-qos-match-rule\n",
       "expected a qos-level-name: in each"},
      {"qos-ulps\n sdp 1\nend-qos-ulps\n",
       "p:2:2: found 'sdp 1', expected ULP[, QUALIFIER VALUE] : SL"},
      {"qos-ulps\n srp : 1\nend-qos-ulps\n",
       "p:2:2: found 'srp : 1', expected default; sdp, rds or iser"},
      {"qos-ulps\n sdp, pkey 1 : 1\n", "found 'sdp, pkey 1 : 1'"},
      {"qos-ulps\n sdp, : 1\n", "expected a qualifier after the comma"},
      {"qos-ulps\n sdp, port-num 65536 : 1\n",
       "p:2:16: found '65536', expected a number up to 0xffff"},
      {"qos-ulps\n sdp : 1 1\n", "p:2:8: found '1 1', expected a number up to 0xf"},
      {"qos-ulps\n default : 1\n", "p:1:1: found no end-qos-ulps"},
      {"qos-setup\n x\n", "p:1:1: found no end-qos-setup"},
  };
  for (const auto& test : cases) {
    const auto policy = parse(test.text);
    ASSERT_FALSE(policy) << test.text;
    EXPECT_THAT(policy.error().message, HasSubstr(test.error)) << test.text;
  }
}

TEST(QosPolicy, FirstOfEqualNamesApplies) {
  std::vector<std::string> warnings;
  const auto policy = parse_qos_policy(
      "qos-levels\nqos-level\nname: DEFAULT\nsl: 1\nend-qos-level\nqos-level\nname: default\nsl: "
      "2\n"
      "end-qos-level\nend-qos-levels\nqos-ulps\ndefault: 3\ndefault: 4\nend-qos-ulps\n",
      "p", warnings);
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->levels[policy->default_level].sl, Sl(1));
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("p:6:1: qos-level 'DEFAULT' is already defined in line 2"),
                          HasSubstr("p:13:1: second default: ignored, the first applies")));
}

TEST(QosPolicy, AMissingFileHasNoPolicy) {
  const TempDir folder;
  std::vector<std::string> warnings;
  const auto policy = read_qos_policy(folder / "none", warnings);
  ASSERT_TRUE(policy);
  EXPECT_FALSE(policy->exists());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no such file")));
  EXPECT_EQ(QosMatcher().match({}), nullptr);
}

TEST(QosMatcher, UlpsAreMatchedInTheirOrder) {
  const QosMatcher all = matcher(kUlps);
  const auto by_service = [&](std::uint64_t id) {
    return sl(all,
              {.source = {}, .destination = {}, .pkey = {}, .service_id = id, .qos_class = {}});
  };
  EXPECT_EQ(sl(all, {}), 0u);
  EXPECT_EQ(by_service(0x10000 + 30000), 1u);
  EXPECT_EQ(by_service(0x10000 + 15000), 2u);
  EXPECT_EQ(by_service(0x1FFFF), 3u);
  EXPECT_EQ(by_service(0x10648CA), 4u);
  EXPECT_EQ(by_service(0x1060000 + 900), 5u);
  EXPECT_EQ(by_service(0x1060CBC), 6u);
  EXPECT_EQ(by_service(0x6234), 9u);
  EXPECT_EQ(by_service(0x20000), 0u);
  const auto by_pkey = [&](std::uint16_t pkey) {
    return sl(
        all,
        {.source = {}, .destination = {}, .pkey = Pkey(pkey), .service_id = {}, .qos_class = {}});
  };
  EXPECT_EQ(by_pkey(0x8001), 7u);
  EXPECT_EQ(by_pkey(0xFFFF), 8u) << "the membership bit of the P_Key must not matter";
  EXPECT_EQ(by_pkey(0x7FFF), 8u);
  EXPECT_EQ(by_pkey(0x8ABC), 10u);
  EXPECT_EQ(sl(all, {.source = {},
                     .destination = Guid(0x1234),
                     .pkey = {},
                     .service_id = {},
                     .qos_class = {}}),
            11u);
  EXPECT_EQ(
      sl(all,
         {.source = {}, .destination = Guid(0xABD), .pkey = {}, .service_id = {}, .qos_class = {}}),
      12u);
  EXPECT_EQ(sl(all, {.source = Guid(0x5678),
                     .destination = Guid(1),
                     .pkey = {},
                     .service_id = {},
                     .qos_class = {}}),
            13u);
}

TEST(QosMatcher, RuleRequiresAllItsConditions) {
  const QosMatcher all = matcher(kFullPolicy);
  QosQuery query;
  query.source = Guid(1);
  EXPECT_EQ(all.match(query)->name, "DEFAULT");
  query.qos_class = 8;
  EXPECT_EQ(all.match(query)->name, "WholeSet");
  query.qos_class = 10;
  query.destination = Guid(0x10012);
  EXPECT_EQ(all.match(query)->name, "DEFAULT")
      << "a query without a service ID must not match the rule";
  query.service_id = 0x10000000000008;
  EXPECT_EQ(all.match(query)->name, "WholeSet");
  query.destination = Guid(0x10013);
  EXPECT_EQ(all.match(query)->name, "DEFAULT");
}

TEST(QosMatcher, GroupsResolveToPortsOfTheFabric) {
  //  H0, H1, H2 at S0; the manager is on H1
  const Fabric fabric = Tiny(1).hosts(0, 3).build();
  std::vector<std::string> warnings;
  auto policy = parse(
      "port-groups\nport-group\nname: named\nport-name: H0/P1, H9/P1\nend-port-group\n"
      "port-group\nname: members\npartition: P, Q\nend-port-group\n"
      "port-group\nname: keys\npkey: 0x8010-0x8020\nend-port-group\n"
      "port-group\nname: switches\nnode-type: switch\nend-port-group\n"
      "port-group\nname: self\nnode-type: SELF\nend-port-group\n"
      "port-group\nname: all\nnode-type: All\nend-port-group\n"
      "port-group\nname: routers\nnode-type: ROUTER\nend-port-group\nend-port-groups\n"
      "qos-ulps\ndefault:1\nend-qos-ulps\n");
  ASSERT_TRUE(policy) << policy.error().message;
  const Guid host[] = {fabric.port(fabric.endport(EndportId(1)).port).guid,
                       fabric.port(fabric.endport(EndportId(2)).port).guid,
                       fabric.port(fabric.endport(EndportId(3)).port).guid};
  const Guid at_switch = fabric.port(fabric.endport(EndportId(0)).port).guid;
  const auto file = parse_partitions(
      fmt::format("P=0x10: {:#x}=full, {:#x};\nR=0x30: ALL;\n", host[1].value(), host[2].value()),
      "partitions", warnings);
  ASSERT_TRUE(file) << file.error().message;
  warnings.clear();
  const QosMatcher all(std::move(*policy), fabric, EndportId(2), *file, warnings);
  const auto members = [&](std::uint32_t group) {
    std::string found;
    for (const Guid guid : {at_switch, host[0], host[1], host[2]})
      found += all.is_member(group, guid) ? '1' : '0';
    return found;
  };
  EXPECT_EQ(members(0), "0100");
  EXPECT_EQ(members(1), "0011");
  EXPECT_EQ(members(2), "0011");
  EXPECT_EQ(members(3), "1000");
  EXPECT_EQ(members(4), "0010");
  EXPECT_EQ(members(5), "1111");
  EXPECT_EQ(members(6), "0000");
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("port-group 'members': no partition 'Q'"),
                                    HasSubstr("port-group 'routers' has no port of this fabric")));
}

TEST(QosPolicy, DamagedFilesAreReadOrRefusedWithTheirPlace) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  unsigned read = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    std::vector<std::string> warnings;
    auto policy = parse_qos_policy(
        damaged_copy(std::string(seed % 2 == 0 ? kFullPolicy : kUlps), rng), "p", warnings);
    if (!policy) {
      ASSERT_THAT(policy.error().message, testing::StartsWith("p:")) << seed;
      continue;
    }
    ++read;
    const QosMatcher all(std::move(*policy), fabric, EndportId(1), partitions_without_file(),
                         warnings);
    QosQuery query{Guid(rng.below(0x20000)), Guid(rng.below(0x20000)), Pkey(0xFFFF),
                   rng.below(0x20000), static_cast<std::uint16_t>(rng.below(16))};
    ASSERT_NE(all.match(query), nullptr) << seed;
  }
  EXPECT_GT(read, 100u);
}

}  // namespace
}  // namespace weft
