// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// guid2mkey and neighbors: OpenSM's formats, damage, writing, and the keys that the manager uses
// for requests.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/file.h"
#include "sm/keys/key_files.h"
#include "sm/keys/key_store.h"
#include "sm/keys/known_keys.h"
#include "sm/keys/port_key.h"
#include "support/log_lines.h"
#include "support/managed_subnet.h"
#include "support/mutated.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class KeyFiles : public testing::Test {
 protected:
  std::string path(const char* name) { return folder.path() + "/" + name; }
  KeyMemory keys(const std::string& text) {
    EXPECT_TRUE(write_file(path("guid2mkey"), text));
    return *read_guid2mkey(path("guid2mkey"), warnings);
  }
  NeighborMemory neighbors(const std::string& text) {
    EXPECT_TRUE(write_file(path("neighbors"), text));
    return *read_neighbors(path("neighbors"), warnings);
  }
  TempDir folder;
  std::vector<std::string> warnings;
};

TEST_F(KeyFiles, AreRefusedIfOtherUsersHaveWritePermission) {
  for (const char* name : {"guid2mkey", "neighbors"}) {
    ASSERT_TRUE(write_file(path(name), "", 0600));
    ::chmod(path(name).c_str(), 0662);
  }
  const auto read = read_guid2mkey(path("guid2mkey"), warnings);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("users other than its owner can write it"));
  EXPECT_FALSE(read_neighbors(path("neighbors"), warnings));
}

TEST_F(KeyFiles, ReadOpenSmsFormat) {
  EXPECT_EQ(
      keys("0x0000000000100004 0x1122334455667788\n\n0x0000000000200000 0x0000000000000000\n\n"),
      (KeyMemory{{Guid(0x100004), Mkey(0x1122334455667788)}, {Guid(0x200000), Mkey(0)}}));
  EXPECT_EQ(neighbors("0x0000000000100007:1 0x0000000000200001:36\n\n0x0000000000200001:36 "
                      "0x0000000000100007:1\n\n"),
            (NeighborMemory{{{Guid(0x100007), PortNum(1)}, {Guid(0x200001), PortNum(36)}},
                            {{Guid(0x200001), PortNum(36)}, {Guid(0x100007), PortNum(1)}}}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(KeyFiles, MissingFileIsEmpty) {
  EXPECT_THAT(*read_guid2mkey(path("guid2mkey"), warnings), IsEmpty());
  EXPECT_THAT(*read_neighbors(path("neighbors"), warnings), IsEmpty());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(KeyFiles, ReportDamagedLinesWithoutQuotingKeys) {
  EXPECT_THAT(keys("0x1 0x5\nfoo 0x1\n0x2\n0x1 0x6\n0x3 0xsecret\n"), SizeIs(1));
  ASSERT_THAT(warnings, SizeIs(4));
  EXPECT_THAT(warnings[0], HasSubstr("guid2mkey:2: found 'foo', expected a GUID in hex"));
  EXPECT_THAT(warnings[1], HasSubstr("guid2mkey:3: found 1 words"));
  EXPECT_THAT(warnings[2], HasSubstr("another M_Key in an earlier line"));
  EXPECT_THAT(warnings[3], testing::Not(HasSubstr("secret")));
  warnings.clear();
  EXPECT_THAT(neighbors("0x1:1 0x2:1\n0x1:1 0x3:1\n0x1 0x2\n0x1:0 0x2:1\n0x4:300 0x2:1\n"),
              SizeIs(1));
  EXPECT_THAT(warnings, SizeIs(4));
}

TEST_F(KeyFiles, AcceptEqualLinesAndNameTheDamagedEndOfACable) {
  EXPECT_THAT(keys("0x1 0x5\n0x1 0x5\n"), SizeIs(1));
  EXPECT_THAT(neighbors("0x1:1 0x2:1\n0x1:1 0x2:1\n"), SizeIs(1));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(neighbors("near 0x2:1\n0x2:1 far\n"), IsEmpty());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("neighbors:1: found 'near'"),
                                    HasSubstr("neighbors:2: found 'far'")));
}

TEST_F(KeyFiles, AreReadBackAsWritten) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  const NeighborMemory cables = neighbors_of(fabric);
  EXPECT_EQ(cables.size(), 2u * fabric.link_count());
  ASSERT_TRUE(write_neighbors(path("neighbors"), cables));
  EXPECT_EQ(*read_neighbors(path("neighbors"), warnings), cables);
  const KeyMemory memory{{Guid(7), Mkey(~0ull)}, {Guid(9), Mkey(0)}};
  ASSERT_TRUE(write_guid2mkey(path("guid2mkey"), memory));
  EXPECT_EQ(*read_guid2mkey(path("guid2mkey"), warnings), memory);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(KeyFiles, DamagedFilesAreReadWithoutACrash) {
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    warnings.clear();
    EXPECT_LE(keys(damaged_copy("0x1 0x5\n\n0x2 0x6\n", rng)).size(), 8u);
    EXPECT_LE(neighbors(damaged_copy("0x1:1 0x2:5\n\n0x2:5 0x1:1\n", rng)).size(), 8u);
  }
}

// Overwriting a file that cannot be read would lose its keys permanently.
TEST_F(KeyFiles, AreOverwrittenOnlyAfterASuccessfulRead) {
  for (const unsigned mode : {0600u, 0662u}) {
    ASSERT_TRUE(write_file(path("guid2mkey"), "0x1 0x5\n", 0600));
    ::chmod(path("guid2mkey").c_str(), mode);
    KnownKeys known;
    known.configure(Mkey(7));
    KeyStore store(known);
    store.recall(folder.path(), true);
    known.learn(Guid(0x100), {}, Mkey(7));
    EXPECT_TRUE(store.save(Tiny(2).link(0, 1).build(), folder.path(), true));
    const std::string text = *read_file(path("guid2mkey"));
    if (mode == 0600)
      EXPECT_THAT(text, AllOf(HasSubstr("0x0000000000000001 "), HasSubstr("0x0000000000000100 ")));
    else
      EXPECT_EQ(text, "0x1 0x5\n");
  }
}

TEST_F(KeyFiles, TheStoreWarnsOfAnUnreadableFile) {
  const char* const names[] = {"guid2mkey", "guid2mkey.changing", "neighbors"};
  const char* const lines[] = {"cannot read the M_Keys of earlier runs",
                               "cannot read the announced M_Keys", "cannot read the neighbors"};
  for (std::size_t refused = 0; refused < 3; ++refused) {
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(write_file(path(names[i]), "", 0600));
      ::chmod(path(names[i]).c_str(), i == refused ? 0662 : 0600);
    }
    KnownKeys known;
    KeyStore store(known);
    const LogLines log;
    store.recall(folder.path(), true);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(log.count(lines[i]), i == refused) << names[i];
  }
}

