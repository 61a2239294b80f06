/** Sources are recorded once, with their content; products once, with theirs and what they come from; nothing else. */
import type { ExpectedProduct, ExpectedSource, Ledger } from '../ledger.ts';
import type { FileSeen, IngestSeen, Observed } from './observed.ts';

/** Products that are stored in the watched bucket are seen there, and no rule takes them. */
export function isPassedOver({ status, file_name: name, strike }: IngestSeen): boolean {
  return status === 'DEFERRED' && strike?.name === 'uploads' && name.endsWith('.rev');
}

export function groupBy<T>(items: Iterable<T>, key: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of items) {
    const group = groups.get(key(one));
    if (group === undefined) groups.set(key(one), [one]);
    else group.push(one);
  }
  return groups;
}

export function checkSources(ledger: Ledger, seen: Observed): readonly string[] {
  const problems: string[] = [];
  const files = groupBy(
    seen.files.filter((file) => file.file_type === 'SOURCE'),
    (file) => file.file_name,
  );
  const ingests = groupBy(seen.ingests, (ingest) => ingest.file_name);
  const ofType = groupBy(
    seen.recipes.filter((recipe) => recipe.recipe === null && !recipe.is_superseded),
    (recipe) => `${recipe.recipe_type.name} of ${recipe.input.files.FILE?.[0]}`,
  );
  for (const source of ledger.kept) {
    const say = (text: string) => problems.push(`${source.by}, ${source.name}: ${text}`);
    const found = files.get(source.name) ?? [];
    if (found.length !== 1) say(`recorded ${found.length} times`);
    const taken = (ingests.get(source.name) ?? []).map((ingest) => ingest.status);
    if (`${taken}` !== 'INGESTED') say(`ingests are [${taken}]`);
    const [file] = found;
    if (file === undefined) continue;
    problems.push(...checkContent(source, file, seen));
    if (withoutDay(file.file_path) !== source.path) say(`recorded at ${file.file_path}`);
    if (source.recipeType === undefined) continue;
    const started = ofType.get(`${source.recipeType} of ${file.id}`) ?? [];
    if (started.length !== 1) say(`has ${started.length} current recipes`);
    if (started.some((recipe) => !recipe.is_completed)) say('its recipe is not complete');
  }
  const known = new Set(ledger.kept.map((source) => source.name));
  for (const [name, found] of files)
    if (!known.has(name)) problems.push(`${name}: recorded ${found.length} times, and not to be there`);
  for (const [name, found] of ingests)
    if (!known.has(name) && !found.every(isPassedOver))
      problems.push(`${name}: has an ingest, and is not to be there`);
  const passed = groupBy(seen.ingests.filter(isPassedOver), (ingest) => ingest.file_path);
  for (const [path, found] of passed)
    if (found.length > 1)
      problems.push(`${path}: seen ${found.length} times in the bucket that it was made in`);
  return problems;
}

/** What a job makes of a bait. */
export function productOf(bait: string): string {
  return `${bait}.taken`;
}

export function withoutDay(path: string): string {
  return path.replace(/\/\d{4}\/\d\d\/\d\d\//, '/');
}

/** The record says what lies there, and that is what it should be. */
export function checkContent(
  expected: ExpectedSource | ExpectedProduct,
  file: FileSeen,
  { stored }: Observed,
): readonly string[] {
  const problems: string[] = [];
  const say = (text: string) => problems.push(`${expected.name} (file ${file.id}): ${text}`);
  const { place, sha256 } = expected;
  if (file.workspace.name !== place) say(`lies in ${file.workspace.name}, not in ${place}`);
  if (file.is_deleted) say('counts as deleted');
  const content = stored[place].get(file.file_path);
  if (content === undefined)
    return [...problems, `${expected.name}: nothing lies at ${place}:${file.file_path}`];
  const isZipped = 'isZipped' in expected && expected.isZipped === true;
  if ((isZipped ? content.unzipped : content.sha256) !== sha256) say('holds another content than it should');
  if (file.sha256 !== content.sha256) say('has another hash than its content');
  if (file.file_size !== content.bytes)
    say(`has ${file.file_size} bytes on record, ${content.bytes} in its place`);
  return problems;
}

export function checkProducts(ledger: Ledger, seen: Observed): readonly string[] {
  const problems: string[] = [];
  const current = seen.files.filter((file) => file.file_type === 'PRODUCT' && !file.is_superseded);
  const products = groupBy(current, (file) => file.file_name);
  const byId = new Map(seen.files.map((file) => [file.id, file]));
  const expected = new Map<
    string,
    { readonly product: ExpectedProduct; readonly root: string | undefined }
  >();
  for (const source of ledger.kept)
    for (const product of source.products) expected.set(product.name, { product, root: source.name });
  // Where a batch came to be twice, the products of one took the place of the other's.
  for (const product of ledger.batches.flatMap((batch) => batch.products))
    expected.set(product.name, { product, root: undefined });
  for (const { product, root } of expected.values()) {
    const found = products.get(product.name) ?? [];
    if (found.length !== 1) problems.push(`product ${product.name}: ${found.length} current ones`);
    for (const file of found) {
      problems.push(...checkContent(product, file, seen), ...checkAncestry(product, root, file));
      if (!file.is_published) problems.push(`product ${product.name}: file ${file.id} is not published`);
    }
  }
  // As many as jobs have made: those are looked at by themselves.
  const taken = new Set(ledger.baits.map(({ name }) => productOf(name)));
  for (const [name, found] of products)
    if (!expected.has(name) && !taken.has(name))
      problems.push(`product ${name}: ${found.length} times, and nobody asked for it`);
  for (const file of seen.files)
    for (const { id } of [...file.ancestors.parents, ...file.ancestors.sources])
      if (!byId.has(id)) problems.push(`file ${file.id} descends from ${id}, which is not listed`);
  return problems;
}

export function checkAncestry(
  product: ExpectedProduct,
  root: string | undefined,
  file: FileSeen,
): readonly string[] {
  const names = (files: readonly { readonly file_name: string }[]) =>
    files.map((one) => one.file_name).join();
  const parents = names(file.ancestors.parents);
  const sources = names(file.ancestors.sources);
  const isRight = parents === (product.parent ?? '') && sources === (root ?? '');
  return isRight
    ? []
    : [`product ${product.name} (file ${file.id}): descends from [${parents}], of the sources [${sources}]`];
}

/** Each workspace holds what is on record there, and nothing else. */
export function checkPlaces(ledger: Ledger, seen: Observed): readonly string[] {
  const problems: string[] = [];
  const records = groupBy(
    seen.files.filter((file) => !file.is_deleted),
    (file) => `${file.workspace.name}:${file.file_path}`,
  );
  // The bytes of a purged source stay unless they were to go.
  const stay = new Set(
    ledger.purged
      .filter(({ purge }) => purge?.withBytes === false)
      .map(({ place, path }) => `${place}:${path}`),
  );
  for (const [place, held] of Object.entries(seen.stored)) {
    for (const path of held.keys()) {
      const at = `${place}:${path}`;
      if (!records.has(at) && !stay.delete(withoutDay(at)))
        problems.push(`${at}: lies there, and is on no record`);
    }
  }
  for (const [at, found] of records) {
    if (found.length > 1) problems.push(`${at}: on record ${found.length} times`);
    const [place = '', path = ''] = at.split(/:(.*)/s);
    if (!seen.stored[place as keyof typeof seen.stored]?.has(path))
      problems.push(`${at}: on record, and nothing lies there`);
  }
  return [...problems, ...[...stay].map((at) => `${at}: the bytes of a purged source were to stay`)];
}
