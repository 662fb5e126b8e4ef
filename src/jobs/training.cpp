// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/training.h"

#include <algorithm>
#include <cmath>

#include "jobs/collectives/collectives.h"

namespace weft::jobs {
namespace {

class TrainingStep {
 public:
  TrainingStep(Ranks& ranks, const TrainingSpec& spec, std::vector<Front>& fronts)
      : ranks_(ranks),
        spec_(spec),
        fronts_(fronts),
        batches_(spec.micro_batches == 0 ? spec.pipeline : spec.micro_batches),
        activations_(ranks.count()),
        gradients_(ranks.count()),
        sent_forward_(ranks.count(), kNoOp),
        sent_back_(ranks.count(), kNoOp) {}

  void add() {
    ranks_.builder().begin_phase("micro-batches");
    // In each round a stage does at most one step. The ops for which the step waits were added in
    // an earlier round.
    std::vector<StageProgress> progress(spec_.pipeline);
    for (bool all_done = false; !all_done;) {
      all_done = true;
      const auto at_begin = progress;
      for (std::uint32_t stage = 0; stage < spec_.pipeline; ++stage) {
        if (progress[stage].backward == batches_) continue;
        all_done = false;
        if (is_forward(stage, progress[stage])) {
          const bool is_ready = stage == 0 || at_begin[stage - 1].forward > progress[stage].forward;
          if (is_ready) compute(stage, true), ++progress[stage].forward;
        } else {
          const bool is_ready = stage + 1 == spec_.pipeline ||
                                at_begin[stage + 1].backward > progress[stage].backward;
          if (is_ready) compute(stage, false), ++progress[stage].backward;
        }
      }
    }
    add_gradients();
  }

 private:
  struct StageProgress {
    std::uint32_t forward = 0;  // number of micro-batches done
    std::uint32_t backward = 0;
  };

  /// Whether the next step is forward. A stage first does as many forward micro-batches as there
  /// are stages from this stage to the last, then alternates.
  bool is_forward(std::uint32_t stage, const StageProgress& stage_progress) const {
    const std::uint32_t ahead = std::min(spec_.pipeline - stage, batches_);
    return stage_progress.forward < batches_ &&
           stage_progress.forward - stage_progress.backward < ahead;
  }

  std::uint32_t rank(std::uint32_t tensor, std::uint32_t data, std::uint32_t stage) const {
    return tensor + spec_.tensor * (data + spec_.data * stage);
  }

  CollectiveSpec collective(Work work, Algorithm algorithm, std::uint64_t bytes) const {
    CollectiveSpec spec = collective_of(ranks_.job());
    spec.work = work;
    spec.algorithm = algorithm;
    spec.bytes = static_cast<double>(bytes);
    return spec;
  }

  /// Adds the computation and the collectives of a micro-batch in a stage.
  void compute(std::uint32_t stage, bool forward) {
    receive(stage, forward);
    const Picoseconds time = forward ? spec_.forward : spec_.backward.value_or(2 * spec_.forward);
    const bool has_experts = spec_.expert > 1 && spec_.expert_bytes > 0;
    // Without messages between its layers, a stage is one computation.
    const std::uint32_t pieces = has_experts || has_tensor_messages(stage) ? spec_.layers : 1;
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      for (std::uint32_t d = 0; d < spec_.data; ++d)
        compute_in_group(d, stage, time / pieces, spec_.layers / pieces);
      if (has_experts) add_experts(stage);
    }
    pass_on(stage, forward);
  }

  Group tensor_group(std::uint32_t data, std::uint32_t stage) const {
    Group group;
    for (std::uint32_t t = 0; t < spec_.tensor; ++t) group.push_back(rank(t, data, stage));
    return group;
  }

  bool has_tensor_messages(std::uint32_t stage) const {
    if (spec_.tensor == 1 || spec_.tensor_bytes == 0) return false;
    for (std::uint32_t d = 0; d < spec_.data; ++d)
      if (!ranks_.is_local(tensor_group(d, stage))) return true;
    return false;
  }

