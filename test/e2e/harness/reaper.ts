/**
 * `node reaper.ts <folder>`: ends every process of a test's folder, unmounts what is mounted
 * there, and removes the folder when its standard input
 * closes, which happens however the test ends, a kill -9 included.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { killProcessesOf } from './folder-processes.ts';

const folder = process.argv[2] ?? '';
if (!folder.includes('millrace-e2e-')) throw new Error(`not a folder of a test: ${folder}`);
process.stdin.resume();
process.stdin.on('error', () => undefined);
process.stdin.on('close', () => {
  killProcessesOf(folder);
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(folder)) spawnSync('umount', ['--lazy', place]);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});
