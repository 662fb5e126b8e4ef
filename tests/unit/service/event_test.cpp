// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Events of a manager on an emulated fabric, and event sinks.
#include "service/events/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "service/events/event_hub.h"
#include "service/events/event_sinks.h"
#include "service/sm_board.h"
#include "support/log_lines.h"
#include "support/managers.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class ManagerEvents : public testing::Test {
 protected:
  ManagerEvents() : managed_(fabric_of("fattree2:k=4")) {
    managed_.start();
    first_ = settle();
  }
  std::vector<Event> settle() {
    EXPECT_TRUE(managed_.settle());
    return source_.collect(managed_.sm());
  }
  static std::size_t count(const std::vector<Event>& events, weft_event_kind kind) {
    return static_cast<std::size_t>(std::ranges::count(events, kind, &Event::kind));
  }

  ManagedSubnet managed_;
  EventSource source_;
  std::vector<Event> first_;
};

TEST_F(ManagerEvents, FirstSweepReportsAllNodesAndLinks) {
  EXPECT_EQ(first_.front().kind, WEFT_EVENT_SWEEP_BEGUN);
  EXPECT_EQ(first_.front().text, "first sweep");
  EXPECT_EQ(first_.back().kind, WEFT_EVENT_SWEEP_ENDED);
  EXPECT_EQ(count(first_, WEFT_EVENT_STATE_CHANGED), 1u);
  EXPECT_EQ(count(first_, WEFT_EVENT_NODE_APPEARED), 14u);
  EXPECT_EQ(count(first_, WEFT_EVENT_LINK_APPEARED), 16u);
  EXPECT_EQ(count(first_, WEFT_EVENT_LID_CHANGED), 14u);
  EXPECT_EQ(count(first_, WEFT_EVENT_ROUTES_CHANGED), 1u);
  EXPECT_THAT(source_.collect(managed_.sm()), IsEmpty());
}

TEST_F(ManagerEvents, ReportsALinkThatGoesDownAndUp) {
  const PortId cable = managed_.cable_between(SwitchId(0), SwitchId(4));
  managed_.emulated().cut_cable(cable);
  managed_.run_for(1s);
  auto events = settle();
  ASSERT_EQ(count(events, WEFT_EVENT_LINK_GONE), 1u);
  EXPECT_GE(count(events, WEFT_EVENT_TRAP), 1u);
  EXPECT_EQ(count(events, WEFT_EVENT_NODE_GONE), 0u);
  EXPECT_EQ(count(events, WEFT_EVENT_LID_CHANGED), 0u);
  EXPECT_EQ(count(events, WEFT_EVENT_ROUTES_CHANGED), 1u);
  const Event gone = *std::ranges::find(events, WEFT_EVENT_LINK_GONE, &Event::kind);
  EXPECT_EQ(gone.name, "leaf-1");
  EXPECT_EQ(gone.peer_name, "spine-1");
  EXPECT_EQ(gone.port, managed_.fabric().port(cable).num);
  EXPECT_EQ(gone.text, "4xEDR");
  managed_.emulated().restore_cable(cable);
  managed_.run_for(1s);
  events = settle();
  Event back = gone;
  back.kind = WEFT_EVENT_LINK_APPEARED;
  back.sweep = managed_.sm().heavy_sweeps();
  EXPECT_THAT(events, Contains(back));
}

TEST_F(ManagerEvents, ReportsTheLinksOfADisappearedNode) {
  const auto host = managed_.fabric().endports_at(SwitchId(1))[0];
  managed_.emulated().cut_cable(managed_.fabric().endport(host).port);
  managed_.run_for(1s);
  const auto events = settle();
  EXPECT_THAT(
      events,
      Contains(
          AllOf(Field(&Event::kind, WEFT_EVENT_NODE_GONE),
                Field(&Event::name,
                      managed_.fabric().node(managed_.fabric().endport(host).node).description))));
  EXPECT_EQ(count(events, WEFT_EVENT_LINK_GONE), 1u);
}

TEST_F(ManagerEvents, ReportsTheErrorOfAFailedSweep) {
  managed_.options.routing_engine = {{"no such"}, false};
  managed_.sm().set_options(managed_.options);
  managed_.sm().request_heavy_sweep("test");
  const auto events = settle();
  const auto ended = std::ranges::find(events, WEFT_EVENT_SWEEP_ENDED, &Event::kind);
  ASSERT_NE(ended, events.end());
  EXPECT_THAT(ended->text, HasSubstr("no such"));
  EXPECT_THAT(events, Contains(AllOf(Field(&Event::kind, WEFT_EVENT_ERROR),
                                     Field(&Event::text, ended->text))));
}

