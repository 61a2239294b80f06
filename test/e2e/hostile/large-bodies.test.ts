/**
 * Every limit that the documentation names for bodies: one of exactly that size is taken, one more is refused, under
 * both prefixes. Bodies are padded beyond what is read on the event loop, so that the thread for large ones serves
 * them.
 */
import pg from 'pg';
import t, { type Test } from 'tap';
import { migratedDatabase } from '../../support/db.ts';
import { createJobType } from '../harness/work/job-types.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { insertFiles } from './many-files.ts';
import { type Answer, Sender } from './sender.ts';

const PREFIXES = ['', '/api'];
const MIB = 1_048_576;
const FILES = 100_001;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
/** A JSON text with spaces before its end, up to so many bytes. */
const paddedTo = (bytes: number, text: string) => `${text.slice(0, -1).padEnd(bytes - 1)}}`;

/** A text that, as the only JSON value of an input, makes these so many bytes. */
const textOf = (bytes: number, name: string) => 'x'.repeat(bytes - JSON.stringify({ [name]: '' }).length);

async function createFiles(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await insertFiles(client, FILES);
  await client.end();
}

interface Made {
  readonly url: string;
  readonly jobTypeId: number;
  send(method: string, target: string, body?: unknown): Promise<Answer>;
  post(target: string, body: unknown): Promise<Answer>;
}

/** A coordinator with files and a job type that takes them. Without an agent: jobs stay in the queue. */
async function begin(t: Test): Promise<Made> {
  const world = await createWorld(t);
  const databaseUrl = await migratedDatabase(t);
  const program = await world.start('coordinator', 'coordinator', { DATABASE_URL: databaseUrl });
  const client = clientOf(program);
  await client.post('/v6/workspaces/', {
    title: 'Large',
    configuration: { broker: { type: 'host', host_path: world.at.arrivals } },
  });
  await createFiles(databaseUrl);
  const jobTypeId = await createJobType(client, {
    name: 'large-input',
    script: 'true',
    inputs: [{ name: 'FILES', multiple: true }],
    json: [
      { name: 'PADDING', type: 'string', required: false },
      { name: 'LIST', type: 'array', required: false },
    ],
  });
  const sender = new Sender(program.url);
  t.teardown(() => sender.close());
  const send: Made['send'] = (method, target, body) => sender.send({ method, target, body });
  return { url: program.url, jobTypeId, send, post: (target, body) => send('POST', target, body) };
}

/** Names and paths of the problems that a refusal lists. */
function refusal({ status, json, text }: Answer): string {
  if (status !== 400) return `${status} ${text.slice(0, 200)}`;
  return json.errors.map((one: { name: string; path: string }) => `${one.name} ${one.path}`).join();
}

async function membersOfDataset(t: Test, { url, post }: Made): Promise<void> {
  const parameters = { files: [{ name: 'IN' }], json: [{ name: 'NOTE', type: 'string' }] };
  const definition = { parameters };
  const members = (count: number) =>
    numbers(count).map((id) => ({ files: { IN: [id] }, json: { NOTE: 'x'.repeat(150) } }));
  for (const prefix of PREFIXES) {
    const made = await post(`${prefix}/v6/datasets/`, { definition, data: members(10_000) });
    t.equal(made.status, 201, made.text.slice(0, 200));
    t.equal(made.json.members.length, 10_000);
    t.equal(made.headers.location, new URL(`${prefix}/v6/datasets/${made.json.id}/`, url).href);
    const target = `${prefix}/v6/datasets/${made.json.id}/`;
    const added = await post(target, { data: members(10_000) });
    t.equal(added.status, 201);
    t.equal(added.json.length, 10_000);
    t.same(added.json[9_999].file_ids, [10_000]);
    t.equal(refusal(await post(target, { data: members(10_001) })), 'TOO_MANY_MEMBERS data');
    const large = await post(`${prefix}/v6/datasets/`, { definition, data: members(10_001) });
    t.equal(refusal(large), 'TOO_MANY_MEMBERS data');
    const checked = await post(`${prefix}/v6/datasets/validation/`, { definition, data: members(10_001) });
    t.match(checked, { status: 200, json: { is_valid: false, errors: [{ name: 'TOO_MANY_MEMBERS' }] } });
  }
}

