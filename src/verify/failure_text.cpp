// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/failure_text.h"

namespace weft {
namespace {

class List {
 public:
  void add(const std::string& line) { text_ += (text_.empty() ? "" : "; ") + line; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_pairs(List& list, std::uint64_t missing, const ReachCount& count, std::string_view what) {
  if (missing > 0)
    list.add(fmt::format("{} of {} {} pairs are not connected", missing, count.pairs, what));
}

void add_count(List& list, std::uint64_t count, std::string_view one, std::string_view several) {
  if (count > 0) list.add(fmt::format("{} {}", count, count == 1 ? one : several));
}

}  // namespace

std::string failure_text(const Verdict& verdict) {
  List list;
  if (verdict.ca_to_ca.cut_off > 0)
    list.add(fmt::format("{} of {} CA pairs are not connected by cables", verdict.ca_to_ca.cut_off,
                         verdict.ca_to_ca.pairs));
  add_pairs(list, verdict.ca_to_ca.missing(), verdict.ca_to_ca, "CA");
  add_pairs(list, verdict.ca_to_switch.missing(), verdict.ca_to_switch, "CA to switch");
  add_pairs(list, verdict.switch_to_ca.missing(), verdict.switch_to_ca, "switch to CA");
  add_count(list, verdict.loops, "forwarding loop", "forwarding loops");
  add_count(list, verdict.lanes_missing, "port uses VLs that its link does not have",
            "ports use VLs that their links do not have");
  if (verdict.has_credit_loop())
    list.add(fmt::format("a credit loop over {} channels", verdict.credit_loop.size()));
  if (!verdict.switch_credit_loop.empty())
    list.add(fmt::format("a credit loop over {} channels with packets of switches",
                         verdict.switch_credit_loop.size()));
  return list.take();
}

std::string multicast_failure(const Verdict& verdict) {
  const MulticastVerdict& multicast = verdict.multicast;
  List list;
  if (multicast.copies > multicast.arrived)
    list.add(fmt::format("{} of {} copies do not arrive", multicast.copies - multicast.arrived,
                         multicast.copies));
  add_count(list, multicast.twice, "duplicate copy delivered", "duplicate copies delivered");
  add_count(list, multicast.loops, "copy loops", "copies loop");
  if (!verdict.multicast_credit_loop.empty())
    list.add(fmt::format("a credit loop over {} channels together with unicast",
                         verdict.multicast_credit_loop.size()));
  return list.take();
}

std::string all_failures(const Verdict& verdict) {
  List list;
  if (const std::string text = failure_text(verdict); !text.empty()) list.add(text);
  if (const std::string text = multicast_failure(verdict); !text.empty())
    list.add("multicast: " + text);
  return list.take();
}

std::string sl_ranges(std::uint16_t sls) {
  std::string text;
  for (unsigned first = 0; first < kSlCount; ++first) {
    if ((sls >> first & 1) == 0) continue;
    unsigned last = first;
    while (last + 1 < kSlCount && (sls >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("-{}", last);
    first = last;
  }
  return text.empty() ? "none" : text;
}

}  // namespace weft
