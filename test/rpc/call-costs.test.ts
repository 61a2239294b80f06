/**
 * What the calls beside a session cost a coordinator: logs, contents, uploads, paths, introductions and enrolments,
 * with the largest and most expensive messages, some of them without credentials. It counts steps, which do not depend
 * on the machine. These messages are small or pieces of something, so each may cost only so many steps.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import * as grpc from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import { createAuthority, readPem } from '../../src/certificates/authority.ts';
import { makeKeyRequest } from '../../src/certificates/request.ts';
import { AGENT_MESSAGE_BYTES_MAX, AGENT_SERVICE, PIECE_BYTES_MAX } from '../../src/wire/agent-service.ts';
import * as pb from '../../src/wire/generated/node/v1/agent_pb.ts';
import { eventually } from '../support/agent/eventually.ts';
import { WorkCounter } from '../support/work-counter.ts';
import { GatewayWorld, TOKEN } from '../support/worlds/gateway-world.ts';
import { guardedService, JOIN_TOKEN } from '../support/worlds/guarded-service.ts';

/** Blocks of code, and items of built-ins: for each byte of what is read at all, for each message, and for all else. */
const STEPS_PER_BYTE_MAX = 3;
const READ_BYTES_MAX = 327_680;
const STEPS_PER_MESSAGE_MAX = 4_000;
const STEPS_BASE = 300_000;
const MANY = 1_000;
const LARGE_PIECES = 40;
const LARGEST = AGENT_MESSAGE_BYTES_MAX - 1_024;

/** As the contract's description numbers it. */
const DOUBLE = 1;

type CallName = 'logs' | 'content' | 'upload' | 'reservePath' | 'introduce' | 'enrol';
/** Calls of one message. */
const ONCE: ReadonlySet<string> = new Set(['reservePath', 'introduce', 'enrol']);

const METHODS = Object.fromEntries(pb.AgentGateway.methods.map((method) => [method.localName, method.input]));

const Client = grpc.makeGenericClientConstructor(
  Object.fromEntries(
    Object.entries(AGENT_SERVICE).map(([name, method]) => [
      name,
      { ...method, requestSerialize: (bytes: Buffer) => bytes },
    ]),
  ) as unknown as grpc.ServiceDefinition,
  'Agent',
);

/** One field of each message, as it may be; by the names of the contract. */
const FIELDS: Readonly<Record<CallName, Readonly<Record<string, string | number | Uint8Array>>>> = {
  logs: {
    ...{ joinToken: JOIN_TOKEN, nodeName: 'host', executionId: 1, stream: 'stdout', offset: 0, atMs: 1 },
    content: Buffer.from('a'),
  },
  content: {
    ...{ joinToken: TOKEN, requestId: 'wanted', content: Buffer.from('a'), error: '' },
    ...{ totalSize: 1, isMissing: 0, fileSize: 1 },
  },
  upload: {
    ...{ joinToken: TOKEN, requestId: 'wanted', offset: 1, isStored: 1, sha256: 'a', error: '', code: '' },
    ...{ path: 'a', size: 1, expiresMs: 1, isRecorded: 1 },
  },
  reservePath: {
    ...{ joinToken: JOIN_TOKEN, executionId: 1, path: 'a', proof: 'a', foundProof: 'a', size: 1 },
    ...{ workspaceUuid: '11111111-2222-3333-4444-555555555555', sha256: 'a'.repeat(64) },
  },
  introduce: { nonce: Buffer.alloc(16) },
  enrol: {
    ...{ joinToken: JOIN_TOKEN, nodeName: 'host', publicKey: Buffer.alloc(91), signature: Buffer.alloc(72) },
  },
};

function bytesOf(call: CallName, over: Readonly<Record<string, unknown>> = {}): Buffer {
  const writer = new BinaryWriter();
  for (const { localName, number, scalar } of METHODS[call]?.fields ?? []) {
    const value = { ...FIELDS[call], ...over }[localName];
    if (typeof value === 'string' || value instanceof Uint8Array)
      writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(value as string));
    else if (scalar === DOUBLE) writer.tag(number, WireType.Bit64).double(value as number);
    else writer.tag(number, WireType.Varint).int64(value as number);
  }
  return Buffer.from(writer.finish());
}