async function filesAndValuesOfMember(t: Test, { post }: Made): Promise<void> {
  const parameters = { files: [{ name: 'IN', multiple: true }], json: [{ name: 'NOTE', type: 'string' }] };
  const note = textOf(MIB, 'NOTE');
  const dataset = (count: number, NOTE: string) => ({
    definition: { parameters },
    data: [{ files: { IN: numbers(count) }, json: { NOTE } }],
  });
  for (const prefix of PREFIXES) {
    const target = `${prefix}/v6/datasets/`;
    const made = await post(target, dataset(100_000, note));
    t.equal(made.status, 201, made.text.slice(0, 200));
    t.equal(made.json.members[0].file_ids.length, 100_000);
    t.match(refusal(await post(target, dataset(100_001, note))), /^INVALID_DATA data\[0\].files.IN/);
    t.match(refusal(await post(target, dataset(1, `${note}x`))), /^INVALID_DATA data\[0\].json/);
  }
}

async function filesAndValuesOfInput(t: Test, { jobTypeId, post }: Made): Promise<void> {
  const padding = textOf(MIB, 'PADDING');
  const job = (count: number, PADDING: string) => ({
    job_type_id: jobTypeId,
    input: { files: { FILES: numbers(count) }, json: { PADDING } },
  });
  for (const prefix of PREFIXES) {
    const made = await post(`${prefix}/v6/jobs/`, job(100_000, padding));
    t.equal(made.status, 201, made.text.slice(0, 200));
    t.equal(made.json.input.files.FILES.length, 100_000);
    t.equal(made.json.input.json.PADDING.length, padding.length);
    const files = await post(`${prefix}/v6/jobs/`, job(100_001, padding));
    t.match(refusal(files), /^INVALID_DATA input.files.FILES/);
    const values = await post(`${prefix}/v6/jobs/`, job(100_000, `${padding}x`));
    t.equal(refusal(values), 'INVALID_DATA input.json');
  }
}

async function nodesOfRecipeType(t: Test, { send, post }: Made): Promise<void> {
  const node = (value: string) => ({
    dependencies: [],
    input: {},
    node_type: {
      node_type: 'condition',
      interface: { files: [], json: [] },
      data_filter: { filters: [{ name: 'A', type: 'string', condition: '==', values: [value] }] },
    },
  });
  const type = (count: number) => ({
    title: 'Many nodes',
    definition: {
      input: { files: [], json: [{ name: 'A', type: 'string' }] },
      nodes: Object.fromEntries(numbers(count).map((at) => [`node-${at}`, node('x'.repeat(1_500))])),
    },
  });
  for (const prefix of PREFIXES) {
    const made = await post(`${prefix}/v6/recipe-types/`, type(1_000));
    t.equal(made.status, 201, made.text.slice(0, 200));
    t.equal(Object.keys(made.json.definition.nodes).length, 1_000);
    const refused = await post(`${prefix}/v6/recipe-types/`, type(1_001));
    t.match(refusal(refused), /^\w+ definition.nodes/);
    const checked = await post(`${prefix}/v6/recipe-types/validation/`, type(1_001));
    t.match(checked, { status: 200, json: { is_valid: false } });
    const recipe = (A: string) =>
      paddedTo(2 * MIB, JSON.stringify({ recipe_type_id: made.json.id, input: { files: {}, json: { A } } }));
    const value = textOf(MIB, 'A');
    const started = await post(`${prefix}/v6/recipes/`, recipe(value));
    t.equal(started.status, 201, started.text.slice(0, 200));
    t.equal(started.json.input.json.A.length, value.length);
    t.equal(refusal(await post(`${prefix}/v6/recipes/`, recipe(`${value}x`))), 'INVALID_DATA input.json');
    const name = made.json.name;
    const edited = await send('PATCH', `${prefix}/v6/recipe-types/${name}/`, {
      definition: type(999).definition,
    });
    t.equal(edited.status, 204, edited.text.slice(0, 200));
  }
}

