/** The order in which an agent gives up what belongs to a task, and that the check of it bites. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { MUTANTS } from './report-order/mutants.ts';

const here = (name: string): string => fileURLToPath(new URL(`report-order/${name}`, import.meta.url));

interface Result {
  readonly code: number | null;
  readonly output: string;
}

/** The check in a process of its own: as it is, or with a mutant. */
function check(mutant?: string): Promise<Result> {
  const preload = mutant === undefined ? [] : ['--import', here('mutate.ts')];
  const child = spawn(process.execPath, ['--no-warnings', ...preload, here('check.ts')], {
    env: { PATH: process.env.PATH, ...(mutant === undefined ? {} : { MUTANT: mutant }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

t.test('report order: the agent keeps it', async (t) => {
  const { code, output } = await check();
  t.equal(code, 0, output);
  for (const { caughtBy, needsRoot } of MUTANTS) {
    if (needsRoot && process.getuid?.() !== 0) continue;
    t.ok(new RegExp(`^ *ok \\d+ - ${caughtBy}$`, 'm').test(output), caughtBy);
  }
});

for (const { name, caughtBy, needsRoot } of MUTANTS) {
  const skip = needsRoot && process.getuid?.() !== 0 ? 'needs root: without it there are no users' : false;
  t.test(`report order: mutant "${name}" is caught`, { skip }, async (t) => {
    const { code, output } = await check(name);
    t.not(code, 0, output);
    t.match(output, new RegExp(`^ *not ok \\d+ - ${caughtBy}$`, 'm'));
  });
}
