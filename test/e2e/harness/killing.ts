/** Kills at moments that a seed draws, while files keep coming; then the work is let come to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { until } from './until.ts';
import type { DemoWork } from './work/demo-work.ts';
import type { Seeded } from './work/seeded.ts';

/** More of them, by E2E_KILLS, find what is rare. */
const KILLS = Number(process.env.E2E_KILLS ?? 6);
/** Files that arrive between two kills, each of which becomes three jobs. */
const FILES_EACH = 8;
/** Files of a test. */
export const KILLING_FILES = KILLS * FILES_EACH;
const DELAY_MS_MIN = 50;
const DELAY_MS_MAX = 1_500;

export interface Killing {
  readonly random: Seeded;
  readonly work: DemoWork;
  /** The service of the moment. */
  readonly client: () => InterfaceClient;
  /** Before each delay. */
  readonly feed?: (round: number) => Promise<void>;
  /** Kills, and resolves when what was killed has started again. */
  readonly killAndRestart: (round: number) => Promise<void>;
}

export async function killAgainAndAgain(t: Test, killing: Killing): Promise<void> {
  const { random, work, client, feed, killAndRestart } = killing;
  let backAtMs = performance.now();
  for (let round = 0; round < KILLS; round += 1) {
    const [before] = await Promise.all([
      until('the service answers', () => work.progress(client())),
      work.deliver(1),
      feed?.(round),
    ]);
    // Every other time once work is under way again, else wherever the recovery happens to be.
    if (round % 2 === 1) {
      await until('work continues', async () => (await work.progress(client())) > before);
      t.comment(`work continues ${(performance.now() - backAtMs).toFixed(0)} ms after the start`);
    }
    const delayMs = random.between(DELAY_MS_MIN, DELAY_MS_MAX);
    // Files keep coming until the kill, so that it meets work in every state.
    for (let file = 1; file < FILES_EACH; file += 1) {
      await work.deliver(1);
      await sleep(delayMs / (FILES_EACH - 1));
    }
    const killedMs = performance.now();
    await killAndRestart(round);
    backAtMs = performance.now();
    const backMs = backAtMs - killedMs;
    t.comment(`kill ${round + 1} after ${delayMs.toFixed(0)} ms, back after ${backMs.toFixed(0)} ms`);
  }
}
