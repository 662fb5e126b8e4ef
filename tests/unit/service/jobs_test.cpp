// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Jobs: the links of the routes, shared links, counters since the start, problems and events.
#include <gmock/gmock.h>

#include "service/http/data/jobs.h"
#include "unit/service/published.h"

namespace weft {
namespace {

using http_data::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

Job job_of(const std::string& id, const std::string& hosts) {
  auto job = http_data::new_job(Json{{"id", id}, {"hosts", hosts}});
  EXPECT_TRUE(job);
  job->begun = at_second(1000);
  return std::move(*job);
}

TEST(JobRequest, HasAnIdAndHosts) {
  const auto job = http_data::new_job(
      Json{{"id", "7"}, {"hosts", "n[1-3],n2,m"}, {"name", "train"}, {"user", "ada"}});
  ASSERT_TRUE(job);
  EXPECT_THAT(job->hosts, ElementsAre("n1", "n2", "n3", "m"));
  EXPECT_EQ(job->user, "ada");
  const auto listed = http_data::new_job(Json{{"id", "7"}, {"hosts", {"a", "b[1-2]"}}});
  EXPECT_THAT(listed->hosts, ElementsAre("a", "b1", "b2"));
}

TEST(JobRequest, ErrorsNameTheInvalidMember) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"[]", "expected a JSON object"},
      {R"({"hosts": "n1"})", "id: expected text"},
      {R"({"id": 7, "hosts": "n1"})", "id: expected text"},
      {R"({"id": "", "hosts": "n1"})", "id: found 0 characters"},
      {R"({"id": "a/b", "hosts": "n1"})", "expected no '/'"},
      {R"({"id": "7"})", "hosts: expected a list"},
      {R"({"id": "7", "hosts": []})", "hosts: column 1"},
      {R"({"id": "7", "hosts": [1]})", "hosts: expected names"},
      {R"({"id": "7", "hosts": "n[1"})", "hosts: column 2"},
      {R"({"id": "7", "hosts": "n[1-999999]"})", "hosts: column"},
      {R"({"id": "7", "hosts": "n1", "colour": 1})", "unknown member 'colour'"},
  };
  for (const auto& [text, message] : kWrong) {
    const auto job = http_data::new_job(Json::parse(text));
    ASSERT_FALSE(job) << text;
    EXPECT_THAT(job.error().message, HasSubstr(message)) << text;
  }
}

/// A fabric of four leaves with two hosts each, and two spines.
class JobLinks : public testing::Test {
 protected:
  JobLinks() : snapshot_(std::make_shared<const Snapshot>(published("fattree2:k=4"))) {}

  JobPtr begin(Job job) {
    const std::string id = job.id;
    EXPECT_TRUE(book_.begin(std::move(job)));
    return book_.find(id);
  }
  Json report(const JobPtr& job, PortCountsTable counted = nullptr,
              std::vector<EventRing::Entry> events = {}) {
    return http_data::job(job, book_, {snapshot_, std::move(counted), std::move(events)});
  }
  std::shared_ptr<const Snapshot> snapshot_;
  JobBook book_;
};

TEST_F(JobLinks, AreThoseOfTheRoutesBetweenTheHosts) {
  const std::vector<std::string> one_leaf{"host-1", "host-2"};
  const JobTraffic near = job_traffic(*snapshot_, one_leaf);
  EXPECT_THAT(near.senders, SizeIs(4))
      << "a job on one leaf uses both directions of two host links";
  for (const PortId sender : near.senders) EXPECT_EQ(near.pairs[sender.value()], 1u);
  const std::vector<std::string> two_leaves{"host-1", "host-3"};
  EXPECT_THAT(job_traffic(*snapshot_, two_leaves).senders, SizeIs(8));
  const std::vector<std::string> all{"host-1", "host-2", "host-3", "host-4",
                                     "host-5", "host-6", "host-7", "host-8"};
  const JobTraffic whole = job_traffic(*snapshot_, all);
  std::uint64_t sum = 0;
  for (const std::uint32_t pairs : whole.pairs) sum += pairs;
  // 8 * 7 pairs of hosts: 8 pairs use two links each, 48 pairs use four links each.
  EXPECT_EQ(sum, 8u * 2 + 48 * 4);
  EXPECT_EQ(whole.unreachable, 0u);
  const std::vector<std::string> some{"host-1", "other", "host-2"};
  EXPECT_THAT(job_traffic(*snapshot_, some).missing_hosts, ElementsAre("other"));
}

TEST_F(JobLinks, NodesAreThoseOfTheDiscoveredHosts) {
  const std::vector<std::string> some{"host-1", "other", "host-2"};
  const Fabric& fabric = snapshot_->fabric;
  std::vector<std::string> names;
  for (const Guid guid : nodes_of_hosts(fabric, some))
    names.push_back(fabric.node(*fabric.find_node(guid)).description);
  EXPECT_THAT(names, UnorderedElementsAre("host-1", "host-2"));
}

