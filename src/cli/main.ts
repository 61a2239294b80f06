/**
 * The start of the `millrace` program (bin/millrace.js chooses the runtime first). This file handles only the process.
 */
import { setFlagsFromString } from 'node:v8';
import { closeInheritedDescriptors } from '../lib/inherited-descriptors.ts';
import { runCommand } from './run-command.ts';
import { readVersion } from './version.ts';

/**
 * limit: garbage before a collection, as a percentage of the live data after the last one; by default three times as
 * much.
 *
 * Measured with batches of 30,000 members (Node 22.23, 2026-11), with some 30 MiB of live data throughout: a
 * coordinator grew by 15 to 23 MiB, to 180 resident, with 13 collections, instead of 68 to 83, to 245, with 5. They
 * took 7% more of its processor time. With 60 percent it was 5 to 16 MiB, 22 collections and 11 to 13%. A young
 * generation twice the size (`--max-semi-space-size=32`, which can only be set by Node's command line or NODE_OPTIONS)
 * halved the scavenges: with it and 100 percent 205 MiB were resident, for no more processor time than by default.
 */
setFlagsFromString('--heap-growing-percent=100');

// The database outlives this process, and tasks are programs of others: neither may inherit descriptors of the shell.
closeInheritedDescriptors(process.argv);

// A killed launcher cannot pass its signal on, but its channel closes.
if (process.connected) process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

process.exitCode = await runCommand(process.argv.slice(2), {
  ...{ env: process.env, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, process },
  ...{ cwd: process.cwd(), program: process.argv[1] ?? '', version: readVersion() },
  load: () => import('../main.ts'),
  exit: (code) => process.exit(code),
});
// Draining has closed everything; anything else must not keep the process alive.
process.exit();
