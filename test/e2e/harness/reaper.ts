/**
 * `node reaper.ts <folder> <more folders>`: ends every process of a test's folder, unmounts what is mounted
 * there, and removes the folders when its standard input
 * closes, which happens however the test ends, a kill -9 included.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { killProcessesOf } from './folder-processes.ts';

const folders = process.argv.slice(2);
const folder = folders[0] ?? '';
if (folders.length === 0 || !folders.every((one) => one.includes('millrace-e2e-'))) {
  throw new Error(`not folders of a test: ${folders}`);
}
process.stdin.resume();
process.stdin.on('error', () => undefined);
process.stdin.on('close', () => {
  killProcessesOf(folder);
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(folder)) spawnSync('umount', ['--lazy', place]);
  }
  for (const one of folders) rmSync(one, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});
