/**
 * Everything that can go wrong goes wrong while files arrive and are processed; then an audit that reads only the
 * workspaces and the interface demands that each file was recorded and processed once. `npm run long -- torture`
 * continues for an hour; E2E_SEED has the same faults in the same order again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { needs } from '../../support/services/services.ts';
import { needsHosts } from '../harness/hosts.ts';
import { until } from '../harness/until.ts';
import { seeded } from '../harness/work/seeded.ts';
import { type AuditOf, audit, problemsOf } from './audit/audit.ts';
import { describeBaits } from './audit/baits.ts';
import type { Damage } from './audit/damage.ts';
import { DAMAGES } from './audit/damages.ts';
import type { Observed } from './audit/observed.ts';
import { isAtRest } from './audit/rest.ts';
import { torture } from './faults.ts';
import { AGENTS, Installation } from './installation.ts';
import { needsDisks } from './small-disk.ts';
import { Work } from './work/work.ts';

const SECONDS = Number(process.env.TORTURE_SECONDS ?? 25);
const SETTLE_MS = Math.max(150_000, SECONDS * 300);

const options = { ...needs('nats', 's3', 'docker'), ...needsDisks(), ...needsHosts() };

t.test('torture: whatever fails, each file is recorded and processed once', options, async (t) => {
  const random = seeded(t);
  const all = await Installation.start(t);
  await until('both agents have joined', async () => (await all.client('c1').count('/v6/nodes/')) === 2);
  const work = await Work.create(all, SECONDS);
  const ending = new AbortController();
  const beganMs = performance.now();
  const since = () => ((performance.now() - beganMs) / 1_000).toFixed(1);
  const say = (text: string) => t.comment(`${since()} s: ${text}`);
  const working = work.run(ending.signal);
  working.catch((error: unknown) => say(`work broke off: ${String(error)}`));
  const done = await torture(all, random, { ms: SECONDS * 1_000, say });
  ending.abort();
  all.healAll();
  const endedMs = performance.now();
  await working;
  t.comment(`${done.length} faults in ${since()} s: ${JSON.stringify(Object.fromEntries(countOf(done)))}`);
  t.comment(`programs were started again ${all.restarts} times`);
  t.comment(work.summary);
  const { ledger, caller } = work;
  const rest = () => isAtRest(all, caller, ledger);
  // What is not at rest by then is stuck: the audit says what it is.
  await until('all is at rest', rest, SETTLE_MS).catch((error: Error) => t.comment(error.message));
  await work.baits.end();
  t.comment(`at rest ${((performance.now() - endedMs) / 1_000).toFixed(1)} s after the last fault`);
  const verdict = await audit({ all, caller, ledger });
  for (const [rule, problems] of Object.entries(verdict.problems)) t.strictSame(problems, [], rule);
  const { files, jobs, recipes } = verdict.seen;
  t.comment(`audited: ${files.length} files, ${jobs.length} jobs, ${recipes.length} recipes`);
  const isClean = problemsOf(verdict).length === 0;
  t.comment(`baits: ${describeBaits(ledger, verdict.seen)}`);
  if (isClean) await checkAudit(t, { all, caller, ledger }, verdict.seen);
  else if (process.env.TORTURE_HOLD !== undefined) {
    t.comment(`held for a look: ${all.world.folder}, ${all.database.url}`);
    await sleep(Number(process.env.TORTURE_HOLD) * 1_000);
  }
});

/** What an audit finds nothing in is damaged in every way: it has to say so of each, and of none once it is undone. */
async function checkAudit(t: Test, parts: AuditOf, seen: Observed): Promise<void> {
  const { all, ledger } = parts;
  // Whoever acts would set right what is damaged, or trip over it.
  await Promise.all(AGENTS.map((agent) => all.kill(agent)));
  await until('all is added up', async () => {
    const [row] = await all.database.ask<{ waiting: boolean }>(NOT_ADDED_UP);
    return row?.waiting === false;
  });
  const undo: (() => Promise<unknown>)[] = [];
  const planted: { readonly what: string; readonly says: string }[] = [];
  const plantAll = async (damages: readonly Damage[]) => {
    for (const { what, plant } of damages) {
      const damage = await plant({ all, ledger, seen });
      undo.unshift(damage.undo);
      planted.push({ what, says: damage.says });
    }
  };
  await plantAll(DAMAGES.filter(({ isRequest }) => isRequest === true));
  const letGo = await all.database.holdActors();
  try {
    await plantAll(DAMAGES.filter(({ isRequest }) => isRequest !== true));
    const found = problemsOf(await audit(parts));
    for (const one of undo) await one();
    const left = problemsOf(await audit(parts));
    for (const { what, says } of planted) {
      const isNamed = found.some((problem) => problem.startsWith(says));
      t.ok(isNamed, `the audit names it: ${what}`, isNamed ? {} : { says, found });
      // Nobody takes back that he has helped.
      const isLeft = left.some((problem) => problem.startsWith(says));
      t.equal(isLeft, says.startsWith('somebody'), `and does not once it is undone: ${what}`);
    }
  } finally {
    await letGo();
  }
  // Behind the back of the harness, as its own fault would end it.
  all.program('c2').signal('SIGKILL');
  await all.program('c2').exited;
  t.strictSame(all.endedByThemselves, ['c2 ended by itself, with 137'], 'an end that nobody wanted is named');
}

/** Counts that were appended and not yet folded: damage to a count that does not exist yet is none. */
const NOT_ADDED_UP =
  'select exists (select 1 from batch_count_delta) or exists (select 1 from job_outcome_delta) as waiting';

function countOf(kinds: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
