// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// UFM's REST interface without sockets: base paths and credentials, bodies of changes, and answers.
#include <gmock/gmock.h>

#include "service/http/data/partitions.h"
#include "service/http/http_api.h"
#include "service/http/ufm/ufm_inventory.h"
#include "service/http/ufm/ufm_orders.h"
#include "service/http/ufm/ufm_partitions.h"
#include "service/http/ufm/ufm_rates.h"
#include "unit/service/published.h"

namespace weft {
namespace {

using http_data::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using Wanted = PartitionChange::Wanted;

HttpRequest request_for(std::string_view target, std::string_view authorization) {
  HttpHead head{"GET", target, 100, {{"Authorization", authorization}}};
  const auto request = request_of(head);
  EXPECT_TRUE(request) << target;
  return request.value_or(HttpRequest());
}

TEST(UfmBase, IsReplacedAndTrailingSlashesAreRemoved) {
  for (const char* target : {"/ufmRest/resources/pkeys", "/ufmRestV2/resources/pkeys/",
                             "/ufmRestV3/resources/pkeys//?guids_data=true"})
    EXPECT_EQ(request_for(target, "").path, "/ufmRest/resources/pkeys") << target;
  for (const char* target : {"/ufmRestKrb/x/", "/ufmRest", "/ufmRestV4/x", "/api/v1/x/"})
    EXPECT_EQ(request_for(target, "").path, target);
  EXPECT_EQ(request_for("/ufmRest/", "").path, "/ufmRest/");
}

TEST(UfmBase, SelectsTheFormOfCredentials) {
  // base64 of "admin:right-0123456789ab" and of "x:a:b"
  const std::string basic = "Basic YWRtaW46cmlnaHQtMDEyMzQ1Njc4OWFi";
  EXPECT_EQ(request_for("/ufmRest/x", basic).token, "right-0123456789ab");
  EXPECT_EQ(request_for("/ufmRestV2/x", "bAsIc  eDphOmI= ").token, "a:b");
  EXPECT_EQ(request_for("/ufmRestV3/x", "Basic right-0123456789ab").token, "right-0123456789ab");
  EXPECT_EQ(request_for("/ufmRest/x", "Bearer right").token, "right");
  for (const char* empty : {"", "Basic ", "Basic", "Negotiate abc"})
    EXPECT_EQ(request_for("/ufmRest/x", empty).token, "") << empty;
  EXPECT_EQ(request_for("/api/v1/sweep", basic).token, "")
      << "Basic credentials are ignored here, because a browser sends them automatically";
  // Malformed credentials are passed on as they are, so that authentication refuses them.
  for (const char* wrong : {"Basic %%%", "Basic YWRtaW4=", "Basic YWRtaW46"})
    EXPECT_NE(request_for("/ufmRest/x", wrong).token, "") << wrong;
}

TEST(UfmPkeys, AreHexadecimalInAnyWidth) {
  for (const char* text : {"0x00A1", "0xa1", "A1", "0x80a1", "00000a1"})
    EXPECT_EQ(ufm::pkey_base(text), 0xA1) << text;
  for (const char* text : {"", "0x", "0", "0x8000", "0x10000", "blue", "-1", "0xa1 "})
    EXPECT_FALSE(ufm::pkey_base(text)) << text;
  EXPECT_EQ(ufm::pkey_text(0xA1), "0xa1");
}

Json body_of(const std::string& text) { return Json::parse(text, nullptr, false); }

TEST(UfmOrders, AddMembersThatMayBeAbsent) {
  const auto order = ufm::members_to_add(body_of(
      R"({"pkey": "0x00A1", "index0": true, "ip_over_ib": true, "membership": "full",
          "guids": ["02000000000000aa", "0x02000000000000BB", "02000000000000aa"]})"));
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(order->change.base, 0xA1);
  EXPECT_EQ(order->change.name, "api_pkey_0xa1");
  EXPECT_TRUE(order->change.ipoib);
  EXPECT_TRUE(order->absent_ports);
  EXPECT_THAT(order->change.set,
              ElementsAre(Wanted{Guid(0x02000000000000BB), Membership::kFull, true},
                          Wanted{Guid(0x02000000000000AA), Membership::kFull, true}));
  ASSERT_TRUE(order->update);
  EXPECT_TRUE(order->update->creates);
  EXPECT_FALSE(order->update->replaces);
  EXPECT_EQ(order->update->flags.ipoib, true);
}

TEST(UfmOrders, HaveTheDefaultsOfUfm) {
  const auto order = ufm::members_to_add(body_of(R"({"pkey": "1", "guids": ["5"]})"));
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->change.ipoib) << "a new partition has IPoIB";
  EXPECT_EQ(order->update->flags.ipoib, std::nullopt)
      << "the IPoIB flag of an existing partition is kept";
  EXPECT_THAT(order->change.set, ElementsAre(Wanted{Guid(5), Membership::kFull, false}));
  const auto no_group = ufm::members_to_add(
      body_of(R"({"pkey": "1", "guids": ["5"], "ip_over_ib": false, "partition_name": "t"})"));
  EXPECT_FALSE(no_group->change.ipoib);
  EXPECT_EQ(no_group->update->flags.ipoib, std::nullopt);
  EXPECT_EQ(no_group->change.name, "t");
}

TEST(UfmOrders, ReplaceMembersWithAMembershipForEach) {
  const auto order = ufm::all_members(body_of(
      R"({"pkey": "1", "guids": ["5", "6"], "memberships": ["limited", "full"],
          "ip_over_ib": false})"));
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_TRUE(order->update->replaces);
  EXPECT_EQ(order->update->flags.ipoib, false);
  EXPECT_THAT(order->change.set, ElementsAre(Wanted{Guid(5), Membership::kLimited, false},
                                             Wanted{Guid(6), Membership::kFull, false}));
}

TEST(UfmOrders, SetMtuRateAndSl) {
  const auto order = ufm::qos_change(
      body_of(R"({"pkey": "1", "mtu_limit": 4, "rate_limit": 2.5, "service_level": 15})"));
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(order->update->flags, (PartitionChange::Flags{{}, 2, 5, 15}));
  EXPECT_FALSE(order->update->creates);
  const auto created = ufm::empty_partition(body_of(R"({"pkey": "1", "rate_limit": 100})"));
  ASSERT_TRUE(created);
  EXPECT_EQ(created->update->flags.rate, 16);
  EXPECT_TRUE(created->update->creates && created->update->must_be_new);
}

TEST(UfmOrders, RemoveMembersAndPartitions) {
  const Fabric fabric = published("fattree2:k=4").fabric;
  const auto removed =
      ufm::members_to_remove(body_of(R"({"pkey": "1", "guids": ["6", "5", "6"]})"));
  ASSERT_TRUE(removed);
  EXPECT_THAT(removed->change.remove, ElementsAre(Guid(5), Guid(6)));
  EXPECT_TRUE(removed->update->deletes_empty);
  EXPECT_FALSE(removed->update->creates);
  EXPECT_THAT(ufm::removal("0xA1/guids/5, 6", fabric)->change.remove,
              ElementsAre(Guid(5), Guid(6)));
  EXPECT_EQ(ufm::removal("0xA1", fabric)->change.kind, PartitionChange::Kind::kDelete);
  EXPECT_EQ(ufm::removal("0xA1/hosts/host-[1-2]", fabric)->change.remove.size(), 2u);
  for (const char* rest : {"0xA1/guids", "0xA1/ports/5", "0xA1/guids/5/6"})
    EXPECT_EQ(ufm::removal(rest, fabric).error().code, Code::kUsage) << rest;
  for (const char* rest : {"", "blue/guids/5", "0xA1/guids/", "0xA1/guids/5,x", "1/hosts/"})
    EXPECT_EQ(ufm::removal(rest, fabric).error().code, Code::kBadField) << rest;
}

TEST(UfmOrders, AddThePortsOfHosts) {
  const Fabric fabric = published("fattree2:k=4").fabric;
  const auto order =
      ufm::hosts_to_add(body_of(R"({"pkey": "1", "hosts_names": "host-[1-3],host-2"})"), fabric);
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(order->change.set.size(), 3u);
  EXPECT_TRUE(fabric.find_endport(order->change.set[0].port));
  const auto unknown =
      ufm::hosts_to_add(body_of(R"({"pkey": "1", "hosts_names": "host-1,other"})"), fabric);
  EXPECT_EQ(unknown.error().code, Code::kUsage);
  EXPECT_THAT(unknown.error().message, HasSubstr("host 'other' is not on this fabric"));
}

TEST(UfmOrders, ErrorsNameTheInvalidMember) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"[]", "found a list of 0, expected a JSON object"},
      {R"({"guids": ["5"]})", "pkey: found nothing, expected text"},
      {R"({"pkey": 1, "guids": ["5"]})", "pkey: found '1', expected text"},
      {R"({"pkey": "0", "guids": ["5"]})", "expected a hexadecimal P_Key"},
      {R"({"pkey": "1"})", "guids: found nothing, expected a list"},
      {R"({"pkey": "1", "guids": []})",
       "guids: found a list of 0, expected a list of at least one GUID"},
      {R"({"pkey": "1", "guids": [5]})", "guids: found '5'"},
      {R"({"pkey": "1", "guids": [["5"]]})", "guids: found a list of 1, expected a GUID"},
      {R"({"pkey": "1", "guids": ["0"]})",
       "found '0', expected a GUID: a hexadecimal number other than 0"},
      {R"({"pkey": "1", "guids": ["02:00:00:00:00:00:00:01"]})", "expected a GUID"},
      {R"({"pkey": "1", "guids": ["00000000000000000000000000000005"]})", "expected a GUID"},
      {R"({"pkey": "1", "guids": ["5"], "membership": "both"})", "expected full or limited"},
      {R"({"pkey": "1", "guids": ["5"], "membership": ["full"]})",
       "membership: found a list of 1, expected full"},
      {R"({"pkey": "1", "guids": ["5"], "memberships": ["full", "full"]})",
       "memberships: found a list of 2, expected a list of 1"},
      {R"({"pkey": "1", "guids": ["5"], "memberships": "full"})",
       R"(memberships: found '"full"', expected a list of 1)"},
      {R"({"pkey": "1", "guids": ["5"], "index0": "true"})",
       R"(index0: found '"true"', expected true or false)"},
      {R"({"pkey": "1", "guids": ["5"], "ip_over_ib": 1})",
       "ip_over_ib: found '1', expected true or false"},
      {R"({"pkey": "1", "guids": ["5"], "partition_name": "a b"})", "expected letters"},
      {R"({"pkey": "1", "guids": ["5"], "guid": "6"})", "unknown member 'guid'"},
  };
  for (const auto& [text, message] : kWrong) {
    const auto order = ufm::members_to_add(body_of(text));
    ASSERT_FALSE(order) << text;
    EXPECT_EQ(order.error().code, Code::kBadField) << text;
    EXPECT_THAT(order.error().message, HasSubstr(message)) << text;
  }
  for (const char* text :
       {R"({"pkey": "1"})", R"({"pkey": "1", "mtu_limit": 3})",
        R"({"pkey": "1", "mtu_limit": "4"})", R"({"pkey": "1", "rate_limit": 99})",
        R"({"pkey": "1", "service_level": 16})", R"({"pkey": "1", "service_level": 1.5})",
        R"({"pkey": "1", "service_level": -1})"})
    EXPECT_FALSE(ufm::qos_change(body_of(text))) << text;
}

