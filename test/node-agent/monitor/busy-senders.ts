/**
 * A process that sends files into a directory in every way at once; prints what it sent, with the final
 * sizes.
 */
import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const [root = '', beside = '', rounds = '10'] = process.argv.slice(2);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let seed = 7;
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % below;
}

/**
 * Grows in place, with pauses shorter than the watch's patience, and with what looks like a move in between.
 */
async function grow(name: string): Promise<number> {
  const path = join(root, name);
  const file = openSync(path, 'wx');
  for (let piece = 3 + random(5); piece > 0; piece -= 1) {
    writeSync(file, 'x'.repeat(1 + random(9_000)));
    const trick = random(5);
    if (trick === 0) chmodSync(path, 0o640);
    if (trick === 1) fsyncSync(file);
    if (trick === 2) utimesSync(path, 1, 1);
    await pause(random(120));
  }
  const { size } = fstatSync(file);
  closeSync(file);
  return size;
}

async function move(name: string): Promise<number> {
  const size = 1 + random(9_000);
  writeFileSync(join(beside, name), 'x'.repeat(size));
  await pause(random(3) * 20);
  renameSync(join(beside, name), join(root, name));
  return size;
}

async function suffix(name: string): Promise<number> {
  const path = join(root, `${name}_tmp`);
  let size = 0;
  const file = openSync(path, 'wx');
  for (let piece = random(4); piece >= 0; piece -= 1) {
    size += writeSync(file, 'x'.repeat(1 + random(5_000)));
    if (random(2) === 0) await pause(random(30));
  }
  closeSync(file);
  renameSync(path, join(root, name));
  return size;
}

const sent: Record<string, number> = {};
const ways = { grow, move, suffix };
for (let round = 0; round < Number(rounds); round += 1) {
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const way = (['grow', 'move', 'suffix'] as const)[n % 3] ?? 'grow';
      const name = `${way}-${round}-${n}`;
      sent[name] = await ways[way](name);
    }),
  );
}
process.stdout.write(JSON.stringify(sent));
