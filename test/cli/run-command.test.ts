import { EventEmitter } from 'node:events';
import t from 'tap';
import type { Program, Programs } from '../../src/cli/programs.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { AppError } from '../../src/domain/errors.ts';

async function run(args: string[], programs: Partial<Programs> = {}, env: Record<string, string> = {}) {
  let stdout = '';
  let stderr = '';
  let loads = 0;
  const process = new EventEmitter();
  const code = await runCommand({
    args,
    env: { MILLRACE_LOG_LEVEL: 'silent', ...env },
    version: '1.2.3',
    load: async () => {
      loads += 1;
      const none: Program = async () => undefined;
      return { runUp: none, runCoordinator: none, runAgent: none, ...programs };
    },
    process,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    exit: () => undefined,
  });
  return { code, stdout, stderr, loads, process };
}

t.test('cli: help names every setting and loads nothing', async (t) => {
  for (const args of [[], ['help'], ['--help'], ['up', '--help']]) {
    const { code, stdout, loads } = await run(args);
    t.equal(code, 0);
    t.ok(SETTINGS.every(({ name }) => stdout.includes(name)));
    t.equal(loads, 0);
  }
});

t.test('cli: version', async (t) => {
  t.match(await run(['version']), { code: 0, stdout: 'millrace 1.2.3\n' });
});

t.test('cli: an unknown command is refused', async (t) => {
  t.match(await run(['uo']), { code: 2, stdout: '', stderr: /'uo'; `millrace help` lists them/, loads: 0 });
  t.match(await run(['cordinator']), { code: 2, stderr: /'cordinator'; did you mean 'coordinator'\?/ });
  t.match(await run(['up', '--htpp', '127.0.0.1:0']), {
    code: 2,
    stderr: /--htpp: no such flag; did you mean '--http'/,
  });
  t.match(await run(['up', '--log-level', 'wran']), { code: 2, stderr: /; did you mean 'warn'\?/ });
  t.match(await run(['user', 'lsit']), { code: 2, stderr: /'user lsit'; did you mean 'user list'\?/ });
});

t.test('cli: wrong settings are all named, and nothing starts', async (t) => {
  const { code, stderr, loads } = await run(['up', '--http', 'x', '--nope']);
  t.equal(code, 2);
  t.match(stderr, /MILLRACE_HTTP/);
  t.match(stderr, /--nope/);
  t.equal(loads, 0);
});

t.test('cli: the command that was named runs, with its settings', async (t) => {
  const ran: string[] = [];
  const program =
    (name: string): Program =>
    async (config) => {
      ran.push(`${name} ${config.command}`);
    };
  const programs = { runUp: program('a'), runCoordinator: program('b'), runAgent: program('c') };
  await run(['up'], programs);
  await run(['agent'], programs);
  await run(['coordinator'], programs, { DATABASE_URL: 'postgres://h/d' });
  t.same(ran, ['a up', 'c agent', 'b coordinator']);
});

t.test('cli: readiness is one line on standard output', async (t) => {
  const { code, stdout } = await run(['up'], {
    runUp: async (_config, { ready }) => ready('http://127.0.0.1:8080'),
  });
  t.equal(stdout, 'ready http://127.0.0.1:8080\n');
  t.equal(code, 0);
});

t.test('cli: an expected failure is a sentence and code 1', async (t) => {
  const { code, stderr } = await run(['up'], {
    runUp: async () => {
      throw new AppError('DATA_DIR_IN_USE', 'folder x is in use by process 7');
    },
  });
  t.equal(code, 1);
  t.equal(stderr, 'millrace: folder x is in use by process 7\n');
});

t.test('cli: afterwards no signal handler is left', async (t) => {
  t.same((await run(['up'])).process.eventNames(), []);
});
