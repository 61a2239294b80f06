/** The simulated database saves and reads requests for many jobs like the real one. */
import t from 'tap';
import { jobRequestRows } from '../../../src/api/job-requests/pages.ts';
import { type JobRequest, PASSED_ALL, scopeOf } from '../../../src/domain/job/job-request.ts';
import { dueJobRequests, loadJobRequests } from '../../../src/store/job-request/save.ts';
import { POSITIONS_MAX, RequestDraws } from '../../conformance/request-draws.ts';
import * as requests from './request-rows.ts';
import { applyBoth, beginTwins, type Twins } from './twins.ts';

const SEEDS = [1, 2, 4, 5, 6, 7];
const GROUPS = 100;
const LOOKS = 60;
const SHARDS = Array.from({ length: 64 }, (_, shard) => shard);

/** Positions have gaps where a transaction was rolled back, so only their order is compared. */
function withoutPositions(rows: ReadonlyMap<number, JobRequest>): unknown {
  const inOrder = [...rows.values()].sort((a, b) => a.position - b.position);
  return inOrder.map(({ position: _, ...row }) => row);
}

/** What both read of the drawn requests, and for other requests about the same jobs. */
async function looked({ real, memory, ground }: Twins, draws: RequestDraws) {
  const { sql } = real.db;
  const { tables } = memory;
  const rows = jobRequestRows(sql);
  const facts = {
    nameOf: (id: number) => (id === ground.jobType ? 'type-a' : 'other'),
    isOfSystem: (job: { readonly id: number }) => !draws.jobs.includes(job.id),
  };
  const ours = requests.memoryRequestRows(tables, facts, async (statement) => statement());
  const [wanted, found] = [
    await loadJobRequests(sql, draws.requests),
    requests.loadJobRequests(tables, draws.requests),
  ];
  const both: (readonly [string, unknown, unknown])[] = [
    ['requests', withoutPositions(wanted), withoutPositions(found)],
    ['due requests', await dueJobRequests(sql, SHARDS), requests.dueJobRequests(tables, SHARDS)],
    ['scoped jobs', sorted(await rows.scopedJobs(draws.jobs)), sorted(await ours.scopedJobs(draws.jobs))],
  ];
  const { random } = draws;
  for (let at = 0; at < LOOKS; at++) {
    const choice = draws.choice();
    const id = random.pick(draws.requests) ?? 0;
    const [theirs, own] = [wanted.get(id), found.get(id)];
    if (theirs === undefined || own === undefined) continue;
    const what = JSON.stringify(choice);
    const earlier = await rows.earlierRequests(theirs.position, scopeOf(choice));
    const alsoEarlier = await ours.earlierRequests(own.position, scopeOf(choice));
    both.push([`earlier: ${what}`, sorted(earlier), sorted(alsoEarlier)]);
    const span = {
      fromId: random.chance(0.3) ? (random.pick(draws.jobs) ?? 0) : PASSED_ALL,
      beforeId: random.chance(0.3) ? (random.pick(draws.jobs) ?? null) : null,
    };
    const limit = random.pick([1, 3, 1_000]) ?? 1;
    const looking = { ...theirs, choice, position: random.int(1, POSITIONS_MAX) };
    both.push([
      `chosen: ${what}`,
      await rows.chosenJobs(looking, span, limit),
      await ours.chosenJobs(looking, span, limit),
    ]);
    both.push([
      `held: ${what}`,
      await rows.heldJobs(looking, earlier, span, limit),
      await ours.heldJobs(looking, earlier, span, limit),
    ]);
    both.push([
      `backlog of ${id}`,
      (await rows.backlogPage(theirs, span.beforeId, limit)).map(plain),
      (await ours.backlogPage(own, span.beforeId, limit)).map(plain),
    ]);
  }
  return both;
}

/** Without `isPassed`: it compares a drawn stamp with a position, which depends on the test alone. */
function plain<T extends { readonly isPassed: boolean }>({ isPassed: _, ...rest }: T) {
  return rest;
}

function sorted<T extends { readonly id: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => a.id - b.id);
}

const seen = new Set<string>();

for (const seed of SEEDS) {
  t.test(`memory store: it treats the requests of seed ${seed} like the real one`, async (t) => {
    const twins = await beginTwins(t);
    const draws = new RequestDraws(seed, twins.ground);
    for (let at = 0; at < GROUPS; at++) await applyBoth(twins, draws.group(), (...said) => t.same(...said));
    const both = await looked(twins, draws);
    for (const [what, wanted, found] of both) t.same(found, wanted, what);
    const stamps = await twins.real.rows(
      `select id, request_position as "requestPosition" from job where request_position is not null order by id`,
    );
    t.same(
      [...twins.memory.tables.jobs.rows.values()]
        .flatMap(({ id, requestPosition }) => (requestPosition === null ? [] : [{ id, requestPosition }]))
        .sort((a, b) => a.id - b.id),
      stamps,
    );
    t.ok(stamps.length > 0, `${stamps.length} jobs are stamped`);
    for (const [what, rows] of both) {
      if ((rows as readonly unknown[]).length > 0) seen.add(what.split(/\W/)[0] ?? '');
    }
  });
}

t.test('memory store: each kind of read found rows', async (t) => {
  for (const name of ['requests', 'earlier', 'chosen', 'held', 'backlog']) t.ok(seen.has(name), name);
});