TEST(UfmRates, HaveCodesOfTheSpecification) {
  for (const double gbps :
       {2.5, 5., 10., 14., 20., 25., 30., 40., 56., 60., 80., 100., 112., 120., 168., 200., 300.})
    EXPECT_EQ(ufm::rate_gbps(*ufm::rate_code_of(gbps)), gbps);
  EXPECT_EQ(ufm::rate_code_of(100), 16);
  EXPECT_EQ(ufm::rate_gbps(23), 0);
  EXPECT_EQ(ufm::mtu_kilobytes(*ufm::mtu_code(4)), 4u);
  EXPECT_EQ(ufm::mtu_kilobytes(*ufm::mtu_code(2)), 2u);
  EXPECT_EQ(ufm::mtu_kilobytes(1), 1u);
}

Snapshot with_partitions(const std::string& text) {
  Snapshot snapshot = published("fattree2:k=4");
  std::vector<std::string> warnings;
  snapshot.partitions = *parse_partitions(text, "p", warnings);
  return snapshot;
}

TEST(UfmPartitions, ListMembersAsInTheFile) {
  const Snapshot first = published("fattree2:k=4");
  const Port& port = first.fabric.port(first.fabric.endport(EndportId(8)).port);
  const Snapshot snapshot = with_partitions(fmt::format(
      "A=0xa1,ipoib,mtu=5: 0xAA00=full;\nA=0xa1, indx0: 0x{:x}=limited;\nB=2: ALL=full;",
      port.guid.value()));
  const Json a = ufm::partition(snapshot, 0xA1, {.guids = true, .quality = true});
  EXPECT_EQ(a, body_of(fmt::format(
                   R"({{"partition": "A", "ip_over_ib": true, "guids": [
                        {{"guid": "000000000000aa00", "membership": "full", "index0": false}},
                        {{"guid": "{:016x}", "membership": "limited", "index0": true}}],
                       "qos_conf": {{"mtu_limit": 4, "service_level": 0, "rate_limit": 10.0}}}})",
                   port.guid.value())));
  const Json all = ufm::partitions(snapshot, {.guids = true});
  EXPECT_EQ(all["0x2"]["guids"].size(), snapshot.fabric.endport_count());
  EXPECT_EQ(all["0x7fff"]["membership"], "limited");
  EXPECT_FALSE(all["0xa1"].contains("membership"));
  EXPECT_EQ(with_partitions("Default=0x7fff: ALL=full;").partitions.partitions.size(), 2u);
  EXPECT_EQ(ufm::partition(with_partitions("Default=0x7fff: ALL=full;"), 0x7FFF, {})["membership"],
            "full");
  EXPECT_EQ(ufm::pkeys(snapshot), body_of(R"(["0x2", "0xa1", "0x7fff"])"));
  EXPECT_EQ(ufm::partition(snapshot, 0xB1, {.guids = true}), Json::object());
}

