// Follows perfect play forwards: the probability of every position from the start on, and what happens there.
//
// The turn's program is run again with its policy recorded, then the probability runs through it the other way: from
// the first roll through rerolls (which multiset is kept, one die less at a time; what is rolled, one die more at a time)
// to scores and skips. Masks go from all active cards down to none.

// Sums every thread's numbers into `total`, without warps, so that one thread can do it too.
#define SUMS 12
__device__ inline void gather(const double *own, double *scratch, double *total) {
  __syncthreads();
#pragma unroll
  for (int j = 0; j < SUMS; j++) scratch[threadIdx.x * SUMS + j] = own[j];
  __syncthreads();
  const int parts = blockDim.x >= 512 ? 32 : 1, each = blockDim.x / parts;
  for (int item = threadIdx.x; item < parts * SUMS; item += blockDim.x) {
    double sum = 0;
    for (int k = 0; k < each; k++) sum += scratch[(item / SUMS * each + k) * SUMS + item % SUMS];
    total[item] = sum;
  }
  __syncthreads();
  for (int j = threadIdx.x; j < SUMS; j += blockDim.x)
    for (int part = 1; part < parts; part++) total[j] += total[part * SUMS + j];
  __syncthreads();
}

__device__ void follow(const World &w, const Place &p, Room &r, const double *mass, double *sums, double *scored,
                       double *masses, double *last_masses, double *tally, double moved) {
  const u16 *points_first = w.set + 5, *points = w.set + 32;
  const u16 *offer = points + POINTS + OFFERS + ENTRIES;
  const int point_count = points_first[5];
  double own[SUMS] = {0};  // scored by card, skipped, sacrificed by card, the swing
  own[SUMS - 1] = moved;
  __syncthreads();
  for (int roll = threadIdx.x; roll < ROLLS; roll += blockDim.x) r.now[roll] = mass[31] * w.chance[roll];
  __syncthreads();
  for (int level = 5; level >= 1; level--) {
    const int holders = HOLDERS[level], first = FIRST_MASK[level], count = FIRST_MASK[level + 1] - first;
    for (int item = threadIdx.x; item < 6 * POINTS; item += blockDim.x) scored[item] = 0;
    __syncthreads();
    for (int item = threadIdx.x; item < count * ROLLS; item += blockDim.x) {
      int at = item / ROLLS, roll = item - at * ROLLS, mask = MASK_AT[first + at];
      double share = r.now[item];
      if (share == 0) continue;
      int choice = r.choice[mask * ROLLS + roll];
#pragma unroll
      for (int j = 0; j < SUMS - 1; j++) own[j] += choice == j ? share : 0;
      if (choice < SKIP) {
        int slot = r.slot[mask * 5 + choice];
        int row = r.best[(HOLDERS_BEFORE[level] + slot) * OFFERS + offer[choice * ROLLS + roll]];
        atomicAdd(scored + slot * POINTS + row, share);
      }
    }
    __syncthreads();
    for (int item = threadIdx.x; item < holders * point_count; item += blockDim.x) {
      int slot = item / point_count, row = item - slot * point_count, card = card_of(points_first, row);
      double share = scored[slot * POINTS + row];
      if (share == 0) continue;
      int rest = r.holder[(level * 5 + card) * 6 + slot] ^ (1 << card), after = p.own + points[row];
      if (p.gap) {
        double value = last_value(w.set[card], points[row], p.gap, rest, p.mask);
        atomicAdd(tally + FINAL + 1, share * points[row]);
        if (value > 0) atomicAdd(tally + DECIDED + CARDS + card, share * value);
        if (value == 0.5) atomicAdd(tally + SHARED, share);
        continue;
      }
      if (after >= w.goal) {
        atomicAdd(tally + FINAL + p.seat, share * after);
        atomicAdd(tally + FINAL + 1 - p.seat, share * p.other);
        if (p.seat == 1) {
          atomicAdd(tally + DECIDED + CARDS + card, share);
          continue;
        }
      }
      const double *row_after = successors(w, p, after, rest);
      int mask = answer(w.set[card], row_after, p.mask);
      if (after >= w.goal) {
        atomicAdd(tally + DECIDED + card, share * (1.0 - row_after[mask]));
        atomicAdd(last_masses + (row_after - w.last) + mask, share);
      } else
        atomicAdd(masses + (row_after - w.between) + mask, share);
    }
    const int below = level - 1, first_below = FIRST_MASK[below], count_below = first - first_below;
    if (below == 0) break;  // nobody freezes the last card for a reroll: skipping at once has the same value
    for (int item = threadIdx.x; item < count_below * ROLLS; item += blockDim.x) {
      int at = item / ROLLS, roll = item - at * ROLLS, mask = MASK_AT[first_below + at];
      double sum = 0;
      for (int card = 0; card < 5; card++) {
        int above = mask | 1 << card;
        if (above != mask && r.choice[above * ROLLS + roll] == SKIP + 1 + card) sum += r.now[r.place[above] * ROLLS + roll];
      }
      r.before[item] = sum;
    }
    __syncthreads();
    double *dice = r.face;
#pragma unroll
    for (int size = 5; size >= 0; size--) {  // who keeps what
      const int from = first_of(size), width = first_of(size + 1) - from;
      for (int item = threadIdx.x; item < count_below * width; item += blockDim.x) {
        int at = item / width, kept = from + item - at * width;
        const u8 *step = r.step + MASK_AT[first_below + at] * (KEPT + ROLLS);
        const double *source = size == 5 ? r.before + at * ROLLS - KEPT : dice + at * KEPT;
        const Steps up = w.up[kept];
        double sum = 0;
#pragma unroll
        for (int face = 0; face < 6; face++)
          if (step[up.by[face]] == face) sum += source[up.by[face]];
        dice[at * KEPT + kept] = sum;
      }
      __syncthreads();
    }
#pragma unroll
    for (int size = 1; size <= 6; size++) {  // what is rolled
      const int from = first_of(size), width = first_of(size + 1) - from;
      for (int item = threadIdx.x; item < count_below * width; item += blockDim.x) {
        int at = item / width, held = from + item - at * width, mask = MASK_AT[first_below + at];
        const Steps down = w.down[held];
        double sum = 0;
#pragma unroll
        for (int face = 0; face < 6; face++)
          if (down.by[face] != NOWHERE) sum += dice[at * KEPT + down.by[face]];
        sum *= 1.0 / 6;
        if (size == 6)
          r.before[at * ROLLS + held - KEPT] = sum + mass[mask] * w.chance[held - KEPT];
        else
          dice[at * KEPT + held] = sum + (r.step[mask * (KEPT + ROLLS) + held] == STOP ? dice[at * KEPT + held] : 0);
      }
      __syncthreads();
    }
    double *swapped = r.now;
    r.now = r.before, r.before = swapped;
  }
  gather(own, r.face - 2 * LEVEL, sums);  // all three tables are free by now
  if (threadIdx.x == 0) {
    double skipped = sums[SKIP] + mass[0];
    atomicAdd(tally + SWING, sums[SUMS - 1]);
    if (skipped > 0) {
      atomicAdd(tally + SKIPS + p.seat, skipped);
      if (!p.gap) {
        const double *after = successors(w, p, p.own, 31);
        atomicAdd(masses + (after - w.between) + answer(RESET, after, p.mask), skipped);
      }
    }
    for (int card = 0; card < 5; card++) {
      atomicAdd(tally + SCORED + p.seat * CARDS + card, sums[card]);
      atomicAdd(tally + SACRIFICED + p.seat * CARDS + card, sums[SKIP + 1 + card]);
    }
  }
}

