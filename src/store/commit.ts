/**
 * Saves groups of turns: one transaction each, leases first, then all changes by type in one fixed order, so that rows
 * exist before others refer to them and two groups lock in the same order. Each type of change is written in its noun's
 * folder.
 */
import type { AnyResult, Change } from '../domain/changes.ts';
import type { ApplyPort, Turn } from '../kernel/mod.ts';
import { Fenced } from '../lib/commit-errors.ts';
import { BatchCounts } from './batch/counts.ts';
import { createBatches, writeBatches } from './batch/save.ts';
import { refuseDeleted, refuseLiveOfDeleted } from './deletion/guards.ts';
import { writeDiagnosticRuns } from './diagnostic/save.ts';
import { createEvents, ensureClasses } from './event/save.ts';
import { endExecutions, startExecutions } from './execution/save.ts';
import { parseSources } from './file/parsed-sources.ts';
import { writeProducts, writeSources } from './file/save.ts';
import { writeAnswers } from './idempotency/answers.ts';
import type { Arrivals } from './ingest/arrivals.ts';
import { readArrivals } from './ingest/known-ingests.ts';
import { progressIngests, stepIngests, writeArrivals } from './ingest/save.ts';
import { addOutcomes } from './job/outcomes.ts';
import type { PendingJobs } from './job/pending-rows.ts';
import { explainJobs, linkJobInputs, pendingJobs, writeJobs } from './job/save.ts';
import { writeJobRequests } from './job-request/save.ts';
import { lockLeases } from './lease/lease-store.ts';
import { saveNodes, saveReach, writeClaims } from './node/save.ts';
import { createRecipes, updateRecipes, writeNodes } from './recipe/save.ts';
import { unpublishProducts, writeSharing } from './recipe/supersede.ts';
import { editScans } from './scan/save.ts';
import { saveScheduler, saveUnmet } from './scheduler/save.ts';
import { Group } from './sql/group.ts';
import { pipelined } from './sql/pipelined.ts';
import type { Sql } from './sql/sql.ts';
import { commitError } from './sql/store-errors.ts';
import { editStrikes, markListings } from './strike/save.ts';

export function commitPort(sql: Sql): ApplyPort<Change, AnyResult> {
  return { apply: (turns) => applyTurns(sql, turns), underWay: (marks) => underWay(sql, marks) };
}

/**
 * A commit whose connection broke is finished by its server process all the same. On a slow disk that may happen after
 * its coordinator has reconnected and could read the earlier rows.
 */
async function underWay(sql: Sql, marks?: readonly string[]): Promise<readonly string[]> {
  const rows = await sql.execute<{ xid: string }>(TRANSACTIONS_UNDER_WAY, [marks ?? null]);
  return rows.map((row) => row.xid);
}

/** The transactions of all coordinators that have written something. */
const TRANSACTIONS_UNDER_WAY = {
  name: 'transactions_under_way',
  text: /* sql */ `
    select backend_xid::text as xid from pg_stat_activity
    where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
      and application_name = current_setting('application_name') and backend_xid is not null
      and ($1::text[] is null or backend_xid::text = any($1))`,
};

/**
 * Applies turns in one transaction; returns one result for each change of each turn. Throws TurnRefused (a hard guard
 * failed), Fenced (a lease is not held at its epoch), or an outage, after which it is unknown whether it was saved.
 */
async function applyTurns(
  sql: Sql,
  turns: readonly Turn<Change>[],
): Promise<readonly (readonly AnyResult[])[]> {
  const group = new Group(turns);
  try {
    await sql.transaction(async (inside) => {
      // In one piece: the rows are read behind the locks of the leases, without waiting for their answer.
      const [leases, rows] = await Promise.allSettled([checkLeases(inside, turns), readRows(inside, group)]);
      // A lost lease is the reason for whatever else is wrong.
      if (leases.status === 'rejected') throw leases.reason;
      if (rows.status === 'rejected') throw rows.reason;
      await applyGroup(inside, group, rows.value);
    }, 'keyed');
  } catch (error) {
    throw commitError(error);
  }
  return group.results;
}

/** Locks the leases, so that nobody takes them over before this transaction ends. */
async function checkLeases(sql: Sql, turns: readonly Turn<Change>[]): Promise<void> {
  const epochs = await lockLeases(sql, new Set(turns.map((turn) => turn.shard)));
  const lost = turns.filter((turn) => epochs.get(turn.shard) !== turn.epoch).map((turn) => turn.shard);
  if (lost.length > 0) throw new Fenced([...new Set(lost)]);
}

interface RowsOfGroup {
  readonly arrivals: Arrivals;
  readonly jobs: PendingJobs;
}

/** Reads, and locks, the rows on which the changes of a group depend. */
async function readRows(sql: Sql, group: Group): Promise<RowsOfGroup> {
  const arrivals = await readArrivals(sql, group);
  return { arrivals, jobs: await pendingJobs(sql, group, arrivals) };
}

async function applyGroup(sql: Sql, group: Group, { arrivals, jobs }: RowsOfGroup): Promise<void> {
  group.throwIfRefused();
  const batches = new BatchCounts();
  batches.addJobs(jobs);
  const [, , , , recipes] = await pipelined(group, [
    () => refuseDeleted(sql, group),
    () => createEvents(sql, group, arrivals.events),
    () => ensureClasses(sql, group),
    () => createBatches(sql, group),
    () => createRecipes(sql, group, jobs, batches),
    () => writeJobs(sql, group, jobs),
    () => explainJobs(sql, group),
    () => addOutcomes(sql, jobs),
    () => startExecutions(sql, jobs.starts),
    () => endExecutions(sql, group),
    () => writeArrivals(sql, group, arrivals),
  ]);
  await pipelined(group, [
    () => writeSharing(sql, group),
    () => writeNodes(sql, group),
    () => writeSources(sql, group),
  ]);
  await writeProducts(sql, group);
  await linkJobInputs(sql, jobs);
  await parseSources(sql, group);
  await pipelined(group, [
    () => stepIngests(sql, group),
    () => progressIngests(sql, group),
    () => unpublishProducts(sql, group),
    () => updateRecipes(sql, group, recipes, batches),
  ]);
  await batches.save(sql);
  await writeBatches(sql, group);
  await editStrikes(sql, group);
  await markListings(sql, group);
  await editScans(sql, group);
  await refuseLiveOfDeleted(sql, group);
  await writeJobRequests(sql, group);
  await saveNodes(sql, group);
  await saveReach(sql, group);
  await writeClaims(sql, group);
  await saveScheduler(sql, group);
  await saveUnmet(sql, group);
  await writeDiagnosticRuns(sql, group);
  await writeAnswers(sql, group);
}
