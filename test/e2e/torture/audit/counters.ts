/** Whatever is counted while it happens is what a recount gives. */
import type { Caller } from '../caller.ts';
import type { JobSeen, Observed } from './observed.ts';

const STATES = ['pending', 'blocked', 'queued', 'running', 'failed', 'completed', 'canceled'] as const;

function countOf(jobs: readonly JobSeen[], status: string): number {
  return jobs.filter((job) => job.status === status.toUpperCase()).length;
}

const ENDED = ['COMPLETED', 'FAILED', 'CANCELED'];

/** How many of something purges have removed, by their receipts. */
function purgedOf({ purges }: Observed, what: string): number {
  return purges.reduce((sum, { removed }) => sum + (removed[what] ?? 0), 0);
}

function compare(what: string, told: unknown, counted: unknown): readonly string[] {
  const [one, other] = [JSON.stringify(told), JSON.stringify(counted)];
  return one === other ? [] : [`${what}: ${one}, recounted ${other}`];
}

/** Jobs that a purge has removed are counted if they had ended before, which their receipt does not tell. */
function withPurged(what: string, told: number, counted: number, seen: Observed): readonly string[] {
  const most = counted + purgedOf(seen, 'jobs');
  return told >= counted && told <= most ? [] : [`${what}: ${told}, recounted ${counted} to ${most}`];
}

/** Checks the counters of recipes and batches. */
export function checkOwnCounters(seen: Observed): readonly string[] {
  const problems: string[] = [];
  const jobs = new Map(seen.jobs.map((job) => [job.id, job]));
  const countsOf = (one: Readonly<Record<string, unknown>>) =>
    ['total', ...STATES].map((state) => one[`jobs_${state}`]);
  const membersOf = new Map<number, readonly JobSeen[]>();
  for (const recipe of seen.recipes) {
    const ids = Object.values(recipe.details.nodes).flatMap(({ node_type: { job_id: id } }) => id ?? []);
    const members = ids.flatMap((id) => jobs.get(id) ?? []);
    membersOf.set(recipe.id, members);
    const counted = [members.length, ...STATES.map((state) => countOf(members, state))];
    problems.push(...compare(`counters of recipe ${recipe.id}`, countsOf(recipe), counted));
  }
  for (const batch of seen.batches) {
    const recipes = seen.recipes.filter((recipe) => recipe.batch?.id === batch.id);
    const members = recipes.flatMap((recipe) => membersOf.get(recipe.id) ?? []);
    const counted = [members.length, ...STATES.map((state) => countOf(members, state))];
    problems.push(...compare(`counters of batch ${batch.id}`, countsOf(batch), counted));
    const completed = recipes.filter((recipe) => recipe.is_completed).length;
    const told = [batch.recipes_total, batch.recipes_completed];
    problems.push(...compare(`recipes of batch ${batch.id}`, told, [recipes.length, completed]));
  }
  return problems;
}

interface QueuedSeen {
  readonly job_type: { readonly name: string };
  readonly count: number;
}
interface StatusSeen {
  readonly job_type: { readonly id: number; readonly name: string };
  readonly job_counts: readonly { readonly status: string; readonly count: number }[];
}

/** Checks the counts of the queue, of job types and of lists. */
export async function checkLists(caller: Caller, seen: Observed): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { job_type: type, count } of await caller.list<QueuedSeen>('/v6/queue/status/'))
    problems.push(`queued jobs of type ${type.name}: ${count}`);
  const statuses = await caller.list<StatusSeen>('/v6/job-types/status/?started=P2D');
  const isPast = (status: string) => ENDED.includes(status);
  let pastTold = 0;
  for (const { job_type: type, job_counts: counts } of statuses) {
    const jobs = seen.jobs.filter((job) => job.job_type.id === type.id);
    for (const state of STATES) {
      const told = counts.filter((one) => one.status === state.toUpperCase());
      const sum = told.reduce((all, { count }) => all + count, 0);
      const counted = countOf(jobs, state);
      if (isPast(state.toUpperCase())) pastTold += sum;
      // What was purged has been counted, and stays so.
      if (!isPast(state.toUpperCase()) || sum < counted)
        problems.push(...compare(`${state} jobs of type ${type.name}`, sum, counted));
    }
  }
  const past = seen.jobs.filter(({ status }) => isPast(status));
  problems.push(...withPurged('ended jobs by type', pastTold, past.length, seen));
  const countTold = async (path: string, records: readonly unknown[]) => {
    const { count: told } = await caller.get<{ count: number }>(`${path}page_size=1`);
    problems.push(...compare(`the count of ${path}`, told, records.length));
  };
  for (const state of STATES)
    await countTold(
      `/v6/jobs/?status=${state.toUpperCase()}&`,
      seen.jobs.filter((job) => job.status === state.toUpperCase()),
    );
  for (const type of ['SOURCE', 'PRODUCT'])
    await countTold(
      `/v6/files/?file_type=${type}&`,
      seen.files.filter((file) => file.file_type === type),
    );
  const ingested = seen.ingests.filter((ingest) => ingest.status === 'INGESTED');
  await countTold('/v6/ingests/?status=INGESTED&', ingested);
  for (const is of [true, false]) {
    const completed = seen.recipes.filter((recipe) => recipe.is_completed === is);
    await countTold(`/v6/recipes/?is_completed=${is}&`, completed);
    const superseded = seen.recipes.filter((recipe) => recipe.is_superseded === is);
    await countTold(`/v6/recipes/?is_superseded=${is}&`, superseded);
  }
  return problems;
}

interface Series {
  readonly column: { readonly name: string };
  readonly values: readonly { readonly value: number }[];
}

/** Metrics are history: what was purged has been counted, and stays so. */
export async function checkMetrics(caller: Caller, seen: Observed): Promise<readonly string[]> {
  const sums = async (path: string): Promise<Record<string, number>> => {
    const series = await caller.get<{ results: readonly Series[] }>(`/v6/metrics/${path}`);
    return Object.fromEntries(
      series.results.map(({ column, values }) => [
        column.name,
        values.reduce((sum, { value }) => sum + value, 0),
      ]),
    );
  };
  const purged = (what: string) => purgedOf(seen, what);
  const jobs = seen.jobs.filter((job) => ENDED.includes(job.status));
  const told = await sums('job-types/plot-data/?group=overview');
  const problems = [
    ...withPurged('metrics of all ended jobs', told.total_count ?? 0, jobs.length, seen),
    ...compare('metrics of failed jobs', told.failed_count, countOf(seen.jobs, 'failed')),
  ];
  const completed = countOf(seen.jobs, 'completed');
  problems.push(...withPurged('metrics of completed jobs', told.completed_count ?? 0, completed, seen));
  const ingests = seen.ingests.filter((ingest) => ingest.status === 'INGESTED');
  const { ingested_count: ofStrikes = 0 } = await sums('ingests/plot-data/?group=overview');
  const { ingested_count: ofScans = 0 } = await sums('scan-ingests/plot-data/?group=overview');
  problems.push(...compare('metrics of ingests', ofStrikes + ofScans, ingests.length + purged('ingests')));
  const strikes = await caller.list<{ files: number }>('/v6/ingests/status/?use_ingest_time=true');
  const byStrikes = ingests.filter((ingest) => ingest.strike !== null).length + purged('ingests');
  const files = strikes.reduce((sum, strike) => sum + strike.files, 0);
  return [...problems, ...compare('ingests of strikes by hour', files, byStrikes)];
}
