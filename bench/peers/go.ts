/** How a peer's program and the bench that measures it agree on when work begins and ends. */
import { once } from 'node:events';

export function say(word: 'ready' | 'done'): void {
  process.stdout.write(`${word}\n`);
}

/** Resolves with the line that the bench sends. */
export async function awaitGo(): Promise<void> {
  await once(process.stdin, 'data');
  process.stdin.destroy();
}
