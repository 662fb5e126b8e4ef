// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The records of unhealthy ports, and the file of marks of ports.
#include "sm/health/port_health.h"

#include <gmock/gmock.h>

#include "sm/health/health_policy_file.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr CableEnd kSwitchEnd{Guid(1), PortNum(3)};
constexpr CableEnd kHostEnd{Guid(2), PortNum(1)};

HealthPort faulty_host() { return {kSwitchEnd, kHostEnd, false, "host", "leaf"}; }

class PortHealthBook : public testing::Test {
 protected:
  PortHealthBook() {
    options.checks = true;
    book.configure(options, now);
  }
  void configure() { book.configure(options, now); }
  void set_action(HealthCondition condition, HealthAction action) {
    options.ca_actions[static_cast<std::size_t>(condition)] = action;
    configure();
  }
  void sweep(bool with_finding, HealthCondition condition = HealthCondition::kFlapping,
             PortHealth::Sweep kind = PortHealth::Sweep::kFull) {
    now += 10 * kSecond;
    PortHealth::Finding finding{condition, faulty_host()};
    book.end_sweep(with_finding ? std::vector{finding} : std::vector<PortHealth::Finding>{}, kind,
                   now);
  }
  void note(HealthCondition condition, unsigned times, TimeNs pause) {
    for (unsigned i = 0; i < times; ++i, now += pause) book.note({condition, faulty_host()}, now);
  }
  bool is_unhealthy() const { return book.unhealthy().contains(kSwitchEnd); }

  HealthOptions options;
  PortHealth book;
  TimeNs now = 1000 * kSecond;
};

TEST_F(PortHealthBook, CountsSweepsOfAWindow) {
  for (const auto& [condition, limit, window] : {std::tuple(HealthCondition::kFlapping, 5u, 30u),
                                                 std::tuple(HealthCondition::kUnresponsive, 5u, 7u),
                                                 std::tuple(HealthCondition::kSetErr, 5u, 7u)}) {
    book = {};
    configure();
    for (unsigned i = 0; i + 1 < limit; ++i) sweep(true, condition);
    EXPECT_FALSE(is_unhealthy());
    for (unsigned i = 0; i < window - limit; ++i) sweep(false);
    sweep(true, condition);
    EXPECT_TRUE(is_unhealthy()) << name(condition)
                                << ": the first finding must still be in the window";
    book = {};
    configure();
    for (unsigned i = 0; i + 1 < limit; ++i) sweep(true, condition);
    for (unsigned i = 0; i < window - limit + 1; ++i) sweep(false);
    sweep(true, condition);
    EXPECT_FALSE(is_unhealthy()) << name(condition)
                                 << ": the first finding must no longer be in the window";
  }
}

TEST_F(PortHealthBook, LightSweepsDoNotCountForRefusedSets) {
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_FALSE(is_unhealthy());
    sweep(true, HealthCondition::kSetErr);
    for (unsigned n = 0; n < 10; ++n) sweep(false, {}, PortHealth::Sweep::kLight);
  }
  EXPECT_TRUE(is_unhealthy());
}

TEST_F(PortHealthBook, CountsAFindingOnceASweep) {
  const PortHealth::Finding finding{HealthCondition::kUnresponsive, faulty_host()};
  book.end_sweep({finding, finding, finding, finding, finding}, PortHealth::Sweep::kFull, now);
  EXPECT_FALSE(is_unhealthy());
}

TEST_F(PortHealthBook, CountsRestartsAndTrapsOfAPeriod) {
  note(HealthCondition::kReboot, 10, 101 * kSecond);
  EXPECT_FALSE(is_unhealthy()) << "the findings from the first to the tenth span 909 s";
  note(HealthCondition::kReboot, 10, 99 * kSecond);
  EXPECT_TRUE(is_unhealthy());
  book = {};
  configure();
  note(HealthCondition::kNoisy, 59, kSecond);
  EXPECT_FALSE(is_unhealthy());
  note(HealthCondition::kNoisy, 1, kSecond);
  EXPECT_TRUE(is_unhealthy());
}

TEST_F(PortHealthBook, OneImpossibleAnswerMakesAPortUnhealthy) {
  note(HealthCondition::kIllegal, 1, kSecond);
  EXPECT_TRUE(is_unhealthy());
}