interface Attack {
  readonly what: string;
  readonly messages: readonly Buffer[];
}

function* attacks(call: CallName): Generator<Attack> {
  const one = (what: string, ...messages: readonly Buffer[]): Attack => ({ what, messages });
  for (const [name, value] of Object.entries(FIELDS[call])) {
    if (typeof value === 'number') {
      for (const number of [-1, 2 ** 31, Number.MAX_SAFE_INTEGER])
        yield one(`${name} is ${number}`, bytesOf(call, { [name]: number }));
      if (name === 'atMs')
        for (const number of [Number.NaN, 1e300])
          yield one(`${name} is ${number}`, bytesOf(call, { atMs: number }));
      continue;
    }
    for (const size of [0, 4_096, 262_145, ...(value instanceof Uint8Array ? [LARGEST] : [])])
      yield one(`${name} has ${size} bytes`, bytesOf(call, { [name]: Buffer.alloc(size, 'a') }));
    yield one(`${name} is not UTF-8`, bytesOf(call, { [name]: Buffer.alloc(4_096, 0xff) }));
    yield one(`${name} is NUL`, bytesOf(call, { [name]: '\0' }));
  }
  const sample = bytesOf(call);
  yield one('nothing', Buffer.alloc(0));
  yield one('the end is missing', sample.subarray(0, -1));
  yield one('no field has a number', Buffer.alloc(READ_BYTES_MAX));
  yield one('groups in groups', Buffer.alloc(READ_BYTES_MAX, (15 << 3) | WireType.StartGroup));
  const group = Buffer.alloc(60_000, Buffer.from([14 << 3, 0]));
  group[0] = (15 << 3) | WireType.StartGroup;
  group[1] = 14 << 3;
  yield one('a group of many fields', group);
  yield one('many fields that nobody knows', Buffer.alloc(60_000, Buffer.from([15 << 3, 0])));
  yield one('more of them', Buffer.alloc(READ_BYTES_MAX, Buffer.from([15 << 3, 0])));
  yield one('one field many times', Buffer.concat(new Array(3_000).fill(sample.subarray(0, 18))));
  yield one('a number without an end', Buffer.alloc(READ_BYTES_MAX, 0xff));
  if (ONCE.has(call)) return;
  const rest = { joinToken: '', nodeName: '', requestId: '' };
  const others = Array.from({ length: MANY }, (_, at) => bytesOf(call, { ...rest, offset: at }));
  yield one(`${MANY} pieces`, sample, ...others);
  yield one(`${MANY} pieces of one place`, ...new Array(MANY).fill(sample));
  const empty = bytesOf(call, { ...rest, content: Buffer.alloc(0) });
  yield one(`${MANY} empty pieces`, sample, ...new Array(MANY).fill(empty));
  yield one(`${MANY} executions`, ...others.map((_, at) => bytesOf(call, { executionId: at })));
  const large = { content: Buffer.alloc(PIECE_BYTES_MAX), totalSize: LARGE_PIECES * PIECE_BYTES_MAX };
  const pieces = Array.from({ length: LARGE_PIECES }, (_, at) => bytesOf(call, { ...large, offset: at }));
  yield one('pieces as large as they may be', ...pieces);
}

/** Sends all, and resolves with the status that the call ends with. */
async function send(client: grpc.Client, call: CallName, messages: readonly Buffer[]): Promise<number> {
  let code: number | undefined;
  const done = (error: grpc.ServiceError | null) => {
    code ??= error?.code ?? grpc.status.OK;
  };
  // biome-ignore lint/suspicious/noExplicitAny: made from a table of methods
  const calls = client as any;
  if (ONCE.has(call)) calls[call](messages[0], done);
  else {
    const stream = call === 'content' ? calls.content(done) : calls[call]();
    stream.on('error', done);
    stream.on('status', ({ code: ended }: grpc.StatusObject) => {
      code ??= ended;
    });
    if (call !== 'content') stream.on('data', () => undefined);
    for (const message of messages) stream.write(message);
    stream.end();
  }
  await eventually(() => code !== undefined, `the end of ${call}`, 120_000);
  return code as number;
}

