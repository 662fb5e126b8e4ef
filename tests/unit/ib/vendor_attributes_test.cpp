// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every vendor-specific attribute has a row in the table of attributes, and every codec of the
// table has a test of bytes, a property and a line in the fuzzing target. The table equals the
// documentation page. UPDATE_GOLDEN=1 writes the table of the page.
#include "ib/vendor/attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"

namespace weft {
namespace {

constexpr const char* kAttributesPage = WEFT_SOURCE_DIR "/docs/reference/vendor-attributes.md";
const std::string kRoot = WEFT_SOURCE_DIR "/";

std::vector<std::string> split_names(std::string_view joined) {
  std::vector<std::string> names;
  std::istringstream text{std::string(joined)};
  for (std::string name; std::getline(text, name, '|');) names.push_back(name);
  return names;
}

std::string sources_of(std::initializer_list<const char*> folders) {
  std::string text;
  for (const char* folder : folders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot + folder))
      if (entry.is_regular_file()) text += read_file(entry.path().string()).value();
  return text;
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end])))
      return true;
  }
  return false;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    found.insert((*it)[1]);
  return found;
}

/// The tests that begin with `macro`, as one text.
std::string tests_of(const std::string& text, const std::string& macro) {
  std::string found;
  for (std::size_t at = text.find("\n" + macro); at != std::string::npos;
       at = text.find("\n" + macro, at + 1))
    found += text.substr(at, text.find("\n}\n", at) - at);
  return found;
}

std::set<std::string> all_codecs() {
  std::set<std::string> codecs;
  for (const VendorAttribute& row : vendor_attributes())
    for (const std::string& codec : split_names(row.codecs)) codecs.insert(codec);
  return codecs;
}

// Ids of all attributes in the headers of NVIDIA's OpenSM.
TEST(VendorAttributes, TheTableHasEveryAttributeOfTheHeaders) {
  const std::set<std::uint16_t> smps{
      0x0017, 0x001E, 0x0034, 0xFF10, 0xFF11, 0xFF12, 0xFF14, 0xFF17, 0xFF18, 0xFF20, 0xFF21,
      0xFF23, 0xFF24, 0xFF25, 0xFF26, 0xFF27, 0xFF54, 0xFF61, 0xFF71, 0xFF72, 0xFF73, 0xFF82,
      0xFF85, 0xFF87, 0xFF88, 0xFF89, 0xFF8A, 0xFF8E, 0xFF90, 0xFF91, 0xFF92, 0xFFB0, 0xFFB1,
      0xFFB2, 0xFFB3, 0xFFB4, 0xFFB5, 0xFFB6, 0xFFB8, 0xFFB9, 0xFFBA, 0xFFBC, 0xFFBD, 0xFFBE,
      0xFFD0, 0xFFD1, 0xFFD2, 0xFFD5, 0xFFD6, 0xFFD7, 0xFFDA};
  const std::set<std::uint16_t> congestion{0x0012, 0xFF00, 0xFF08, 0xFF09, 0xFF10,
                                           0xFF20, 0xFF21, 0xFF22, 0xFF24, 0xFF25};
  const auto ids_of = [](std::string_view class_name) {
    std::set<std::uint16_t> ids;
    for (const VendorAttribute& row : vendor_attributes())
      if (row.class_name == class_name && !ids.insert(row.id).second)
        ADD_FAILURE() << row.name << ": two rows";
    return ids;
  };
  EXPECT_EQ(ids_of("SMP"), smps);
  EXPECT_EQ(ids_of("0x21"), congestion);
  EXPECT_EQ(ids_of("0x0A"), (std::set<std::uint16_t>{0x000F}));
  EXPECT_EQ(ids_of("0x0C"), (std::set<std::uint16_t>{0x000F, 0x0010}));
  EXPECT_TRUE(std::ranges::is_sorted(vendor_attributes(), {}, [](const VendorAttribute& row) {
    return std::pair(row.class_name == "SMP" ? "" : row.class_name, row.id);
  }));
}

