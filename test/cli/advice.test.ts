/** Advice of the service names calls; the command line names commands. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { commandOf, withCommands } from '../../src/cli/frame/advice.ts';

const ROOT = join(import.meta.dirname, '../..');

t.test('advice: calls of the interface become commands', (t) => {
  for (const [advice, shown] of [
    ['make one (POST /v6/recipe-types/)', 'make one (`millrace apply -f FILE`)'],
    ['GET /v6/ lists what is served', '`millrace api GET /v6/` lists what is served'],
    ['nothing to replace', 'nothing to replace'],
    ['there is no GET /v6/$(x)`x`;x', 'there is no `millrace api GET /v6/`$(x)`x`;x'],
  ] as const) {
    t.equal(withCommands(advice), shown);
  }
  t.end();
});

t.test('advice: the remedy that a cause names is shown as a command', (t) => {
  const shown = (method: 'GET' | 'PATCH' | 'POST', path: string, body: object | null, node = '') =>
    commandOf({ title: '', method, path, body: body as Record<string, unknown> | null }, [
      { kind: 'job', name: null },
      { kind: 'node', name: node },
    ]);
  t.equal(shown('GET', '/v6/recipes/2/why/', null), '`millrace why recipe 2`');
  t.equal(shown('POST', '/v6/jobs/requeue/', { job_ids: [7] }), '`millrace job requeue 7`');
  t.equal(shown('POST', '/v6/jobs/requeue/', { job_ids: [7, 8] }), '`millrace job requeue 7 8`');
  t.equal(shown('PATCH', '/v6/scheduler/', { is_paused: false }), '`millrace resume`');
  t.equal(shown('PATCH', '/v6/strikes/3/', { is_paused: false }), '`millrace strike resume id:3`');
  t.equal(shown('POST', '/v6/scans/3/process/', { ingest: true }), '`millrace scan start id:3`');
  t.equal(
    shown('PATCH', '/v6/job-types/a/1.0.0/', { is_paused: false }),
    `\`echo '{"is_paused":false}' | millrace api PATCH /v6/job-types/a/1.0.0/ -d -\``,
  );
  const resumed = (name: string) => shown('PATCH', '/v6/nodes/4/', { is_paused: false }, name);
  const called = `\`echo '{"is_paused":false}' | millrace api PATCH /v6/nodes/4/ -d -\``;
  t.equal(resumed('host-1.lan'), '`millrace node resume host-1.lan`');
  t.equal(resumed('$(x)'), called, 'a name that a shell expands is in no command');
  t.equal(resumed('--all'), called, 'nor one that is an option');
  t.end();
});

t.test('advice: the texts of causes name commands, never calls of the interface', (t) => {
  const sources = globSync('src/{domain,api/why}/**/*.ts', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const help = sources.flatMap((text) =>
    [...text.matchAll(/help(?::| =)\s+(['`])(.*?)\1[;,\s]/g)].map(([, , words = '']) => words),
  );
  t.ok(help.length > 20, `${help.length} texts`);
  t.strictSame(
    help.filter((words) => words.includes('/v6/')),
    [],
  );
  t.end();
});