TEST(UfmInventory, HasEachPortWithThePeer) {
  const Snapshot snapshot = published("fattree2:k=4");
  const Json hosts = ufm::ports(snapshot, {.system_type = "computer"});
  ASSERT_EQ(hosts.size(), 8u);
  const Json& host = hosts[0];
  EXPECT_EQ(host["system_name"], "host-1");
  EXPECT_EQ(host["peer_node_name"], "leaf-1");
  EXPECT_EQ(host["tier"], 0);
  EXPECT_THAT(host["description"].get<std::string>(), HasSubstr("Computer: host-1"));
  EXPECT_EQ(host["name"], host["guid"].get<std::string>() + "_1");
  const Json switches = ufm::ports(snapshot, {.system_type = "switch"});
  EXPECT_EQ(switches.size(), 8u + 2 * 8u);
  EXPECT_EQ(ufm::ports(snapshot, {.system = "leaf-1"}).size(), 4u);
  EXPECT_EQ(ufm::ports(snapshot, {.system = "leaf-1"})[0]["tier"], 1);
  EXPECT_EQ(ufm::ports(snapshot, {.system = "spine-1"})[0]["tier"], 2);
  EXPECT_EQ(ufm::ports(snapshot, {.system = host["systemID"]}).size(), 1u);
  EXPECT_EQ(ufm::links(snapshot, {}).size(), 16u);
  EXPECT_EQ(ufm::links(snapshot, {.system = "host-1"}).size(), 1u);
  EXPECT_EQ(ufm::systems(snapshot, {}).size(), 14u);
  const Json spine = ufm::systems(snapshot, {.system = "spine-1", .with_ports = true})[0];
  EXPECT_EQ(spine["role"], "core");
  EXPECT_EQ(spine["ports"].size(), 4u);
}