TEST(VendorAttributes, EveryIdOfTheCodeHasARow) {
  std::set<std::string> constants;
  for (const VendorAttribute& row : vendor_attributes())
    for (const std::string& constant : split_names(row.constants)) constants.insert(constant);
  const std::string text = sources_of({"src/ib"});
  const auto declared =
      matches(text, "\\b(k[A-Za-z0-9]+)(?: = |\\{)0x(?:FF[0-9A-E][0-9A-F]|001E|0034)[^0-9A-F]");
  EXPECT_GE(declared.size(), 50u);
  for (const std::string& name : declared)
    EXPECT_TRUE(constants.contains(name)) << name << ": no row";
  for (const VendorAttribute& row : vendor_attributes())
    for (const std::string& constant : split_names(row.constants))
      EXPECT_TRUE(text.find(fmt::format("{}{{0x{:04X}", constant, row.id)) != std::string::npos ||
                  text.find(fmt::format("{} = 0x{:04X}", constant, row.id)) != std::string::npos)
          << row.name << ": no " << constant << " with this id";
}

TEST(VendorAttributes, EveryDecoderHasARow) {
  std::string headers = sources_of({"src/ib/vendor"});
  for (const char* file : {"src/ib/adaptive.h", "src/ib/extended_port_info.h",
                           "src/ib/gmps/class_keys.h", "src/ib/gmps/dcqcn.h", "src/ib/gmps/ppcc.h"})
    headers += read_file(kRoot + file).value();
  const auto codecs = all_codecs();
  for (const std::string& name : matches(headers, "\\bdecode_([a-z0-9_]+)\\("))
    EXPECT_TRUE(codecs.contains(name) || name.starts_with("trap_") || name == "sl_to_vl_table")
        << "decode_" << name << ": no row";
}

TEST(VendorAttributes, EveryCodecHasATestOfBytesAPropertyAndAFuzzingTarget) {
  const std::string tests = sources_of({"tests/unit/ib", "tests/unit/gmp"});
  const std::string bytes = tests_of(tests, "TEST(");
  const std::string properties = tests_of(tests, "RC_GTEST_PROP(");
  const std::string fuzz = read_file(kRoot + "fuzz/attributes.cpp").value();
  for (const std::string& codec : all_codecs()) {
    const std::string decoder = "decode_" + codec;
    EXPECT_TRUE(has_word(bytes, decoder)) << decoder << ": no test of bytes";
    EXPECT_TRUE(has_word(properties, decoder)) << decoder << ": no property with random bytes";
    EXPECT_TRUE(has_word(fuzz, decoder)) << decoder << ": not in fuzz/attributes.cpp";
  }
}

TEST(VendorAttributes, TheManagerSendsOnlyAttributesThatTheTableCallsUsed) {
  const std::string manager = sources_of({"src/sm", "src/gmp", "src/policy"});
  for (const VendorAttribute& row : vendor_attributes()) {
    const bool has_codec = row.use != AttributeUse::kNoCodec;
    EXPECT_EQ(has_codec, !row.codecs.empty()) << row.name;
    const bool is_used = row.use == AttributeUse::kRead || row.use == AttributeUse::kWritten ||
                         row.use == AttributeUse::kReadAndWritten;
    for (const std::string& constant : split_names(row.constants))
      EXPECT_EQ(has_word(manager, constant), is_used) << row.name << ": " << constant;
    for (const std::string& codec : split_names(row.codecs))
      EXPECT_TRUE(is_used || !has_word(manager, "decode_" + codec))
          << row.name << ": decode_" << codec;
  }
}

std::string_view name_of(AttributeUse use) {
  switch (use) {
    case AttributeUse::kReadAndWritten:
      return "read and written";
    case AttributeUse::kRead:
      return "read";
    case AttributeUse::kWritten:
      return "written";
    case AttributeUse::kUnused:
      return "not used: codec only";
    case AttributeUse::kNoCodec:
      return "no codec";
  }
  return "";
}

std::string attributes_table() {
  std::string text =
      "| class | id | attribute | announced by | use | for |\n|---|---|---|---|---|---|\n";
  for (const VendorAttribute& row : vendor_attributes())
    text += fmt::format("| {} | 0x{:04X} | {} | {} | {} | {} |\n", row.class_name, row.id, row.name,
                        row.announced_by, name_of(row.use), row.note);
  return text;
}

TEST(VendorAttributes, EqualTheTableInTheDocumentation) {
  const std::string page = read_file(kAttributesPage).value();
  const std::size_t begin = page.find("| class |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = std::min(page.find("\n\n", begin), page.size() - 1) + 1;
  if (std::getenv("UPDATE_GOLDEN") != nullptr)
    ASSERT_TRUE(
        write_file(kAttributesPage, page.substr(0, begin) + attributes_table() + page.substr(end)));
  else
    EXPECT_EQ(page.substr(begin, end - begin), attributes_table())
        << "UPDATE_GOLDEN=1 writes the table to " << kAttributesPage;
}

}  // namespace
}  // namespace weft
