/**
 * Requests to cancel and requeue many jobs, sent one after another's answer to two coordinators, each of which owns
 * some of the jobs and is killed now and then: all of them are done, and the last one decides.
 */
import t from 'tap';
import { openDatabase } from '../../../src/store/database.ts';
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Program } from '../harness/program.ts';
import { until } from '../harness/until.ts';
import { createJobType, jobOf, queueJob } from '../harness/work/job-types.ts';
import { type Seeded, seeded } from '../harness/work/seeded.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const JOBS = 40;
const ROUNDS = 8;
const REQUESTS_MAX = 4;

interface Request {
  readonly action: 'cancel' | 'requeue';
  readonly jobIds: readonly number[];
  /** What a requeue says of the status of its jobs. */
  readonly status?: 'CANCELED';
}

/** Some of the jobs, and often all. */
function drawn(random: Seeded, jobIds: readonly number[]): Request {
  const chance = random.next();
  const some = chance < 0.5 ? jobIds : jobIds.filter(() => random.next() < 0.5);
  const meant = some.length === 0 ? jobIds : some;
  if (random.next() < 0.5) return { action: 'cancel', jobIds: meant };
  return { action: 'requeue', jobIds: meant, ...(random.next() < 0.5 ? { status: 'CANCELED' } : {}) };
}

const send = (client: InterfaceClient, { action, jobIds, status }: Request): Promise<unknown> =>
  client.post(`/v6/jobs/${action}/`, { job_ids: jobIds, ...(status === undefined ? {} : { status }) });

t.test('requests for many jobs take effect in the order of their answers, whatever is killed', async (t) => {
  const world = await createWorld(t);
  const url = await migratedDatabase(t);
  const ports = [await freePort(), await freePort()];
  const start = (at: number): Promise<Program> =>
    world.start('coordinator', `coordinator-${at}`, {
      ...{ DATABASE_URL: url, MILLRACE_GRPC: `127.0.0.1:${ports[at]}`, MILLRACE_LEASE_MS: '3000' },
    });
  const programs = [await start(0), await start(1)];
  const client = (at: number) => clientOf(programs[at] as Program);
  const type = await createJobType(client(0), { name: 'waits', script: 'true' });
  // No agent is there: what is queued stays so.
  const jobIds: number[] = [];
  for (let at = 0; at < JOBS; at++) jobIds.push(await queueJob(client(at % 2), type));
  const database = await openDatabase({ url, log: silentLog });
  t.teardown(() => database.close());
  const isAllDone = async (): Promise<boolean> => {
    const open = await database.sql.execute('select id from job_request where not is_done');
    return open.length === 0;
  };

  const expected = new Map(jobIds.map((id) => [id, 'QUEUED']));
  const random = seeded(t);
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const count = 1 + Math.floor(random.between(1, REQUESTS_MAX));
    for (let at = 0; at < count; at++) {
      const request = drawn(random, jobIds);
      await send(client(at % 2), request);
      for (const id of request.jobIds) expected.set(id, request.action === 'cancel' ? 'CANCELED' : 'QUEUED');
    }
    if (round % 3 === 1) {
      const at = killed % 2;
      killed += 1;
      await (programs[at] as Program).end('SIGKILL');
      programs[at] = await start(at);
    }
    await until('every request is done', isAllDone, 60_000);
    for (const [id, status] of expected) {
      t.equal((await jobOf(client(0), id)).status, status, `job ${id} after round ${round}`);
    }
  }
  t.ok(killed > 0);
});