TEST_F(JobLinks, CountPairsWithoutARoute) {
  Snapshot broken = published("fattree2:k=4");
  const Lid lid = broken.fabric.endport(EndportId(6)).lid;  // LID of host-1
  for (std::uint32_t s = 0; s < 6; ++s) broken.routes.lfts.set(SwitchId(s), lid, kNoRoute);
  const std::vector<std::string> hosts{"host-1", "host-2", "host-3"};
  EXPECT_EQ(job_traffic(broken, hosts).unreachable, 2u);
}

TEST_F(JobLinks, AreSharedWithRunningJobs) {
  const JobPtr one = begin(job_of("1", "host-[1-2]"));
  const JobPtr two = begin(job_of("2", "host-[2-3]"));
  begin(job_of("3", "host-[7-8]"));
  const Json json = report(one);
  EXPECT_EQ(json["shared_with"], Json::parse(R"([{"id": "2", "links": 2}])"));
  EXPECT_EQ(json["problems"], Json::array());
  book_.end("2", at_second(2000));
  EXPECT_EQ(report(one)["shared_with"], Json::array());
  EXPECT_EQ(report(book_.find("2"))["ended"], "1970-01-01T00:33:20.000000Z");
}

TEST_F(JobLinks, HaveCountersSinceTheStartOfTheJob) {
  Job job = job_of("1", "host-[1-2]");
  const Fabric& fabric = snapshot_->fabric;
  const Port& port = fabric.port(fabric.endport(EndportId(6)).port);
  const Guid node = fabric.node(port.node).node_guid;
  const auto counted = [&](std::uint64_t data, std::uint64_t symbols) {
    PortCounts counts{node, port.num};
    counts.total[index(Counter::kXmitData)] = data;
    counts.total[index(Counter::kSymbolErrors)] = symbols;
    return std::make_shared<const std::vector<PortCounts>>(1, counts);
  };
  http_data::set_baseline(job, *snapshot_, counted(100, 5));
  const JobPtr begun = begin(std::move(job));
  const auto link_of_port = [&](const Json& json) {
    for (const Json& link : json["links"])
      if (link["from"]["node"] == http_data::hex(node)) return link;
    return Json();
  };
  EXPECT_TRUE(link_of_port(report(begun))["sent_bytes"].is_null());
  const Json without_errors = report(begun, counted(110, 5));
  EXPECT_EQ(link_of_port(without_errors)["sent_bytes"], 40);
  EXPECT_EQ(without_errors["problems"], Json::array());
  const Json with_errors = report(begun, counted(110, 8));
  ASSERT_THAT(with_errors["problems"], SizeIs(1));
  EXPECT_EQ(with_errors["problems"][0]["problem"], "3 errors since the job began");
}

TEST_F(JobLinks, HaveTheEventsOfPortsAndNodesSinceTheStartOfTheJob) {
  const JobPtr job = begin(job_of("1", "host-[1-2]"));
  const Json link = report(job)["links"][0];
  const auto event = [&](std::uint64_t id, const char* time, Json fields) {
    fields["id"] = id;
    fields["time"] = time;
    return EventRing::Entry{id, fields.dump()};
  };
  const Json port{{"node", link["from"]["node"]}, {"port", link["from"]["port"]}};
  const Json other{{"node", link["from"]["node"]}, {"port", 99}};
  const Json json = report(
      job, nullptr,
      {event(1, "1970-01-01T00:16:39.000000Z", port), event(2, "1970-01-01T00:16:41.000000Z", port),
       event(3, "1970-01-01T00:16:42.000000Z", other),
       event(4, "1970-01-01T00:16:43.000000Z",
             {{"peer", port["node"]}, {"peer_port", port["port"]}, {"port", 1}}),
       event(5, "1970-01-01T00:16:44.000000Z", {{"node", port["node"]}}),
       event(6, "1970-01-01T00:16:45.000000Z", {{"reason", "x"}}), EventRing::Entry{7, "no JSON"}});
  std::vector<int> ids;
  for (const Json& one : json["events"]) ids.push_back(one["id"].get<int>());
  EXPECT_THAT(ids, ElementsAre(2, 4, 5));
}