TEST(UfmInventory, ShowsAliasGuidsAsVirtualPorts) {
  Snapshot snapshot = published("fattree2:k=4");
  const Port& port = snapshot.fabric.port(snapshot.fabric.endport(EndportId(8)).port);
  snapshot.aliases[port.guid] = {Guid(0), Guid(0xAA), Guid(0)};
  snapshot.aliases[Guid(0x1)] = {Guid(0), Guid(0xBB)};
  const Json list = ufm::virtual_ports(snapshot);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["virtual_port_guid"], "00000000000000aa");
  EXPECT_EQ(list[0]["port_guid"], fmt::format("{:016x}", port.guid.value()));
}

TEST(PartitionMembersOfTheService, AreVirtualIfTheyAreAliasGuids) {
  Snapshot snapshot = with_partitions("A=0xa1: 0xaa=full, 0xbb=limited;");
  const Port& port = snapshot.fabric.port(snapshot.fabric.endport(EndportId(8)).port);
  snapshot.aliases[port.guid] = {Guid(0), Guid(0xAA)};
  const Json json = *http_data::partition(snapshot, 0xA1);
  EXPECT_EQ(json["virtual_members"][0]["guid"], "0x00000000000000aa");
  EXPECT_EQ(json["virtual_members"][0]["port"], http_data::hex(port.guid));
  ASSERT_EQ(json["absent_members"].size(), 1u);
  EXPECT_EQ(json["absent_members"][0]["guid"], "0x00000000000000bb");
}

