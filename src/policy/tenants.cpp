// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/tenants.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/policy_paragraphs.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 4> kTenantNames{"name", "physical-guids", "virtual-guids",
                                                       "multicast-groups"};
constexpr std::array<std::string_view, 1> kTenantMandatory{"name"};
constexpr ParagraphForm kTenantForm{"tenant", kTenantNames, kTenantMandatory};
constexpr std::size_t kTenantGroupsMax = 1'000'000;

class TenantParser {
 public:
  TenantParser(Tenants& tenants, Problems& problems) : tenants_(tenants), problems_(problems) {}

  void take(const Paragraph& paragraph) {
    const Qualifier& name = *paragraph.find("name");
    if (std::ranges::find(tenants_.all, name.value, &Tenant::name) != tenants_.all.end())
      wrong(name, name.value, "a name that is not in use");
    tenant_ = static_cast<std::uint32_t>(tenants_.all.size());
    tenants_.all.push_back({name.value, 0});
    if (const Qualifier* groups = paragraph.find("multicast-groups")) take_groups(*groups);
    if (const Qualifier* guids = paragraph.find("physical-guids"))
      for (const std::string_view word : split(guids->value, ',')) take_port(*guids, trim(word));
    if (const Qualifier* guids = paragraph.find("virtual-guids"))
      for (const std::string_view word : split(guids->value, ',')) take_virtual(*guids, trim(word));
  }

 private:
  void wrong(const Qualifier& at, std::string_view found, std::string_view want) {
    problems_.push_back(
        fmt::format("{}: {}: found {}, expected {}", at.place, at.name, quoted(found), want));
  }

  std::optional<Guid> guid(const Qualifier& at, std::string_view text) {
    const auto value = parse_number<std::uint64_t>(text, 16);
    if (value && *value != 0) return Guid(*value);
    wrong(at, text, "a GUID in hex");
    return std::nullopt;
  }

  void take_groups(const Qualifier& at) {
    const auto value = parse_number<std::size_t>(at.value);
    if (!value || *value == 0 || *value > kTenantGroupsMax)
      return wrong(at, at.value, fmt::format("a number from 1 to {}", kTenantGroupsMax));
    tenants_.all.back().groups_max = *value;
  }

  void take_port(const Qualifier& at, std::string_view word) {
    const auto port = guid(at, word);
    if (port && !tenants_.add_port(*port, tenant_)) wrong(at, word, "a GUID of no other tenant");
  }

  void take_virtual(const Qualifier& at, std::string_view word) {
    const std::size_t dash = word.find('-');
    const auto first = guid(at, trim(word.substr(0, dash)));
    if (!first) return;
    const auto last =
        dash == std::string_view::npos ? first : guid(at, trim(word.substr(dash + 1)));
    if (!last) return;
    if (*last < *first) return wrong(at, word, "a range with a second GUID not below the first");
    if (!tenants_.add_virtual(*first, *last, tenant_))
      wrong(at, word, "GUIDs that are in no other range");
  }

  Tenants& tenants_;
  Problems& problems_;
  std::uint32_t tenant_ = 0;
};

}  // namespace

std::optional<std::uint32_t> Tenants::of_port(Guid port) const {
  const auto found = ports_.find(port);
  return found == ports_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> Tenants::of_virtual(Guid guid) const {
  const auto after = virtuals_.upper_bound(guid);
  if (after == virtuals_.begin()) return std::nullopt;
  const Range& range = std::prev(after)->second;
  return range.last < guid ? std::nullopt : std::optional(range.tenant);
}

std::optional<std::uint32_t> Tenants::of(Guid guid) const {
  const auto port = of_port(guid);
  return port ? port : of_virtual(guid);
}

bool Tenants::add_port(Guid port, std::uint32_t tenant) {
  return ports_.try_emplace(port, tenant).first->second == tenant;
}

/// Ranges must not overlap, even if they belong to the same tenant.
bool Tenants::add_virtual(Guid first, Guid last, std::uint32_t tenant) {
  const auto after = virtuals_.upper_bound(last);
  if (after != virtuals_.begin() && !(std::prev(after)->second.last < first)) return false;
  virtuals_.emplace(first, Range{last, tenant});
  return true;
}

Result<std::shared_ptr<const Tenants>> read_tenants(const std::string& path) {
  Problems problems;
  const auto paragraphs = read_paragraphs(path, kTenantForm, problems);
  if (!paragraphs) return forward(paragraphs);
  auto tenants = std::make_shared<Tenants>();
  TenantParser parser(*tenants, problems);
  for (const Paragraph& paragraph : *paragraphs) parser.take(paragraph);
  if (const auto status = as_status(problems); !status) return forward(status);
  return std::shared_ptr<const Tenants>(std::move(tenants));
}

}  // namespace weft
