/** How a peer's program and the bench that measures it agree on when work begins and ends. */
import { once } from 'node:events';

/** After `done` it stays: what it used is read while it is there, and who started it ends it. */
export function say(word: 'ready' | 'done'): void {
  process.stdout.write(`${word}\n`);
  if (word === 'done') setInterval(() => undefined, 3_600_000);
}

/** Resolves with the line that the bench sends. */
export async function awaitGo(): Promise<void> {
  await once(process.stdin, 'data');
  process.stdin.destroy();
}
