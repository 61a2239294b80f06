/**
 * The second way between coordinators, over real sockets: alone, and beside a real nats-server that stops and is
 * stopped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import { createAuthority, issueIdentity } from '../../src/certificates/authority.ts';
import { type GatewayTls, ShownCertificate } from '../../src/rpc/tls.ts';
import { linkedTransport } from '../../src/transport/linked-transport.ts';
import { natsBus } from '../../src/transport/nats-bus.ts';
import { AGENT_SERVICE } from '../../src/wire/agent-service.ts';
import { encodeEnvelope } from '../../src/wire/codecs/bus.ts';
import { directConformance } from '../conformance/direct.ts';
import { Inbox, mail, transportConformance } from '../conformance/transport.ts';
import { eventually } from '../support/agent/eventually.ts';
import { findProgram } from '../support/services/find-program.ts';
import { freePort } from '../support/services/free-port.ts';
import { needs, serviceUrl } from '../support/services/services.ts';
import { silentLog } from '../support/silent-log.ts';
import { BusBed } from './bus-bed.ts';

transportConformance(t, 'gRPC', async (t) => {
  const bed = new BusBed(t);
  return () => bed.transport();
});

directConformance(t, 'gRPC', async (t) => {
  const bed = new BusBed(t);
  return async () => {
    const { bus, address } = await bed.listen();
    return { direct: bus, peer: { address, key: bus.key.reveal() } };
  };
});

t.test('beside nats', needs('nats'), async (t) => {
  const url = await serviceUrl('nats');
  let cluster = 0;
  transportConformance(t, 'NATS and gRPC', async (t) => {
    const name = `d${process.pid}_${++cluster}`;
    const bed = new BusBed(t);
    return () => bed.transport(natsBus({ url, cluster: name, log: silentLog }));
  });
});

/** Whether one message that is written to a listener arrives, and the reason if not. */
async function call(bed: BusBed, key: string, tls?: GatewayTls, authority?: string) {
  const heard: Uint8Array[] = [];
  const { bus, address } = await bed.listen(tls);
  bus.serve((bytes) => void heard.push(bytes));
  const caller = (await bed.listen()).bus;
  caller.useTls(authority);
  let reason: string | undefined;
  const stream = caller.open(
    { address, key: key === 'its own' ? bus.key.reveal() : key },
    {
      onMessage: () => undefined,
      onDrain: () => undefined,
      onClosed: (given) => {
        reason = given;
      },
    },
  );
  stream.write(encodeEnvelope(mail('a', 1)));
  await eventually(() => heard.length > 0 || reason !== undefined, 'it arrives, or is refused');
  stream.close();
  return { heard, reason };
}

t.test('gRPC between coordinators: a caller without the key is refused', async (t) => {
  const bed = new BusBed(t);
  for (const key of ['', 'a key of agents', 'x'.repeat(43)]) {
    const { heard, reason } = await call(bed, key);
    t.equal(heard.length, 0);
    t.match(reason, /not the key/);
  }
  const { heard } = await call(bed, 'its own');
  t.equal(heard.length, 1);
});

t.test(
  'gRPC between coordinators: with TLS the certificate of the called coordinator is verified',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bus-tls-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const nowMs = Date.now();
    const [ours, others] = [
      await createAuthority(join(folder, 'ours'), nowMs),
      await createAuthority(join(folder, 'others'), nowMs),
    ];
    const identity = issueIdentity(ours, { role: 'coordinator', name: 'one', nowMs });
    const tls: GatewayTls = {
      authority: ours.certificate,
      shown: new ShownCertificate(ours.certificate, identity),
      revoked: async () => [],
    };
    const bed = new BusBed(t);
    t.equal((await call(bed, 'its own', tls, ours.certificate)).heard.length, 1);
    t.match(await call(bed, 'its own', tls, others.certificate), { heard: [], reason: /./ });
    t.match(await call(bed, 'its own', tls, undefined), { heard: [], reason: /./ }, 'not without TLS either');
  },
);

