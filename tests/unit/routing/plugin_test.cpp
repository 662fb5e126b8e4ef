// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/shared_memory.h"
#include "routing/plugin/answer.h"
#include "routing/plugin/child_outcome.h"
#include "routing/plugin/engine_process.h"
#include "support/fabric_of.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::HasSubstr;

std::string library(const std::string& name) { return WEFT_BAD_ENGINES "/lib" + name + ".so"; }

const bool program_is_set = [] {
  set_engine_program(WEFT_ENGINE_PROCESS);
  return true;
}();

std::string load_error(const std::string& name) {
  const auto status = load_engine(library(name));
  return status ? "loaded" : status.error().message;
}

const Fabric& fabric() {
  static const Fabric one = fabric_of("fattree2:k=4");
  return one;
}

/// The error of the engine after the given kind of misbehavior, or "routes" if the engine succeeds.
std::string outcome_of(const char* how) {
  EXPECT_TRUE(load_engine(library("bad_engine")));
  ::setenv("WEFT_BAD", how, 1);
  const auto routes = run_engine(*find_engine(library("bad_engine")), fabric(), {});
  ::unsetenv("WEFT_BAD");
  return routes ? "routes" : routes.error().message;
}

TEST(EngineFile, IsNotLoadedWithoutAValidEngine) {
  EXPECT_THAT(load_error("nothing_there"), HasSubstr("cannot open shared object file"));
  EXPECT_THAT(load_error("bad_engine_symbol"), HasSubstr("has no weft_engine"));
  EXPECT_THAT(load_error("bad_engine_version"),
              HasSubstr("has version 99 of the interface, expected 1"));
  EXPECT_THAT(load_error("bad_engine_empty"), HasSubstr("has no function route"));
  EXPECT_EQ(find_engine(library("bad_engine_version")), nullptr);
}

TEST(EngineFile, IsRefusedIfLoadingCrashes) {
  const auto how = [](const char* what) {
    ::setenv("WEFT_BAD_LOAD", what, 1);
    return load_error("bad_engine_load");
  };
  EXPECT_THAT(how("abort"), HasSubstr("crashed (Aborted) while it was loaded"));
  EXPECT_THAT(how("exit"), HasSubstr("its process ended while it was loaded"));
  // An exception cannot leave the dynamic loader, so the process crashes.
  EXPECT_THAT(how("throw"), HasSubstr("while it was loaded"));
  EXPECT_EQ(how("nothing"), "loaded");
}

TEST(EngineFile, InvalidRoutesAndCrashesAreErrors) {
  EXPECT_EQ(outcome_of("nothing"),
            "routes");  // empty tables are no error of the engine; the verifier finds them
  EXPECT_THAT(outcome_of("refuse"), HasSubstr("'not a?fat tree'"));
  EXPECT_THAT(outcome_of("refuse silently"), HasSubstr("failed without a reason"));
  EXPECT_THAT(outcome_of("reason without end"), HasSubstr("xxx"));
  EXPECT_THAT(outcome_of("throw"), HasSubstr("threw an internal error"));
  EXPECT_THAT(outcome_of("throw a number"), HasSubstr("threw an exception of unknown type"));
  EXPECT_THAT(outcome_of("crash"), HasSubstr("crashed (Aborted)"));
  EXPECT_THAT(outcome_of("exit"), HasSubstr("its process ended without a result"));
  EXPECT_THAT(outcome_of("write behind"), HasSubstr("crashed (Segmentation fault)"));
  EXPECT_THAT(outcome_of("write before"), HasSubstr("crashed (Segmentation fault)"));
  EXPECT_THAT(outcome_of("port"),
              HasSubstr("has port 77 for LID 1, expected at most 4, the number of ports"));
  EXPECT_THAT(outcome_of("vls"), HasSubstr("found 9 VLs, expected 1 to 8"));
  EXPECT_THAT(outcome_of("no vls"), HasSubstr("found 0 VLs, expected 1 to 8"));
  EXPECT_THAT(outcome_of("sl"),
              HasSubstr("entry 1 of the SL table is 1, expected less than the 1 VLs in use"));
  EXPECT_EQ(outcome_of("unknown sl kind"), "routes");
  EXPECT_EQ(outcome_of("own tables"), "routes");
}

// path_sl() returns null for an unknown kind, so only a write to the shared memory stores one.
TEST(EngineFile, UnknownKindsOfSlTablesAreErrors) {
  const plugin::Answer answer(fabric(), "engine.so");
  // Takes ownership of its descriptor.
  const Shared<plugin::TableOutcome> written(::dup(answer.descriptors().front()));
  written->kind = WEFT_SL_BY_SWITCH_AND_LID;
  EXPECT_TRUE(answer.routes(8));
  written->kind = WEFT_SL_BY_SWITCH_AND_LID + 1;
  const auto routes = answer.routes(8);
  ASSERT_FALSE(routes);
  EXPECT_EQ(routes.error().code, Code::kBadField);
  EXPECT_EQ(routes.error().message,
            "routing engine engine.so: the kind of the SL table is 4, expected 0 to 3");
}

TEST(EngineFile, RunsWithoutMemoryAndFilesOfTheCaller) {
  const int inheritable = ::open("/dev/null", O_RDONLY);
  EXPECT_EQ(outcome_of("count files"), "routes");  // the engine crashes if other files are open
  ::close(inheritable);
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_THAT(mapped, HasSubstr("engine_file_tests"));
  EXPECT_THAT(mapped, testing::Not(HasSubstr("libbad_engine")));
}

TEST(EngineFile, IsRefusedIfOtherUsersCanWrite) {
  const TempDir folder;
  const std::string copy = folder / "engine.so";
  std::filesystem::copy_file(library("bad_engine"), copy);
  ::chmod(copy.c_str(), 0777);
  const auto status = load_engine(copy);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("users other than its owner can write it"));
  ::chmod(copy.c_str(), 0755);
  EXPECT_TRUE(load_engine(copy));
}

TEST(EngineFile, CannotChangeTheFabricOfTheCaller) {
  const std::string before = fabric().node(SwitchId(0)).description;
  (void)outcome_of("write names");
  EXPECT_EQ(fabric().node(SwitchId(0)).description, before);
}

TEST(EngineFile, IsKilledAtTheTimeLimit) {
  set_engine_time_limit(std::chrono::milliseconds(300));
  EXPECT_THAT(outcome_of("hang"), HasSubstr("has not ended after 0.3 s"));
  set_engine_time_limit(std::chrono::minutes(10));
}

}  // namespace
}  // namespace weft
