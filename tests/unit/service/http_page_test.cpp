// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files of the page over HTTP: types, caching, no access to other files, and the priorities of
// requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "service/http/http_api.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder page/ with a few files, and a secret file outside of it.
class Page : public testing::Test {
 protected:
  Page() : root_(testing::TempDir() + "weft_page_" + std::to_string(::getpid())) {
    fs::create_directories(root_ / "page/assets");
    write("secret.html", "secret");
    write("page/index.html", "<p>hello");
    write("page/assets/a-1234.js", "let a");
    write("page/assets/a-1234.css", "p {}");
    write("page/notes.bin", "of no type");
    fs::create_symlink(root_ / "secret.html", root_ / "page/link.html");
  }
  ~Page() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name) << text;
  }
  HttpAnswer answer_to(const std::string& path, const std::string& tag = "",
                       const std::string& method = "GET") {
    HttpOptions options;
    options.address = *parse_http_address(listens_on_all_addresses_ ? "0.0.0.0:0" : "127.0.0.1:0");
    options.secrets.access = HttpAccess({{Role::kAdminister, Secret(std::string_view("right"))}});
    if (has_page_) options.page = std::make_shared<PageFiles>(*PageFiles::read(root_ / "page"));
    HttpApi api(options, board_, std::make_shared<EventRing>());
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.have_tag = tag;
    request.host = host_;
    return api.answer(request);
  }
  static std::string header(const HttpAnswer& answer, std::string_view name) {
    for (const auto& [key, value] : answer.headers)
      if (key == name) return value;
    return "";
  }

  fs::path root_;
  SmBoard board_{Settings{}};
  std::string host_ = "localhost";
  bool listens_on_all_addresses_ = false;
  bool has_page_ = true;
};

TEST_F(Page, FilesHaveAContentTypeAndCacheControl) {
  const HttpAnswer index = answer_to("/");
  EXPECT_EQ(index.status, 200);
  EXPECT_EQ(*index.body, "<p>hello");
  EXPECT_EQ(index.type, "text/html; charset=utf-8");
  EXPECT_EQ(header(index, "Cache-Control"), "no-cache");
  EXPECT_THAT(header(index, "Content-Security-Policy"), HasSubstr("default-src 'none'"));
  EXPECT_THAT(header(index, "Content-Security-Policy"), Not(HasSubstr("unsafe")));
  EXPECT_EQ(answer_to("/index.html").status, 200);
  EXPECT_EQ(answer_to("/assets/a-1234.js").type, "text/javascript; charset=utf-8");
  EXPECT_EQ(answer_to("/assets/a-1234.css").type, "text/css; charset=utf-8");
  EXPECT_THAT(header(answer_to("/assets/a-1234.js"), "Cache-Control"), HasSubstr("immutable"));
}

TEST_F(Page, AnswersNotModifiedForCurrentFiles) {
  const std::string tag = header(answer_to("/"), "ETag");
  EXPECT_EQ(tag.size(), 18u);
  const HttpAnswer same = answer_to("/", tag);
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, nullptr);
  EXPECT_EQ(header(same, "ETag"), tag);
  write("page/index.html", "<p>hullo");
  EXPECT_EQ(answer_to("/", tag).status, 200);
}

TEST_F(Page, RejectsPathsThatAreNoFilesOfThePage) {
  for (const char* path :
       {"/../secret.html", "/assets/../../secret.html", "//secret.html", "/assets/../index.html",
        "/link.html", "/notes.bin", "/assets", "/assets/", "/.", "/..", "/index.html/",
        "index.html", "", "/page/index.html", "/assets/a-1234.js%00", "/\\..\\secret.html"})
    EXPECT_EQ(answer_to(path).status, 404) << path;
}

TEST_F(Page, RequiresNoTokenUnlikeTheFabricApi) {
  listens_on_all_addresses_ = true;
  EXPECT_EQ(answer_to("/").status, 200);
  EXPECT_EQ(answer_to("/api/v1/fabric").status, 401);
}

TEST_F(Page, AcceptsOnlyGetAndLoopbackHosts) {
  EXPECT_EQ(answer_to("/", "", "POST").status, 405);
  host_ = "evil.example";
  EXPECT_EQ(answer_to("/").status, 421);
  EXPECT_EQ(answer_to("/none").status, 421);
}

TEST(HttpPriorities, HealthChecksPrecedeThePageAndMetrics) {
  for (const char* path : {"/healthz", "/readyz"})
    EXPECT_EQ(priority_of_path(path, false), HttpPriority::kHealthCheck) << path;
  EXPECT_EQ(priority_of_path("/metrics", false), HttpPriority::kPriority);
  EXPECT_EQ(priority_of_path("/", true), HttpPriority::kPriority);
  for (const char* path : {"/", "/api/v1/fabric", "/api/v1/nodes", "/none"})
    EXPECT_EQ(priority_of_path(path, false), HttpPriority::kOrdinary) << path;
}

TEST_F(Page, ReportsAMissingPage) {
  has_page_ = false;
  EXPECT_EQ(answer_to("/").status, 404);
  EXPECT_THAT(*answer_to("/").body, HasSubstr("the page is not installed"));
}

TEST_F(Page, RejectsAFolderWithoutAPage) {
  EXPECT_THAT(PageFiles::read(root_ / "none").error().message, HasSubstr("none: "));
  EXPECT_THAT(PageFiles::read(root_ / "page/assets").error().message, HasSubstr("index.html"));
  write("page/large.txt", std::string(PageFiles::kBytesMax, 'x'));
  EXPECT_FALSE(PageFiles::read(root_ / "page"));
  Settings settings;
  settings.http = "127.0.0.1:0";
  settings.http_page_folder = root_ / "none";
  EXPECT_THAT(http_options(settings).error().message, HasSubstr("http_page_folder: "));
}

}  // namespace
}  // namespace weft
