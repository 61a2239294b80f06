/** Coordinators that hang, sleep, are told to end: what load balancers see of it, and that no work is lost. */

import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import t from 'tap';
import { testDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needsCertificates, selfSigned } from '../../support/services/http-certificate.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import type { Program } from '../harness/program.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { stays, until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const readiness = async (program: Program): Promise<number> =>
  (await fetch(`${program.url}v6/ready/`)).status;

t.test(
  'coordinators: a coordinator that is stopped and continued disturbs no other',
  needs('nats'),
  async (t) => {
    const world = await createWorld(t);
    const shared = { DATABASE_URL: await testDatabase(t), NATS_URL: await serviceUrl('nats') };
    const ports = [await freePort(), await freePort()] as const;
    const start = (index: 0 | 1): Promise<Program> =>
      world.start('coordinator', `coordinator-${index}`, {
        ...shared,
        MILLRACE_GRPC: `127.0.0.1:${ports[index]}`,
      });
    const coordinators = [await start(0), await start(1)] as const;
    await world.start('agent', 'agent', { MILLRACE_COORDINATORS: `127.0.0.1:${ports[0]}` });
    const client = clientOf(coordinators[0]);
    const work = await DemoWork.create(world, client, 24);
    for (const asleep of [0, 1] as const) {
      const other = clientOf(coordinators[1 - asleep] as Program);
      await work.deliver(6);
      await until('work is under way', async () => (await work.progress(other)) > 0);
      coordinators[asleep].signal('SIGSTOP');
      await work.deliver(6);
      await work.finished(other);
      coordinators[asleep].signal('SIGCONT');
      await until('it is ready again', async () => (await readiness(coordinators[asleep])) === 200);
    }
    await checkQuiet(t, { world, client, work });
  },
);

t.test('coordinators: a coordinator that drains says so first, and answers meanwhile', async (t) => {
  const { coordinator } = await startPair(t, { coordinator: { MILLRACE_HANDOVER_MS: '6000' } });
  t.equal(await readiness(coordinator), 200);
  coordinator.signal('SIGTERM');
  await until('it says so', async () => (await readiness(coordinator)) === 503);
  const answers = async () => (await fetch(`${coordinator.url}v6/version/`)).status === 200;
  t.ok(await stays(answers, 500));
  t.equal(await coordinator.exited, 0);
});

t.test('coordinators: HTTP is served with a certificate', needsCertificates(), async (t) => {
  const world = await createWorld(t);
  const { certificate, env } = selfSigned(world.folder);
  const coordinator = await world.start('coordinator', 'coordinator', {
    DATABASE_URL: await testDatabase(t),
    MILLRACE_GRPC: '127.0.0.1:0',
    ...env,
  });
  t.match(coordinator.url, /^https:/);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { ca: readFileSync(certificate) };
    get(`${coordinator.url}v6/ready/`, options, (answer) => resolve(answer.resume().statusCode)).on(
      'error',
      reject,
    );
  });
  t.equal(status, 200);
});