  /// Adds a computation with two all-reduces for each layer. All-reduces inside a server need no
  /// messages, because no other traffic uses the channels between these ranks at that time.
  void compute_in_group(std::uint32_t data, std::uint32_t stage, Picoseconds time,
                        std::uint32_t layers) {
    const Group group = tensor_group(data, stage);
    const CollectiveSpec reduce =
        collective(Work::kAllReduce, ranks_.job().algorithm, spec_.tensor_bytes);
    const bool sends = spec_.tensor > 1 && spec_.tensor_bytes > 0;
    const bool is_local = ranks_.is_local(group);
    if (sends && is_local) time = with_reductions(time, layers, reduce);
    if (time > 0 || is_local) {
      const OpId op = ranks_.builder().delay(time);
      for (const std::uint32_t r : group) {
        for (const OpId before : fronts_[r]) ranks_.builder().depend(op, before);
        fronts_[r] = {op, kNoOp};
      }
    }
    if (!sends || is_local) return;
    add_collective(ranks_, group, reduce, fronts_);
    add_collective(ranks_, group, reduce, fronts_);
  }

  Picoseconds with_reductions(Picoseconds time, std::uint32_t layers,
                              const CollectiveSpec& reduce) const {
    const auto one = static_cast<double>(local_time(ranks_.job(), spec_.tensor, reduce));
    return static_cast<Picoseconds>(
        std::min(static_cast<double>(kOpTimeMax), static_cast<double>(time) + 2.0 * layers * one));
  }

  /// Adds the all-to-alls that send the tokens to the experts and the results back.
  void add_experts(std::uint32_t stage) {
    const CollectiveSpec exchange =
        collective(Work::kAllToAll, Algorithm::kPairwise, spec_.expert_bytes);
    for (std::uint32_t first = 0; first < spec_.data; first += spec_.expert)
      for (std::uint32_t t = 0; t < spec_.tensor; ++t) {
        Group group;
        for (std::uint32_t e = 0; e < spec_.expert; ++e) group.push_back(rank(t, first + e, stage));
        add_collective(ranks_, group, exchange, fronts_);
        add_collective(ranks_, group, exchange, fronts_);
      }
  }

  void receive(std::uint32_t stage, bool forward) {
    for (std::uint32_t r = rank(0, 0, stage); r < rank(0, 0, stage + 1); ++r) {
      std::vector<OpId>& arrived = forward ? activations_[r] : gradients_[r];
      if (arrived.empty()) continue;
      const std::vector<OpId> before{fronts_[r][0], fronts_[r][1], arrived.front()};
      arrived.erase(arrived.begin());
      fronts_[r] = {ranks_.builder().join(before), kNoOp};
    }
  }

  /// Sends activations to the next stage, or gradients to the previous one. Later
  /// computations of the sender do not wait for the messages.
  void pass_on(std::uint32_t stage, bool forward) {
    if (forward ? stage + 1 == spec_.pipeline : stage == 0) return;
    const std::uint32_t distance = spec_.tensor * spec_.data;
    for (std::uint32_t r = rank(0, 0, stage); r < rank(0, 0, stage + 1); ++r) {
      const std::uint32_t to = forward ? r + distance : r - distance;
      const OpId op = ranks_.send(ranks_.connection(r, to),
                                  static_cast<double>(spec_.pipeline_bytes), fronts_[r], kNoFront);
      OpId& previous = forward ? sent_forward_[r] : sent_back_[r];
      ranks_.builder().depend(op, previous);
      previous = op;
      (forward ? activations_ : gradients_)[to].push_back(op);
    }
  }

  void add_gradients() {
    if (spec_.data == 1 || spec_.gradient_bytes == 0) return;
    ranks_.builder().begin_phase("gradients");
    const CollectiveSpec reduce =
        collective(Work::kAllReduce, ranks_.job().algorithm, spec_.gradient_bytes);
    for (std::uint32_t stage = 0; stage < spec_.pipeline; ++stage)
      for (std::uint32_t t = 0; t < spec_.tensor; ++t) {
        Group group;
        for (std::uint32_t d = 0; d < spec_.data; ++d) group.push_back(rank(t, d, stage));
        add_collective(ranks_, group, reduce, fronts_);
      }
  }

  Ranks& ranks_;
  const TrainingSpec& spec_;
  std::vector<Front>& fronts_;
  std::uint32_t batches_;
  std::vector<std::vector<OpId>> activations_,
      gradients_;  // by rank: messages to the rank for which no op waits yet
  std::vector<OpId> sent_forward_, sent_back_;  // by rank: the last message
};

}  // namespace

std::uint32_t ranks_of(const TrainingSpec& training) {
  return training.tensor * training.pipeline * training.data;
}

void add_training_step(Ranks& ranks, const TrainingSpec& training, std::vector<Front>& fronts) {
  TrainingStep(ranks, training, fronts).add();
}

}  // namespace weft::jobs
