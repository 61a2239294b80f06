/** Advice of the service names calls; the command line names commands. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { withCommands } from '../../src/cli/frame/advice.ts';

const ROOT = join(import.meta.dirname, '../..');

t.test('advice: calls of the interface become commands', (t) => {
  for (const [advice, shown] of [
    ['Ask GET /v6/recipes/2/why/.', 'Ask `millrace why recipe 2`.'],
    [
      'Queue it again (POST /v6/jobs/requeue/ {"job_ids": [7]}).',
      'Queue it again (`millrace job requeue 7`).',
    ],
    ['Queue these again (POST /v6/jobs/requeue/), or', 'Queue these again (`millrace job requeue`), or'],
    ['PATCH /v6/scheduler/ {"is_paused": false}', '`millrace resume`'],
    ['PATCH /v6/strikes/3/ {"is_paused": false}', '`millrace strike resume id:3`'],
    ['POST /v6/scans/3/process/ {"ingest": true}', '`millrace scan start id:3`'],
    [
      'PATCH /v6/workspaces/3/ {"is_active": true}',
      `\`echo '{"is_active": true}' | millrace api PATCH /v6/workspaces/3/ -d -\``,
    ],
    ['GET /v6/ lists what is served', '`millrace api GET /v6/` lists what is served'],
    ['nothing to replace', 'nothing to replace'],
    ['there is no GET /v6/$(x)`x`;x', 'there is no `millrace api GET /v6/`$(x)`x`;x'],
  ] as const) {
    t.equal(withCommands(advice), shown);
  }
  const paused = 'Set is_paused of the node to false (PATCH /v6/nodes/{id}/).';
  const resumed = (name: string) => withCommands(paused, [{ kind: 'node', name }]);
  const called = 'Set is_paused of the node to false (`millrace api PATCH /v6/nodes/{id}/ -d FILE`).';
  t.equal(resumed('host-1.lan'), '`millrace node resume host-1.lan`.');
  t.equal(withCommands(paused), called);
  t.equal(resumed('$(x)'), called, 'a name that a shell expands is in no command');
  t.equal(resumed('--all'), called, 'nor one that is an option');
  t.end();
});

t.test('advice: all of it that the service gives is known', (t) => {
  const advice = globSync('src/{domain,api}/**/*.ts', { cwd: ROOT }).flatMap((path) =>
    [
      ...readFileSync(join(ROOT, path), 'utf8').matchAll(
        /(?:help: |help = |return )(['`])(.*?(?:GET|POST|PATCH|PUT|DELETE) \/v6\/.*?)\1[;,\s]/g,
      ),
    ].map(([, , text = '']) => text.replace(/\$\{[^}]*\}/g, '7')),
  );
  t.ok(advice.length > 10, `${advice.length} texts`);
  for (const text of advice) {
    const shown = withCommands(text).replace(/`[^`]*`/g, '');
    t.notMatch(shown, /\/v6\//, text);
  }
  t.end();
});
