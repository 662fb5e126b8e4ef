// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The dump of virtual ports (virt_dump_file).
#include "sm/vport_dump.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(VportDump, HasALineForEachVport) {
  EmulatorOptions emulator;
  emulator.vports = 1;
  emulator.vports_need_lids = true;
  ManagedSubnet managed(fabric_of("fattree2:k=2"), emulator);
  const auto host = [&](unsigned n) {
    return managed.fabric().endport(EndportId(managed.fabric().switch_count() + n)).port;
  };
  const auto guest = managed.emulated().virtual_ports(host(0))->identity(1);
  const auto aliased = managed.emulated().add_vport(
      host(0), {Guid(0x77), Guid(0x78), "guest with an alias", {Guid(0x79)}});
  ASSERT_TRUE(aliased.has_value());
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().add_vport(host(1), guest);
  managed.run_for(2 * kSecond);
  const std::string text = vport_dump(*managed.sm().snapshot());
  const auto lid_at = [&](unsigned n, std::uint16_t index) {
    return managed.emulated().virtual_ports(host(n))->vports[index].info.lid.value();
  };
  EXPECT_THAT(text, HasSubstr(fmt::format("port GUID 0x{:016x}, LID {}\n",
                                          managed.fabric().port(host(0)).guid.value(),
                                          managed.emulated().port_info(host(0)).lid.value())));
  EXPECT_THAT(text, HasSubstr(fmt::format(
                        "1      0x{:016x} 0x{:016x} active    {:<5} 0xffff - \"{}\"\n",
                        guest.port.value(), guest.node.value(), lid_at(0, 1), guest.description)));
  EXPECT_THAT(text, HasSubstr("0xffff 0x0000000000000079 \"guest with an alias\"\n"));
  EXPECT_THAT(text, HasSubstr(" duplicate ")) << "the vport with the GUID of another host";
  EXPECT_THAT(text, Not(HasSubstr("Absent")));

  managed.emulated().remove_vport(host(0), *aliased);
  managed.run_for(2 * kSecond);
  EXPECT_THAT(
      vport_dump(*managed.sm().snapshot()),
      HasSubstr(fmt::format("\nAbsent: GUID, last port GUID\n0x0000000000000077 0x{:016x}\n",
                            managed.fabric().port(host(0)).guid.value())));
}

TEST(VportDump, NamesThePathThatCannotBeWritten) {
  ManagedSubnet managed(fabric_of("fattree2:k=2"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const std::string path = managed.cache().path() + "/none/vports";
  const auto written = write_vport_dump(*managed.sm().snapshot(), path);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kEnvironment);
  EXPECT_THAT(written.error().message, HasSubstr(path));
}

}  // namespace
}  // namespace weft