async function valuesAndBytes(t: Test, { jobTypeId, post }: Made): Promise<void> {
  const job = (count: number) => {
    // Eight values are around those of the list: the body, its two fields, what is in the input.
    const input = { files: { FILES: [1] }, json: { LIST: new Array(count - 8).fill(1) } };
    return paddedTo(2 * MIB, JSON.stringify({ job_type_id: jobTypeId, input }));
  };
  const deep = (levels: number) => {
    const text = `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    return paddedTo(2 * MIB, text);
  };
  for (const prefix of PREFIXES) {
    const made = await post(`${prefix}/v6/jobs/`, job(500_000));
    t.equal(made.status, 201, made.text.slice(0, 200));
    t.equal(made.json.input.json.LIST.length, 499_992);
    t.equal(refusal(await post(`${prefix}/v6/jobs/`, job(500_001))), 'UNUSABLE_VALUE ');
    const target = `${prefix}/v6/recipe-types/validation/`;
    const level = await post(target, deep(64));
    t.notMatch(level.text, /UNUSABLE_VALUE/);
    t.match(await post(target, deep(65)), {
      status: 200,
      json: { is_valid: false, errors: [{ name: 'UNUSABLE_VALUE', path: /^a\[0\]/ }] },
    });
    t.equal((await post(target, paddedTo(10 * MIB, '{}'))).status, 200);
    t.equal((await post(target, paddedTo(10 * MIB + 1, '{}'))).status, 413);
    t.match(await post(`${prefix}/v6/jobs/`, paddedTo(2 * MIB, '{{}')), {
      status: 400,
      json: { code: 'INVALID_JSON' },
    });
  }
}

async function mappingsOfBatch(t: Test, { send, post }: Made): Promise<void> {
  const batch = (count: number) => {
    const inputMap = numbers(count).map((at) => ({ input: `i${at}`, datasetParameter: 'IN' }));
    const configuration = count === 0 ? {} : { inputMap };
    const body = { recipe_type_id: 1, definition: { dataset: 1 }, configuration };
    return paddedTo(2 * MIB, JSON.stringify(body));
  };
  for (const prefix of PREFIXES) {
    const made = await post(`${prefix}/v6/batches/`, batch(0));
    t.equal(made.status, 201, made.text.slice(0, 200));
    const most = await post(`${prefix}/v6/batches/validation/`, batch(1_000));
    t.notMatch(most.text, /has more|at most|items/, most.text.slice(0, 200));
    t.match(refusal(await post(`${prefix}/v6/batches/`, batch(1_001))), /^\w+ configuration.inputMap/);
    const target = `${prefix}/v6/batches/${made.json.id}/`;
    const edited = await send('PATCH', target, paddedTo(2 * MIB, '{"title":"New"}'));
    t.equal(edited.status, 204, edited.text.slice(0, 200));
    t.equal((await send('GET', target)).json.title, 'New');
  }
}

/** Ten sub-recipes with the same nodes in each. */
const known = (count: number) => {
  const inner = { all: false, nodes: numbers(999).map((at) => `node-${at}`) };
  const nodes = numbers(count - 10_000).map((at) => `sub-${at}`);
  const subRecipes = Object.fromEntries(numbers(10).map((at) => [`sub-${at}`, inner]));
  return { all: false, nodes, sub_recipes: subRecipes };
};

async function forcedNodesOfBatch(t: Test, { post }: Made): Promise<void> {
  const { json: type } = await post('/v6/recipe-types/', {
    title: 'Forced',
    definition: { input: {}, nodes: {} },
  });
  for (const prefix of PREFIXES) {
    for (const where of ['', 'previous_batch.']) {
      const checked = async (count: number) => {
        const forced = { forced_nodes: known(count) };
        const definition = where === '' ? forced : { previous_batch: { root_batch_id: 1, ...forced } };
        const body = JSON.stringify({ recipe_type_id: type.id, definition });
        const answer = await post(`${prefix}/v6/batches/validation/`, paddedTo(2 * MIB, body));
        return answer.json.errors.map((one: { name: string }) => one.name);
      };
      t.match(await checked(10_000), ['UNKNOWN_NODE'], 'looked for in the recipe type');
      t.strictSame(await checked(10_001), ['INVALID_BATCH_DEFINITION'], `${prefix} ${where}`);
    }
  }
}

/** Forms in which so many nodes are named. Only the nodes of `known` are in the recipe type. */
const FORCED_FORMS: Readonly<Record<string, (count: number) => object>> = {
  known,
  beside: (count) => {
    const empty = { all: false, nodes: [], sub_recipes: {} };
    const name = (at: number) => `${at}`.padStart(100, 'x');
    const subRecipes = Object.fromEntries(numbers(count).map((at) => [name(at), empty]));
    return { all: false, nodes: [], sub_recipes: subRecipes };
  },
  nested: (count) => {
    const nodes = numbers(499).map((at) => `node-${at}`);
    const around = (inner: object) => ({ all: false, nodes, sub_recipes: { sub: inner } });
    // Each of the 20 levels names 500 nodes.
    const most = numbers(20).reduce<object>(around, { all: true });
    return { ...most, nodes: numbers(count - 9_501).map((at) => `node-${at}`) };
  },
};

/** A recipe with 10,000 nodes in all: ten sub-recipes of 999 conditions. */
async function recipeOfForced({ post }: Made): Promise<number> {
  const input = { files: [], json: [{ name: 'A', type: 'string' }] };
  const from = { A: { type: 'recipe', input: 'A' } };
  const filter = { filters: [{ name: 'A', type: 'string', condition: '==', values: ['x'] }] };
  const condition = { node_type: 'condition', interface: input, data_filter: filter };
  const sub = { node_type: 'recipe', recipe_type_name: 'forced-inside', recipe_type_revision: 1 };
  const nodes = (count: number, name: string, node_type: object) =>
    Object.fromEntries(
      numbers(count).map((at) => [`${name}-${at}`, { dependencies: [], input: from, node_type }]),
    );
  const typed = async (title: string, all: object) =>
    (await post('/v6/recipe-types/', { title, definition: { input, nodes: all } })).json.id;
  await typed('Forced inside', nodes(999, 'node', condition));
  const recipe_type_id = await typed('Forced outside', nodes(10, 'sub', sub));
  const made = await post('/v6/recipes/', { recipe_type_id, input: { files: {}, json: { A: 'y' } } });
  return made.json.id;
}

async function forcedNodesOfRecipe(t: Test, made: Made): Promise<void> {
  const { send, post } = made;
  let recipeId = await recipeOfForced(made);
  const reprocess = (prefix: string, body: object) =>
    post(`${prefix}/v6/recipes/${recipeId}/reprocess/`, JSON.stringify(body));
  const accepted = async (prefix: string, answer: Answer) => {
    t.equal(answer.status, 202, `${prefix}: ${answer.text.slice(0, 200)}`);
    const old = (await send('GET', `/v6/recipes/${recipeId}/`)).json;
    recipeId = old.superseded_by_recipe.id;
    const { json } = await send('GET', `/v6/recipes/${recipeId}/`);
    t.match(json, { sub_recipes_total: 10, superseded_recipe: { id: old.id } });
  };
  for (const prefix of PREFIXES) {
    for (const [form, forcing] of Object.entries(FORCED_FORMS)) {
      for (const bodyOf of [(forced_nodes: object) => ({ forced_nodes }), (forced: object) => forced]) {
        const more = refusal(await reprocess(prefix, bodyOf(forcing(10_001))));
        t.match(more, /^INVALID_FORCED_NODES /, `${prefix} ${form}`);
        if (form === 'known') continue;
        const most = refusal(await reprocess(prefix, bodyOf(forcing(10_000))));
        t.match(most, /^UNKNOWN_NODE /, `${prefix} ${form}: looked for in the recipe type`);
      }
    }
    await accepted(prefix, await reprocess(prefix, { forced_nodes: known(10_000) }));
  }
  // For clients of the public system the name of a recipe type stands for all its nodes: here for ten.
  const byType = ({ nodes, sub_recipes: all }: ReturnType<typeof known>) => {
    return { all: false, nodes, sub_recipes: { 'forced-inside': all['sub-1'] } };
  };
  t.match(refusal(await reprocess('/api', byType(known(10_001)))), /^INVALID_FORCED_NODES $/);
  await accepted('/api', await reprocess('/api', byType(known(10_000))));
}

t.test('large bodies: each documented maximum is accepted, and one more is refused', async (t) => {
  const made = await begin(t);
  await t.test('members of a dataset', (t) => membersOfDataset(t, made));
  await t.test('files and values of one member', (t) => filesAndValuesOfMember(t, made));
  await t.test('files and values of one input', (t) => filesAndValuesOfInput(t, made));
  await t.test('nodes of a recipe type', (t) => nodesOfRecipeType(t, made));
  await t.test('values, levels and bytes', (t) => valuesAndBytes(t, made));
  await t.test('mappings of a batch', (t) => mappingsOfBatch(t, made));
  await t.test('forced nodes of a batch', (t) => forcedNodesOfBatch(t, made));
  await t.test('forced nodes of a recipe', (t) => forcedNodesOfRecipe(t, made));
});
