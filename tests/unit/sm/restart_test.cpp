// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A manager that starts on a running fabric changes no table and no LID, with or without its files.
// After an interrupted bring-up a new manager completes the bring-up.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/fabric_state.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string text_in(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::uint64_t writes(const ManagedSubnet& managed) {
  return managed.sets(AttributeId::kPortInfo) + managed.sets(AttributeId::kSwitchInfo) +
         managed.sets(AttributeId::kLinearForwardingTable) +
         managed.sets(AttributeId::kSlToVlTable) + managed.sets(AttributeId::kVlArbitrationTable);
}

/// Starts another manager; the fabric must be unchanged byte for byte.
void expect_untouched_by_restart(ManagedSubnet& managed) {
  const FabricState before = state_of(managed.emulated());
  managed.emulated().reset_counters();
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.sets(AttributeId::kLinearForwardingTable), 0u);
  EXPECT_EQ(managed.sets(AttributeId::kSwitchInfo), 0u);
  EXPECT_THAT(changes(managed.fabric(), before, state_of(managed.emulated())), testing::IsEmpty());
}

class Restart : public testing::Test {
 protected:
  Restart() {
    managed.options.lmc = 1;
    managed.start();
    CHECK(managed.settle());
    file = managed.cache() / "guid2lid";
    good = text_in(file);
    CHECK(!good.empty());
  }
  ManagedSubnet managed{fabric_of("fattree3:k=4")};
  std::string file, good;
};

TEST_F(Restart, WithTheFileSetsOnlyClientReregister) {
  expect_untouched_by_restart(managed);
  EXPECT_EQ(writes(managed), managed.fabric().ca_count());
  EXPECT_TRUE(managed.report().warnings.empty());
  managed.options.client_rereg = false;
  expect_untouched_by_restart(managed);
  EXPECT_EQ(writes(managed), 0u);
  EXPECT_EQ(text_in(file), good);
}

TEST_F(Restart, WithoutTheFileAdoptsTheLidsOfThePorts) {
  managed.options.client_rereg = false;
  std::filesystem::remove(file);
  expect_untouched_by_restart(managed);
  EXPECT_EQ(writes(managed), 0u);
  EXPECT_EQ(text_in(file), good);
  EXPECT_TRUE(managed.report().warnings.empty());
}

TEST_F(Restart, WithAnEmptyFileAdoptsTheLidsOfThePorts) {
  managed.options.client_rereg = false;
  for (const char* nothing : {"", "\n\n\n", "   "}) {
    put(file, nothing);
    expect_untouched_by_restart(managed);
    EXPECT_EQ(writes(managed), 0u);
    EXPECT_EQ(text_in(file), good);
    EXPECT_TRUE(managed.report().warnings.empty());
  }
}

TEST_F(Restart, WithACorruptFileReportsTheLineAndKeepsACopy) {
  managed.options.client_rereg = false;
  const std::string half = good.substr(0, good.size() / 2 - 9);  // ends in the middle of a line
  for (const std::string& damaged : {half, "zebra\n" + good, good + std::string(2'000'000, 'x'),
                                     std::string("\x1f\x8b\x08\x00\x01\x02\x03\x04\x05\x06", 10)}) {
    put(file, damaged);
    expect_untouched_by_restart(managed);
    EXPECT_EQ(writes(managed), 0u);
    ASSERT_EQ(managed.report().warnings.size(), 2u) << damaged.substr(0, 80);
    EXPECT_THAT(managed.report().warnings[0], StartsWith(file + ":"));
    EXPECT_THAT(managed.report().warnings[1], HasSubstr(file + ".damaged"));
    EXPECT_EQ(text_in(file + ".damaged"), damaged);
    EXPECT_EQ(text_in(file), good);
    std::filesystem::remove(file + ".damaged");
  }
}

TEST_F(Restart, KeepsEachDamagedFileUnderADifferentName) {
  for (const char* text : {"one\n", "two\n", "three\n"}) {
    put(file, text);
    managed.start();
    ASSERT_TRUE(managed.settle());
  }
  EXPECT_EQ(text_in(file + ".damaged"), "one\n");
  EXPECT_EQ(text_in(file + ".damaged.2"), "two\n");
  EXPECT_EQ(text_in(file + ".damaged.3"), "three\n");
  EXPECT_EQ(text_in(file), good);
}

TEST_F(Restart, ReassignKeepsADamagedFile) {
  put(file, "zebra\n");
  managed.options.reassign_lids = true;
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(text_in(file + ".damaged"), "zebra\n");
}

TEST_F(Restart, ReassignAppliesOnlyToTheFirstSweep) {
  managed.options.reassign_lids = true;
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto lids = managed.emulated().lids();
  const EndportId neighbor(1);  // port 0 of the second switch
  managed.emulated().switch_off_node(managed.fabric().endport(neighbor).node);
  managed.sm().set_options(managed.options);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.sm().last_report().up);
  EXPECT_EQ(managed.emulated().lids(), lids);
}

TEST_F(Restart, TheFileOverridesTheLidsOfThePorts) {
  // After an edit of guid2lid the port gets the new LID, and no other port changes.
  const auto lids = managed.emulated().lids();
  const EndportId last(managed.fabric().endport_count() - 1);
  const Guid guid = managed.fabric().port(managed.fabric().endport(last).port).guid;
  put(file, fmt::format("0x{:016x} 0x0100 0x0101\n", guid.value()));
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  auto wanted = lids;
  wanted[last.value()] = {Lid(0x100), 1};
  EXPECT_EQ(managed.emulated().lids(), wanted);
}

TEST(Stop, DuringABringUpIsFollowedByACompleteBringUp) {
  const auto options = [](ManagedSubnet& managed) {
    managed.options.max_wire_smps = 4;
    managed.options.client_rereg = false;
  };
  ManagedSubnet whole(fabric_of("fattree2:k=4"));
  options(whole);
  whole.start();
  ASSERT_TRUE(whole.settle());
  const FabricState wanted = state_of(whole.emulated());
  bool finished = false;
  for (unsigned steps = 1; !finished; steps += 7) {
    ManagedSubnet managed(fabric_of("fattree2:k=4"));
    options(managed);
    managed.start();
    for (unsigned i = 0; i < steps && !managed.sm().settled(); ++i) managed.sm().step();
    finished = managed.sm().settled();
    managed.sm().stop();
    std::filesystem::remove(managed.cache() / "guid2lid");  // may not exist yet
    managed.start();
    ASSERT_TRUE(managed.settle()) << steps;
    SCOPED_TRACE(steps);
    expect_managed(managed);
    EXPECT_THAT(changes(managed.fabric(), wanted, state_of(managed.emulated())),
                testing::IsEmpty());
  }
}

}  // namespace
}  // namespace weft