TEST_F(KeyFiles, ADamagedNeighborsFileIsCopiedBeforeItIsReplaced) {
  ASSERT_TRUE(write_file(path("neighbors"), "0x1:1 0x2:5\nnothing\n", 0600));
  KnownKeys known;
  KeyStore store(known);
  store.recall(folder.path(), true);
  EXPECT_THAT(store.neighbors(), SizeIs(1));
  EXPECT_TRUE(store.save(Tiny(2).link(0, 1).build(), folder.path(), true));
  EXPECT_EQ(*read_file(path("neighbors.damaged")), "0x1:1 0x2:5\nnothing\n");
  EXPECT_THAT(*read_file(path("neighbors")), HasSubstr("0x0000000000000"));
}

// After an interrupted change a port may have the old or the new key.
TEST(KnownKeys, CandidatesAreTheKeysOfThePortAndTheCommonKey) {
  KnownKeys keys;
  const std::string seed(32, 's');
  keys.configure_per_port(Secret(std::string_view(seed)), Mkey(1));
  keys.recall({}, {}, {{Guid(5), Mkey(0x77)}, {Guid(6), Mkey(0)}});
  const Mkey five = derive_mkey(seed, Guid(5)), six = derive_mkey(seed, Guid(6));
  EXPECT_THAT(keys.candidates(Guid(5), Mkey(9)), ElementsAre(Mkey(9), five, Mkey(0x77), Mkey(1)));
  EXPECT_THAT(keys.candidates(Guid(6), Mkey(9)), ElementsAre(Mkey(9), six, Mkey(1)));
}

Smp request_along(const DirectedPath& path) {
  Smp smp;
  smp.hop_count = path.count;
  smp.initial_path = path.hops;
  return smp;
}

TEST(KnownKeys, OnlyTheManagersPortGetsADerivedKeyBeforePathsAreKnown) {
  KnownKeys keys;
  const std::string seed(32, 's');
  keys.configure_per_port(Secret(std::string_view(seed)), Mkey(1));
  const Smp own = request_along({}), next = request_along(longer({}, PortNum(1)));
  EXPECT_EQ(keys.key_for(own, 1), Mkey(0));
  keys.set_own_port(Guid(5));
  EXPECT_EQ(keys.key_for(own, 1), derive_mkey(seed, Guid(5)));
  EXPECT_EQ(keys.key_for(next, 1), Mkey(0));
}

TEST(KnownKeys, RetriesUseTheCandidatesInTurnUntilOneIsConfirmed) {
  KnownKeys keys;
  keys.configure(Mkey(1));
  const DirectedPath path = longer({}, PortNum(1));
  keys.guess(path, {Mkey(7), Mkey(8)});
  const auto carried = [&](unsigned tries) { return keys.key_for(request_along(path), tries); };
  EXPECT_EQ(carried(1), Mkey(7));
  EXPECT_EQ(carried(2), Mkey(8));
  EXPECT_EQ(carried(3), Mkey(7));
  keys.bind(path, Mkey(8));
  EXPECT_EQ(carried(1), Mkey(8));
}

TEST(KnownKeys, PathsToNoKnownPortUseTheCommonKey) {
  KnownKeys keys;
  keys.configure(Mkey(1));
  const DirectedPath path = longer({}, PortNum(1));
  keys.bind(path, Mkey(7));
  const DirectedPath other = longer({}, PortNum(2));
  keys.learn(Guid(5), other, Mkey(8));
  keys.bind_paths(std::vector<KnownKeys::PathEnd>{{other, Guid(5)}});
  EXPECT_EQ(keys.key_for(request_along(path), 1), Mkey(1));
  EXPECT_EQ(keys.key_for(request_along(other), 1), Mkey(8));
}

}  // namespace
}  // namespace weft
