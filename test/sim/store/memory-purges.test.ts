/** Purges in the simulated database and in the real one take the same steps and remove and count the same rows. */
import t from 'tap';
import { purgeRows } from '../../../src/api/purges/advance.ts';
import type { Change } from '../../../src/domain/changes.ts';
import type { FileDeletion } from '../../../src/domain/node/agent-messages.ts';
import type { WaitingFiles } from '../../../src/store/purge/bytes.ts';
import { beginPurge } from '../../../src/store/purge/save.ts';
import { type PurgeStep, duePurges as realDuePurges } from '../../../src/store/purge/steps.ts';
import { StateDraws } from '../../conformance/state-draws.ts';
import { NOW } from '../../store/store-world.ts';
import * as purges from './purge/rows.ts';
import { rowsOfBoth } from './twin-rows.ts';
import { applyBoth, beginTwins, inOrder, type Twins } from './twins.ts';

const SEEDS = 6;
const GROUPS = 150;
const PURGES = 6;
/** Far more than any of these purges takes. */
const STEPS_MAX = 2_000;
const ASKED_MAX = 60;
const SHARDS = Array.from({ length: 64 }, (_, shard) => shard);
/** Kinds of rows that the simulated database has. */
const COUNTED = new Set([
  ...['recipes', 'jobs', 'job_executions', 'conditions', 'recipe_nodes', 'dataset_members', 'ancestry_links'],
  ...['product_files', 'source_files', 'ingests'],
]);
const LIVE = ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING'] as const;

type Assert = Pick<typeof t, 'same' | 'fail'>;
type Rows = ReturnType<typeof purgeRows>;

/** Mostly a source with products; sometimes another file, or a missing one. */
function fileFor({ memory: { tables } }: Twins, { random, files }: StateDraws): number {
  const sources = tables.files.where(({ fileType }) => fileType === 'SOURCE').map(({ id }) => id);
  const used = new Set(
    tables.jobs.where(({ input }) => input !== null).flatMap(({ input }) => input?.input.files.IN ?? []),
  );
  const from = random.chance(0.8) ? sources.filter((id) => used.has(id)) : files;
  return random.pick(from) ?? 99;
}

/** The next step that the rows alone cannot take. */
async function next(rows: Rows, purgeId: number): Promise<PurgeStep> {
  for (let at = 0; at < STEPS_MAX; at++) {
    const step = await rows.step(purgeId, NOW);
    if (step.type !== 'again') return step;
  }
  throw new Error(`purge ${purgeId} does not end`);
}

function comparable(step: PurgeStep): unknown {
  if (step.type === 'cancel')
    return inOrder(step.owners.map((one) => ({ ...one, jobIds: inOrder(one.jobIds) })));
  return step.type === 'release' ? inOrder(step.owners) : step.type;
}

const bytesOf = (waiting: WaitingFiles | undefined): unknown =>
  waiting && { ...waiting, files: waiting.files.map(({ wasAsked: _, ...file }) => file) };

/** Random answers of agents about files to be removed. */
function outcomes(draws: StateDraws, { files }: WaitingFiles): FileDeletion[] {
  return files
    .filter((one) => !one.isShared)
    .map(({ path }): FileDeletion => {
      const outcome = draws.random.pick(['removed', 'absent', 'other', 'failed'] as const) ?? 'absent';
      return {
        path,
        outcome,
        reason: outcome === 'failed' ? 'no' : '',
        maySucceedLater: draws.random.chance(0.2),
      };
    });
}

/** The changes with which owners cancel jobs of a purge. */
function canceled(step: Extract<PurgeStep, { type: 'cancel' }>): Change[] {
  const jobIds = step.owners.flatMap((one) => one.jobIds);
  const moves = jobIds.map((jobId) => {
    return { kind: 'status', jobId, from: LIVE, exeNum: null, to: 'CANCELED', atMs: NOW } as const;
  });
  return [{ type: 'moveJobs', moves }];
}

