/** The bus over a real nats-server: the conformance suite, and outages of a server of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { connect } from 'nats';
import t, { type Test } from 'tap';
import { BUS_LIMITS } from '../../src/transport/bus-limits.ts';
import { linkedTransport } from '../../src/transport/linked-transport.ts';
import { type NatsOptions, natsBus } from '../../src/transport/nats-bus.ts';
import { EnvelopeSchema, LeasesChangedSchema } from '../../src/wire/generated/bus/v1/messages_pb.ts';
import { Inbox, mail, transportConformance } from '../conformance/transport.ts';
import { findProgram } from '../support/services/find-program.ts';
import { freePort } from '../support/services/free-port.ts';
import { needs, serviceUrl } from '../support/services/services.ts';
import { silentLog } from '../support/silent-log.ts';

const WITHIN_MS = 20_000;

/** Over NATS alone. */
function natsTransport(options: NatsOptions) {
  return linkedTransport({ bus: natsBus(options), peer: () => undefined, log: options.log });
}

t.test('nats', needs('nats'), async (t) => {
  const url = await serviceUrl('nats');
  let cluster = 0;
  transportConformance(t, 'nats transport', async () => {
    const name = `t${process.pid}_${++cluster}`;
    return () => natsTransport({ url, cluster: name, log: silentLog });
  });

  t.test('nats transport: two clusters on one server do not receive each other’s messages', async (t) => {
    const [red, blue] = ['red', 'blue'].map((cluster) => natsTransport({ url, cluster, log: silentLog }));
    const inboxes = [new Inbox(), new Inbox()] as const;
    await red?.start('a', inboxes[0].take);
    await blue?.start('a', inboxes[1].take);
    t.teardown(() => Promise.all([red?.stop(), blue?.stop()]));
    red?.send('a', mail('a', 1));
    blue?.send('a', mail('a', 2));
    await Promise.all(inboxes.map((inbox) => inbox.until(1)));
    t.same(
      inboxes.map((inbox) => inbox.envelopes.map(({ id }) => id)),
      [[1], [2]],
    );
  });

  t.test(
    'nats transport: undecodable messages on its subject are logged, and later messages arrive',
    async (t) => {
      const events: string[] = [];
      const warn = (event: string, fields?: Readonly<Record<string, unknown>>) =>
        void events.push(`${event} ${fields?.count}`);
      const transport = natsTransport({ url, cluster: 'rubbish', log: { ...silentLog, warn } });
      const inbox = new Inbox();
      await transport.start('a', inbox.take);
      const stranger = await connect({ servers: new URL(url).host });
      t.teardown(() => Promise.all([transport.stop(), stranger.close()]));
      for (let count = 0; count < 500; count += 1)
        stranger.publish('millrace.rubbish.c.a', new Uint8Array([1, 2, 3]));
      await stranger.flush();
      transport.send('a', mail('a', 1));
      await inbox.until(1);
      t.same(events, ['bus_message_not_understood 1'], 'one line for all simultaneous ones');
      await transport.stop();
      t.same(events.slice(1), ['bus_message_not_understood 499'], 'with their number');
    },
  );

  t.test(
    'nats transport: simultaneous messages are one batch if their receiver can read batches',
    async (t) => {
      const transport = natsTransport({ url, cluster: 'forms', log: silentLog });
      const inbox = new Inbox();
      await transport.start('a', inbox.take);
      const other = await connect({ servers: new URL(url).host });
      t.teardown(() => Promise.all([transport.stop(), other.close()]));
      const forms: (string | undefined)[] = [];
      let heard: () => void = () => {};
      other.subscribe('millrace.forms.c.b', {
        callback: (_, { data }) => {
          forms.push(fromBinary(EnvelopeSchema, data).body.case);
          heard();
        },
      });
      const say = async (reads: number, count: number) => {
        const body = { case: 'leasesChanged', value: create(LeasesChangedSchema) } as const;
        const bytes = toBinary(EnvelopeSchema, create(EnvelopeSchema, { id: 1n, from: 'b', reads, body }));
        other.publish('millrace.forms.c.a', bytes);
        await inbox.until(count);
      };
      const heardInAll = async (count: number) => {
        while (forms.length < count) {
          await new Promise<void>((wake) => {
            heard = wake;
          });
        }
      };

      await say(0, 1); // a coordinator of the version before
      for (let n = 0; n < 3; n++) transport.send('b', mail('a', n));
      await heardInAll(3);
      await say(1, 2);
      for (let n = 0; n < 3; n++) transport.send('b', mail('a', n));
      await heardInAll(4);
      t.same(forms, ['mail', 'mail', 'mail', 'batch']);

      const text = 'x'.repeat(BUS_LIMITS.batchBytesMax / 4);
      for (let n = 0; n < 5; n++) transport.send('b', mail('a', n, { type: 'note', text }));
      await heardInAll(6);
      t.same(forms.slice(4), ['batch', 'batch'], 'the size of a batch is limited');
    },
  );

  t.test('nats transport: messages from before a stop are delivered', async (t) => {
    const [a, b] = ['a', 'b'].map(() => natsTransport({ url, cluster: 'stop', log: silentLog }));
    const [inboxA, inboxB] = [new Inbox(), new Inbox()];
    await a?.start('a', inboxA.take);
    await b?.start('b', inboxB.take);
    t.teardown(() => b?.stop());
    b?.send('a', mail('b', 1));
    await inboxA.until(1);
    a?.send('b', mail('a', 1));
    await a?.stop();
    await inboxB.until(1);
    t.equal(inboxB.envelopes.length, 1);
  });

  t.test('nats transport: a receiver that throws does not end the subscription', async (t) => {
    const events: string[] = [];
    const log = { ...silentLog, warn: (event: string) => void events.push(event) };
    const transport = natsTransport({ url, cluster: 'throws', log });
    const inbox = new Inbox();
    await transport.start('a', (envelope) => {
      if (envelope.id === 1) throw new Error('not this one');
      inbox.take(envelope);
    });
    t.teardown(() => transport.stop());
    transport.send('a', mail('a', 1));
    transport.send('a', mail('a', 2));
    await inbox.until(1);
    t.same(events, ['bus_message_not_taken']);
  });
});

