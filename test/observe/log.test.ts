import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { AppError } from '../../src/domain/errors.ts';
import { createLogger, type LogLevel, redact } from '../../src/observe/log.ts';

const LOG = new URL('../../src/observe/log.ts', import.meta.url).href;

function recorded(level: LogLevel = 'debug', later?: (ms: number, run: () => void) => void) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ level, name: 'test', destination, ...(later === undefined ? {} : { later }) });
  return { log, lines };
}

t.test('log: an event and its fields are one JSON line', async (t) => {
  const { log, lines } = recorded();
  log.info('job_started', { jobId: 5 });
  t.match(lines, [{ level: 'info', name: 'test', event: 'job_started', jobId: 5, time: /^\d{4}-.*Z$/ }]);
});

t.test('log: a long word is masked and cut as fast as any text', async (t) => {
  const before = process.cpuUsage();
  for (let n = 0; n < 100; n++) redact('x'.repeat(8_000));
  // Some 40 ms each with time that grows with the square.
  t.ok(process.cpuUsage(before).user < 1_500_000);
  t.equal(redact(`${'x'.repeat(100)}://jane:hunter2@host`), `${'x'.repeat(100)}://jane:[redacted]@host`);
});

t.test('log: a standard error on a full disk ends no program, and takes no memory', async (t) => {
  const program = `
    const { createLogger } = await import(${JSON.stringify(LOG)});
    const log = createLogger({ level: 'info' });
    const text = 'x '.repeat(4_000);
    for (let n = 0; n < 8_000; n++) log.info('something', { text });
    console.log('well');`;
  const stdio = ['ignore', 'pipe', openSync('/dev/full', 'w')] as const;
  const options = ['--max-old-space-size=48', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, options, { stdio: [...stdio] });
  const code = new Promise((resolve) => child.once('exit', resolve));
  t.equal(child.stdout === null ? '' : await text(child.stdout), 'well\n');
  t.equal(await code, 0);
});

t.test('log: a logger and its children have one level, and a change applies at once', async (t) => {
  const { log, lines } = recorded('warn');
  const child = log.child({ part: 'a' });
  child.info('left out');
  log.setLevel('info');
  child.info('written');
  log.setLevel('silent');
  child.fatal('left out');
  t.match(lines, [{ event: 'written', part: 'a' }]);
  t.equal(lines.length, 1);
  t.equal(child.level, 'silent');
});

for (const key of [
  'password',
  'dbPassword',
  'secret',
  'secret_key',
  'joinToken',
  'Authorization',
  'set-cookie',
  'credentials',
  'privateKey',
  'access_key_id',
  'passphrase',
]) {
  t.test(`log: ${key} is masked at every depth`, async (t) => {
    const { log, lines } = recorded();
    log.child({ [key]: 'hunter2' }).info('x', { [key]: 'hunter2', deep: [{ [key]: { inner: 'hunter2' } }] });
    t.notMatch(JSON.stringify(lines), 'hunter2');
  });
}

t.test('log: keys that only sound like a secret are shown', async (t) => {
  t.strictSame(redact({ key: 1, passed: 2, compass: 3 }), { key: 1, passed: 2, compass: 3 });
});

t.test('log: passwords in addresses are masked, in errors too', async (t) => {
  const error = new Error('cannot reach postgres://me:hunter2@db/x', {
    cause: Object.assign(new Error('inner'), { url: 'nats://u:hunter2@n', password: 'hunter2' }),
  });
  const text = JSON.stringify(redact({ error, plain: 'nats://u:hunter2@n:4222' }));
  t.notMatch(text, 'hunter2');
  t.match(text, 'nats://u:[redacted]@n:4222');
  t.match(text, 'inner');
});

t.test('log: circular, long and non-JSON values are shortened', async (t) => {
  const circular: Record<string, unknown> = { big: 5n, bytes: new Uint8Array(9) };
  circular.self = circular;
  const { log, lines } = recorded();
  log.info('x', { circular, long: 'y'.repeat(100_000), many: Array.from({ length: 10_000 }, (_, i) => i) });
  t.match(lines[0], { circular: { big: '5', bytes: '[9 bytes]' } });
  t.ok(JSON.stringify(lines[0]).length < 20_000);
});

const gone = () =>
  new AppError(
    'STORE_UNAVAILABLE',
    'the database cannot be reached',
    {},
    { cause: new Error('ECONNREFUSED') },
  );

t.test(
  'log: repeated errors are logged once and then counted, and logged again after a quiet time',
  async (t) => {
    let due: (() => void)[] = [];
    const { log, lines } = recorded('debug', (_, run) => void due.push(run));
    const pass = () => {
      const now = due;
      due = [];
      for (const run of now) run();
    };
    const child = log.child({ part: 'a' });
    for (let n = 0; n < 50; n++) (n % 2 === 0 ? log : child).warn('load_failed', { error: gone(), n });
    log.warn('load_failed', { error: new Error('another') });
    log.error('save_failed', { error: gone() });
    log.warn('no reason', { n: 1 });
    log.warn('no reason', { n: 1 });
    t.strictSame(
      lines.map(({ event }) => event),
      ['load_failed', 'load_failed', 'save_failed', 'no reason', 'no reason'],
    );
    lines.length = 0;
    pass();
    t.match(lines, [{ event: 'load_failed', level: 'warn', n: 49, repeated: 49 }]);
    t.equal(lines.length, 1, 'errors without repeats are not logged again');
    log.warn('load_failed', { error: gone() });
    t.equal(lines.length, 1, 'still counted');
    pass();
    t.match(lines[1], { repeated: 1 });
    pass();
    log.warn('load_failed', { error: gone() });
    t.equal(lines.length, 3, 'after a quiet time it is reported at once');
    t.notOk(lines[2]?.repeated);
  },
);

t.test('log: outages are logged without stack traces, and unexpected errors with them', async (t) => {
  const { log, lines } = recorded();
  log.warn('load_failed', { error: gone() });
  log.warn('load_failed', { error: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
  log.warn('load_failed', { error: new Error('a bug', { cause: new Error('inner') }) });
  t.notMatch(JSON.stringify(lines.slice(0, 2)), /"stack"/);
  t.match(lines[0], {
    error: { message: 'the database cannot be reached', cause: { message: 'ECONNREFUSED' } },
  });
  t.match(lines[2], { error: { stack: /./, cause: { stack: /./ } } });
});