interface Target {
  readonly address: string;
  readonly credentials: grpc.ChannelCredentials;
  readonly calls: readonly CallName[];
  /** Before each. */
  readonly prepare?: () => void;
}

/** Resolves with the status of each call. */
async function attack(
  t: Test,
  { address, credentials, calls, prepare }: Target,
): Promise<ReadonlyMap<string, number>> {
  const counter = await WorkCounter.start();
  t.teardown(() => counter.stop());
  const options = { 'grpc.max_send_message_length': -1, 'grpc.use_local_subchannel_pool': 1 };
  const client = new Client(address, credentials, options);
  t.teardown(() => client.close());
  const ends = new Map<string, number>();
  for (const call of calls) {
    for (const { what, messages } of attacks(call)) {
      const size = messages.reduce((sum, { length }) => sum + length, 0);
      const readBytes = messages.reduce((sum, { length }) => sum + Math.min(length, READ_BYTES_MAX), 0);
      const allowed = STEPS_BASE + readBytes * STEPS_PER_BYTE_MAX + messages.length * STEPS_PER_MESSAGE_MAX;
      let code = -1;
      const work = async () => {
        prepare?.();
        code = await send(client, call, messages);
      };
      let cost = await counter.countAll(work);
      // Other work of the coordinator may have come in between.
      if (cost.blocks + cost.touched > allowed) cost = await counter.countAll(work);
      const steps = cost.blocks + cost.touched;
      ends.set(`${call}: ${what}`, code);
      t.ok(
        steps <= allowed,
        `${call}: ${what}: ${size} bytes, ${steps} of ${allowed} steps, ended with ${code}`,
        {
          most: cost.most,
        },
      );
    }
  }
  return ends;
}

t.test('call costs: every field of every call beside the session is tested', async (t) => {
  const others = pb.AgentGateway.methods
    .map(({ localName }) => localName)
    .filter((name) => name !== 'session');
  t.strictSame(others.sort(), Object.keys(FIELDS).sort());
  for (const [call, fields] of Object.entries(FIELDS))
    t.strictSame(
      METHODS[call]?.fields.map(({ localName }) => localName).sort(),
      Object.keys(fields).sort(),
      `${call}: all its fields`,
    );
});

t.test('call costs: logs cost a bounded number of steps, and invalid ones are refused', async (t) => {
  const service = await guardedService(t);
  const credentials = grpc.credentials.createInsecure();
  const ends = await attack(t, { address: service.agentsAddress, credentials, calls: ['logs'] });
  const { OK, INVALID_ARGUMENT, UNAUTHENTICATED } = grpc.status;
  t.equal(ends.get('logs: joinToken has 0 bytes'), UNAUTHENTICATED);
  t.equal(ends.get('logs: stream is NUL'), INVALID_ARGUMENT);
  t.equal(ends.get('logs: offset is -1'), INVALID_ARGUMENT);
  t.equal(ends.get('logs: atMs is 1e+300'), INVALID_ARGUMENT);
  t.equal(ends.get('logs: atMs is NaN'), INVALID_ARGUMENT);
  t.equal(ends.get(`logs: ${MANY} pieces`), OK);
  t.strictSame(
    service.logged.filter(({ event }) => event === 'logs_not_kept'),
    [],
    'the store accepts everything that the gateway accepts',
  );
  const unreadable = service.logged.filter(({ event }) => event === 'agent_message_unreadable');
  for (const reason of [/too many parts/, /too many bytes/])
    t.ok(
      unreadable.some(({ fields }) => reason.test(String(fields?.reason))),
      `${reason}`,
    );
});