TEST(Events, ReportOtherManagers) {
  Managers managers(fabric_of("fattree2:k=4"));
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  EventSource source;
  source.collect(managers.sm(master));
  const auto wait_for_event = [&](weft_event_kind kind) {
    std::optional<Event> found;
    managers.run_until([&] {
      for (const Event& event : source.collect(managers.sm(master)))
        if (event.kind == kind) found = event;
      return found.has_value();
    });
    return found.value_or(Event{});
  };
  const std::size_t other = managers.start(3, 2);
  const Event appeared = wait_for_event(WEFT_EVENT_MANAGER_APPEARED);
  const Node& node = managers.fabric().node(managers.fabric().port(managers.port_of(other)).node);
  EXPECT_EQ(appeared.node, node.node_guid);
  EXPECT_EQ(appeared.name, node.description);
  EXPECT_EQ(appeared.lid, managers.lid_of(other));
  EXPECT_EQ(appeared.count, 2u);
  EXPECT_TRUE(managers.run_until([&] { return managers.state(other) == SmState::kStandby; }));
  managers.run_for(5s);
  source.collect(managers.sm(master));
  const SmStatus status = status_of(managers.sm(master));
  ASSERT_THAT(status.managers, SizeIs(2));
  EXPECT_EQ(status.managers[0].lid, managers.lid_of(master));
  EXPECT_EQ(status.managers[1].guid, managers.guid_of(other));
  EXPECT_EQ(status.managers[1].name, node.description);
  EXPECT_EQ(status.managers[1].state, SmState::kStandby);
  managers.prioritize(other, 3);
  EXPECT_EQ(wait_for_event(WEFT_EVENT_MANAGER_CHANGED).count, 3u);
  managers.kill(other);
  const Event gone = wait_for_event(WEFT_EVENT_MANAGER_GONE);
  EXPECT_EQ(gone.node, node.node_guid);
  EXPECT_EQ(gone.text, "STANDBY");
  EXPECT_THAT(status_of(managers.sm(master)).managers, SizeIs(1));
}

TEST(Events, ReportUnhealthyAndHealthyPorts) {
  PortHealthChanged change{true,    Guid(2), "host",     PortNum(1),
                           Guid(1), "leaf",  PortNum(3), "flapping: isolate"};
  auto events = events_of(change, {}, 7);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(name(events[0].kind), "port_unhealthy");
  EXPECT_THAT(json_line(events[0], WallTime{}),
              HasSubstr(R"("node":"0x0000000000000002","name":"host","port":1,)"
                        R"("peer":"0x0000000000000001","peer_name":"leaf","peer_port":3,)"
                        R"("text":"flapping: isolate")"));
  change.is_unhealthy = false;
  EXPECT_EQ(name(events_of(change, {}, 7)[0].kind), "port_healthy");
}

TEST(Events, ReportPortsThatSwitchesRecovered) {
  const auto events =
      events_of(PortRecovered{Guid(1), "leaf", PortNum(3), Guid(2), "host", PortNum(1)}, {}, 7);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(name(events[0].kind), "port_recovered");
  EXPECT_THAT(json_line(events[0], WallTime{}),
              HasSubstr(R"("node":"0x0000000000000001","name":"leaf","port":3,)"
                        R"("peer":"0x0000000000000002","peer_name":"host","peer_port":1})"));
  const auto without_peer =
      events_of(PortRecovered{Guid(1), "leaf", PortNum(3), Guid(0), "", PortNum(0)}, {}, 7);
  EXPECT_THAT(json_line(without_peer.at(0), WallTime{}),
              HasSubstr(R"("node":"0x0000000000000001","name":"leaf","port":3})"));
}

