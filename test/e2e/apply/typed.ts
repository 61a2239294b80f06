/** A service and a folder of files, and commands as they are typed in that folder. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DOCS = readFileSync(join(ROOT, 'docs/apply.md'), 'utf8');

/** The examples of docs/apply.md. */
export const [WORDS = '', IMAGES = ''] = [...DOCS.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
);

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function createTyped(t: Test) {
  const world = await createWorld(t);
  const program = await world.start('up', 'service', { DATABASE_URL: await migratedDatabase(t) });
  const folder = join(world.folder, 'files');
  mkdirSync(folder);
  for (const name of ['in', 'out', 'photos', 'previews']) mkdirSync(join(folder, name));
  const run = (args: readonly string[], server = program.url): Promise<Ran> => {
    const env = { PATH: process.env.PATH, HOME: folder, MILLRACE_SERVER: server, ...compiledPrograms() };
    const whole = [join(ROOT, 'bin/millrace.js'), ...args];
    return new Promise((resolve) => {
      execFile(process.execPath, whole, { env, cwd: folder }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  };
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  /** Puts a file in place as one that is complete. */
  const put = (path: string, text: string): void => {
    write(`${path}_tmp`, text);
    renameSync(join(folder, `${path}_tmp`), join(folder, path));
  };
  return { client: clientOf(program), folder, run, write, put };
}
