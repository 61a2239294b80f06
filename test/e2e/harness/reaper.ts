/**
 * `node reaper.ts <folder>`: ends every process of a test's folder and removes the folder when its standard input
 * closes, which happens however the test ends, a kill -9 included.
 */
import { rmSync } from 'node:fs';
import { killProcessesOf } from './folder-processes.ts';

const folder = process.argv[2] ?? '';
if (!folder.includes('millrace-e2e-')) throw new Error(`not a folder of a test: ${folder}`);
process.stdin.resume();
process.stdin.on('error', () => undefined);
process.stdin.on('close', () => {
  killProcessesOf(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
});
