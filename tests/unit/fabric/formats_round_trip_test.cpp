// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Each small fabric, written in every format and read again, is the same in all properties that the
// format keeps. A large text is read in seconds.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "fabric/generators/spec.h"
#include "support/cpu_watch.h"
#include "support/fabric_compare.h"
#include "support/fabric_of.h"
#include "support/fabrics.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

/// The properties that a written format keeps, as in docs/reference/formats.md.
FabricCompare kept_by(std::string_view format) {
  FabricCompare what;
  if (format == "json") return what;
  what.unconnected_port_guids = what.mtu = what.revision = false;
  what.data_vls = format == "ibnetdiscover" || format == "ibsim";
  if (format == "lst") what.node_attributes = false;
  return what;
}

TEST(RoundTrip, KeepsSmallFabricsInEveryFormat) {
  for (const char* const spec : kSmallSpecs) {
    const Fabric fabric = fabric_of(spec);
    for (const WriteFormat& format : write_formats()) {
      SCOPED_TRACE(std::string(spec) + " as " + std::string(format.name));
      const auto again = read_fabric_text(write_fabric_text(fabric, format), "written");
      ASSERT_TRUE(again) << again.error().message;
      // A net of ibsim without IDs to be assigned and without includes is also a text of
      // ibnetdiscover.
      EXPECT_EQ(again->format, format.name == "ibsim" ? "ibnetdiscover" : format.name);
      EXPECT_EQ(joined(again->warnings), "");
      EXPECT_EQ(joined(differences(fabric, again->fabric, kept_by(format.name))), "");
    }
  }
}

TEST(LargeText, IsReadInSeconds) {
  const auto fabric = generate("fattree3:k=64,pods=42");  // 46,720 of 49,151 LIDs
  ASSERT_TRUE(fabric) << fabric.error().message;
  const TempDir dir;
  const std::string path = dir / "large.topo";
  const WriteFormat& writer = **find_writer("ibnetdiscover");
  ASSERT_TRUE(write_file(path, [&](const Append& append) { writer.write(*fabric, append); }));
  const CpuWatch watch;
  const auto again = read_fabric(path);
  const double seconds = watch.seconds();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->fabric.switch_count(), 3712u);
  EXPECT_EQ(again->fabric.ca_count(), 43008u);
  EXPECT_EQ(again->fabric.link_count(), fabric->link_count());
  EXPECT_LT(seconds, 20.0);
  RecordProperty("seconds", std::to_string(seconds));
  RecordProperty("bytes", std::to_string(std::filesystem::file_size(path)));
}

}  // namespace
}  // namespace weft
