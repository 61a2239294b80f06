/**
 * Calls that read while they are written down (`waitsForEntry`) change nothing before they are. A promise of the auth
 * filter's that tells who waits for it says when a handler has come that far.
 */
import t from 'tap';
import { jobRoutes } from '../../src/api/jobs/routes.ts';
import { recipeRoutes } from '../../src/api/recipes/routes.ts';
import type { AuthFilter, Finish } from '../../src/http/auth-filter.ts';
import { eventually } from '../support/agent/eventually.ts';
import { OPEN_FILTER } from '../support/http.ts';
import { jobTypeBody, processingWorld } from '../support/worlds/processing-world.ts';

/** A gate whose next entry is saved, or is not, when the test says so. */
function slowFilter() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const slow = { isSlow: false, waiting: 0, ends: [] as number[], save: resolve, fail: reject };
  const finish: Finish = ({ status }) => void slow.ends.push(status);
  const begin = {
    // biome-ignore lint/suspicious/noThenProperty: what it answers is asked who waits
    then(onSaved: (finish: Finish) => void) {
      const saved = promise.then(() => onSaved(finish));
      const wait: typeof saved.then = (...on) => {
        slow.waiting += 1;
        return saved.then(...on);
      };
      // biome-ignore lint/suspicious/noThenProperty: as above
      return { then: wait };
    },
  } as unknown as Promise<Finish>;
  const authFilter: AuthFilter = {
    ...OPEN_FILTER,
    begin: (...args) => (slow.isSlow ? begin : OPEN_FILTER.begin(...args)),
  };
  return { slow, authFilter };
}

async function world(t: Parameters<typeof processingWorld>[0]) {
  const { slow, authFilter } = slowFilter();
  const made = await processingWorld(t, { authFilter });
  const { json: jobType } = await made.post('/v6/job-types/', jobTypeBody());
  const node_type = { node_type: 'job', job_type_name: 'counter', job_type_version: '1.0.0' };
  const input = { files: [{ name: 'INPUT_TEXT', media_types: [] }], json: [] };
  const { json: recipeType } = await made.post('/v6/recipe-types/', {
    title: 'Counting',
    definition: {
      input,
      nodes: {
        count: {
          dependencies: [],
          input: { INPUT_TEXT: { type: 'recipe', input: 'INPUT_TEXT' } },
          node_type,
        },
      },
    },
  });
  const files = { INPUT_TEXT: [await made.file({ fileName: 'in.txt' })] };
  const bodies: Readonly<Record<string, object>> = {
    '/v6/jobs/': { job_type_id: jobType.id, input: { files, json: {} } },
    '/v6/recipes/': { recipe_type_id: recipeType.id, input: { files, json: {} } },
  };
  slow.isSlow = true;
  const before = made.sent.length;
  return { ...made, slow, bodies, asked: () => made.sent.slice(before) };
}

const PATHS = [...jobRoutes, ...recipeRoutes]
  .filter(({ waitsForEntry }) => waitsForEntry === true)
  .map(({ path }) => path);
t.same(PATHS, ['/v6/jobs/', '/v6/recipes/']);

for (const path of PATHS) {
  t.test(`${path}: nothing is asked before the call is in the audit trail`, async (t) => {
    const { post, asked, slow, bodies } = await world(t);
    const answer = post(path, bodies[path]);
    await eventually(() => slow.waiting === 2, 'the handler waits as well');
    t.same(asked(), []);
    slow.save();
    t.match(await answer, { status: 201 });
    t.equal(asked().length, 1);
    t.same(slow.ends, [201]);
  });

  t.test(`${path}: a call that cannot be written to the audit trail does nothing`, async (t) => {
    const { post, asked, slow, bodies } = await world(t);
    const answer = post(path, bodies[path]);
    await eventually(() => slow.waiting === 2, 'the handler waits as well');
    slow.fail(new Error('the database is away'));
    t.match(await answer, { status: 500 });
    t.same([...asked(), ...slow.ends], []);
  });

  t.test(`${path}: a refused call is in the audit trail, too`, async (t) => {
    const { post, asked, slow } = await world(t);
    const answer = post(path, { input: 7 });
    await eventually(() => slow.waiting === 1, 'it is being written down');
    t.same(slow.ends, []);
    slow.save();
    t.match(await answer, { status: 400 });
    t.same(asked(), []);
    t.same(slow.ends, [400]);
  });
}