TEST(UfmConfiguration, ShowsNoKeyButPublicDefaults) {
  Settings settings;
  Json json = ufm::manager_configuration(settings);
  EXPECT_EQ(json["m_key"], "0x0000000000000000");
  EXPECT_EQ(json["sm_key"], "0x0000000000000001");
  settings.m_key = 0x1234;
  settings.sm_key = settings.sa_key = 0x5678;
  json = ufm::manager_configuration(settings);
  for (const char* key : {"m_key", "sm_key", "sa_key"}) EXPECT_EQ(json[key], "hidden") << key;
  settings.m_key = 0;
  settings.m_key_per_port = true;
  EXPECT_EQ(ufm::manager_configuration(settings)["m_key"], "hidden");
}

class UfmApi : public testing::Test {
 protected:
  UfmApi() : board_(Settings{}) {
    HttpOptions options;
    options.address = *parse_http_address("127.0.0.1:0");
    options.secrets.access = HttpAccess({{Role::kRead, Secret(std::string_view("read"))},
                                         {Role::kAdminister, Secret(std::string_view("right"))}});
    api_ = std::make_unique<HttpApi>(options, board_, std::make_shared<EventRing>());
    SmStatus status;
    status.state = SmState::kMaster;
    board_.post(status, std::make_shared<const Snapshot>(published("fattree2:k=4")));
  }
  HttpAnswer answer_to(const std::string& method, const std::string& path, const std::string& token,
                       const std::string& body = "", const std::string& type = "application/json") {
    HttpRequest request;
    request.method = method;
    request.path = "/ufmRest" + path;
    request.token = token;
    request.host = "localhost";
    request.body = body;
    request.body_type = type;
    HttpAnswer answer = api_->answer(request);
    return answer.later ? answer.later() : std::move(answer);
  }
  SmBoard board_;
  std::unique_ptr<HttpApi> api_;
};