TEST_F(JobLinks, ReportDegradedLinksAndPortsThatAreNotActive) {
  Snapshot state = published("fattree2:k=4");
  const Fabric& fabric = state.fabric;
  PortInfo good;
  good.state = PortState::kActive;
  good.link_width_supported = good.link_width_enabled = static_cast<std::uint8_t>(LinkWidth::k4x);
  good.link_width_active = good.link_width_enabled;
  good.link_speed_supported = good.link_speed_enabled = 7;
  good.link_speed_active = 4;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    ObservedNode node;
    node.ports.assign(fabric.node(NodeId(n)).port_count + 1u, good);
    node.answered.assign(node.ports.size(), true);
    state.nodes.push_back(std::move(node));
  }
  const auto problems = [&] {
    snapshot_ = std::make_shared<const Snapshot>(state);
    std::vector<std::string> texts;
    const Json json = report(begin(job_of("1", "host-[1-2]")));
    for (const Json& one : json["problems"]) texts.push_back(one["problem"].get<std::string>());
    return texts;
  };
  EXPECT_THAT(problems(), testing::IsEmpty());
  const NodeId host = fabric.endport(EndportId(6)).node;
  state.nodes[host.value()].ports[1].link_speed_active = 1;  // SDR on a link that supports QDR
  EXPECT_THAT(
      problems(),
      ElementsAre("link is degraded: below the width or speed that both ends have enabled",
                  "link is degraded: below the width or speed that both ends have enabled"));
  state.nodes[host.value()].ports[1].link_speed_active = 4;
  state.nodes[host.value()].ports[1].state = PortState::kInit;
  EXPECT_THAT(problems(), ElementsAre("port is init"));
}

TEST_F(JobLinks, NameMissingHosts) {
  const Json json = report(begin(job_of("1", "host-1,other")));
  EXPECT_EQ(json["missing_hosts"], Json::parse(R"(["other"])"));
  EXPECT_EQ(json["problems"][0]["host"], "other");
}

/// The records are copied to a standby.
TEST(JobBook, IsEqualAfterRestoringRecords) {
  JobBook book, copy;
  Job first = job_of("a\"1", "n[1-3]");
  first.name = "train\xff";
  first.baseline[{Guid(UINT64_MAX), PortNum(255)}] = {UINT64_MAX, 7};
  ASSERT_TRUE(book.begin(std::move(first)));
  for (const char* id : {"2", "10", "3"}) {
    ASSERT_TRUE(book.begin(job_of(id, "n1")));
    ASSERT_TRUE(book.end(id, at_second(2000)));
  }
  ASSERT_TRUE(copy.begin(job_of("other", "n1")));
  const std::uint64_t before = copy.version();
  copy.restore(book.records());
  EXPECT_GT(copy.version(), before);
  EXPECT_EQ(copy.records(), book.records());
  const auto jobs = copy.all();
  ASSERT_THAT(jobs, SizeIs(4));
  EXPECT_THAT(jobs[0]->hosts, ElementsAre("n1", "n2", "n3"));
  EXPECT_EQ((jobs[0]->baseline.at({Guid(UINT64_MAX), PortNum(255)}).sent_bytes), UINT64_MAX);
  EXPECT_EQ(jobs[1]->id, "3") << "the job that ended last";
  EXPECT_EQ(jobs[1]->ended, at_second(2000));
  ASSERT_TRUE(copy.begin(job_of("5", "n1")));
  ASSERT_TRUE(copy.end("5", at_second(3000)));
  EXPECT_THAT(copy.records(), SizeIs(5)) << "keys of records are not used again";
}

TEST(JobBook, IgnoresMalformedRecords) {
  JobBook book;
  ASSERT_TRUE(book.begin(job_of("1", "n1")));
  auto records = book.records();
  const std::string good = records.begin()->second;
  int number = 0;
  for (const char* bad : {"", "[]", "{}", "{\"id\": 1}"}) records[std::to_string(++number)] = bad;
  for (const auto& [from, to] : {std::pair("\"n1\"", "7"), std::pair("\"begun\":", "\"begin\":"),
                                 std::pair("\"baseline\":[]", "\"baseline\":[[1,2]]"),
                                 std::pair("\"baseline\":[]", "\"baseline\":[[1,256,3,4]]")}) {
    std::string text = good;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    records[std::to_string(++number)] =
        text.replace(text.find(from), std::string_view(from).size(), to);
  }
  JobBook copy;
  copy.restore(records);
  EXPECT_THAT(copy.all(), SizeIs(1));
}

TEST(JobBook, KeepsRunningAndLastEndedJobs) {
  JobBook book;
  for (std::size_t i = 0; i < JobBook::kRunningMax; ++i)
    ASSERT_TRUE(book.begin(job_of(fmt::format("{}", i), "a")));
  EXPECT_EQ(book.begin(job_of("more", "a")).error().code, Code::kRejected);
  EXPECT_TRUE(book.begin(job_of("0", "b"))) << "a running job can be replaced";
  EXPECT_THAT(book.find("0")->hosts, ElementsAre("b"));
  for (std::size_t i = 0; i <= JobBook::kEndedKept; ++i)
    ASSERT_TRUE(book.end(fmt::format("{}", i), at_second(1)));
  EXPECT_FALSE(book.end("0", at_second(1)));
  EXPECT_FALSE(book.find("0")) << "the oldest ended job is dropped";
  EXPECT_TRUE(book.find("1")->ended);
  EXPECT_THAT(book.all(), SizeIs(JobBook::kRunningMax - 1));
}

}  // namespace
}  // namespace weft