TEST_F(PortHealthBook, IgnoresConditionsAndIsOffIfConfigured) {
  set_action(HealthCondition::kIllegal, HealthAction::kIgnore);
  note(HealthCondition::kIllegal, 1, kSecond);
  EXPECT_FALSE(is_unhealthy());
  set_action(HealthCondition::kIllegal, HealthAction::kReport);
  note(HealthCondition::kIllegal, 1, kSecond);
  EXPECT_TRUE(is_unhealthy());
  options.checks = false;
  configure();
  EXPECT_FALSE(is_unhealthy());
  note(HealthCondition::kIllegal, 1, kSecond);
  EXPECT_FALSE(is_unhealthy());
}

/// A port stays unhealthy for at least 60 s, and while the condition holds.
TEST_F(PortHealthBook, ReportedPortsAreHealthyAgainAfterTheCondition) {
  for (unsigned i = 0; i < 5; ++i) sweep(true, HealthCondition::kUnresponsive);
  ASSERT_TRUE(is_unhealthy());
  for (unsigned i = 0; i < 5; ++i) sweep(false);
  EXPECT_TRUE(is_unhealthy()) << "a port must stay unhealthy for more than 50 s";
  sweep(false);
  EXPECT_FALSE(is_unhealthy());
  const auto changes = book.take_changes();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].why, "unresponsive");
  EXPECT_TRUE(changes[0].is_unhealthy);
  EXPECT_EQ(changes[1].why, "the condition has ended");
}

/// The link of an isolated port is not used, so that no later reading shows that the port is
/// healthy.
TEST_F(PortHealthBook, PortsWithAnotherActionStayUnhealthyUntilMarkedAsHealthy) {
  set_action(HealthCondition::kUnresponsive, HealthAction::kIsolate);
  for (unsigned i = 0; i < 5; ++i) sweep(true, HealthCondition::kUnresponsive);
  for (unsigned i = 0; i < 100; ++i) sweep(false);
  EXPECT_TRUE(is_unhealthy());
  EXPECT_THAT(book.avoided().isolated, ElementsAre(kSwitchEnd, kHostEnd));
  EXPECT_THAT(book.avoided().not_discovered, IsEmpty());
  EXPECT_FALSE(book.mark_healthy({Guid(1), PortNum(4)}));
  EXPECT_TRUE(book.mark_healthy(kHostEnd)) << "either end of the link must identify the port";
  EXPECT_FALSE(is_unhealthy());
  EXPECT_TRUE(book.avoided().empty());
  EXPECT_FALSE(book.mark_healthy(kHostEnd));
  sweep(true, HealthCondition::kUnresponsive);
  EXPECT_FALSE(is_unhealthy()) << "the count must begin again after the mark";
}

TEST_F(PortHealthBook, TheStrongestActionOfSeveralConditionsApplies) {
  options.ca_actions[static_cast<std::size_t>(HealthCondition::kNoisy)] = HealthAction::kDisable;
  set_action(HealthCondition::kIllegal, HealthAction::kIsolate);
  note(HealthCondition::kIllegal, 1, kSecond);
  EXPECT_EQ(book.unhealthy().at(kSwitchEnd).action, HealthAction::kIsolate);
  note(HealthCondition::kNoisy, 60, kSecond);
  EXPECT_EQ(book.unhealthy().at(kSwitchEnd).action, HealthAction::kDisable);
  EXPECT_THAT(book.avoided().not_discovered, ElementsAre(kSwitchEnd, kHostEnd));
  EXPECT_THAT(book.avoided().isolated, IsEmpty());
  set_action(HealthCondition::kNoisy, HealthAction::kReport);
  EXPECT_EQ(book.unhealthy().at(kSwitchEnd).action, HealthAction::kIsolate)
      << "the strongest action must apply immediately";
}

TEST_F(PortHealthBook, SwitchesHaveSeparateActions) {
  options.switch_actions[static_cast<std::size_t>(HealthCondition::kIllegal)] =
      HealthAction::kIsolate;
  configure();
  HealthPort other = faulty_host();
  other.is_switch = true;
  other.near.port = PortNum(4);
  book.note({HealthCondition::kIllegal, faulty_host()}, now);
  book.note({HealthCondition::kIllegal, other}, now);
  EXPECT_EQ(book.unhealthy().at(kSwitchEnd).action, HealthAction::kReport);
  EXPECT_EQ(book.unhealthy().at(other.near).action, HealthAction::kIsolate);
}

