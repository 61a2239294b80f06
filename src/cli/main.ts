/**
 * Where the `millrace` program begins (bin/millrace.js chooses the runtime first). Knows the process, decides
 * nothing.
 */
import { runCommand } from './run-command.ts';
import { readVersion } from './version.ts';

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
