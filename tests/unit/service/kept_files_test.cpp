// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files of persistent state: a standby keeps the files equal to the files of the master.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "sm/adaptive/group_number_file.h"
#include "sm/load/weight_file.h"
#include "support/managers.h"
#include "unit/service/replication_side.h"

namespace weft::replication {
namespace {

std::string text_in(const std::string& path) {
  const auto text = read_file(path);
  return text ? *text : "none";
}

class KeptFiles : public ::testing::Test {
 protected:
  KeptFiles() : managers_(fabric_of("fattree2:k=4")) {}

  /// Copies the state of a master with these files to a standby.
  void copy() {
    SmOptions options = managers_.options(2);
    options.cache_dir = master_folder_.path();
    options.load_aware.enabled = true;
    managers_.start(0, options);
    ASSERT_TRUE(managers_.run_until_only_master(0));
    managers_.start(1, 1);
    ASSERT_TRUE(managers_.run_until([&] { return managers_.state(1) == SmState::kStandby; }));
    Side master(master_folder_.path()), standby(standby_folder_.path());
    master.step(managers_.sm(0));
    standby.step(managers_.sm(1));
    const auto at = standby.copy.position();
    int status = 0;
    std::string body;
    master.copy.poll({managers_.guid_of(1), "", at.epoch, at.after},
                     [&](int code, std::string text) {
                       status = code;
                       body = std::move(text);
                     });
    master.copy.step();
    ASSERT_EQ(status, 200) << body;
    ASSERT_TRUE(standby.copy.take("master", body));
    standby.step(managers_.sm(1));
  }

  TempDir master_folder_, standby_folder_;
  Managers managers_;
};

TEST_F(KeptFiles, OfAStandbyHaveTheLidsAndWeightsOfTheMaster) {
  const Fabric& fabric = managers_.fabric();
  const WeightMemory weights{{fabric.port(fabric.endports().back().port).guid, 500}};
  ASSERT_TRUE(write_weights(master_folder_ / "guid2weight", weights));
  std::ofstream(standby_folder_ / "guid2weight") << "0x77 7\n";
  copy();
  EXPECT_EQ(text_in(standby_folder_ / "guid2lid"), text_in(master_folder_ / "guid2lid"));
  EXPECT_NE(text_in(standby_folder_ / "guid2lid"), "none");
  std::vector<std::string> warnings;
  EXPECT_EQ(*read_weights(standby_folder_ / "guid2weight", warnings), weights);
}

TEST_F(KeptFiles, AreNotCreatedForStateThatTheMasterLacks) {
  copy();
  EXPECT_TRUE(std::filesystem::exists(standby_folder_ / "guid2lid"));
  EXPECT_FALSE(std::filesystem::exists(standby_folder_ / "guid2weight"));
  EXPECT_FALSE(std::filesystem::exists(standby_folder_ / "guid2argroup"));
}

TEST_F(KeptFiles, DropWeightsThatTheMasterLacks) {
  std::ofstream(standby_folder_ / "guid2weight") << "0x77 7\n";
  copy();
  EXPECT_EQ(text_in(standby_folder_ / "guid2weight"), "");
}

}  // namespace
}  // namespace weft::replication
