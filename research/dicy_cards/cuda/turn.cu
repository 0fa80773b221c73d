// One turn of two-player Dicy Cards, solved by one block, for one set of the opponent's active cards.
//
// Every loop strides by the number of threads and every phase ends in a barrier, so the same source also runs with one
// thread a block, compiled for an ordinary processor: that is how it is tested without a GPU (tests/solver/test_cuda.py).

// gpu.py writes the constants and tables in capitals in front of this source.

#define SET (32 + POINTS + OFFERS + ENTRIES + CARDS * ROLLS)

typedef unsigned short u16;

// One step from a multiset, by face: the multiset with a die more, or with a die less (NOWHERE if it has no such die).
struct __align__(16) Steps {
  u16 by[8];
};
#define NOWHERE 0xffff

// What every block knows: the set's numbers, the lattice of dice, and the tables of values.
struct World {
  const u16 *set;
  const Steps *up, *down;
  const double *chance, *between, *last;
  int goal, gaps;
};

// Where a turn starts: `gap` is the opponent's lead in a last turn, 0 otherwise.
struct Place {
  int seat, own, other, mask, gap;
};

// A block's tables in shared memory. `face` holds values by points and by offer while it does not hold multisets.
struct Room {
  double *now, *before, *face, *out;
  u8 *place, *slot, *holder;  // numbering of the masks inside their level
  u8 *choice, *step, *best;   // the policy, when it is recorded
};

__device__ inline int card_of(const u16 *first, int row) {
  int card = 0;
  while (row >= first[card + 1]) card++;
  return card;
}

__device__ inline const double *successors(const World &w, const Place &p, int own, int rest) {
  if (own >= w.goal) {
    int gap = own - p.other < w.gaps - 1 ? own - p.other : w.gaps - 1;
    return w.last + (gap * 32 + rest) * 32;
  }
  return w.between + ((((long long)(1 - p.seat) * w.goal + p.other) * w.goal + own) * 32 + rest) * 32;
}

// The opponent's mask after they froze or reset a card in their own interest: the first of equals.
__device__ inline int answer(int change, const double *row, int mask) {
  const u8 *answers = ANSWERS + (change * 32 + mask) * CARDS;
  int chosen = answers[0];
  for (int entry = 1; entry < CARDS; entry++)
    if (row[answers[entry]] > row[chosen] + TOLERANCE) chosen = answers[entry];
  return chosen;
}

__device__ inline double best_answer(int change, const double *row, int mask) {
  const u8 *answers = ANSWERS + (change * 32 + mask) * CARDS;
  double best = row[answers[0]];
  for (int entry = 1; entry < CARDS; entry++) {
    double value = row[answers[entry]];
    best = value > best ? value : best;
  }
  return best;
}

__device__ inline double last_value(int change, int points, int gap, int rest, int mask) {
  if (points != gap) return points > gap ? 1.0 : 0.0;
  return TWICE_TIES[(change * 32 + rest) * 32 + mask] * 0.5;
}

__device__ inline double score_value(const World &w, const Place &p, int card, int points, int rest) {
  int change = w.set[card];
  if (p.gap) return last_value(change, points, p.gap, rest, p.mask);
  if (p.seat == 1 && p.own + points >= w.goal) return 1.0;
  return 1.0 - best_answer(change, successors(w, p, p.own + points, rest), p.mask);
}

__device__ inline void number_masks(Room &r) {
  for (int level = threadIdx.x; level < 6; level += blockDim.x)
    for (int at = FIRST_MASK[level]; at < FIRST_MASK[level + 1]; at++) r.place[MASK_AT[at]] = at - FIRST_MASK[level];
  for (int card = threadIdx.x; card < 5; card += blockDim.x)
    for (int level = 1; level < 6; level++) {
      int slot = 0;
      for (int at = FIRST_MASK[level]; at < FIRST_MASK[level + 1]; at++)
        if (MASK_AT[at] >> card & 1) {
          r.slot[MASK_AT[at] * 5 + card] = slot;
          r.holder[(level * 5 + card) * 6 + slot++] = MASK_AT[at];
        }
    }
  __syncthreads();
}

