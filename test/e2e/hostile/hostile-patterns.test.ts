import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { Sender } from './sender.ts';

/** Each would keep a backtracking engine busy for years with the names below. */
const SLOW_ELSEWHERE = [
  ...['^(a+)+$', '(?i)^(a+)+$', '(?i)(a*)*b$', '^(a|aa)+$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'],
  ...['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x$', '(?P<n>a+)+\\Z'],
];
/** What no linear engine runs, or only by growing without bound. */
const REFUSED = [
  ...['(?=a)b', '(?<=a)b', '(?!a)b', '(a)\\1+$', '(?P<n>a)(?P=n)', '(', '[', '*', 'a++b', '\\p{L}+'],
  ...['^(a{1,30}){1,30}$', '(a{1000}){1000}', '((a{100}){100}){100}', '(a?){500}a{500}', 'a'.repeat(1_001)],
];
const FILES = 2_000;

t.test('hostile patterns: a pattern is refused, or runs in linear time beside other work', async (t) => {
  const world = await createWorld(t);
  const program = await world.start('up', 'up', { DATABASE_URL: await migratedDatabase(t) });
  const client = clientOf(program);
  const work = await DemoWork.create(world, client, 1);
  const sender = new Sender(program.url);
  t.teardown(() => sender.close());
  const configuration = (patterns: readonly string[]) => ({
    workspace: 'demo-arrivals',
    monitor: { type: 'dir-watcher', stable_ms: 0 },
    files_to_ingest: patterns.map((pattern) => ({ filename_regex: pattern })),
    recipe: { name: 'demo-recipe' },
  });
  const target = `/v6/strikes/${work.strikeId}/`;

  for (const pattern of REFUSED) {
    const { status, json } = await sender.send({
      ...{ method: 'PATCH', target },
      body: { configuration: configuration(['.*', pattern]) },
    });
    t.equal(status, 400, pattern.slice(0, 50));
    t.match(json.errors, [{ path: 'configuration.files_to_ingest[1].filename_regex' }], pattern.slice(0, 50));
  }
  const many = Array.from({ length: 1_000 }, (_, index) => `(a{1,${(index % 30) + 1}}){1,30}${index}`);
  const checked = await sender.send({
    ...{ method: 'POST', target: '/v6/strikes/validation/' },
    body: { title: 'x', configuration: configuration(many) },
  });
  t.equal(checked.json.is_valid, false, 'a thousand large ones are answered too');

  await client.patch(target, { configuration: configuration(SLOW_ELSEWHERE) });
  for (let index = 0; index < FILES; index += 1) {
    writeFileSync(join(world.at.arrivals, `${'a'.repeat(220)}${index}!`), '');
  }
  await until(
    'every name has been tried with every rule',
    async () => {
      // Each answer has a deadline of its own: a stalled service fails here.
      const { status } = await sender.send({ method: 'GET', target: '/v6/version/' });
      return status === 200 && (await client.count('/v6/ingests/?status=DEFERRED')) === FILES;
    },
    120_000,
  );
  t.equal(await client.count('/v6/ingests/'), FILES, 'no rule took any of them');
  t.notMatch(program.log, /DEADLINE_EXCEEDED/, 'no thread was given up');
});