t.test('nats transport: a cluster name that cannot be part of a subject throws', async (t) => {
  for (const cluster of ['', 'a.b', 'a b', '>', '*', 'x'.repeat(101)]) {
    t.throws(() => natsTransport({ url: 'nats://x', cluster, log: silentLog }));
  }
});

const program = findProgram('nats-server');
const skip = program === undefined ? 'no nats-server: apt-get install -y nats-server' : false;

t.test(
  'nats transport: messages are refused without a server, and sent once it is there',
  { skip },
  async (t) => {
    const port = await freePort();
    const lines: string[] = [];
    const write = (event: string, fields?: object) => void lines.push(`${event} ${JSON.stringify(fields)}`);
    const log = { ...silentLog, info: write, warn: write };
    const transport = natsTransport({ url: `nats://joe:p%40ss@127.0.0.1:${port}`, cluster: 'x', log });
    const inbox = new Inbox();
    await transport.start('a', inbox.take);
    t.teardown(() => transport.stop());
    t.equal(transport.send('a', mail('a', 1)), 'refused');
    t.match(transport.trouble(), { reason: /cannot be reached/ });
    t.equal(lines.length, 1, 'one line says so');
    t.notMatch(lines[0], /p@ss|p%40ss/);

    await startServer(t, port);
    await until(() => transport.trouble() === undefined);
    t.equal(transport.send('a', mail('a', 2)), 'sent');
    await inbox.until(1);
  },
);

