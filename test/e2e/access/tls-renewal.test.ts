/** Certificates of a short life, replaced while they are in use. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Authority, issueIdentity, openAuthority } from '../../../src/certificates/authority.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { certificates, handshake, opened, secured } from '../harness/secured.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { clientOf, createWorld } from '../harness/world.ts';

t.test('TLS: certificates are replaced while they are in use, without an interruption', async (t) => {
  const { world, coordinator, grpc, agent } = await secured(t, { MILLRACE_TLS_CERTIFICATE_S: '30' });
  const first = await agent('host-1');
  await opened(first);
  const kept = join(world.folder, 'host-1/agent/tls/agent.pem');
  const shownFirst = (await handshake(grpc)).serial;
  const keptFirst = new X509Certificate(readFileSync(kept));
  await until('those of the beginning are over', () => Date.now() > Date.parse(keptFirst.validTo));
  const keptNow = new X509Certificate(readFileSync(kept));
  t.not(keptNow.serialNumber, keptFirst.serialNumber);
  t.ok(Date.parse(keptNow.validTo) > Date.now(), 'another came in time');
  t.not((await handshake(grpc)).serial, shownFirst);
  t.equal(first.log.split('session_opened').length, 2, 'one session all the while');
  t.notMatch(first.log, /certificate_not_renewed/);

  const work = await DemoWork.create(world, clientOf(coordinator), 2);
  await work.deliver(2);
  await work.finished(clientOf(coordinator));
  const second = await agent('host-2');
  await opened(second);
});

t.test('TLS: a coordinator uses a new certificate file before the old one expires', async (t) => {
  const world = await createWorld(t);
  const [home, dir] = [join(world.folder, 'authority'), join(world.folder, 'given')];
  certificates('authority', '--dir', home);
  const authority = (await openAuthority(home)) as Authority;
  mkdirSync(dir);
  writeFileSync(join(dir, 'ca.pem'), authority.certificate);
  const bring = (days: number): string => {
    const made = issueIdentity(authority, { role: 'coordinator', name: 'c', nowMs: Date.now(), days });
    writeFileSync(join(dir, 'coordinator.key'), made.key);
    writeFileSync(join(dir, 'coordinator.pem'), made.certificate);
    return new X509Certificate(made.certificate).serialNumber;
  };
  const early = bring(24 / 86_400);
  const grpc = `127.0.0.1:${await freePort()}`;
  const coordinator = await world.start('coordinator', 'coordinator', {
    ...{ DATABASE_URL: await migratedDatabase(t), MILLRACE_GRPC: grpc },
    ...{ MILLRACE_TLS: 'on', MILLRACE_TLS_DIR: dir },
  });
  t.equal((await handshake(grpc)).serial, early);
  const late = bring(90);
  await until('it shows the new one', async () => (await handshake(grpc)).serial === late);
  t.match(coordinator.log, /certificate_replaced/);
});
