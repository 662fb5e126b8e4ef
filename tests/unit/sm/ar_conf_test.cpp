// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ar_mgr.conf: options, SWITCH sections, and errors with file and line.
#include "policy/ar_conf.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

Result<ArConf> parse(const std::string& text) {
  return parse_ar_conf(LineReader::over(text, "ar_mgr.conf"));
}

TEST(ArConf, EmptyFileHasTheDefaults) {
  const auto conf = parse("# nothing\n\n");
  ASSERT_TRUE(conf) << conf.error().message;
  EXPECT_EQ(*conf, ArConf{});
  EXPECT_TRUE(conf->enable);
  EXPECT_EQ(conf->mode, ArState::kBounded);
  EXPECT_EQ(conf->ageing_time_us, 30u);
  EXPECT_EQ(conf->max_errors, 10u);
  EXPECT_EQ(conf->error_window_s, 5u);
  EXPECT_EQ(conf->log_size_mb, 5u);
  EXPECT_FALSE(conf->algorithm);
}

TEST(ArConf, ReadsAllOptionsAndSwitches) {
  const auto conf = parse(
      "ENABLE: true;\n"
      "AR_ALGORITHM: TREE; AR_MODE: free # two in a line\n"
      "AGEING_TIME : 100\n"
      "MAX_ERRORS: 65535\nERROR_WINDOW: 0\n"
      "LOG_FILE: /var/log/ar mgr.log\nLOG_SIZE: 0\n"
      "SWITCH 0x0002c90000000100 { ENABLE: false; AGEING_TIME: 77; }\n"
      "SWITCH 0x200\n{\n  ENABLE: true\n}\n"
      "SWITCH 0x300 {}\n");
  ASSERT_TRUE(conf) << conf.error().message;
  EXPECT_EQ(conf->algorithm, ArAlgorithm::kTree);
  EXPECT_EQ(conf->mode, ArState::kFree);
  EXPECT_EQ(conf->ageing_time_us, 100u);
  EXPECT_EQ(conf->max_errors, 65535u);
  EXPECT_EQ(conf->error_window_s, 0u);
  EXPECT_EQ(conf->log_file, "/var/log/ar mgr.log");
  EXPECT_EQ(conf->log_size_mb, 0u);
  ASSERT_EQ(conf->switches.size(), 3u);
  EXPECT_FALSE(conf->enabled_at(Guid(0x0002c90000000100)));
  EXPECT_EQ(conf->ageing_time_at(Guid(0x0002c90000000100)), 77u);
  EXPECT_TRUE(conf->enabled_at(Guid(0x200)));
  EXPECT_EQ(conf->ageing_time_at(Guid(0x200)), 100u);
  EXPECT_TRUE(conf->enabled_at(Guid(0x999))) << "a switch that is not in the file is enabled";
}

TEST(ArConf, EnableFalseAppliesToAllSwitches) {
  const auto conf = parse("ENABLE: false\nSWITCH 0x1 { ENABLE: true; }\n");
  ASSERT_TRUE(conf);
  EXPECT_FALSE(conf->enabled_at(Guid(1)));
}

TEST(ArConf, LastAlgorithmApplies) {
  EXPECT_EQ(parse("AR_ALGORITHM: LAG\n")->algorithm, ArAlgorithm::kLag);
  const auto conf = parse("AR_ALGORITHM: LAG\nAR_ALGORITHM: DF_PLUS\n");
  ASSERT_TRUE(conf);
  EXPECT_TRUE(conf->df_plus);
  EXPECT_FALSE(conf->algorithm);
}

struct Wrong {
  std::string text;
  unsigned line;
  std::string found;
  std::string wanted;
};

TEST(ArConf, ErrorsNameFileLineFoundAndExpected) {
  for (const Wrong& wrong : {
           Wrong{"ENABLE: yes\n", 1, "'yes'", "true or false"},
           {"\nENABLE: True\n", 2, "'True'", "true or false"},
           {"ENABLE:\n", 1, "''", "true or false"},
           {"ENABLE true\n", 1, "'ENABLE true'", "':'"},
           {"enable: true\n", 1, "'enable'", "ENABLE"},
           {"AR_ALGORITHM: tree\n", 1, "'tree'", "LAG, TREE or DF_PLUS"},
           {"AR_MODE: bound\n", 1, "'bound'", "bounded or free"},
           {"AGEING_TIME: -1\n", 1, "'-1'", "0 to 4294967295"},
           {"AGEING_TIME: 4294967296\n", 1, "'4294967296'", "0 to 4294967295"},
           {"MAX_ERRORS: 65536\n", 1, "'65536'", "0 to 65535"},
           {"ERROR_WINDOW: 5s\n", 1, "'5s'", "0 to 65535"},
           {"LOG_SIZE: x\n", 1, "'x'", "0 to"},
           {"LOG_FILE:\n", 1, "nothing", "a path"},
           {"MODE: free\n", 1, "'MODE'", "AR_MODE"},
           {"SWITCH 100 { }\n", 1, "'100'", "0x and a GUID"},
           {"SWITCH 0x0 { }\n", 1, "'0x0'", "a GUID"},
           {"SWITCH { }\n", 1, "''", "a GUID"},
           {"SWITCH 0x1 ENABLE: true\n", 1, "'SWITCH 0x1 ENABLE'", "AR_ALGORITHM"},
           {"SWITCH 0x1\nENABLE: true\n", 2, "'E'", "'{'"},
           {"SWITCH 0x1 { AR_MODE: free; }\n", 1, "'AR_MODE'", "ENABLE or AGEING_TIME"},
           {"SWITCH 0x1 {\n AGEING_TIME: no\n}\n", 2, "'no'", "a number"},
           {"SWITCH 0x1 {\nSWITCH 0x2 { }\n", 2, "SWITCH", "'}' of the SWITCH in line 1"},
           {"SWITCH 0x1 { }\nSWITCH 0x1 { }\n", 2, "0x1", "twice"},
           {"SWITCH 0x1 {\nENABLE: true\n", 2, "the end", "'}' of the SWITCH in line 1"},
           {"SWITCH 0x1\n", 1, "the end", "'{'"},
           {"}\n", 1, "'}'", "ENABLE"},
           {"{ ENABLE: true }\n", 1, "'{'", "ENABLE"},
       }) {
    const auto conf = parse(wrong.text);
    ASSERT_FALSE(conf) << wrong.text;
    EXPECT_EQ(conf.error().code, Code::kBadInput);
    const std::string& message = conf.error().message;
    EXPECT_TRUE(message.starts_with("ar_mgr.conf:" + std::to_string(wrong.line) + ": ")) << message;
    EXPECT_NE(message.find(wrong.found), std::string::npos) << message;
    EXPECT_NE(message.find(wrong.wanted), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace weft
