/**
 * Law 3: what was answered 2xx happens, and takes effect before what is sent after the answer. Every route that changes
 * something says here how its answer is kept: a new one fails until it does.
 */
import t from 'tap';
import { batchActor } from '../../src/actors/batch/batch.actor.ts';
import { diagnosticActor } from '../../src/actors/diagnostic/diagnostic.actor.ts';
import { jobRequestActor } from '../../src/actors/job-request/job-request.actor.ts';
import { purgeActor } from '../../src/actors/purge/purge.actor.ts';
import { scanActor } from '../../src/actors/scan/scan.actor.ts';
import { typeUpdateActor } from '../../src/actors/type-update/type-update.actor.ts';
import { serviceRoutes } from '../../src/api/service.ts';

/** An actor that finds, at intervals, the rows that it has not worked off. */
interface WorkedOffBy {
  readonly kind: string;
  readonly reconcile?: unknown;
}

type Kept =
  /** It checks, or shows, and changes nothing. */
  | 'changes nothing'
  /** The answer is sent after the commit, or once the file is synced, and then nothing is left to do. */
  | 'committed'
  /** The answer is sent when a queue that keeps it has it, or its strike has committed it. */
  | 'delivered'
  /** The answer is sent after the commit of a row, which is worked off until it is done. */
  | WorkedOffBy;

const KEPT: Readonly<Record<string, Kept>> = {
  'POST /v6/workspaces/': 'committed',
  'PATCH /v6/workspaces/{id}/': 'committed',
  'DELETE /v6/workspaces/{id}/': 'committed',
  'POST /v6/workspaces/validation/': 'changes nothing',
  'PUT /v6/workspaces/{name}/files/{path}': 'committed',
  'POST /v6/workspaces/{name}/uploads/': 'committed',
  'PATCH /v6/workspaces/{name}/uploads/{upload}/': 'committed',
  'DELETE /v6/workspaces/{name}/uploads/{upload}/': 'committed',
  'POST /v6/workspaces/{name}/uploads/{upload}/': 'committed',
  'POST /v6/scans/': 'committed',
  'PATCH /v6/scans/{id}/': 'committed',
  'DELETE /v6/scans/{id}/': 'committed',
  'POST /v6/scans/validation/': 'changes nothing',
  'POST /v6/scans/{id}/test/': 'changes nothing',
  'POST /v6/scans/{id}/process/': scanActor,
  'POST /v6/scans/cancel/{id}/': scanActor,
  'POST /v6/strikes/': 'committed',
  'PATCH /v6/strikes/{id}/': 'committed',
  'DELETE /v6/strikes/{id}/': 'committed',
  'POST /v6/strikes/validation/': 'changes nothing',
  'POST /v6/strikes/{id}/test/': 'changes nothing',
  'POST /v6/notifications/{queue_name}/': 'delivered',
  'POST /v6/files/purge-source/': purgeActor,
  'POST /v6/job-types/': typeUpdateActor,
  'POST /v6/job-types/validation/': 'changes nothing',
  'POST /v6/job-types/try/': 'committed',
  'PATCH /v6/job-types/{name}/{version}/': typeUpdateActor,
  'DELETE /v6/job-types/{name}/{version}/': 'committed',
  'POST /v6/recipe-types/': 'committed',
  'POST /v6/recipe-types/validation/': 'changes nothing',
  'PATCH /v6/recipe-types/{name}/': typeUpdateActor,
  'DELETE /v6/recipe-types/{name}/': 'committed',
  'POST /v6/recipes/': 'committed',
  'POST /v6/recipes/{id}/reprocess/': 'committed',
  'POST /v6/jobs/': 'committed',
  'POST /v6/jobs/cancel/': jobRequestActor,
  'POST /v6/jobs/requeue/': jobRequestActor,
  'POST /v6/datasets/': 'committed',
  'POST /v6/datasets/validation/': 'changes nothing',
  'POST /v6/datasets/{id}/': 'committed',
  'DELETE /v6/datasets/{id}/': 'committed',
  'POST /v6/batches/': batchActor,
  'POST /v6/batches/validation/': 'changes nothing',
  'PATCH /v6/batches/{id}/': 'committed',
  'DELETE /v6/batches/{id}/': 'committed',
  'PATCH /v6/nodes/{id}/': 'committed',
  'PATCH /v6/scheduler/': 'committed',
  'PATCH /v6/failures/{job_type_id}/{error_id}/': 'committed',
  'POST /v6/saved-filters/': 'committed',
  'DELETE /v6/saved-filters/{id}/': 'committed',
  'POST /v6/diagnostics/job/bake/': diagnosticActor,
  'POST /v6/diagnostics/job/count/': diagnosticActor,
  'POST /v6/diagnostics/job/hello/': diagnosticActor,
  'POST /v6/diagnostics/job/roulette/': diagnosticActor,
  'POST /v6/diagnostics/recipe/casino/': diagnosticActor,
  'POST /v6/accounts/': 'committed',
  'PATCH /v6/accounts/{id}/': 'committed',
  'POST /v6/accounts/{id}/password/': 'committed',
  'POST /v6/tokens/': 'committed',
  'DELETE /v6/tokens/{id}/': 'committed',
  'POST /v6/login/': 'committed',
  'POST /v6/logout/': 'committed',
  'POST /v6/login/codes/': 'committed',
  'POST /v6/login/codes/token/': 'committed',
  'POST /v6/login/codes/lookup/': 'changes nothing',
  'POST /v6/login/codes/decision/': 'committed',
};

/** Twins under `/api/` have the same handlers. */
const changing = serviceRoutes('1.0.0').filter(
  ({ method, path }) => method !== 'GET' && path.startsWith('/v6/'),
);

t.test('answered: every route that changes something states how its answer is kept', async (t) => {
  const names = changing.map(({ method, path }) => `${method} ${path}`);
  t.strictSame(names.toSorted(), Object.keys(KEPT).toSorted());
});

t.test('answered: a request answered 202 is worked off, delivered or done', async (t) => {
  for (const { method, path, replies } of changing) {
    if (!('202' in replies)) continue;
    t.not(KEPT[`${method} ${path}`], 'changes nothing', path);
  }
});

t.test('answered: each actor that works off requests finds them again by a reconciliation', async (t) => {
  const actors = Object.values(KEPT).filter((kept) => typeof kept !== 'string');
  t.ok(actors.length > 5);
  for (const { kind, reconcile } of actors) t.type((reconcile as { find?: unknown }).find, 'function', kind);
});
