/** A service that is killed while files are applied, and while what they no longer have is removed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { piped } from '../../cli/commands/piped.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { until } from '../harness/until.ts';
import { clientOf, createWorld } from '../harness/world.ts';

/** So many that the service is killed long before the last. */
const TYPES = 60;

t.test('apply: what was done and what was not is said midway, and the same line completes it', async (t) => {
  const world = await createWorld(t);
  const http = { DATABASE_URL: await migratedDatabase(t), MILLRACE_HTTP: `127.0.0.1:${await freePort()}` };
  let up = await world.start('up', 'up', http);
  const file = join(world.folder, 'types.yaml');
  const describe = (names: readonly string[]) =>
    writeFileSync(file, `set: many\njobs: {${names.map((name) => `${name}: {run: ls}`).join(', ')}}\n`);
  const names = Array.from({ length: TYPES }, (_one, index) => `type-${index}`);
  const apply = (...options: string[]) =>
    piped(t, ['apply', '-f', file, ...options], { MILLRACE_SERVER: up.url, HOME: world.folder });
  /** Kills the service once the command has shown this, and starts it again. */
  const killed = async (command: ReturnType<typeof apply>, shown: RegExp) => {
    await command.shows('out', shown);
    await up.end('SIGKILL');
    t.equal(await command.closed, 6, command.written.err);
    up = await world.start('up', 'up', http);
    return command.written;
  };
  const count = () => clientOf(up).count('/v6/job-types/?label=set:many');

  describe(names);
  const stopped = await killed(apply(), /created\n/);
  t.match(
    stopped.err,
    /types\.yaml:2:\d+: error: the job type 'type-\d+' version '1.0.0' failed: .* cannot be reached/,
  );
  t.match(stopped.err, /^not done: job type 'type-.* version '1\.0\.0'$/m);
  const created = stopped.out.match(/created\n/g)?.length ?? 0;
  t.match(
    stopped.err,
    new RegExp(`^${created} created, 0 changed, 0 unchanged\nwhat was done stays; apply`, 'm'),
  );
  const again = apply();
  t.equal(await again.closed, 0, again.written.err);
  t.equal(await count(), TYPES);
  // The one that was being made may be there or not.
  const unchanged = Number(/, (\d+) unchanged/.exec(again.written.err)?.[1]);
  t.ok(unchanged - created === 0 || unchanged - created === 1, again.written.err);

  describe(['type-0']);
  const pruned = await killed(apply('--prune', '--yes'), /deleted\n/);
  t.match(pruned.err, /^error: the job type 'type-\d+' version '1.0.0' failed: .* cannot be reached/m);
  t.match(pruned.err, /^not done: job type 'type-/m);
  t.match(pruned.err, /^what was done stays; apply the files again to complete it$/m);
  const rest = apply('--prune', '--yes');
  t.equal(await rest.closed, 0, rest.written.err);
  await until('only what the file has is left', async () => (await count()) === 1);
});
