/** What people ask for beside what arrives: batches, recipes done again, sources purged. */
import type { StoredFile } from '../../../../src/cli/demo/demo-check.ts';
import type { Caller } from '../caller.ts';
import type { ExpectedProduct, ExpectedSource, Ledger } from '../ledger.ts';
import { sha256 } from './arrivals.ts';
import type { WorkTypes } from './work-types.ts';

interface Listed {
  readonly id: number;
  readonly title: string;
}
export interface RecipeListed {
  readonly id: number;
  readonly is_completed: boolean;
  readonly is_superseded: boolean;
}

const NONE = { files: [], json: [] };

/**
 * Makes one thing of a title. A call whose answer was lost may have made it or not, and may still make it: each of that
 * title counts, and each has to be right.
 */
async function make(
  caller: Caller,
  path: string,
  body: { readonly title: string },
): Promise<readonly Listed[]> {
  await caller.call(path, (client) => client.post(path, body));
  const all = await caller.list<Listed>(path);
  return all.filter(({ title }) => title === body.title);
}

/** A recipe without a file for each of `count` names. */
export async function numberBatch(
  caller: Caller,
  ledger: Ledger,
  types: WorkTypes,
  index: number,
  count: number,
): Promise<void> {
  const title = `Numbers ${index}`;
  const names = Array.from({ length: count }, (_, at) => `n${index}-${at}`);
  const parameters = { files: [], json: [{ name: 'N', type: 'string' }] };
  const [dataset] = await make(caller, '/v6/datasets/', {
    title,
    ...{ definition: { parameters, global_parameters: NONE } },
    ...{ data: names.map((N) => ({ files: {}, json: { N } })) },
  });
  const definition = { dataset: dataset?.id, supersedes: false };
  const batch = { title, recipe_type_id: types.recipeTypes.numbers, definition };
  const made = await make(caller, '/v6/batches/', batch);
  const members = names.map((name) => `N=${name}`);
  for (const { id } of made)
    ledger.batches.push({ id, title, members, products: names.flatMap((name) => productsOf(name)) });
}

function productsOf(name: string): readonly ExpectedProduct[] {
  const [file, place, text] = [`${name}.txt`, 'demo-archive', `member ${name}\n`] as const;
  const number = { name: file, place, sha256: sha256(text), parent: undefined };
  return [number, { name: `${file}.loud`, place, sha256: sha256(text.toUpperCase()), parent: file }];
}

/** All recipes of these uploads done again, as a batch. Resolves with how many there were. */
export async function batchAgain(
  caller: Caller,
  ledger: Ledger,
  types: WorkTypes,
  index: number,
  count: number,
): Promise<number> {
  const uploads = ledger.kept.filter((source) => source.by === 'bucket strike');
  const files: StoredFile[] = [];
  for (const source of uploads.slice(-2 * count)) {
    if (files.length === count || (await currentRecipe(caller, source)) === undefined) continue;
    files.push(...(await caller.list<StoredFile>(`/v6/files/?file_type=SOURCE&file_name=${source.name}`)));
  }
  if (files.length === 0) return 0;
  const title = `Again ${index}`;
  const parameters = {
    files: [{ name: 'FILE', media_types: [], required: true, multiple: false }],
    json: [],
  };
  const [dataset] = await make(caller, '/v6/datasets/', {
    title,
    ...{ definition: { parameters, global_parameters: NONE } },
    ...{ data: files.map(({ id }) => ({ files: { FILE: [id] }, json: {} })) },
  });
  const definition = { dataset: dataset?.id, supersedes: true, forced_nodes: { all: true } };
  const batch = { title, recipe_type_id: types.recipeTypes.reverse, definition };
  const members = files.map((file) => `FILE=${file.file_name}`);
  for (const { id } of await make(caller, '/v6/batches/', batch))
    ledger.batches.push({ id, title, members, products: [] });
  return files.length;
}

/** The recipe of a source that none has superseded; undefined while there is none that is complete. */
async function currentRecipe(caller: Caller, source: ExpectedSource): Promise<RecipeListed | undefined> {
  const name = encodeURIComponent(source.products[0]?.name ?? '');
  const products = await caller.list<StoredFile & { readonly is_superseded: boolean }>(
    `/v6/files/?file_type=PRODUCT&file_name=${name}`,
  );
  const current = products.find((one) => !one.is_superseded);
  if (current === undefined || current.recipe === null) return undefined;
  const recipe = await caller.get<RecipeListed>(`/v6/recipes/${current.recipe.id}/`);
  return recipe.is_completed && !recipe.is_superseded ? recipe : undefined;
}

/** One recipe done again, a part of it or all. False when it is not complete yet, or was done again already. */
export async function reprocess(
  caller: Caller,
  ledger: Ledger,
  source: ExpectedSource,
  forced: object,
): Promise<boolean> {
  const recipe = await currentRecipe(caller, source);
  if (recipe === undefined) return false;
  try {
    await caller.call('a recipe again', (client) =>
      client.post(`/v6/recipes/${recipe.id}/reprocess/`, { forced_nodes: forced }),
    );
  } catch (error) {
    // An answer was lost, and it is superseded by now.
    if (!(error instanceof Error && / 409 /.test(error.message))) throw error;
  }
  ledger.reprocessed += 1;
  return true;
}

/** False while the source is not there yet. */
export async function purgeSource(
  caller: Caller,
  source: ExpectedSource,
  withBytes: boolean,
): Promise<boolean> {
  const [file] = await caller.list<StoredFile>(`/v6/files/?file_type=SOURCE&file_name=${source.name}`);
  if (file === undefined) return false;
  source.purge = { fileId: file.id, withBytes };
  const body = { file_id: file.id, delete_source_bytes: withBytes };
  try {
    await caller.call('a purge', (client) => client.post('/v6/files/purge-source/', body));
  } catch (error) {
    // An answer was lost, and the purge is done by now.
    if (!(error instanceof Error && /was purged/.test(error.message))) throw error;
  }
  return true;
}
