/**
 * Whether the check of replies that every test of the interface relies on would notice: records of real lists and
 * details are spoilt before their routes answer with them, a field at a time, and each must be found out.
 */
import t from 'tap';
import { apiDeps } from '../../src/api/deps.ts';
import { apiRoutes } from '../../src/api/resources.ts';
import type { Route } from '../../src/http/route.ts';
import { makeSource, savedJob, savedRecipe } from '../store/make.ts';
import { storeWorld } from '../store/store-world.ts';
import { makeCaller } from '../support/http.ts';
import { idleParts } from '../support/idle-parts.ts';

type Spoil = (record: Record<string, unknown>) => Record<string, unknown>;

const world = await storeWorld(t);
const job = await savedJob(world);
const recipe = await savedRecipe(world);
const file = await makeSource(world);
await world.apply({ type: 'createSourceFiles', files: [file] });
await world.rows(`insert into dataset (id, definition, created) values (1, '{}', now())`);

let spoil: Spoil | undefined;

/** A route whose answer is spoilt: the only record, or each of a page. */
function spoilt<Deps>(route: Route<Deps>): Route<Deps> {
  return {
    ...route,
    async handle(input, deps) {
      const reply = await route.handle(input, deps);
      if (spoil === undefined) return reply;
      const body = reply.body as Record<string, unknown> & { results?: readonly Record<string, unknown>[] };
      return {
        ...reply,
        body: body.results === undefined ? spoil(body) : { ...body, results: body.results.map(spoil) },
      };
    },
  };
}

const caller = makeCaller(apiRoutes('any').map(spoilt), apiDeps(idleParts(world.db.sql)));

/** No JSON value of this kind is right where the other is. */
function another(value: unknown): unknown {
  return typeof value === 'object' || typeof value === 'boolean' ? 'spoilt' : { spoilt: true };
}

const TARGETS = [
  ...['/v6/workspaces/', '/v6/files/', '/v6/jobs/', '/v6/recipes/', '/v6/job-types/', '/v6/recipe-types/'],
  ...['/v6/nodes/', '/v6/errors/', '/v6/datasets/', `/v6/files/${file.id}/`, `/v6/jobs/${job.id}/`],
  ...[`/v6/recipes/${recipe.id}/`, `/v6/nodes/${world.ids.node}/`, `/v6/workspaces/${world.ids.in}/`],
];

for (const target of TARGETS) {
  t.test(`${target}: a reply that differs from its schema is detected`, async (t) => {
    spoil = undefined;
    const { status, json } = await caller.get(target);
    t.equal(status, 200, JSON.stringify(json).slice(0, 200));
    const record = (json.results?.[0] ?? json) as Record<string, unknown>;
    const fields = Object.keys(record).filter((name) => name !== 'url');
    t.ok(fields.length >= 3, `${fields.length} fields`);
    const found = async (what: string, how: Spoil) => {
      spoil = how;
      const answer = await caller.get(target);
      t.equal(answer.status, 500, `${what}: ${answer.text.slice(0, 200)}`);
    };
    for (const name of fields) {
      await found(`${name} is missing`, ({ [name]: _, ...rest }) => rest);
      // A document may be anything.
      if (typeof record[name] !== 'object')
        await found(`${name} is of another type`, (one) => ({ ...one, [name]: another(record[name]) }));
    }
    await found('a field too many', (one) => ({ ...one, spoilt: 1 }));
    spoil = undefined;
    t.equal((await caller.get(target)).status, 200, 'and is good again');
  });
}