t.test(
  'call costs: reservations of paths cost a bounded number of steps, and invalid ones are refused',
  async (t) => {
    const service = await guardedService(t);
    const credentials = grpc.credentials.createInsecure();
    const ends = await attack(t, { address: service.agentsAddress, credentials, calls: ['reservePath'] });
    const { INVALID_ARGUMENT, UNAUTHENTICATED } = grpc.status;
    t.equal(ends.get('reservePath: joinToken has 0 bytes'), UNAUTHENTICATED);
    for (const field of ['workspaceUuid', 'path', 'proof', 'sha256'])
      t.equal(ends.get(`reservePath: ${field} is NUL`), INVALID_ARGUMENT, field);
    t.equal(ends.get('reservePath: size is -1'), INVALID_ARGUMENT);
    t.equal(ends.get('reservePath: executionId is -1'), INVALID_ARGUMENT);
    t.strictSame(
      service.logged.filter(({ event }) => event === 'path_not_reserved'),
      [],
      'the store accepts everything that the gateway accepts',
    );
  },
);

t.test(
  'call costs: contents of files cost a bounded number of steps, and the reader learns their end',
  async (t) => {
    const world = await GatewayWorld.start(t);
    const ended = { well: 0, badly: 0 };
    const sink = {
      begin: () => undefined,
      write: async () => undefined,
      end: () => {
        ended.well += 1;
      },
      fail: () => {
        ended.badly += 1;
      },
    };
    const ends = await attack(t, {
      ...{
        address: world.gateway.address,
        credentials: grpc.credentials.createInsecure(),
        calls: ['content'],
      },
      prepare: () => world.contents.expect('wanted', sink),
    });
    t.equal(ends.get('content: pieces as large as they may be'), grpc.status.OK, 'a whole file');
    t.equal(ends.get(`content: ${MANY} empty pieces`), grpc.status.OK);
    t.equal(ends.get(`content: ${MANY} pieces`), grpc.status.CANCELLED, 'more than announced');
    t.ok(ended.well > 0 && ended.badly > 0, 'whoever waits is told how it ended');
  },
);

t.test(
  'call costs: introductions and enrolments cost a bounded number of steps, and invalid ones are refused',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-authority-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    await createAuthority(folder, Date.now());
    const authority = Buffer.from((await readPem(folder, 'ca.pem')) ?? '');
    const service = await guardedService(t, { MILLRACE_TLS: 'on', MILLRACE_TLS_DIR: folder });
    const credentials = grpc.credentials.createSsl(authority, null, null, {
      checkServerIdentity: () => undefined,
    });
    const address = service.agentsAddress;
    const ends = await attack(t, { address, credentials, calls: ['introduce', 'enrol'] });
    const { OK, INVALID_ARGUMENT, UNAUTHENTICATED } = grpc.status;
    t.equal(ends.get('introduce: nonce is NUL'), INVALID_ARGUMENT);
    t.equal(ends.get('introduce: nonce has 4096 bytes'), INVALID_ARGUMENT);
    t.equal(ends.get('enrol: joinToken has 4096 bytes'), UNAUTHENTICATED);
    t.equal(ends.get('enrol: publicKey has 4096 bytes'), INVALID_ARGUMENT);
    const client = new Client(address, credentials);
    t.teardown(() => client.close());
    t.equal(await send(client, 'introduce', [bytesOf('introduce')]), OK);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const good = bytesOf('enrol', { ...makeKeyRequest('host', privateKey) });
    t.equal(await send(client, 'enrol', [good]), OK, 'a correct request is accepted');
  },
);

t.test('call costs: uploads cost a bounded number of steps, and the sender learns their end', async (t) => {
  const world = await GatewayWorld.start(t);
  const ended = { well: 0, badly: 0 };
  const ends = await attack(t, {
    ...{ address: world.gateway.address, credentials: grpc.credentials.createInsecure(), calls: ['upload'] },
    prepare: () => {
      void world.uploads.expect('wanted').then(
        (stream) =>
          stream.finish().then(
            () => {
              ended.well += 1;
            },
            () => {
              ended.badly += 1;
            },
          ),
        () => undefined,
      );
    },
  });
  t.equal(ends.get(`upload: ${MANY} pieces`), grpc.status.OK, 'pieces after the last report are dropped');
  t.equal(ends.get('upload: joinToken has 0 bytes'), grpc.status.CANCELLED);
  t.ok(ended.well > 0 && ended.badly > 0, 'whoever waits is told how it ended');
});
