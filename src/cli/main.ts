/**
 * Where the `millrace` program begins (bin/millrace.js chooses the runtime first). Knows the process, decides
 * nothing.
 */
import { setFlagsFromString } from 'node:v8';
import { closeInheritedDescriptors } from '../lib/inherited-descriptors.ts';
import { runCommand } from './run-command.ts';
import { readVersion } from './version.ts';

/**
 * limit: garbage waits for a collection until there is as much of it as was alive at the last one; by default it is
 * three times as much.
 *
 * Measured with batches of 30,000 members (Node 22.23, 2026-11), some 30 MiB alive throughout: a coordinator grew by 15
 * to 23 MiB, to 180 resident, with 13 collections, and not by 68 to 83, to 245, with 5. They took 7% more of its
 * processor time. With 60 percent it was 5 to 16 MiB, 22 collections and 11 to 13%. A young generation twice the size
 * (`--max-semi-space-size=32`, which only Node's command line or NODE_OPTIONS set) halved the scavenges: with it and
 * 100 percent 205 MiB were resident, for no more processor time than by default.
 */
setFlagsFromString('--heap-growing-percent=100');

// The database outlives us, and tasks are other people's programs: neither gets what a shell had open.
closeInheritedDescriptors();

// A launcher that was killed outright cannot pass its signal on; its channel closes.
if (process.connected) process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

process.exitCode = await runCommand({
  args: process.argv.slice(2),
  env: process.env,
  version: readVersion(),
  load: () => import('../main.ts'),
  process,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  exit: (code) => process.exit(code),
});
// Draining has closed what it opened; whatever still holds the process must not keep it.
process.exit();