function ended({ memory: { tables } }: Twins, purgeId: number): Change[] {
  const running = tables.purgeJobs
    .withKey(purgeId)
    .flatMap(({ key }) => tables.executions.withKey(key))
    .filter(({ status }) => status === 'RUNNING');
  const rest = { status: 'CANCELED', error: null, output: null, phases: [], atMs: NOW } as const;
  return [{ type: 'endExecutions', ends: running.map(({ id }) => ({ executionId: id, ...rest })) }];
}

/** Drives both purges until they are done, and compares each step. */
async function drive(t: Assert, twins: Twins, draws: StateDraws, purgeId: number): Promise<void> {
  const real = purgeRows(twins.real.db.sql);
  const sim = purges.simPurgeRows(twins.memory, async (statement) => statement());
  for (let at = 0; at < ASKED_MAX; at++) {
    const [wanted, found] = [await next(real, purgeId), await next(sim, purgeId)];
    t.same(comparable(found), comparable(wanted), `step ${at}: ${wanted.type}`);
    if (wanted.type === 'done' || found.type !== wanted.type) return;
    if (wanted.type === 'cancel') await applyBoth(twins, [canceled(wanted)], (...said) => t.same(...said));
    else if (wanted.type === 'wait')
      await applyBoth(twins, [ended(twins, purgeId)], (...said) => t.same(...said));
    else if (wanted.type === 'release')
      for (const rows of [real, sim]) await rows.released(purgeId, wanted.owners);
    else await settle(t, draws, purgeId, [real, sim]);
  }
  t.fail(`purge ${purgeId} does not end`);
}

async function settle(
  t: Assert,
  draws: StateDraws,
  purgeId: number,
  [real, sim]: readonly [Rows, Rows],
): Promise<void> {
  const [wanted, found] = [await real.waitingFiles(purgeId, []), await sim.waitingFiles(purgeId, [])];
  t.same(bytesOf(found), bytesOf(wanted), 'files that wait');
  if (wanted === undefined) for (const rows of [real, sim]) await rows.bytesDone(purgeId, NOW);
  else {
    const said = outcomes(draws, wanted);
    const left = await real.settleBytes(purgeId, wanted, said, NOW);
    t.same(
      (await sim.settleBytes(purgeId, wanted, said, NOW)) === null,
      left === null,
      'whether some still wait',
    );
  }
}

async function receipts({ real, memory }: Twins) {
  const rows = await real.rows<{ id: number; phase: string; removed: Record<string, number> }>(
    'select id, phase, removed from purge',
  );
  const plain = ({ id, phase, removed }: (typeof rows)[number]) => {
    return {
      id,
      phase,
      removed: Object.fromEntries(
        Object.entries(removed)
          .filter(([kind, count]) => count > 0 && COUNTED.has(kind))
          .sort(),
      ),
    };
  };
  return [inOrder(rows.map(plain)), inOrder([...memory.tables.purges.rows.values()].map(plain as never))];
}

for (let seed = 1; seed <= SEEDS; seed++) {
  t.test(`memory store: purges of seed ${seed} remove the same as in the real one`, async (t) => {
    const twins = await beginTwins(t);
    const draws = new StateDraws(100 + seed, twins.ground);
    for (let at = 0; at < GROUPS; at++) await applyBoth(twins, draws.group(), (...said) => t.same(...said));
    for (let id = 1; id <= PURGES; id++) {
      const fileId = fileFor(twins, draws);
      const asked = { id, shard: id, fileId, deletesSourceBytes: draws.random.chance(0.5) };
      const { kind } = await beginPurge(twins.real.db.sql, { ...asked, nowMs: NOW });
      const isBegun = purges.beginPurge(twins.memory, asked);
      t.equal(isBegun, kind === 'begun', `file ${fileId}: ${kind}`);
      t.same(
        inOrder(purges.duePurges(twins.memory.tables, SHARDS)),
        inOrder(await realDuePurges(twins.real.db.sql, SHARDS)),
      );
      if (isBegun) await drive(t, twins, draws, id);
    }
    const [wanted, found] = await receipts(twins);
    t.same(found, wanted, 'receipts');
    for (const [what, real, ours] of await rowsOfBoth(twins)) t.same(ours, real, `rows: ${what}`);
  });
}