// Solves the turn: `out[mask]` is the value before the first roll. With RECORD also writes the policy down and gives this
// thread's part of the first roll's swing: how far it moves the value on average, weighed by `mass[mask]`.
template <bool RECORD>
__device__ double turn(const World &w, const Place &p, Room &r, double skip, const double *mass) {
  const u16 *points_first = w.set + 5, *offer_first = w.set + 11, *points = w.set + 32;
  const u16 *start = points + POINTS, *entry = start + OFFERS, *offer = entry + ENTRIES;
  const int point_count = points_first[5], offer_count = offer_first[5];
  double moved = 0;
  for (int roll = threadIdx.x; roll < ROLLS; roll += blockDim.x) r.before[roll] = skip;
  if (threadIdx.x == 0) r.out[0] = skip;
  for (int level = 1; level <= 5; level++) {
    const int holders = HOLDERS[level], first = FIRST_MASK[level], count = FIRST_MASK[level + 1] - first;
    double *by_points = r.face, *by_offer = r.face + 6 * POINTS, *dice = r.face;
    for (int item = threadIdx.x; item < holders * point_count; item += blockDim.x) {
      int slot = item / point_count, row = item - slot * point_count, card = card_of(points_first, row);
      int rest = r.holder[(level * 5 + card) * 6 + slot] ^ (1 << card);
      by_points[slot * POINTS + row] = score_value(w, p, card, points[row], rest);
    }
    __syncthreads();
    for (int item = threadIdx.x; item < holders * offer_count; item += blockDim.x) {
      int slot = item / offer_count, row = item - slot * offer_count;
      double best = -1;
      for (int at = start[row]; at < start[row + 1]; at++) {
        double value = by_points[slot * POINTS + entry[at]];
        best = value > best ? value : best;
      }
      by_offer[slot * OFFERS + row] = best;
      if (RECORD) {  // of equal points the most
        int chosen = 0;
        for (int at = start[row]; at < start[row + 1]; at++)
          if (by_points[slot * POINTS + entry[at]] >= best - TOLERANCE) chosen = entry[at];
        r.best[(HOLDERS_BEFORE[level] + slot) * OFFERS + row] = chosen;
      }
    }
    __syncthreads();
    for (int item = threadIdx.x; item < count * ROLLS; item += blockDim.x) {
      int at = item / ROLLS, roll = item - at * ROLLS, mask = MASK_AT[first + at];
      double best = -1, again[5], score[5];
#pragma unroll
      for (int card = 0; card < 5; card++) {
        again[card] = score[card] = -1;
        if (!(mask >> card & 1)) continue;
        again[card] = r.before[r.place[mask ^ (1 << card)] * ROLLS + roll];
        score[card] = by_offer[r.slot[mask * 5 + card] * OFFERS + offer[card * ROLLS + roll]];
        best = again[card] > best ? again[card] : best;
        best = score[card] > best ? score[card] : best;
      }
      r.now[item] = best;
      if (RECORD) {  // of equals a score, then a skip, then a reroll; the earlier card
        int choice = SKIP + 5;
        double enough = best - TOLERANCE;
#pragma unroll
        for (int card = 4; card >= 0; card--)
          if (again[card] >= enough) choice = SKIP + 1 + card;
        if (skip >= enough) choice = SKIP;
#pragma unroll
        for (int card = 4; card >= 0; card--)
          if (score[card] >= enough) choice = card;
        r.choice[mask * ROLLS + roll] = choice;
      }
    }
    __syncthreads();
#pragma unroll
    for (int size = 5; size >= 0; size--) {  // expectation, one die at a time
      const int from = first_of(size), width = first_of(size + 1) - from;
      for (int item = threadIdx.x; item < count * width; item += blockDim.x) {
        int at = item / width, kept = from + item - at * width;
        const Steps up = w.up[kept];
        const double *source = size == 5 ? r.now + at * ROLLS - KEPT : dice + at * KEPT;
        double low = source[up.by[0]] + source[up.by[1]], middle = source[up.by[2]] + source[up.by[3]];
        dice[at * KEPT + kept] = (low + middle + (source[up.by[4]] + source[up.by[5]])) * (1.0 / 6);
      }
      __syncthreads();
    }
    for (int at = threadIdx.x; at < count; at += blockDim.x) r.out[MASK_AT[first + at]] = dice[at * KEPT];
    if (RECORD)
      for (int item = threadIdx.x; item < count * ROLLS; item += blockDim.x) {
        int at = item / ROLLS, roll = item - at * ROLLS;
        double off = r.now[item] - dice[at * KEPT];
        moved += mass[MASK_AT[first + at]] * w.chance[roll] * (off < 0 ? -off : off);
      }
    if (level == 5) break;
    __syncthreads();
#pragma unroll
    for (int size = 0; size <= 6; size++) {  // the best multiset to keep, within each multiset
      const int from = first_of(size), width = first_of(size + 1) - from;
      for (int item = threadIdx.x; item < count * width; item += blockDim.x) {
        int at = item / width, held = from + item - at * width;
        const Steps down = w.down[held];
        double stay = size < 6 ? dice[at * KEPT + held] : -1, best = stay, value[6];
#pragma unroll
        for (int face = 0; face < 6; face++) {
          value[face] = down.by[face] != NOWHERE ? dice[at * KEPT + down.by[face]] : -1;
          best = value[face] > best ? value[face] : best;
        }
        if (RECORD) {  // of equals keep more dice, then reroll the lower die
          int step = STOP;
          if (stay < best - TOLERANCE)
#pragma unroll
            for (int face = 5; face >= 0; face--)
              if (value[face] >= best - TOLERANCE) step = face;
          r.step[MASK_AT[first + at] * (KEPT + ROLLS) + held] = step;
        }
        if (size < 6)
          dice[at * KEPT + held] = best;
        else
          r.now[at * ROLLS + held - KEPT] = best;
      }
      __syncthreads();
    }
    double *swapped = r.now;
    r.now = r.before, r.before = swapped;
  }
  __syncthreads();
  return moved;
}

__device__ inline Room room_in(double *shared) {
  Room r;
  r.now = shared, r.before = r.now + LEVEL, r.face = r.before + LEVEL, r.out = r.face + LEVEL;
  u8 *bytes = (u8 *)(r.out + 32);
  r.place = bytes, r.slot = bytes + 32, r.holder = r.slot + 160;
  r.choice = r.holder + 192, r.step = r.choice + 32 * ROLLS, r.best = r.step + 32 * (KEPT + ROLLS);
  return r;
}
