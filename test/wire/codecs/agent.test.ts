/** Each message of the agent's contract is encoded and decoded unchanged, and other bytes are refused. */
import { create, type DescField, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import t from 'tap';
import type { AgentMessage } from '../../../src/domain/node/agent-messages.ts';
import type { CoordinatorMessage } from '../../../src/domain/node/coordinator-messages.ts';
import {
  agentMessageCodec,
  coordinatorMessageCodec,
  logAckCodec,
  logChunkCodec,
} from '../../../src/wire/codecs/agent.ts';
import * as pb from '../../../src/wire/generated/node/v1/agent_pb.ts';

const ENUM_SAMPLE: Record<string, string> = {
  [pb.PhaseSchema.typeName]: 'post',
  [pb.OutcomeSchema.typeName]: 'CANCELED',
  [pb.ArrivalSchema.typeName]: 'gone',
  [pb.IngestOutcomeSchema.typeName]: 'changed',
  [pb.DeletionSchema.typeName]: 'other',
  [pb.UsedSourceSchema.typeName]: 'engine',
};

/** A value with a sample in each field of the descriptor, so that a field that the codec forgets is noticed. */
function sampleOf(schema: DescMessage): Record<string, unknown> {
  if (schema.typeName === pb.ResourcesSchema.typeName) return { cpus: 1.5, mem: 128 };
  return Object.fromEntries(schema.fields.map((field) => [field.localName, fieldSample(field)]));
}

function fieldSample(field: DescField): unknown {
  if (field.fieldKind === 'map') return { key: 'value', constructor: 'x' };
  if (field.fieldKind === 'list') return [valueSample(field), valueSample(field)];
  return valueSample(field);
}

function valueSample(field: DescField): unknown {
  if (field.message !== undefined) return sampleOf(field.message);
  if (field.enum !== undefined) return ENUM_SAMPLE[field.enum.typeName];
  const samples: Record<string, unknown> = {
    1: 1.25,
    3: 2 ** 53 - 1,
    4: 7,
    5: -3,
    8: true,
    9: 'é\n\u0001',
    12: Buffer.from('abc'),
  };
  return samples[String(field.scalar)] ?? 9;
}

t.test('agent codec: every field of every message of both sides is decoded as it was encoded', async (t) => {
  for (const field of pb.AgentMessageSchema.fields) {
    const message = {
      type: field.localName,
      ...sampleOf(field.message as DescMessage),
    } as unknown as AgentMessage;
    t.strictSame(agentMessageCodec.decode(agentMessageCodec.encode(message)), message, field.localName);
  }
  for (const field of pb.CoordinatorMessageSchema.fields) {
    const message = {
      type: field.localName,
      ...sampleOf(field.message as DescMessage),
    } as unknown as CoordinatorMessage;
    t.strictSame(
      coordinatorMessageCodec.decode(coordinatorMessageCodec.encode(message)),
      message,
      field.localName,
    );
  }
});

t.test('agent codec: omitted lists are decoded as empty, and omitted messages as undefined', async (t) => {
  const bytes = agentMessageCodec.encode({
    type: 'taskUpdate',
    spoolId: 1,
    executionId: 2,
    jobId: 3,
    exeNum: 1,
    owner: '',
    outcome: 'COMPLETED',
    phases: [{ phase: 'main', startedMs: 1, endedMs: 2, timedOut: false }],
    outputs: [],
    jsonOutputs: '',
    parsedInputs: [],
  });
  const update = agentMessageCodec.decode(bytes);
  t.match(update, { type: 'taskUpdate', error: undefined, phases: [{ exitCode: undefined }] });
  t.strictSame(
    agentMessageCodec.decode(
      agentMessageCodec.encode({ type: 'offer', sequence: 1, resources: {}, errors: [], warnings: [] }),
    ),
    { type: 'offer', sequence: 1, resources: {}, errors: [], warnings: [], host: undefined },
  );
});

t.test('agent codec: an exit code of 0 differs from an absent one', async (t) => {
  const phase = { phase: 'main', startedMs: 1, endedMs: 2, timedOut: false, exitCode: 0 } as const;
  const sent = {
    ...(sampleOf(pb.TaskUpdateSchema) as object),
    type: 'taskUpdate',
    phases: [phase],
  } as unknown as AgentMessage;
  t.match(agentMessageCodec.decode(agentMessageCodec.encode(sent)), { phases: [{ exitCode: 0 }] });
});

t.test('agent codec: bytes that are not a message are refused with INVALID_REQUEST', async (t) => {
  const bytes = (init: object): Uint8Array =>
    toBinary(pb.AgentMessageSchema, create(pb.AgentMessageSchema, init));
  const refused: [string, Uint8Array][] = [
    ['noise', Buffer.from('this is not a message')],
    ['a cut message', agentMessageCodec.encode({ type: 'heartbeat', sequence: 300 }).subarray(0, 2)],
    ['no body', new Uint8Array()],
    ['a missing outcome', bytes({ body: { case: 'taskUpdate', value: { executionId: 1n } } })],
    ['an outcome from the future', bytes({ body: { case: 'taskUpdate', value: { outcome: 99 } } })],
    [
      'an id beyond what numbers hold',
      bytes({ body: { case: 'heartbeat', value: { sequence: 2n ** 60n } } }),
    ],
  ];
  for (const [name, input] of refused)
    t.throws(() => agentMessageCodec.decode(input), { code: 'INVALID_REQUEST' }, name);
  const noWorkspace = toBinary(
    pb.CoordinatorMessageSchema,
    create(pb.CoordinatorMessageSchema, { body: { case: 'monitor', value: { executionId: 1n } } }),
  );
  t.throws(() => coordinatorMessageCodec.decode(noWorkspace), { code: 'INVALID_REQUEST' });
});

t.test('agent codec: a group, which no message has, is refused', async (t) => {
  const known = agentMessageCodec.encode({ type: 'heartbeat', sequence: 1, nowMs: 1 });
  const [start, end, field] = [(99 << 3) | WireType.StartGroup, (99 << 3) | WireType.EndGroup, 98 << 3];
  const writer = new BinaryWriter().uint32(start);
  for (let at = 0; at < 10; at += 1) writer.uint32(field).uint32(1);
  const group = Buffer.from(writer.uint32(end).finish());
  t.ok(agentMessageCodec.decode(known));
  t.throws(() => agentMessageCodec.decode(Buffer.concat([known, group])), { code: 'INVALID_REQUEST' });
});

t.test('agent codec: log chunks and their acknowledgements keep bytes and offsets', async (t) => {
  const chunk = {
    joinToken: 't',
    nodeName: 'n',
    executionId: 1,
    stream: 'stdout',
    offset: 5,
    atMs: 1.5,
    content: Buffer.from([0, 255]),
  };
  t.strictSame(logChunkCodec.decode(logChunkCodec.encode(chunk)), chunk);
  t.strictSame(logAckCodec.decode(logAckCodec.encode({ executionId: 1, stream: 'stderr', offset: 9 })), {
    executionId: 1,
    stream: 'stderr',
    offset: 9,
  });
});

/** A message of each kind of either side, with every integer as `integer` and every text as `text`. */
function samplesWith(schema: DescMessage, integer: number, text: string): Record<string, unknown>[] {
  const put = (value: unknown, field: DescField): unknown => {
    if (field.fieldKind === 'map') return { ['__proto__']: 1, ...(value as object) };
    if (field.fieldKind === 'list') return (value as unknown[]).map((item) => single(item, field));
    return single(value, field);
  };
  const single = (value: unknown, field: DescField): unknown => {
    if (field.message !== undefined && Array.isArray(field.message.fields) && !isWrapper(field.message))
      return fill(value as Record<string, unknown>, field.message);
    if (field.scalar === 3 || (field.scalar === 4 && integer >= 0)) return integer;
    return field.scalar === 9 ? text : value;
  };
  const fill = (sample: Record<string, unknown>, message: DescMessage): Record<string, unknown> =>
    Object.fromEntries(message.fields.map((field) => [field.localName, put(sample[field.localName], field)]));
  return schema.fields.map((field) => ({
    type: field.localName,
    ...fill(sampleOf(field.message as DescMessage), field.message as DescMessage),
  }));
}

const isWrapper = (message: DescMessage): boolean => message.typeName === pb.ResourcesSchema.typeName;

const SIDES = [
  [pb.AgentMessageSchema, agentMessageCodec],
  [pb.CoordinatorMessageSchema, coordinatorMessageCodec],
] as const;

t.test('agent codec: it encodes and decodes the same bytes as the protobuf library', async (t) => {
  const integers = [0, 1, 127, 128, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, -1, 1 - 2 ** 53];
  const texts = ['', 'a', 'é'.repeat(100), 'x'.repeat(20_000)];
  for (const [schema, codec] of SIDES) {
    for (const [at, integer] of integers.entries()) {
      for (const sample of samplesWith(schema, integer, texts[at % texts.length] ?? '')) {
        const bytes = codec.encode(sample as never);
        const byLibrary = toBinary(schema, fromBinary(schema, bytes));
        if (Buffer.compare(bytes, byLibrary) !== 0) t.fail(`${sample.type} with ${integer}`);
        t.strictSame(codec.decode(byLibrary), codec.decode(bytes));
        t.match(codec.decode(bytes), { type: sample.type });
      }
    }
  }
});

t.test(
  'agent codec: unpacked lists are decoded, and unknown fields of newer versions are skipped',
  async (t) => {
    const ids = [1, 2 ** 40];
    const field = pb.AckSchema.fields.find(({ fieldKind }) => fieldKind === 'list') as DescField;
    const union = pb.CoordinatorMessageSchema.fields.find(
      ({ message }) => message === pb.AckSchema,
    ) as DescField;
    const inner = new BinaryWriter();
    for (const id of ids) inner.tag(field.number, WireType.Varint).uint64(id);
    inner.tag(1_000, WireType.LengthDelimited).string('new').tag(1_001, WireType.Bit64).fixed64(1);
    const bytes = new BinaryWriter()
      .tag(union.number, WireType.LengthDelimited)
      .bytes(inner.finish())
      .finish();
    t.match(coordinatorMessageCodec.decode(bytes), { type: 'ack', [field.localName]: ids });
  },
);

t.test('agent codec: damaged bytes are decoded or refused, and never throw another error', async (t) => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed % below;
  };
  let refused = 0;
  for (const [schema, codec] of SIDES) {
    for (const sample of samplesWith(schema, 300, 'text')) {
      const whole = codec.encode(sample as never);
      for (let round = 0; round < 200; round += 1) {
        const bytes = Buffer.from(whole.subarray(0, round % 3 === 0 ? random(whole.length) : whole.length));
        for (let flip = 0; flip <= random(3) && bytes.length > 0; flip += 1) {
          bytes[random(bytes.length)] = random(256);
        }
        try {
          codec.decode(bytes);
        } catch (error) {
          refused += 1;
          if ((error as { code?: string }).code !== 'INVALID_REQUEST') throw error;
        }
      }
    }
  }
  t.ok(refused > 1_000, `${refused} were refused`);
});
