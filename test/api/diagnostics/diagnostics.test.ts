import t from 'tap';
import { diagnosticRoutes } from '../../../src/api/diagnostics/routes.ts';
import { type Address, shardOf } from '../../../src/kernel/mod.ts';
import { ensureDiagnostics } from '../../../src/store/diagnostic/type-records.ts';
import { idStore } from '../../../src/store/ids.ts';
import { NOW, type StoreWorld, storeWorld } from '../../store/store-world.ts';
import { type Caller, makeCaller } from '../../support/http.ts';

interface Asked {
  readonly to: Address;
  // biome-ignore lint/suspicious/noExplicitAny: a message of any kind
  readonly message: any;
  readonly options: object;
}

async function diagnosticWorld(t: {
  teardown(handler: () => Promise<void>): void;
}): Promise<{ store: StoreWorld; caller: Caller; asked: Asked[] }> {
  const store = await storeWorld(t);
  const { sql } = store.db;
  const asked: Asked[] = [];
  const system = {
    async ask(to: Address, message: object, options: object): Promise<never> {
      asked.push({ to, message, options });
      return {} as never;
    },
  };
  const parts = { sql, ids: idStore(sql), system, diagnosticsImage: 'small:1' };
  const caller = makeCaller(diagnosticRoutes, parts);
  return { store, caller, asked };
}

const KINDS = ['job/bake', 'job/count', 'job/hello', 'job/roulette', 'recipe/casino'];

t.test('diagnostics: each kind is accepted at once, and its actor gets the run', async (t) => {
  const { store, caller, asked } = await diagnosticWorld(t);
  for (const [at, kind] of KINDS.entries()) {
    const { status, text } = await caller.call('POST', `/v6/diagnostics/${kind}/`, { num: 100_000 });
    t.equal(status, 202, text);
    t.equal(text, '');
    const { to, message, options } = asked[at] as Asked;
    t.match(options, { isNew: true });
    t.match(message, { type: 'begin', event: { type: 'USER' }, run: { total: 100_000 } });
    t.strictSame(to, { kind: 'diagnostic', key: String(message.run.id) });
    t.equal(message.run.shard, shardOf(to.kind, to.key));
    t.equal(message.run.eventId, message.event.id);
    const type = await store.one<{ name: string; is_system: boolean }>(
      `select t.name, t.is_system from recipe_type_rev r join recipe_type t on t.id = r.recipe_type_id
       where r.id = $1`,
      [message.run.recipeTypeRevId],
    );
    t.strictSame(type, { name: `millrace-${kind.split('/')[1]}`, is_system: true });
  }
});

t.test('diagnostics: a request with a wrong count is refused', async (t) => {
  const { caller, asked } = await diagnosticWorld(t);
  const bodies = [{}, { num: 0 }, { num: -1 }, { num: 1.5 }, { num: '1' }, { num: null }, { num: 1_000_001 }];
  for (const kind of KINDS) {
    for (const body of bodies) {
      const { status, json } = await caller.call('POST', `/v6/diagnostics/${kind}/`, body);
      t.equal(status, 400, JSON.stringify(body));
      t.equal(json.errors[0]?.path, 'num', JSON.stringify(body));
    }
  }
  for (const body of ['', '[]', '{', '1']) {
    t.equal((await caller.call('POST', '/v6/diagnostics/job/hello/', body)).status, 400, body);
  }
  t.equal((await caller.get('/v6/diagnostics/job/hello/')).status, 405);
  t.equal((await caller.call('POST', '/v6/diagnostics/job/other/', { num: 1 })).status, 404);
  t.strictSame(asked, []);
});

const images = (store: StoreWorld) =>
  store.rows<{ image: string; revision_num: number }>(
    `select distinct container_image as image, revision_num from job_type
     where name like 'millrace-%' and 'diagnostic' = any(tags)`,
  );

t.test('diagnostics: they are plain processes if a node offers that, else containers', async (t) => {
  const { store, caller } = await diagnosticWorld(t);
  const { sql } = store.db;
  await ensureDiagnostics(sql, undefined, NOW);
  const queue = () => caller.call('POST', '/v6/diagnostics/recipe/casino/', { num: 1 });
  t.strictSame(await images(store), [{ image: 'process:default', revision_num: 1 }]);

  await queue();
  t.strictSame(await images(store), [{ image: 'small:1', revision_num: 2 }]);

  await store.rows(
    `update node set is_online = true, executors = '["docker", "process:default"]' where id = $1`,
    [store.ids.node],
  );
  await queue();
  await queue();
  t.strictSame(await images(store), [{ image: 'process:default', revision_num: 3 }]);
  const { definition, revision_num: revisionNum } = await store.one<{
    definition: object;
    revision_num: number;
  }>(`select definition, revision_num from recipe_type where name = 'millrace-casino'`);
  t.equal(revisionNum, 3);
  t.match(definition, { nodes: { 'roulette-3': { node_type: { job_type_revision: 3 } } } });
});

t.test('diagnostics: coordinators that start at once create the types once', async (t) => {
  const { store } = await diagnosticWorld(t);
  const { sql } = store.db;
  const made = await Promise.all([1, 2, 3].map(() => ensureDiagnostics(sql, undefined, NOW)));
  t.strictSame(made[1], made[0]);
  t.strictSame(made[2], made[0]);
  const count = await store.one<{ types: number; revisions: number; links: number }>(
    `select (select count(*) from recipe_type where is_system) as types,
       (select count(*) from recipe_type_rev r join recipe_type t on t.id = recipe_type_id
         where is_system) as revisions,
       (select count(*) from recipe_type_job_type) as links`,
  );
  t.strictSame(count, { types: 5, revisions: 5, links: 5 });
});
