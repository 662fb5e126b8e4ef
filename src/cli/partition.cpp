// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft partition ACTION: shows and changes the partitions of a running subnet manager through its
// HTTP service, or of a partition file that is not in use.

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/replace_file.h"
#include "base/text.h"
#include "cli/api_client.h"
#include "cli/common.h"
#include "cli/subcommands.h"
#include "service/http/data/partition_orders.h"

namespace weft::cli {
namespace {

constexpr const char* kPartitionsPath = "/api/v1/partitions";
constexpr int kExitNotYet = 1;  // accepted, but not yet written to all ports

struct PartitionOptions {
  std::string action;
  std::string pkey;
  std::vector<std::string> words;
  bool ipoib = false;
  bool absent_ports = false;
  bool json = false;
  std::string file;
  ServerArgument server;
};

tl::unexpected<Error> usage(const std::string& what) { return fail(Code::kUsage, "{}", what); }

std::string pkey_text(std::uint16_t base) { return fmt::format("0x{:04x}", base); }

/// Parses GUID or GUID=MEMBERSHIP.
Json member_of(std::string_view word) {
  const std::size_t at = word.find('=');
  if (at == std::string_view::npos) return std::string(word);
  return {{"guid", word.substr(0, at)}, {"membership", word.substr(at + 1)}};
}

/// The request of the command line, in the format of the HTTP service.
struct Request {
  std::string method;
  std::string path;
  Json body;  // null: none
  PartitionOrder order;
};

Result<Request> request_of(const PartitionOptions& options) {
  const auto base = http_data::pkey_base(options.pkey);
  if (!base) return fail(Code::kUsage, "{}", base.error().message);
  Request request{
      "PATCH", std::string(kPartitionsPath) + "/" + pkey_text(*base), Json::object(), {}};
  Json members = Json::array();
  const bool creates = options.action == "create";
  for (std::size_t i = creates ? 1 : 0; i < options.words.size(); ++i)
    members.push_back(member_of(options.words[i]));
  if (options.action == "delete") {
    if (!options.words.empty()) return usage("delete: expected only a P_Key");
    request.method = "DELETE";
    request.body = nullptr;
    request.order.change.kind = PartitionChange::Kind::kDelete;
    request.order.change.base = *base;
    return request;
  }
  if (options.absent_ports) request.body["absent_ports"] = true;
  Result<PartitionOrder> order = PartitionOrder();
  if (creates) {
    if (options.words.empty()) return usage("create: expected a P_Key and a name");
    request.method = "POST";
    request.path = kPartitionsPath;
    request.body["pkey"] = pkey_text(*base);
    request.body["name"] = options.words.front();
    request.body["ipoib"] = options.ipoib;
    request.body["members"] = std::move(members);
    order = http_data::new_partition(request.body);
  } else {
    request.body[options.action] = std::move(members);
    order = http_data::member_change(*base, request.body);
  }
  if (!order) return fail(Code::kUsage, "{}", order.error().message);
  request.order = std::move(*order);
  return request;
}

std::string outcome_line(const Json& outcome) {
  const std::string what =
      fmt::format("{} '{}'", outcome.value("pkey", ""), outcome.value("name", ""));
  if (!outcome.value("changed", false)) return what + ": no change\n";
  std::string text = fmt::format("{}: P_Keys of {} ports on {} nodes written\n", what,
                                 outcome.value("ports", 0), outcome.value("nodes", 0));
  if (!outcome.value("applied", false))
    text = fmt::format("{}: accepted, but not yet written to all ports: {}\n", what,
                       outcome.value("error", ""));
  if (outcome.value("file_created", false)) text += "partition file created\n";
  return text;
}

int change_partitions(const PartitionOptions& options) {
  const auto request = request_of(options);
  if (!request) return report(request.error());
  auto client = ApiClient::open(options.server);
  if (!client) return report(client.error());
  const auto outcome = client->send(request->method, request->path,
                                    request->body.is_null() ? nullptr : &request->body);
  if (!outcome) return report(outcome.error());
  if (options.json) {
    print(*outcome);
  } else {
    append_to_stdout(outcome_line(*outcome));
  }
  return outcome->value("applied", false) ? 0 : kExitNotYet;
}

int print_partitions(const PartitionOptions& options) {
  if (!options.words.empty())
    return report({Code::kUsage, options.action + ": too many arguments"});
  const bool lists = options.action == "list";
  if (lists != options.pkey.empty())
    return report({Code::kUsage, lists ? "list: expected no arguments" : "show: expected a P_Key"});
  std::string path = kPartitionsPath;
  if (!lists) {
    const auto base = http_data::pkey_base(options.pkey);
    if (!base) return report({Code::kUsage, base.error().message});
    path += "/" + pkey_text(*base);
  }
  auto client = ApiClient::open(options.server);
  if (!client) return report(client.error());
  const auto json = client->get(path);
  if (!json) return report(json.error());
  if (options.json) {
    print(*json);
    return 0;
  }
  const auto name_of = [](const Json& one) {
    return one.at("name").is_string() ? one.at("name").get<std::string>() : std::string("-");
  };
  if (lists) {
    std::string text = "P_Key   full  limited  IPoIB  name\n";
    for (const Json& one : json->at("partitions"))
      text += fmt::format("{:<6}  {:>4}  {:>7}  {:<5}  {}\n", one.value("pkey", ""),
                          one.value("full_members", 0), one.value("limited_members", 0),
                          one.value("ipoib", false) ? "yes" : "no", name_of(one));
    append_to_stdout(text);
    return 0;
  }
  std::string text = fmt::format("{} '{}'{}\n", json->value("pkey", ""), name_of(*json),
                                 json->value("ipoib", false) ? ", IPoIB" : "");
  for (const Json& one : json->at("members"))
    text += fmt::format("{}  {:<7}  port {} of {}\n", one.value("guid", ""),
                        one.value("membership", ""), one.value("port", 0),
                        weft::quoted(one.value("name", "")));
  for (const Json& one : json->at("virtual_members"))
    text += fmt::format("{}  {:<7}  alias GUID of port {}\n", one.value("guid", ""),
                        one.value("membership", ""), one.value("port", ""));
  for (const Json& one : json->at("absent_members"))
    text += fmt::format("{}  {:<7}  not in this fabric\n", one.value("guid", ""),
                        one.value("membership", ""));
  append_to_stdout(text);
  return 0;
}

/// Membership by a word of the file, for --file, which has no fabric: ALL includes every port;
/// nothing for words that depend on the fabric.
std::optional<bool> membership_by_word(MemberKind kind, Guid) {
  if (kind == MemberKind::kAll) return true;
  return std::nullopt;
}

int change_file(const PartitionOptions& options) {
  const auto request = request_of(options);
  if (!request) return report(request.error());
  std::optional<std::string> text;
  std::error_code error;
  if (std::filesystem::exists(options.file, error)) {
    auto read = read_file(options.file);
    if (!read) return report(read.error());
    text = std::move(*read);
  }
  const auto edited =
      edit_partitions(text, options.file, request->order.change, membership_by_word);
  if (!edited) return report(edited.error());
  if (edited->changed)
    if (const auto written = replace_file(options.file, edited->text); !written)
      return report(written.error());
  if (options.json) {
    print({{"pkey", pkey_text(request->order.change.base)},
           {"name", edited->name},
           {"changed", edited->changed},
           {"file_created", edited->changed && !text}});
  } else {
    append_to_stdout(fmt::format("{} '{}': {}\n", pkey_text(request->order.change.base),
                                 edited->name,
                                 edited->changed ? options.file + " written" : "no change"));
  }
  return 0;
}

int run_partition(const PartitionOptions& options) {
  const bool reads = options.action == "list" || options.action == "show";
  if (options.ipoib && options.action != "create")
    return report({Code::kUsage, "--ipoib requires create"});
  if (options.absent_ports && (reads || options.action == "delete" || options.action == "remove"))
    return report({Code::kUsage, "--absent-ports requires create or add"});
  if (options.file.empty()) return reads ? print_partitions(options) : change_partitions(options);
  if (reads) return report({Code::kUsage, "--file requires create, delete, add or remove"});
  if (!options.server.url.empty() || !options.server.token_file.empty())
    return report({Code::kUsage, "--file excludes --server and --token-file"});
  return change_file(options);
}

Run set_up_partition(CLI::App& app) {
  auto options = std::make_shared<PartitionOptions>();
  app.add_option(
         "ACTION", options->action,
         "Run list; show PKEY; create PKEY NAME [MEMBER..]; delete PKEY; add PKEY MEMBER..; "
         "or remove PKEY GUID..")
      ->required();
  restrict_to(app.get_option("ACTION"), {"list", "show", "create", "delete", "add", "remove"});
  app.add_option(
      "PKEY", options->pkey,
      "P_Key such as 0x8010, hexadecimal with 0x, decimal without, as in partitions.conf; the "
      "membership bit is ignored");
  app.add_option(
      "WORD", options->words,
      "Name or members; MEMBER is a port GUID, optionally with =full, =limited or =both (default: "
      "full)");
  app.add_flag("--ipoib", options->ipoib, "create: add an IPoIB broadcast group");
  app.add_flag("--absent-ports", options->absent_ports,
               "Accept ports that are not in the fabric now (default: error)");
  app.add_option("--file", options->file,
                 "Change this partition file, unused by a running manager, instead of a server")
      ->option_text("FILE");
  add_server(app, options->server);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_partition(*options); };
}

}  // namespace

const Subcommand kPartitionSubcommand{
    "partition", "Show and change the partitions of a running subnet manager", &set_up_partition};

}  // namespace weft::cli
