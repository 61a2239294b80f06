/**
 * Whoever may publish to NATS can speak for coordinators. What is broken, too much, for nobody, made up or said again
 * must not end one, nor keep work from being done, nor fill its log.
 */
import { create, toBinary } from '@bufbuild/protobuf';
import { connect, type NatsConnection } from 'nats';
import t, { type Test } from 'tap';
import { openDatabase } from '../../../src/store/database.ts';
import {
  AnswerSchema,
  EnvelopeSchema,
  MailSchema,
  RefusalSchema,
} from '../../../src/wire/generated/bus/v1/messages_pb.ts';
import { migratedDatabase } from '../../support/db.ts';
import { freePort } from '../../support/services/free-port.ts';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Program } from '../harness/program.ts';
import { checkQuiet } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';
import { DemoWork } from '../harness/work/demo-work.ts';
import { type Seeded, seeded } from '../harness/work/seeded.ts';
import { clientOf, createWorld } from '../harness/world.ts';

const ROUNDS = 4;
const FILES = 12;
const FINISHED_MS = 200_000;
const encoder = new TextEncoder();
const KINDS = [
  ...['scheduler', 'node', 'strike', 'scan', 'recipe', 'job', 'job_request', 'batch', 'diagnostic'],
  ...['statistics', 'purge', 'retention', 'nobody', '__proto__', 'constructor', ''],
];
const KEYS = [
  'main',
  '1',
  '2',
  '0',
  '-1',
  'abc',
  '1e9',
  '99999999999999999999',
  '',
  '\u0000',
  "'; --",
  'x'.repeat(500),
];
const TYPES = [
  'wake',
  'forget',
  'nonsense',
  '__proto__',
  'called',
  'saved',
  'cancel',
  'launched',
  'taskReported',
  '',
];
const SENDERS = ['c-nobody', '', 'c.>', '*', 'a b', 'x'.repeat(500)];
const DEEP = `{"type":"wake","deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
const GIANT = `{"type":"wake","text":"${'x'.repeat(900_000)}"}`;

/** Envelopes that no coordinator would send. */
function rubbish(random: Seeded, self: string, real: readonly Uint8Array[]): readonly Uint8Array[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.between(0, from.length))] as T;
  const whole = (max: number) => Math.floor(random.between(0, max));
  const bytes = (length: number) => Uint8Array.from({ length }, () => whole(256));
  const message = () =>
    pick([`{"type":${JSON.stringify(pick(TYPES))}}`, '{"type":7}', '[]', '{', '{"type":"wake","x":null}']);
  const mail = () =>
    create(MailSchema, {
      ...{ id: BigInt(whole(100)), from: pick([...SENDERS, self]), toKind: pick(KINDS), toKey: pick(KEYS) },
      ...{ payload: encoder.encode(message()), isNew: random.next() < 0.3, hops: whole(5) },
      ...(random.next() < 0.5
        ? { askId: BigInt(whole(5_000)), timeLeftMs: pick([0, 5_000, -1, Number.NaN, 1e300]) }
        : {}),
    });
  const askId = () => BigInt(pick([whole(5_000), 2 ** 53]));
  const value = () => encoder.encode(pick(['{}', 'null', '{"__proto__":{}}', 'nonsense', '[[[[']));
  const bodies = [
    () => ({ case: 'mail' as const, value: mail() }),
    () => ({ case: 'bounce' as const, value: mail() }),
    () => ({ case: 'answer' as const, value: create(AnswerSchema, { askId: askId(), value: value() }) }),
    () => ({
      case: 'refusal' as const,
      value: create(RefusalSchema, { askId: askId(), code: pick(TYPES), detail: value() }),
    }),
    () => ({ case: 'leasesChanged' as const, value: {} }),
  ];
  const envelope = (): Uint8Array => {
    const from = pick([...SENDERS, self]);
    const number = () => BigInt(pick([0, 0, whole(100_000), 2 ** 40, Number.MAX_SAFE_INTEGER, 2 ** 60]));
    const counted = { sender: pick(['', '', self, 'c-nobody']), number: number(), previous: number() };
    const notes = { received: number(), probe: number(), probed: number() };
    return toBinary(
      EnvelopeSchema,
      create(EnvelopeSchema, {
        ...{ id: BigInt(whole(1_000)), from, body: pick(bodies)() },
        ...(random.next() < 0.5 ? counted : {}),
        ...(random.next() < 0.2 ? notes : {}),
      }),
    );
  };
  const made = Array.from({ length: 300 }, () =>
    pick([() => bytes(whole(300)), envelope, envelope, envelope])(),
  );
  const cut = [...made, ...real].map((one) => one.slice(0, whole(one.length)));
  return [...made, ...cut.slice(0, 100), ...real, ...real, new Uint8Array(0), bytes(1_000_000)];
}

/** Mails that are whole and far too much. */
function heavy(): readonly Uint8Array[] {
  return ['scheduler', 'recipe', 'nobody'].flatMap((toKind) =>
    [DEEP, GIANT].map((payload) => {
      const value = create(MailSchema, {
        from: 'c-1',
        toKind,
        toKey: 'main',
        payload: encoder.encode(payload),
      });
      return toBinary(EnvelopeSchema, create(EnvelopeSchema, { from: 'c-1', body: { case: 'mail', value } }));
    }),
  );
}

async function stranger(t: Test, url: string): Promise<NatsConnection> {
  const connection = await connect({ servers: new URL(url).host });
  t.teardown(() => connection.close());
  return connection;
}

async function subjectsOf(url: string): Promise<readonly string[]> {
  const database = await openDatabase({ url, log: silentLog });
  const rows = await database.sql.execute<{ id: string }>('select id from coordinator');
  await database.close();
  return rows.map(({ id }) => `millrace.default.c.${id}`);
}

t.test('hostile bus: two coordinators continue whatever is published to them', needs('nats'), async (t) => {
  const world = await createWorld(t);
  const nats = await serviceUrl('nats');
  const url = await migratedDatabase(t);
  const shared = { DATABASE_URL: url, NATS_URL: nats };
  const ports = [await freePort(), await freePort()];
  const start = (index: number): Promise<Program> =>
    world.start('coordinator', `coordinator-${index}`, {
      ...{ ...shared, MILLRACE_GRPC: `127.0.0.1:${ports[index]}` },
    });
  const coordinators = [await start(0), await start(1)];
  const client = clientOf(coordinators[0] as Program);
  const agent = await world.start('agent', 'agent', {
    MILLRACE_COORDINATORS: ports.map((port) => `127.0.0.1:${port}`).join(','),
  });
  await until('the agent has joined', () => agent.log.includes('session_opened'));
  const bus = await stranger(t, nats);
  /** What they really say, the newest of it, to be said again. Others may share the server: only ours. */
  const real = new Map<string, Uint8Array[]>();
  for (const subject of await subjectsOf(url)) {
    bus.subscribe(subject, {
      callback: (_error, { data }) => {
        real.set(subject, [...(real.get(subject) ?? []), new Uint8Array(data)].slice(-50));
      },
    });
  }
  const work = await DemoWork.create(world, client, FILES);
  await work.deliver(FILES / 2);
  await until('both are called', () => real.size >= 2);
  const random = seeded(t);
  const subjects = [...real.keys()];
  let count = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of subjects) {
      const self = subject.slice(subject.lastIndexOf('.') + 1);
      for (const bytes of rubbish(random, self, real.get(subject) ?? [])) bus.publish(subject, bytes);
      if (round === 0) for (const bytes of heavy()) bus.publish(subject, bytes);
      bus.publish(`${subject}.more`, new Uint8Array(10));
      count += 1;
    }
    await bus.flush();
    if (round === ROUNDS / 2) await work.deliver(FILES / 2);
    // Whoever asks is answered all the while, if not at once.
    await until('it answers', async () => (await client.get<{ count: number }>('/v6/jobs/')).count >= 0);
  }
  t.comment(`${count} rounds of messages to ${subjects.length} coordinators`);

  // What a made-up message undoes, a reconciliation repairs up to 30 s later, and several may follow each other.
  await work.finished(client, FINISHED_MS);
  await checkQuiet(t, { world, client, work });
  for (const { hasExited, log } of coordinators as Program[]) {
    t.notOk(hasExited, 'it runs on');
    const told = log.split('\n').filter((line) => line.includes('bus_message_not_understood'));
    t.match(told[0], /"count":\d+/);
    t.ok(told.length < 60, `${told.length} lines`);
    t.notMatch(log, /"level":"fatal"|unhandled/i);
  }
});
