import t from 'tap';
import type { Program, Programs } from '../../src/cli/programs.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { AppError } from '../../src/domain/errors.ts';
import { runTyped } from './run-typed.ts';

const run = (args: string[], programs: Partial<Programs> = {}, env: Record<string, string> = {}) =>
  runTyped(args, { programs, env });

t.test('cli: help lists the commands without loading them', async (t) => {
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    const { code, stdout, loads } = await run(args);
    t.equal(code, 0);
    for (const name of ['up', 'backup', 'jobs', 'login', 'apply', 'watch', 'demo', 'batch', 'token']) {
      t.match(stdout, new RegExp(`^  ${name} `, 'm'));
    }
    t.equal(loads, 0);
  }
  t.match(await run(['help', 'jbos']), { code: 2, stderr: /did you mean 'jobs'/ });
  t.match(await run(['help', 'job', 'lgos']), { code: 2, stderr: /'job lgos'; did you mean 'logs'/ });
  t.match(await run(['help', 'job', 'logs']), { code: 0, stdout: /--follow[\s\S]*--server[\s\S]*Examples:/ });
  t.match(await run(['help', 'backup']), { code: 0, stdout: /^(?![\s\S]*--server)[\s\S]*--with-secret-key/ });
});

t.test('cli: the help of settings names every setting', async (t) => {
  for (const args of [
    ['help', 'settings'],
    ['help', 'agent'],
    ['up', '--help'],
  ]) {
    const { code, stdout, loads } = await run(args);
    t.equal(code, 0);
    t.ok(SETTINGS.every(({ name }) => stdout.includes(name)));
    t.equal(loads, 0);
  }
});

t.test('cli: `version` prints the version', async (t) => {
  for (const word of ['version', '--version', '-v']) {
    t.match(await run([word]), { code: 0, stdout: 'millrace 1.2.3\n' });
  }
});

t.test('cli: an unknown command is refused', async (t) => {
  t.match(await run(['uo']), { code: 2, stdout: '', stderr: /'uo'; `millrace help` lists them/, loads: 0 });
  t.match(await run(['cordinator']), { code: 2, stderr: /'cordinator'; did you mean 'coordinator'\?/ });
  t.match(await run(['up', '--htpp', '127.0.0.1:0']), {
    code: 2,
    stderr: /--htpp: no such flag; did you mean '--http'/,
  });
  t.match(await run(['up', '--log-level', 'wran']), { code: 2, stderr: /; did you mean 'warn'\?/ });
  t.match(await run(['user', 'lsit']), {
    code: 2,
    stderr: /unknown command 'lsit'\n\(Did you mean list\?\)/,
  });
  t.match(await run(['watch', 'in', '--math', 'x']), { code: 2, stderr: /Did you mean --match/ });
  t.match(await run(['lint', '-f', 'x', '--onlin']), { code: 2, stderr: /Did you mean --online/ });
});

t.test('cli: options that choose a service are refused where none is called', async (t) => {
  for (const args of [['backup', 'x'], ['user', 'list'], ['version']]) {
    const done = await run([...args, '--server', 'http://x', '-q']);
    t.match(done, { code: 2, stdout: '', stderr: /--server, --quiet: .*calls no service/ }, args.join(' '));
  }
});

t.test('cli: all wrong settings are listed, and nothing starts', async (t) => {
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

t.test('cli: an expected failure prints one sentence and ends with code 1', async (t) => {
  const { code, stderr } = await run(['up'], {
    runUp: async () => {
      throw new AppError('DATA_DIR_IN_USE', 'folder x is in use by process 7');
    },
  });
  t.equal(code, 1);
  t.equal(stderr, 'millrace: folder x is in use by process 7\n');
});

t.test('cli: no signal handler is left after a command', async (t) => {
  t.same((await run(['up'])).process.eventNames(), []);
});
