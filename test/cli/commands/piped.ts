/** A command whose outputs a program reads while it goes on. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Test } from 'tap';
import { until } from '../../e2e/harness/until.ts';
import { compiledPrograms } from '../../support/run/compiled-programs.ts';

const BIN = join(import.meta.dirname, '../../../bin/millrace.js');

/** A command with both of its outputs in pipes. */
export function piped(t: Test, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], { env: { PATH, ...compiledPrograms(), ...env } });
  const written = { out: '', err: '' };
  child.stdout.on('data', (piece: Buffer) => {
    written.out += piece;
  });
  child.stderr.on('data', (piece: Buffer) => {
    written.err += piece;
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  t.teardown(() => child.kill('SIGKILL'));
  const shows = (where: keyof typeof written, what: RegExp) =>
    until(`${args.join(' ')} shows ${what}`, async () => what.test(written[where]));
  const interrupted = () => {
    child.kill('SIGINT');
    return closed;
  };
  return { written, shows, interrupted, closed };
}
