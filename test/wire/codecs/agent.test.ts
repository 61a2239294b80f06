/** Each message of the agent's contract survives the wire whole, and what is no message is refused with a code. */
import { create, type DescField, type DescMessage, toBinary } from '@bufbuild/protobuf';
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
};

/** A plain value with something in each field, made from the descriptor: a field that the codec forgets is missed. */
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

t.test(
  'agent codec: every message of either side comes back as it was sent, no field forgotten',
  async (t) => {
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
  },
);

t.test(
  'agent codec: what was left out comes back as empty values, an absent error as undefined',
  async (t) => {
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
      { type: 'offer', sequence: 1, resources: {}, errors: [], warnings: [] },
    );
  },
);

t.test('agent codec: an exit code of zero is not an absent one', async (t) => {
  const phase = { phase: 'main', startedMs: 1, endedMs: 2, timedOut: false, exitCode: 0 } as const;
  const sent = {
    ...(sampleOf(pb.TaskUpdateSchema) as object),
    type: 'taskUpdate',
    phases: [phase],
  } as unknown as AgentMessage;
  t.match(agentMessageCodec.decode(agentMessageCodec.encode(sent)), { phases: [{ exitCode: 0 }] });
});

t.test('agent codec: what is no message is refused with INVALID_REQUEST', async (t) => {
  const bytes = (init: object): Uint8Array =>
    toBinary(pb.AgentMessageSchema, create(pb.AgentMessageSchema, init));
  const refused: [string, Uint8Array][] = [
    ['noise', Buffer.from('this is not a message')],
    ['a cut message', agentMessageCodec.encode({ type: 'heartbeat', sequence: 300 }).subarray(0, 2)],
    ['no body', new Uint8Array()],
    ['an outcome that was forgotten', bytes({ body: { case: 'taskUpdate', value: { executionId: 1n } } })],
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
