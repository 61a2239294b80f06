/** Measures a program that prepares, says `ready`, works when a line comes, and says `done`. */
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Meter, rate } from '../harness/meter.ts';
import { familySeconds } from '../harness/processor-time.ts';
import { end } from '../harness/program.ts';
import type { Sample } from '../harness/results/result.ts';

/** `meter` is of what it uses besides, such as the database. */
export async function runPeer(
  program: URL,
  args: readonly string[],
  count: number,
  meter: Meter,
  env: Readonly<Record<string, string>> = {},
): Promise<Sample> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  let complaint = '';
  child.stderr.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString()).slice(-1_000);
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      reject(new Error(`${basename(program.pathname)} ended with ${code}: ${complaint.trim()}`)),
    );
  });
  ended.catch(() => undefined);
  const lines = createInterface({ input: child.stdout });
  const line = (word: string) =>
    new Promise<void>((resolve) => lines.on('line', (said) => said === word && resolve()));
  const [ready, done] = [line('ready'), line('done')];
  try {
    await Promise.race([ready, ended]);
    const all: Meter = {
      cpu: () => ({ worker: familySeconds(child.pid ?? 0), ...meter.cpu() }),
      ...(meter.wal === undefined ? {} : { wal: meter.wal }),
    };
    return await rate(count, all, async () => {
      child.stdin.write('go\n');
      await Promise.race([done, ended]);
    });
  } finally {
    await end(child);
  }
}