t.test(
  'gRPC between coordinators: an undecodable message ends neither the stream nor the service of agents',
  async (t) => {
    const bed = new BusBed(t);
    const { bus, address } = await bed.listen();
    const inbox = new Inbox();
    const transport = linkedTransport({ direct: bus, peer: () => undefined, log: silentLog });
    await transport.start('b', inbox.take);
    t.teardown(() => transport.stop());
    const reasons: string[] = [];
    const stream = (await bed.listen()).bus.open(
      { address, key: bus.key.reveal() },
      {
        onMessage: () => undefined,
        onDrain: () => undefined,
        onClosed: (reason) => void reasons.push(reason),
      },
    );
    t.teardown(() => stream.close());
    stream.write(new Uint8Array([255, 255]));
    stream.write(encodeEnvelope(mail('a', 1)));
    await inbox.until(1);
    t.strictSame(reasons, []);
    const Agent = grpc.makeGenericClientConstructor(
      AGENT_SERVICE as unknown as grpc.ServiceDefinition,
      'Agent',
    );
    const agent = new Agent(address, grpc.credentials.createInsecure());
    t.teardown(() => agent.close());
    await new Promise<void>((resolve, reject) => {
      agent.waitForReady(Date.now() + 10_000, (error) => (error ? reject(error) : resolve()));
    });
  },
);

const program = findProgram('nats-server');
const skip = program === undefined ? 'no nats-server: apt-get install -y nats-server' : false;

/** Two coordinators on a server of their own. */
async function twoOn(t: Test, url: string) {
  const bed = new BusBed(t);
  const [a, b] = [0, 1].map(() => bed.transport(natsBus({ url, cluster: 'x', log: silentLog })));
  const inbox = new Inbox();
  const back = new Inbox();
  await a?.start('a', back.take);
  await b?.start('b', inbox.take);
  t.teardown(() => Promise.all([a?.stop(), b?.stop()]));
  let lastId = 0;
  const say = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      lastId += 1;
      t.equal(a?.send('b', mail('a', lastId)), 'sent');
    }
    await inbox.until(lastId);
    t.strictSame(
      inbox.envelopes.map(({ id }) => id),
      Array.from({ length: lastId }, (_, at) => at + 1),
      'each once, in order',
    );
  };
  return { say, a };
}

async function startServer(t: Test, port: number): Promise<ChildProcess> {
  const child = spawn(program ?? '', ['-a', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-10_000);
  });
  await eventually(() => said.includes('Server is ready'), 'the server is ready');
  return child;
}

t.test(
  'NATS and gRPC: messages arrive once and in order while the server is absent, suspended or killed',
  { skip },
  async (t) => {
    const port = await freePort();
    const { say, a } = await twoOn(t, `nats://127.0.0.1:${port}`);
    await say(50);
    t.match(a?.trouble(), { reason: /cannot be reached/ });

    const server = await startServer(t, port);
    await eventually(() => a?.trouble() === undefined, 'NATS is connected');
    await say(50);
    server.kill('SIGSTOP');
    await say(50);
    await eventually(() => a?.trouble() !== undefined, 'NATS is found to be silent');
    await say(50);
    server.kill('SIGCONT');
    await eventually(() => a?.trouble() === undefined, 'NATS is used again');
    await say(50);
    server.kill('SIGKILL');
    await say(50);
    await startServer(t, port);
    await eventually(() => a?.trouble() === undefined, 'NATS is connected again');
    await say(50);
  },
);

t.test('NATS and gRPC: coordinators start and send while the server is suspended', { skip }, async (t) => {
  const port = await freePort();
  const server = await startServer(t, port);
  server.kill('SIGSTOP');
  const { say, a } = await twoOn(t, `nats://127.0.0.1:${port}`);
  await say(50);
  t.ok(a?.trouble());
  server.kill('SIGCONT');
  await eventually(() => a?.trouble() === undefined, 'NATS is connected');
  await say(50);
});
