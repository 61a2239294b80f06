/** A command as it is typed, in a process of its own: what it writes, and its exit code. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { World } from '../../e2e/harness/world.ts';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';

export const BIN = join(import.meta.dirname, '../../../bin/millrace.js');

export interface Typed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Types a command: its own folder for profiles, and nothing of the caller's settings. */
export async function typed(
  world: World,
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Typed> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: world.folder,
    env: {
      PATH: process.env.PATH,
      XDG_CONFIG_HOME: join(world.folder, 'config'),
      ...compiledPrograms(),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}