// Takes a place's probability out of `source` (by own mask) into `mass`; false if it is too small to follow.
__device__ inline bool take(double *source, double *mass, double *tally, double least) {
  double sum = 0;
  for (int mask = 0; mask < 32; mask++) sum += source[mask];
  __syncthreads();
  for (int mask = threadIdx.x; mask < 32; mask += blockDim.x) mass[mask] = source[mask];
  __syncthreads();
  for (int mask = threadIdx.x; mask < 32; mask += blockDim.x) source[mask] = 0;
  if (threadIdx.x == 0 && sum > 0) atomicAdd(tally + (sum < least ? LOST : TURNS), sum);
  return sum >= least && sum > 0;
}

__device__ inline void visit(const World &w, const Place &p, double *shared, double *source, double *masses,
                             double *last_masses, double *tally, double least) {
  Room r = room_in(shared);
  double *tail = (double *)(r.best + 16 * OFFERS), *mass = tail, *sums = tail + 32, *scored = sums + 32 * SUMS;
  if (!take(source, mass, tally, least)) return;
  number_masks(r);
  double skip = 0;
  if (!p.gap) skip = 1.0 - best_answer(RESET, successors(w, p, p.own, 31), p.mask);
  double moved = turn<true>(w, p, r, skip, mass);
  follow(w, p, r, mass, sums, scored, masses, last_masses, tally, moved);
}

// Positions with these scores: the opponent's masks below 31 for both seats (grid: pairs * 62), or, if `seat` is not
// negative, mask 31 for one seat (grid: pairs). The second grid axis is the sets.
extern "C" __global__ void __launch_bounds__(1024) forward(const u16 *sets, const Steps *up, const Steps *down, const double *chance, double *between,
                                   double *last, int goal, int gaps, int total, int begin, double *masses,
                                   double *last_masses, double *tallies, double least, int seat) {
  extern __shared__ double shared[];
  World w = world_of(blockIdx.y, sets, up, down, chance, between, last, goal, gaps);
  int mover = seat < 0 ? blockIdx.x / 31 % 2 : seat, first = begin + (seat < 0 ? blockIdx.x / 62 : blockIdx.x);
  int second = total - first;
  Place p = {mover, mover ? second : first, mover ? first : second, seat < 0 ? (int)blockIdx.x % 31 : 31, 0};
  double *own_masses = masses + (long long)blockIdx.y * 2 * goal * goal * 1024;
  double *own_last = last_masses + (long long)blockIdx.y * gaps * 1024;
  double *tally = tallies + ((long long)blockIdx.y * REPLICAS + blockIdx.x % REPLICAS) * TALLIES;
  double *source = own_masses + ((((long long)mover * goal + p.own) * goal + p.other) * 32 + p.mask) * 32;
  visit(w, p, shared, source, own_masses, own_last, tally, least);
}

// The second seat's last turns. Grid: (gaps * 32, sets).
extern "C" __global__ void __launch_bounds__(1024) forward_last(const u16 *sets, const Steps *up, const Steps *down, const double *chance,
                                        double *between, double *last, int goal, int gaps, double *last_masses,
                                        double *tallies, double least) {
  extern __shared__ double shared[];
  World w = world_of(blockIdx.y, sets, up, down, chance, between, last, goal, gaps);
  Place p = {1, 0, 0, (int)blockIdx.x % 32, (int)blockIdx.x / 32};
  if (p.gap == 0) return;
  double *own_last = last_masses + (long long)blockIdx.y * gaps * 1024;
  double *tally = tallies + ((long long)blockIdx.y * REPLICAS + blockIdx.x % REPLICAS) * TALLIES;
  visit(w, p, shared, own_last + (p.gap * 32 + p.mask) * 32, 0, own_last, tally, least);
}