TEST_F(PortHealthBook, ReportsOfSwitchesHoldUntilTheLastReportWithoutACondition) {
  constexpr CableEnd kOtherEnd{Guid(3), PortNum(1)};
  book.report(kSwitchEnd, faulty_host(), HealthCondition::kRawBer, now);
  book.report(kOtherEnd, faulty_host(), HealthCondition::kRawBer, now);
  EXPECT_EQ(book.take_changes().size(), 1u);
  const auto later = [&] {
    now += 61 * kSecond;
    book.end_sweep({}, PortHealth::Sweep::kLight, now);
  };
  later();
  book.report(kSwitchEnd, faulty_host(), std::nullopt, now);
  later();
  EXPECT_TRUE(is_unhealthy()) << "the other end must still report the condition";
  book.forget_absent([](Guid guid) { return guid != Guid(3); });
  later();
  EXPECT_FALSE(is_unhealthy());
  book.report(kSwitchEnd, faulty_host(), HealthCondition::kRawBer, now);
  EXPECT_TRUE(book.mark_healthy(kSwitchEnd));
  EXPECT_THAT(book.reports(), IsEmpty());
  options.checks = false;
  configure();
  book.report(kSwitchEnd, faulty_host(), HealthCondition::kRawBer, now);
  EXPECT_FALSE(is_unhealthy());
}

TEST_F(PortHealthBook, MarksOfTheFileApplyOnceAndAfterTheFileChanges) {
  options.marks = {{kSwitchEnd, false}};
  configure();
  EXPECT_THAT(book.awaited_marks(), ElementsAre(kSwitchEnd));
  book.mark_unhealthy(faulty_host(), kSwitchEnd, now);
  EXPECT_TRUE(is_unhealthy());
  EXPECT_THAT(book.awaited_marks(), IsEmpty());
  book.mark_healthy(kSwitchEnd);
  configure();
  EXPECT_THAT(book.awaited_marks(), IsEmpty()) << "an unchanged file must add no marks";
  note(HealthCondition::kIllegal, 1, kSecond);
  options.marks.push_back({std::nullopt, true});
  configure();
  EXPECT_FALSE(is_unhealthy()) << "the line must mark the port as healthy";
  EXPECT_THAT(book.awaited_marks(), IsEmpty()) << "only the last line about a port may apply";
}

TEST(HealthPolicyFile, HasAMarkInEachLine) {
  const auto marks = parse_health_policy(
      "# ports\n0x506b4b0300aa0000 12 unhealthy\n\n506b4b0300aa0000, 13,healthy # repaired\n"
      "all healthy\n",
      "health");
  ASSERT_TRUE(marks) << marks.error().message;
  const Guid guid(0x506b4b0300aa0000);
  EXPECT_THAT(*marks, ElementsAre(HealthMark{CableEnd{guid, PortNum(12)}, false},
                                  HealthMark{CableEnd{guid, PortNum(13)}, true},
                                  HealthMark{std::nullopt, true}));
}

TEST(HealthPolicyFile, NamesTheLineOfAnError) {
  const auto error = [](const char* text) {
    const auto marks = parse_health_policy(text, "health");
    return marks ? "" : marks.error().message;
  };
  EXPECT_THAT(error("0x1 1 healthy\n0x1 1\n"), HasSubstr("health:2: found '0x1 1'"));
  EXPECT_THAT(error("leaf 1 healthy"), HasSubstr("the GUID of a node in hex"));
  EXPECT_THAT(error("0x0 1 healthy"), HasSubstr("the GUID of a node in hex"));
  EXPECT_THAT(error("0x1 0 healthy"), HasSubstr("a port from 1 to 254"));
  EXPECT_THAT(error("0x1 255 healthy"), HasSubstr("a port from 1 to 254"));
  EXPECT_THAT(error("0x1 1 sick"), HasSubstr("healthy or unhealthy"));
  EXPECT_THAT(error("all unhealthy"), HasSubstr("expected all healthy"));
}

}  // namespace
}  // namespace weft
