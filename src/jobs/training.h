// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Training steps: micro-batches pass the stages of each pipeline in the order "one forward, one
// backward" (Narayanan et al., Efficient large-scale language model training on GPU clusters using
// Megatron-LM, 2021), with all-reduces in tensor groups and all-to-alls in expert groups. At the
// end follows an all-reduce of the gradients in data groups.
#pragma once

#include <vector>

#include "jobs/ranks.h"

namespace weft::jobs {

/// Number of ranks: tensor * pipeline * data.
std::uint32_t ranks_of(const TrainingSpec& training);

/// Adds the ops of a training step. `fronts`: the front of each rank; updated.
void add_training_step(Ranks& ranks, const TrainingSpec& training, std::vector<Front>& fronts);

}  // namespace weft::jobs
