// Solves many sets at once: one block a turn, one launch a score total and phase.

__device__ inline World world_of(int which, const u16 *sets, const Steps *up, const Steps *down, const double *chance,
                                 const double *between, const double *last, int goal, int gaps) {
  World w = {sets + (long long)which * SET, up, down, chance, between + (long long)which * 2 * goal * goal * 1024,
             last + (long long)which * gaps * 1024, goal, gaps};
  return w;
}

// The second seat's last turns, by gap and the opponent's mask. Grid: (gaps * 32, sets).
extern "C" __global__ void __launch_bounds__(512, 2) last_turns(const u16 *sets, const Steps *up, const Steps *down, const double *chance,
                                      double *between, double *last, int goal, int gaps) {
  extern __shared__ double shared[];
  Room r = room_in(shared);
  World w = world_of(blockIdx.y, sets, up, down, chance, between, last, goal, gaps);
  Place p = {1, 0, 0, (int)blockIdx.x % 32, (int)blockIdx.x / 32};
  double *target = (double *)w.last + (p.gap * 32 + p.mask) * 32;
  if (p.gap == 0 || p.gap == gaps - 1) {  // nobody can win from there
    for (int mask = threadIdx.x; mask < 32; mask += blockDim.x) target[mask] = 0;
    return;
  }
  number_masks(r);
  turn<false>(w, p, r, 0.0, 0);
  for (int mask = threadIdx.x; mask < 32; mask += blockDim.x) target[mask] = r.out[mask];
}

// The positions in which the opponent has all cards active: skipping ties the two seats together. Grid: (pairs, sets).
extern "C" __global__ void __launch_bounds__(512, 2) skip_phase(const u16 *sets, const Steps *up, const Steps *down, const double *chance,
                                      double *between, double *last, int goal, int gaps, int total, int begin) {
  extern __shared__ double shared[];
  Room r = room_in(shared);
  World w = world_of(blockIdx.y, sets, up, down, chance, between, last, goal, gaps);
  int first = begin + blockIdx.x, second = total - first;
  number_masks(r);
  double skip = 0.5;
  for (int round = 0; round < 200; round++) {
    double before = skip;
    for (int seat = 0; seat < 2; seat++) {
      Place p = {seat, seat ? second : first, seat ? first : second, 31, 0};
      turn<false>(w, p, r, skip, 0);
      double *target = (double *)w.between + ((((long long)seat * goal + p.own) * goal + p.other) * 32 + 31) * 32;
      for (int mask = threadIdx.x; mask < 32; mask += blockDim.x) target[mask] = r.out[mask];
      skip = 1.0 - r.out[31];
      __syncthreads();
    }
    double moved = skip - before;
    if (moved < 2e-16 && moved > -2e-16) break;
  }
}

// All other positions with these scores. Grid: (pairs * 62, sets).
extern "C" __global__ void __launch_bounds__(512, 2) main_phase(const u16 *sets, const Steps *up, const Steps *down, const double *chance,
                                      double *between, double *last, int goal, int gaps, int total, int begin) {
  extern __shared__ double shared[];
  Room r = room_in(shared);
  World w = world_of(blockIdx.y, sets, up, down, chance, between, last, goal, gaps);
  int seat = blockIdx.x / 31 % 2, first = begin + blockIdx.x / 62, second = total - first;
  Place p = {seat, seat ? second : first, seat ? first : second, (int)blockIdx.x % 31, 0};
  const double *after = successors(w, p, p.own, 31);
  number_masks(r);
  turn<false>(w, p, r, 1.0 - best_answer(RESET, after, p.mask), 0);
  double *target = (double *)w.between + ((((long long)seat * goal + p.own) * goal + p.other) * 32 + p.mask) * 32;
  for (int mask = threadIdx.x; mask < 32; mask += blockDim.x) target[mask] = r.out[mask];
}
