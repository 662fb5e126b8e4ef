// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Root on a host can set the node description to any bytes. Vulnerability: descriptions were
// written to log and terminal unescaped, so that a newline forged log lines and ESC controlled
// terminals.
#include <fstream>

#include "attacked_subnet.h"
#include "base/log.h"
#include "support/fabric_of.h"

namespace weft::attacks {
namespace {

using std::chrono::seconds;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

TEST(DescriptionAttack, AddsNoLogLineAndSendsNoEscapeSequence) {
  const TempDir folder;
  const std::string path = folder / "log";
  {
    ASSERT_TRUE(log_to_file({path, true, 0}, spdlog::level::debug));
    AttackedSubnet subnet(fabric_of("fattree2:k=4"));
    const std::string hostile = "x\nFORGED subnet lost\r\x1b[2J\x1b]0;t\x07\x7f\xff\xc2\x9b";
    subnet.emulated().set_description(subnet.node(5), hostile);
    ASSERT_TRUE(subnet.start());
    subnet.emulated().set_description(subnet.node(5), "y\nFORGED again\x1b[31m");
    subnet.run_for(seconds(5));
    subnet.emulated().switch_off_node(subnet.node(5));
    subnet.run_for(seconds(30));
    subnet.emulated().set_description(subnet.node(5), hostile);
    subnet.emulated().switch_on_node(subnet.node(5));
    subnet.run_for(seconds(30));
    EXPECT_EQ(subnet.sm().state(), SmState::kMaster);
  }
  log_to_stderr(spdlog::level::off);
  std::ifstream log(path, std::ios::binary);
  std::string line;
  bool named = false;
  while (std::getline(log, line)) {
    named = named || line.find("FORGED") != std::string::npos;
    EXPECT_NE(line.rfind("FORGED", 0), 0u) << "a node description forged a line of the log";
    EXPECT_TRUE(std::ranges::none_of(line, [](char c) { return is_control(c) && c != '\t'; }))
        << testing::PrintToString(line);
  }
  EXPECT_TRUE(named) << "no log line contains the name of the node, so the test checks nothing";
}

}  // namespace
}  // namespace weft::attacks
