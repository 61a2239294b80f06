/** Jobs, batches and purges: all at their end, with just what belongs to them. */
import type { Ledger } from '../ledger.ts';
import { mayFail } from './baits.ts';
import { isPassedOver, withoutDay } from './files.ts';
import type { JobSeen, Observed, RecipeSeen } from './observed.ts';

/** The jobs of strikes never end. */
const ENDLESS = 'millrace-strike';
const SCAN = 'millrace-scan';

/** Nothing waits, nothing failed, and nothing was done twice. */
export function checkJobs(seen: Observed): readonly string[] {
  const problems: string[] = [];
  for (const job of seen.jobs) {
    const say = (text: string) => problems.push(`job ${job.id} (${job.job_type.name}): ${text}`);
    const running = job.executions.filter((one) => one.status === 'RUNNING').length;
    if (job.job_type.name === ENDLESS) {
      if (job.status !== 'RUNNING' || running !== 1)
        say(`is ${job.status}, ${running} of its executions run`);
      continue;
    }
    // One that nobody asked for has not begun.
    if (job.job_type.name === SCAN && job.status === 'PENDING' && job.num_exes === 0) continue;
    const mayBeCanceled = job.is_superseded;
    const isAllowed = (mayBeCanceled && job.status === 'CANCELED') || mayFail(job);
    if (job.status !== 'COMPLETED' && !isAllowed) {
      const errors = job.executions.map(({ exe_num: number, error }) => `${number}: ${error?.name ?? ''}`);
      say(`is ${job.status} ${job.is_superseded ? '(superseded)' : ''} (${errors.join(', ')})`);
    }
    if (running > 0) say(`${running} of its executions run`);
    problems.push(...checkExecutions(job), ...checkInstants(job));
  }
  for (const ingest of seen.ingests)
    if (ingest.status !== 'INGESTED' && !isPassedOver(ingest))
      problems.push(`ingest ${ingest.id} of ${ingest.file_name}: ${ingest.status}`);
  return problems;
}

/** Whatever clocks say, nothing begins before it is queued or ends before it has begun. */
function checkInstants(job: JobSeen): readonly string[] {
  const all = [job, ...job.executions.map((one) => ({ ...one, id: job.id }))];
  return all.flatMap(({ queued, started, ended }) => {
    const told = [queued, started, ended].filter((at) => at !== null);
    const isInOrder = told.every(
      (at, index) => index === 0 || Date.parse(told[index - 1] ?? '') <= Date.parse(at),
    );
    return isInOrder
      ? []
      : [`job ${job.id} (${job.job_type.name}): instants are out of order, ${told.join(', ')}`];
  });
}

function checkExecutions({ id, job_type, status, num_exes, executions }: JobSeen): readonly string[] {
  const completed = executions.filter((one) => one.status === 'COMPLETED');
  const numbers = executions.map((one) => one.exe_num).sort((a, b) => a - b);
  const isInOrder = numbers.every((number, index) => number === index + 1) && numbers.length === num_exes;
  // A scan that was asked again runs again.
  const timesMax = job_type.name === SCAN ? num_exes : 1;
  const isEnded = status !== 'COMPLETED' || completed.some((one) => one.exe_num === num_exes);
  if (isInOrder && isEnded && completed.length <= timesMax) return [];
  const told = executions.map((one) => `${one.exe_num} ${one.status} ${one.error?.name ?? ''}`).join(', ');
  return [`job ${id} (${job_type.name}): ${num_exes} executions on record, seen [${told}]`];
}

/** What a recipe took: a JSON value, or the name of its file. */
export function keyOf(recipe: RecipeSeen, nameOf: ReadonlyMap<number, string>): string {
  const { json, files } = recipe.input;
  const [name, value] = Object.entries(json)[0] ?? [];
  return name === undefined ? `FILE=${nameOf.get(files.FILE?.[0] ?? 0)}` : `${name}=${value}`;
}

/** Each batch has just its members, each of them once, and all of them complete unless another took its place. */
export function checkBatches(ledger: Ledger, seen: Observed): readonly string[] {
  const problems: string[] = [];
  const nameOf = new Map(seen.files.map((file) => [file.id, file.file_name]));
  const byId = new Map(seen.batches.map((batch) => [batch.id, batch]));
  for (const expected of ledger.batches) {
    const say = (text: string) => problems.push(`batch ${expected.id} (${expected.title}): ${text}`);
    const batch = byId.get(expected.id);
    if (batch === undefined) {
      say('is not listed');
      continue;
    }
    if (!batch.is_creation_done) say('its recipes are not all there');
    const members = seen.recipes.filter((recipe) => recipe.batch?.id === batch.id && recipe.recipe === null);
    const took = members.map((recipe) => keyOf(recipe, nameOf)).sort();
    const wanted = [...expected.members].sort();
    if (`${took}` !== `${wanted}`) say(`its members are [${took}], not [${wanted}]`);
    for (const { id, is_completed, is_superseded } of members)
      if (!is_completed && !is_superseded) say(`its recipe ${id} is not complete`);
  }
  const known = new Set(ledger.batches.map((batch) => batch.id));
  for (const { id, title } of seen.batches)
    if (!known.has(id)) problems.push(`batch ${id} (${title}): nobody asked for it`);
  for (const recipe of seen.recipes)
    if (!recipe.is_completed && !recipe.is_superseded)
      problems.push(`recipe ${recipe.id} (${recipe.recipe_type.name}): not complete`);
  return problems;
}

/** What was to go is gone; that nothing else is follows from what else is looked at. */
export function checkPurges(ledger: Ledger, seen: Observed): readonly string[] {
  const problems: string[] = [];
  const asked = new Map(ledger.purged.map((source) => [source.purge?.fileId, source]));
  for (const purge of seen.purges) {
    const say = (text: string) => problems.push(`purge ${purge.id} of file ${purge.file_id}: ${text}`);
    if (purge.status !== 'COMPLETED') say(purge.status);
    if (purge.problems.length > 0) say(JSON.stringify(purge.problems));
    if (!asked.has(purge.file_id)) say('nobody asked for it');
  }
  for (const { name, products, purge, place, path } of ledger.purged) {
    const say = (text: string) => problems.push(`purged ${name}: ${text}`);
    const receipts = seen.purges.filter((one) => one.file_id === purge?.fileId).length;
    if (receipts !== 1) say(`${receipts} receipts`);
    const gone = new Set([name, ...products.map((product) => product.name)]);
    for (const file of seen.files) if (gone.has(file.file_name)) say(`file ${file.id} is left of it`);
    for (const recipe of seen.recipes)
      if (
        Object.values(recipe.input.files)
          .flat()
          .includes(purge?.fileId ?? 0)
      )
        say(`recipe ${recipe.id} is left`);
    const left = [...seen.stored['demo-archive'].keys()].filter((one) =>
      gone.has(one.split('/').at(-1) ?? ''),
    );
    for (const one of left)
      if (purge?.withBytes || withoutDay(one) !== path) say(`${place}:${one} still lies there`);
  }
  return problems;
}
