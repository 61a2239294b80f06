/** Those who should be told of what people request, and hear nothing for a while, or hear it late. */
import type { World } from './world.ts';

const UNHEARD_MS_MAX = 12_000;
const DAWDLES_MS_MAX = 3_000;
/** A question that was lost is asked again after ten seconds: others may come between. */
const MUFFLED_MS = { any: [500, 25_000], pastOne: [10_200, 13_000] } as const;

/** Somebody requests for something of which others must be told, who once in a while hear nothing. */
export function muffleSome({ random, cables, time }: World, kind: string): void {
  if (!random.chance(cables.faultRates.unheard)) return;
  cables.muffle(kind);
  time.after(random.int(500, UNHEARD_MS_MAX), () => cables.unmuffle(kind));
}

/** Owners of recipes that are to be done again hear nothing of the first time that they are asked. */
export function muffleReprocessing({ starts, cables, time }: World): void {
  if (!starts.chance(0.5)) return;
  const [least, most] = MUFFLED_MS.pastOne;
  cables.muffle('recipe');
  time.after(starts.int(least, most), () => cables.unmuffle('recipe'));
}

/** Owners of jobs hear nothing for a while of what is asked of them, or hear it late. Answers whether late. */
export function hinderOwners({ random, cables, time }: World): boolean {
  const isLate = random.chance(0.5);
  const muffled = random.chance(0.7) ? MUFFLED_MS.pastOne : MUFFLED_MS.any;
  const forMs = isLate ? random.int(500, DAWDLES_MS_MAX) : random.int(muffled[0], muffled[1]);
  for (const kind of ['job', 'recipe']) {
    if (isLate) cables.dawdle(kind);
    else cables.muffle(kind);
    time.after(forMs, () => (isLate ? cables.undawdle(kind) : cables.unmuffle(kind)));
  }
  return isLate;
}
