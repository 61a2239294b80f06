import { execFile } from 'node:child_process';
import t from 'tap';
import {
  DIAGNOSTIC_JOB_TYPES,
  DIAGNOSTIC_RECIPE_TYPES,
  diagnosticDefinition,
  diagnosticManifest,
} from '../../../src/domain/diagnostic/diagnostics.ts';
import { expandCommand } from '../../../src/domain/job/command.ts';
import { validateManifest } from '../../../src/domain/manifest/manifest-check.ts';
import { readDefinition } from '../../../src/domain/recipe/recipe-definition.ts';
import { IssueList } from '../../../src/domain/validation.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command of a diagnostic as an agent would. */
function run(name: string): Promise<Ran> {
  const type = DIAGNOSTIC_JOB_TYPES.find((one) => one.name === name);
  if (type === undefined) throw new Error(`no ${name}`);
  const command = diagnosticManifest(type).job.interface.command;
  const [program = '', ...args] = expandCommand(command, new Map());
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

t.test('diagnostics: every manifest is valid, with its defaults filled in', async (t) => {
  for (const type of DIAGNOSTIC_JOB_TYPES) {
    const manifest = diagnosticManifest(type);
    const checked = validateManifest(JSON.parse(JSON.stringify(manifest)));
    t.strictSame(checked.ok ? [] : checked.errors, [], type.name);
    if (checked.ok) t.strictSame(checked.value, manifest, `${type.name} has its defaults filled in`);
  }
});

t.test('diagnostics: every definition is valid, and the nodes of the casino form a chain', async (t) => {
  for (const type of Object.values(DIAGNOSTIC_RECIPE_TYPES)) {
    const definition = diagnosticDefinition(type, () => 7);
    const issues = new IssueList();
    const read = readDefinition(issues, definition);
    t.strictSame(issues.errors, [], type.name);
    t.strictSame(Object.fromEntries(read.nodes), definition.nodes);
    for (const job of type.jobs) t.ok(DIAGNOSTIC_JOB_TYPES.some(({ name }) => name === job));
  }
  const { nodes } = diagnosticDefinition(DIAGNOSTIC_RECIPE_TYPES.casino, () => 7);
  t.strictSame(
    Object.entries(nodes).map(([name, node]) => [name, node.dependencies.map((one) => one.name)]),
    [
      ['roulette-1', []],
      ['roulette-2', ['roulette-1']],
      ['roulette-3', ['roulette-2']],
    ],
  );
});

t.test('diagnostics: hello writes a greeting to both streams', async (t) => {
  t.match(await run('millrace-hello'), { code: 0, stdout: /^Hello from Millrace\n$/, stderr: /^Hello.*\n$/ });
});

t.test(
  'diagnostics: count writes 0 to 99 to each stream, then odd numbers to one and even ones to the other',
  async (t) => {
    const { code, stdout, stderr } = await run('millrace-count');
    const numbers = (text: string) => text.trim().split('\n').map(Number);
    const all = Array.from({ length: 100 }, (_, at) => at);
    t.equal(code, 0);
    t.strictSame(numbers(stdout), [...all, ...all.filter((one) => one % 2 === 1)]);
    t.strictSame(numbers(stderr), [...all, ...all.filter((one) => one % 2 === 0)]);
  },
);

t.test('diagnostics: roulette succeeds or ends with the exit code of its error', async (t) => {
  const codes = await Promise.all(
    Array.from({ length: 6 }, async () => (await run('millrace-roulette')).code),
  );
  t.strictSame(
    codes.filter((code) => code !== 0 && code !== 11),
    [],
  );
});