TEST_F(UfmApi, AWrongPasswordIsRefusedAlsoForReadsFromThisMachine) {
  EXPECT_EQ(answer_to("GET", "/app/ufm_version", "right").status, 200);
  EXPECT_EQ(answer_to("GET", "/app/ufm_version", "").status, 200)
      << "users of this machine may read";
  const HttpAnswer refused = answer_to("GET", "/app/ufm_version", "wrong");
  EXPECT_EQ(refused.status, 401);
  EXPECT_TRUE(refused.penalty);
  EXPECT_THAT(refused.headers, testing::Contains(std::pair<std::string, std::string>(
                                   "WWW-Authenticate", "Basic realm=\"weft\"")));
  EXPECT_EQ(answer_to("DELETE", "/resources/pkeys/0x7fff", "read").status, 403);
  EXPECT_EQ(answer_to("DELETE", "/resources/pkeys/0x7fff", "").status, 401);
}

TEST_F(UfmApi, TheAnswerForAnUnknownPkeyIsAnEmptyObject) {
  EXPECT_EQ(*answer_to("GET", "/resources/pkeys/0xb1", "").body, "{}");
  EXPECT_EQ(answer_to("GET", "/resources/pkeys/blue", "").status, 400);
  EXPECT_EQ(answer_to("DELETE", "/resources/pkeys/0xb1", "right").status, 404);
}

TEST_F(UfmApi, ErrorsHaveTheCodesOfUfm) {
  Result<PartitionOutcome> outcome = PartitionOutcome();
  board_.partitions_handler.set([&](const PartitionOrder&) { return outcome; });
  const std::string body = R"({"pkey": "0xa1", "guids": ["02000000000000aa"]})";
  EXPECT_EQ(answer_to("POST", "/resources/pkeys", "right", body).status, 200)
      << "the status is 200 also before the change is applied";
  for (const auto& [code, status] :
       {std::pair(Code::kUsage, 404), std::pair(Code::kBadInput, 400),
        std::pair(Code::kRejected, 503), std::pair(Code::kTimeout, 503),
        std::pair(Code::kEnvironment, 500)}) {
    outcome = fail(code, "why");
    EXPECT_EQ(answer_to("POST", "/resources/pkeys", "right", body).status, status);
  }
  EXPECT_EQ(answer_to("POST", "/resources/pkeys", "right", body, "text/plain").status, 415);
  EXPECT_EQ(answer_to("POST", "/resources/pkeys", "right", "{").status, 400);
  EXPECT_EQ(answer_to("GET", "/app/tokens", "right").status, 404);
}

TEST_F(UfmApi, ListsHaveQueriesAndPages) {
  const auto rows = [&](const std::string& path, std::multimap<std::string, std::string> query) {
    HttpRequest request;
    request.method = "GET";
    request.path = "/ufmRest/resources/" + path;
    request.query = std::move(query);
    const HttpAnswer answer = api_->answer(request);
    return answer.status == 200 ? Json::parse(*answer.body) : Json(answer.status);
  };
  EXPECT_EQ(rows("ports", {{"sys_type", "Computer"}}).size(), 8u);
  EXPECT_EQ(rows("ports", {{"sys_type", "Toaster"}}), 400);
  EXPECT_EQ(rows("ports", {{"cable_info", "true"}}), 501);
  EXPECT_EQ(rows("ports", {{"cable_info", "false"}}).size(), 32u);
  EXPECT_EQ(rows("links", {{"page_number", "2"}, {"rpp", "10"}})["data"].size(), 6u);
  EXPECT_EQ(rows("links", {{"page_number", "0"}}), 400);
  EXPECT_EQ(rows("systems", {{"type", "switch"}}).size(), 6u);
  EXPECT_EQ(rows("pkeys", {{"guids_data", "true"}, {"qos_conf", "true"}}), 400);
}

}  // namespace
}  // namespace weft
