// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tokens, certificates, roles and the audit log of the HTTP service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "service/http/http_api.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kReadToken = "read-0123456789abcdef";
constexpr const char* kOperateToken = "operate-0123456789abcdef";
constexpr const char* kAdminToken = "administer-0123456789abcdef";

class Access : public testing::Test {
 protected:
  Access() : folder_(testing::TempDir() + "weft_access_" + std::to_string(::getpid())) {
    fs::create_directories(folder_);
  }
  ~Access() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text, ::mode_t mode = 0600) {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    (void)::chmod(path.c_str(), mode);
    return path;
  }
  std::string reason(const std::string& text) {
    const auto tokens = read_tokens(file("token", text));
    return tokens ? "" : tokens.error().message;
  }
  std::string content(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(Access, TokensHave16To256Characters) {
  EXPECT_EQ(reason(std::string(16, 'x') + "\n"), "");
  EXPECT_EQ(reason(std::string(256, 'x') + "\n"), "");
  EXPECT_THAT(reason(std::string(15, 'x') + "\n"),
              HasSubstr("token:1: found a token of 15 characters, expected 16 to 256"));
  EXPECT_THAT(reason(std::string(257, 'x') + "\n"), HasSubstr("found a token of 257 characters"));
  EXPECT_THAT(reason(""), HasSubstr("found a token of 0 characters"));
  EXPECT_THAT(reason("\n" + std::string(16, 'x') + "\n"), HasSubstr(":1: found a token of 0"));
  EXPECT_THAT(reason("read short\n"), HasSubstr("found a token of 5 characters"));
  EXPECT_FALSE(read_tokens(file("large", std::string(5000, 'x'))));
}

TEST_F(Access, FilesAccessibleToOthersAreRefused) {
  const std::string text = std::string(kAdminToken) + "\n";
  for (const ::mode_t mode : {0640, 0604, 0620, 0610})
    EXPECT_THAT(read_tokens(file("token", text, mode)).error().message, HasSubstr("expected 0600"));
  EXPECT_TRUE(read_tokens(file("token", text, 0400)));
}

TEST_F(Access, AFileHasAtMostOneTokenForEachRole) {
  const std::string path = file("token", std::string("# tokens\nread ") + kReadToken +
                                             "\n\noperate  " + kOperateToken + " \n");
  const auto tokens = read_tokens(path);
  ASSERT_TRUE(tokens) << tokens.error().message;
  ASSERT_EQ(tokens->size(), 2u);
  EXPECT_EQ((*tokens)[1].role, Role::kOperate);
  EXPECT_EQ((*tokens)[1].token, kOperateToken);
  EXPECT_THAT(read_administer_token(path).error().message,
              HasSubstr("no token of role administer"));
  EXPECT_EQ(*read_client_token(path), kOperateToken);
  EXPECT_EQ(*read_administer_token(
                file("token", std::string(kAdminToken) + "\nread " + kReadToken + "\n")),
            kAdminToken);
  const std::string twice = std::string("read ") + kReadToken + "\nread " + kOperateToken + "\n";
  EXPECT_THAT(reason(twice), HasSubstr(":2: second token of role read"));
  EXPECT_THAT(reason(std::string("read ") + kReadToken + "\noperate " + kReadToken + "\n"),
              HasSubstr("the token of role operate equals the token of role read"));
  EXPECT_THAT(reason(std::string("read ") + kReadToken + "\nwrite " + kOperateToken + "\n"),
              HasSubstr(":2: expected ROLE TOKEN"));
}

class AccessApi : public Access {
 protected:
  AccessApi() {
    settings_.http_token_file =
        file("token", std::string("read ") + kReadToken + "\noperate " + kOperateToken +
                          "\nadminister " + kAdminToken + "\n");
    settings_.http_client_roles_file =
        file("roles", "# common names\nread probe\nadminister Alice Example\n", 0644);
    SmStatus status;
    status.state = SmState::kMaster;
    board_.post(status, nullptr);
    open();
  }
  void open() {
    HttpOptions options;
    options.address = *parse_http_address("0.0.0.0:0");
    options.secrets.access = *HttpAccess::read(settings_);
    auto audit = AuditLog::open(folder_ / "audit");
    ASSERT_TRUE(audit);
    api_ = std::make_unique<HttpApi>(options, board_, std::make_shared<EventRing>(),
                                     std::move(*audit));
  }
  HttpAnswer answer_to(const std::string& method, const std::string& path, HttpRequest request) {
    request.method = method;
    request.path = path;
    request.address = "192.0.2.7";
    if (auto quick = api_->quick_answer(request)) return std::move(*quick);
    return api_->answer(request);
  }
  int status(const std::string& method, const std::string& path, const std::string& token) {
    HttpRequest request;
    request.token = token;
    return answer_to(method, path, request).status;
  }
  int status_with_certificate(const std::string& method, const std::string& path,
                              const std::string& name, bool is_valid = true) {
    HttpRequest request;
    request.certificate = name;
    request.has_valid_certificate = is_valid;
    return answer_to(method, path, request).status;
  }

  Settings settings_;
  SmBoard board_{Settings{}};
  std::unique_ptr<HttpApi> api_;
};

TEST_F(AccessApi, EachEndpointRequiresItsRole) {
  for (const http::HttpEndpoint& endpoint : http::endpoints()) {
    std::string path(endpoint.path);
    if (path.ends_with('/')) path += "x";
    for (const auto& [role, token] :
         {std::pair(Role::kNone, "wrong"), std::pair(Role::kRead, kReadToken),
          std::pair(Role::kOperate, kOperateToken), std::pair(Role::kAdminister, kAdminToken)}) {
      const int found = status(std::string(endpoint.method), path, token);
      const bool refused = found == 401 || found == 403;
      EXPECT_EQ(refused, role < endpoint.role) << endpoint.method << " " << path << " " << token;
      if (refused) {
        EXPECT_EQ(found, role == Role::kNone ? 401 : 403);
      }
    }
  }
}

TEST_F(AccessApi, ChangesRequireMoreThanTheRoleRead) {
  for (const http::HttpEndpoint& endpoint : http::endpoints()) {
    const bool is_study = endpoint.path == "/api/v1/compare" || endpoint.path == "/api/v1/what-if";
    if (endpoint.method == "GET") continue;
    if (!is_study) {
      EXPECT_GT(endpoint.role, Role::kRead);
    }
    if (endpoint.path.starts_with("/api/v1/partition")) {
      EXPECT_EQ(endpoint.role, Role::kAdminister);
    }
  }
}

TEST_F(AccessApi, CertificatesHaveTheRoleOfTheCommonName) {
  EXPECT_EQ(status_with_certificate("GET", "/api/v1/fabric", "probe"), 200);
  EXPECT_EQ(status_with_certificate("POST", "/api/v1/sweep", "probe"), 403);
  EXPECT_EQ(status_with_certificate("POST", "/api/v1/sweep", "Alice Example"), 202);
  EXPECT_EQ(status_with_certificate("GET", "/api/v1/fabric", "Alice"), 401);
  EXPECT_EQ(status_with_certificate("POST", "/api/v1/sweep", "Alice Example", false), 401);
  EXPECT_EQ(status_with_certificate("GET", "/healthz", "unlisted"), 200);
}

TEST_F(AccessApi, InvalidFilesOfRolesAreRefused) {
  for (const char* wrong : {"write probe\n", "read\n", "probe\n", "read probe\noperate probe\n"}) {
    settings_.http_client_roles_file = file("roles", wrong);
    EXPECT_THAT(HttpAccess::read(settings_).error().message, HasSubstr("roles:")) << wrong;
  }
}

TEST_F(AccessApi, TokensCanBeReplacedAtRunTime) {
  EXPECT_EQ(status("GET", "/api/v1/fabric", kReadToken), 200);
  const std::string next = "next-0123456789abcdef";
  file("token", next + "\n");
  api_->set_access(*HttpAccess::read(settings_));
  EXPECT_EQ(status("GET", "/api/v1/fabric", kReadToken), 401);
  EXPECT_EQ(status("POST", "/api/v1/sweep", next), 202);
}

TEST_F(AccessApi, AuditsChangesAndRefusals) {
  EXPECT_EQ(status("GET", "/api/v1/fabric", kReadToken), 200);
  EXPECT_EQ(content("audit"), "") << "a permitted GET request is not recorded";
  EXPECT_EQ(status("POST", "/api/v1/sweep", kOperateToken), 202);
  const std::string change = content("audit");
  EXPECT_THAT(change, AllOf(HasSubstr(R"("audit":"change","client":"token operate")"),
                            HasSubstr(R"("address":"192.0.2.7")"),
                            HasSubstr(R"("request":"POST /api/v1/sweep","status":202)")));
  EXPECT_EQ(status("POST", "/api/v1/sweep", kReadToken), 403);
  EXPECT_EQ(status("GET", "/api/v1/fabric", "guess"), 401);
  EXPECT_EQ(status_with_certificate("GET", "/api/v1/x\n", "eve\n\x1b[2J"), 404);
  EXPECT_EQ(status_with_certificate("GET", "/api/v1/fabric", "eve\n\x1b[2J"), 401);
  const std::string all = content("audit");
  EXPECT_THAT(all, HasSubstr(R"("audit":"refused","client":"token read","role":"read")"));
  EXPECT_THAT(all, HasSubstr(R"("client":"wrong token")"));
  EXPECT_THAT(all, HasSubstr(R"("client":"certificate eve\n\u001b[2J")"));
  for (const char* token : {kReadToken, kOperateToken, "guess"})
    EXPECT_THAT(all, Not(HasSubstr(std::string("\"") + token))) << "the audit log contains a token";
  EXPECT_EQ(std::ranges::count(all, '\n'), 4);
  struct stat about {};
  ASSERT_EQ(::stat((folder_ / "audit").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777u, 0600u);
}

TEST_F(AccessApi, AuditsDeferredChangesWithTheResult) {
  HttpRequest request;
  request.token = kAdminToken;
  HttpAnswer answer = answer_to("DELETE", "/api/v1/partitions/0x8010", request);
  ASSERT_TRUE(answer.later);
  EXPECT_EQ(content("audit"), "");
  EXPECT_EQ(answer.later().status, 503);
  EXPECT_THAT(content("audit"),
              HasSubstr(R"("request":"DELETE /api/v1/partitions/0x8010","status":503)"));
}

TEST_F(AccessApi, AuditLogLimitsTheNumberOfRefusals) {
  for (int i = 0; i < 2000; ++i) (void)status("GET", "/api/v1/fabric", "guess");
  const std::string all = content("audit");
  EXPECT_LT(std::ranges::count(all, '\n'), 1000);
  EXPECT_GE(std::ranges::count(all, '\n'), AuditLog::kRefusalsMax);
}

TEST_F(Access, AuditLogRefusesLinksAndCanBeReopened) {
  EXPECT_FALSE(AuditLog::open(folder_ / "none/audit"));
  fs::create_symlink(folder_ / "elsewhere", folder_ / "link");
  EXPECT_FALSE(AuditLog::open(folder_ / "link"));
  auto log = *AuditLog::open(folder_ / "audit");
  log->record_change({"token operate", "operate", "::1", "POST /x", 200});
  fs::rename(folder_ / "audit", folder_ / "audit.1");
  log->reopen();
  log->record_change({"token operate", "operate", "::1", "POST /y", 200});
  EXPECT_THAT(content("audit"), AllOf(HasSubstr("/y"), Not(HasSubstr("/x"))));
}

TEST_F(Access, CertificateOptionsMustBeComplete) {
  Settings settings;
  settings.http = "127.0.0.1:0";
  settings.http_certificate_file = file("cert.pem", "no certificate");
  EXPECT_THAT(http_options(settings).error().message,
              HasSubstr("http_certificate_file and http_key_file: found one"));
  settings.http_key_file = file("key.pem", "no key", 0644);
  EXPECT_THAT(http_options(settings).error().message, HasSubstr("expected 0600"));
  settings.http_key_file = file("key.pem", "no key");
  EXPECT_THAT(http_options(settings).error().message, HasSubstr("cannot be used with the key"));
  settings.http_client_ca_file = file("ca.pem", "none");
  EXPECT_THAT(http_options(settings).error().message,
              HasSubstr("http_client_ca_file and http_client_roles_file: found one"));
}

}  // namespace
}  // namespace weft