t.test('nats transport: wrong credentials are reported at once, and tried again', { skip }, async (t) => {
  const port = await freePort();
  const server = await startServer(t, port);
  const lines: string[] = [];
  const write = (event: string, fields?: object) => void lines.push(`${event} ${JSON.stringify(fields)}`);
  const log = { ...silentLog, warn: write };
  const transport = natsTransport({ url: `nats://joe:wrong@127.0.0.1:${port}`, cluster: 'x', log });
  const inbox = new Inbox();
  await transport.start('a', inbox.take);
  t.teardown(() => transport.stop());
  t.match(transport.trouble(), { reason: 'NATS refuses the credentials of NATS_URL' });
  t.match(lines, [/refuses the credentials/]);
  t.notMatch(lines[0], /wrong/);

  server.kill('SIGKILL');
  await once(server, 'exit');
  await startServer(t, port, [], 'wrong');
  await until(() => transport.trouble() === undefined);
  transport.send('a', mail('a', 1));
  await inbox.until(1);
});

t.test('nats transport: credentials that become wrong are reported, and tried again', { skip }, async (t) => {
  const port = await freePort();
  let server = await startServer(t, port);
  const transport = natsTransport({
    url: `nats://joe:p%40ss@127.0.0.1:${port}`,
    cluster: 'x',
    log: silentLog,
  });
  const inbox = new Inbox();
  await transport.start('a', inbox.take);
  t.teardown(() => transport.stop());
  server.kill('SIGKILL');
  await once(server, 'exit');
  server = await startServer(t, port, [], 'another');
  await until(() => transport.trouble()?.reason === 'NATS refuses the credentials of NATS_URL');
  server.kill('SIGKILL');
  await once(server, 'exit');
  await startServer(t, port);
  await until(() => transport.trouble() === undefined);
  transport.send('a', mail('a', 1));
  await inbox.until(1);
});

t.test('nats transport: messages are refused during an outage, and sent after it', { skip }, async (t) => {
  const port = await freePort();
  let server = await startServer(t, port);
  const url = `nats://joe:p%40ss@127.0.0.1:${port}`;
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const log = { ...silentLog, info: note, warn: note };
  const transport = natsTransport({ url, cluster: 'x', log });
  const inbox = new Inbox();
  await transport.start('a', inbox.take);
  t.teardown(() => transport.stop());
  transport.send('a', mail('a', 1));
  await inbox.until(1);

  server.kill('SIGKILL');
  await once(server, 'exit');
  await until(() => events.includes('bus_disconnected'));
  t.equal(transport.send('a', mail('a', 2)), 'refused');

  server = await startServer(t, port);
  await until(() => transport.trouble() === undefined);
  t.equal(transport.send('a', mail('a', 3)), 'sent');
  await inbox.until(2);
  t.same(
    inbox.envelopes.map(({ id }) => id),
    [1, 3],
  );
});

t.test(
  'nats transport: messages above the configured payload of the server are refused',
  { skip },
  async (t) => {
    const port = await freePort();
    const config = join(t.testdir({ 'nats.conf': 'max_payload: 8192' }), 'nats.conf');
    await startServer(t, port, ['-c', config]);
    const url = `nats://joe:p%40ss@127.0.0.1:${port}`;
    const [a, b] = [0, 1].map(() => natsTransport({ url, cluster: 'x', log: silentLog }));
    const inboxes = [new Inbox(), new Inbox()] as const;
    await a?.start('a', inboxes[0].take);
    await b?.start('b', inboxes[1].take);
    t.teardown(() => Promise.all([a?.stop(), b?.stop()]));
    b?.send('a', mail('b', 1));
    await inboxes[0].until(1);

    const text = 'x'.repeat(1_000);
    for (let n = 0; n < 100; n++) t.equal(a?.send('b', mail('a', n, { type: 'note', text })), 'sent');
    t.equal(a?.send('b', mail('a', 100, { type: 'note', text: 'x'.repeat(8_000) })), 'refused');
    await inboxes[1].until(100);
    t.equal(inboxes[1].envelopes.length, 100);
  },
);

async function startServer(
  t: Test,
  port: number,
  more: readonly string[] = [],
  password = 'p@ss',
): Promise<ChildProcess> {
  const args = ['-a', '127.0.0.1', '-p', String(port), '--user', 'joe', '--pass', password, ...more];
  const child = spawn(program ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-10_000);
  });
  await until(() => said.includes('Server is ready'));
  return child;
}

async function until(isTrue: () => boolean): Promise<void> {
  const endMs = performance.now() + WITHIN_MS;
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error(`not within ${WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
