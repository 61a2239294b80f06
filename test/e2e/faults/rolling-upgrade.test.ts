/**
 * Coordinators and agents replaced one by one by those of a newer version, under load. The newer version is this one
 * with a migration more: what a release does to a cluster that runs.
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { testDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { Program } from '../harness/program.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld, type World } from '../harness/world.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NEXT = '9999-next';
const VERSION = '99.0.0';

/** Its program. */
function makeNext(world: World): string {
  const folder = join(world.folder, 'next');
  mkdirSync(folder);
  for (const name of ['bin', 'src', 'node-agent']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: VERSION }));
  const migration = [
    `export const name = '${NEXT}';`,
    'export const isBreaking = false;',
    `export const up = ['alter table strike add column of_the_next_version text'];`,
  ];
  writeFileSync(join(folder, `src/store/migrations/${NEXT}.ts`), migration.join('\n'));
  const list = join(folder, 'src/store/migration-list.ts');
  const text = readFileSync(list, 'utf8');
  const end = /(MIGRATION_FILES: readonly MigrationFile\[\] = \[[^\]]*?),?\s*\];/;
  if (!end.test(text)) throw new Error('the list of migrations looks otherwise');
  const listed = text.replace(end, '$1, next];');
  writeFileSync(list, `import * as next from './migrations/${NEXT}.ts';\n${listed}`);
  return join(folder, 'bin/millrace.js');
}

t.test(
  'upgrade: coordinators are upgraded one by one under load, and then refuse the older version',
  needs('nats'),
  async (t) => {
    const world = await createWorld(t);
    const next = makeNext(world);
    const shared = { DATABASE_URL: await testDatabase(t), NATS_URL: await serviceUrl('nats') };
    const ports = [await freePort(), await freePort()];
    const env = (index: number) => ({
      ...shared,
      MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
      MILLRACE_HANDOVER_MS: '500',
    });
    const coordinators = [
      await world.start('coordinator', 'coordinator-0', env(0)),
      await world.start('coordinator', 'coordinator-1', env(1)),
    ];
    const agentEnv = { MILLRACE_COORDINATORS: ports.map((port) => `127.0.0.1:${port}`).join() };
    const agent = await world.start('agent', 'agent', agentEnv);
    const at = (index: number) => clientOf(coordinators[index] as Program);
    const versionAt = async (index: number) =>
      (await at(index).get<{ version: string }>('/v6/version/')).version;
    const old = await versionAt(0);
    const work = await DemoWork.create(world, at(0), 24);
    const upgraded = async (index: number): Promise<void> => {
      t.equal(await coordinators[index]?.end('SIGTERM'), 0, 'ended in order');
      const options = world.options('coordinator', `coordinator-${index}`, env(index));
      coordinators[index] = await Program.start({ ...options, program: next });
    };
    await work.deliver(6);
    await until('work is under way', async () => (await work.progress(at(0))) > 0);

    await upgraded(0);
    t.match(coordinators[0]?.log, new RegExp(`"migrations":\\["${NEXT}"\\].*"schema_migrated"`));
    t.same([await versionAt(0), await versionAt(1)], [VERSION, old], 'both versions run');
    await work.deliver(6);
    await work.finished(at(1));
    const refused = Program.launch({
      ...world.options('coordinator', 'third', shared),
      logFile: join(world.folder, 'third.log'),
    });
    t.equal(await refused.exited, 1);
    t.match(refused.log, /The database was migrated by a newer program \(9999-next\)\. Start that version/);
    t.equal((await fetch(`${coordinators[1]?.url}v6/ready/`)).status, 200, 'the one that runs continues');

    await work.deliver(6);
    await upgraded(1);
    await until('the agent of the version before is with one of the new ones', async () => {
      const { nodes } = await at(1).get<{ nodes: { state: { name: string } }[] }>('/v6/status/');
      return nodes[0]?.state.name === 'READY';
    });
    await work.deliver(3);
    t.equal(await agent.end('SIGTERM'), 0);
    await Program.start({ ...world.options('agent', 'agent', agentEnv), program: next });
    await work.deliver(3);
    await work.finished(at(0));
    await checkQuiet(t, { world, client: at(0), work });
  },
);
