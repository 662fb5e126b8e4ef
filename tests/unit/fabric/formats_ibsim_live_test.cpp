// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The program ibsim loads nets that Weft wrote, and the program ibnetdiscover discovers the same
// fabric on that simulator. Built only if the real fabric files exist.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/fabric_compare.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

/// Runs ibnetdiscover on a separate ibsim, which simulates the net in dir/net, and writes the
/// output to dir/found. ibsim ends at the end of its standard input, so the shell keeps a FIFO
/// open.
constexpr char kScript[] = R"(
cd '{}' && export IBSIM_SOCKNAME=$PWD/sock && mkfifo in && exec 3<>in || exit 1
ibsim -s -N 8192 -S 2048 -P 200000 -L 64 net <&3 >log 2>&1 & simulator=$!
for i in $(seq 200); do
  grep -qs 'simulator ready' log || ! kill -0 $simulator && break; sleep 0.1
done
timeout 60 ibsim-run ibnetdiscover >found 2>errors 3<&-; status=$?
kill $simulator; exit $status
)";

struct Sample {
  const char* file;
  bool rates;  // whether ibsim supports all link rates of the file
};
void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.file; }

class IbsimLive : public testing::TestWithParam<Sample> {};

TEST_P(IbsimLive, IbnetdiscoverDiscoversTheFabricThatWeftWrote) {
  if (std::system("command -v ibsim ibsim-run ibnetdiscover >/dev/null") != 0)
    GTEST_SKIP() << "ibsim or ibnetdiscover is not installed";
  const auto got = read_fabric(std::string(WEFT_TOPOLOGIES "/") + GetParam().file);
  ASSERT_TRUE(got) << got.error().message;
  const TempDir dir;
  ASSERT_TRUE(write_file(dir / "net", write_fabric_text(got->fabric, **find_writer("ibsim"))));
  ASSERT_TRUE(write_file(dir / "run", fmt::format(kScript, dir.path())));
  ASSERT_EQ(std::system(("bash " + (dir / "run")).c_str()), 0)
      << read_file(dir / "log").value_or("") << read_file(dir / "errors").value_or("");
  const auto found = read_fabric(dir / "found");
  ASSERT_TRUE(found) << found.error().message;
  // ibsim generates port GUIDs, and ibnetdiscover without options prints no VLs.
  FabricCompare what;
  what.port_guids = false;
  what.data_vls = false;
  what.rates = GetParam().rates;
  EXPECT_EQ(joined(differences(got->fabric, found->fabric, what)), "");
}

INSTANTIATE_TEST_SUITE_P(Topologies, IbsimLive,
                         testing::Values(Sample{"selene-storage/ibnetdiscover.txt", true},
                                         Sample{"hdr-1336-bom/ibnetdiscover.txt", true},
                                         Sample{"gb200-ndr/example.out", false},
                                         Sample{"stage-qdr-fdr10/topo", false},
                                         Sample{"docs-small/3.topo", true},
                                         Sample{"x5-psmn/X5.topofile", true},
                                         Sample{"ibsim-examples/net.2sw2path4hca2port", true}));

}  // namespace
}  // namespace weft