TEST(Events, EachKindHasAJsonLine) {
  const WallTime at{1'700'000'000'123'456'789ns};
  Event event;
  event.kind = WEFT_EVENT_LINK_GONE;
  event.sweep = 7;
  event.node = Guid(1);
  event.name = "a \"b\"\x1b\xff";
  event.port = PortNum(3);
  event.peer = Guid(2);
  event.peer_name = "c";
  event.peer_port = PortNum(4);
  event.text = "4xHDR";
  EXPECT_EQ(
      json_line(event, at),
      R"({"time":"2023-11-14T22:13:20.123456Z","event":"link_gone","sweep":7,)"
      R"("node":"0x0000000000000001","name":"a \"b\"\u001b)"
      "\xef\xbf\xbd"
      R"(","port":3,"peer":"0x0000000000000002","peer_name":"c","peer_port":4,"link":"4xHDR"})");
  for (int kind = WEFT_EVENT_SWEEP_BEGUN; kind <= WEFT_EVENT_PORT_RECOVERED; ++kind) {
    event.kind = static_cast<weft_event_kind>(kind);
    EXPECT_THAT(json_line(event, at), HasSubstr(fmt::format("\"event\":\"{}\"", name(event.kind))));
    EXPECT_NE(name(event.kind), "unknown") << kind;
  }
}

/// A sink that blocks at the first event until the test releases the sink.
class Slow final : public EventSink {
 public:
  Slow(std::atomic<bool>& released, std::vector<Event>& received)
      : released_(released), taken_(received) {}
  void take(const Event& event, WallTime) override {
    released_.wait(false);
    taken_.push_back(event);
  }

 private:
  std::atomic<bool>& released_;
  std::vector<Event>& taken_;
};

TEST(EventHub, ReportsTheNumberOfEventsLostByASlowSink) {
  std::atomic<bool> released = false;
  std::vector<Event> received;
  {
    std::vector<std::unique_ptr<EventSink>> sinks;
    sinks.push_back(std::make_unique<Slow>(released, received));
    EventHub hub(std::move(sinks));
    ASSERT_TRUE(hub.start());
    // The sink may have received one batch, and the queue holds kQueueMax more events.
    for (int i = 0; i < 3; ++i) hub.deliver(std::vector<Event>(EventHub::kQueueMax));
    released = true;
    released.notify_all();
  }
  std::uint64_t lost = 0;
  for (const Event& event : received)
    if (event.kind == WEFT_EVENTS_LOST) lost += event.count;
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(lost + std::ranges::count(received, WEFT_EVENT_ERROR, &Event::kind),
            3 * EventHub::kQueueMax);
}

TEST(EventLog, HasALinePerEventAndReportsOpenErrors) {
  const TempDir folder;
  Settings settings;
  settings.event_log = folder / "events";
  {
    auto sinks = open_event_sinks(settings);
    ASSERT_TRUE(sinks) << sinks.error().message;
    EventHub hub(std::move(*sinks));
    ASSERT_TRUE(hub.start());
    hub.deliver(std::vector<Event>(3));
  }
  EXPECT_THAT(split(read_file(settings.event_log).value(), '\n'), SizeIs(4));
  settings.event_log = folder / "no/such/folder";
  EXPECT_EQ(open_event_sinks(settings).error().code, Code::kEnvironment);
}

TEST(EventLog, KeepsTheOldFileIfTheNewFileCannotBeOpened) {
  const TempDir folder;
  const std::string path = folder / "events";
  auto sink = open_event_log(path);
  ASSERT_TRUE(sink) << sink.error().message;
  std::filesystem::rename(path, path + ".1");
  std::filesystem::create_directory(path);
  const LogLines log;
  (*sink)->reopen();
  EXPECT_EQ(log.count("cannot open the event log"), 1u);
  (*sink)->take(Event(), WallTime());
  EXPECT_THAT(split(read_file(path + ".1").value(), '\n'), SizeIs(2));
}

TEST(EventPlugins, ParsesNamesAndReportsLoadErrors) {
  EXPECT_THAT(plugin_names("a, b\tc,,/x/y.so "), ElementsAre("a", "b", "c", "/x/y.so"));
  EXPECT_THAT(plugin_names(""), IsEmpty());
  Settings settings;
  settings.event_plugin_name = "no_such_plugin";
  EXPECT_THAT(open_event_sinks(settings).error().message, HasSubstr("libno_such_plugin.so"));
  settings.event_plugin_name = "libz.so.1,/lib/x86_64-linux-gnu/libc.so.6";
  EXPECT_EQ(open_event_sinks(settings).error().code, Code::kEnvironment);
}

}  // namespace
}  // namespace weft
