/** Waits for a condition with a deadline. Tests of processes wait in no other way. */
import { setTimeout as sleep } from 'node:timers/promises';

export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 30_000,
): Promise<void> {
  const giveUp = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > giveUp) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}
