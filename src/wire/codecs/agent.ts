/**
 * The messages between node agent and coordinator: bytes of proto/node/v1/agent.proto <-> plain values of
 * src/domain/node. Both sides use these; generated code is used only in this folder.
 */

import { AppError } from '../../domain/errors.ts';
import type {
  AgentMessage,
  ContentChunk,
  Enrolment,
  EnrolRequest,
  IntroduceRequest,
  Introduction,
  LogChunk,
  PathRequest,
  UploadReport,
} from '../../domain/node/agent-messages.ts';
import type {
  CoordinatorMessage,
  Launches,
  LogAck,
  PathReservation,
  UploadPiece,
} from '../../domain/node/coordinator-messages.ts';
import * as pb from '../generated/node/v1/agent_pb.ts';
import { type PlainCodec, plainCodec } from './plain.ts';

type Strings<Enum extends Readonly<Record<string, number>>> = Readonly<
  Record<Exclude<keyof Enum, 'UNSPECIFIED'>, string>
>;

// If a value is added to the contract without a string here, this does not compile. UNSPECIFIED (not set by the sender)
// is refused.
const PHASES = { PULL: 'pull', PRE: 'pre', MAIN: 'main', POST: 'post', ENDED: 'ended' } satisfies Strings<
  typeof pb.Phase
>;
const OUTCOMES = { COMPLETED: 'COMPLETED', FAILED: 'FAILED', CANCELED: 'CANCELED' } satisfies Strings<
  typeof pb.Outcome
>;
const ARRIVALS = { TRANSFERRING: 'transferring', COMPLETE: 'complete', GONE: 'gone' } satisfies Strings<
  typeof pb.Arrival
>;
const INGEST_OUTCOMES = {
  STORED: 'stored',
  DUPLICATE: 'duplicate',
  CHANGED: 'changed',
  GONE: 'gone',
  FAILED: 'failed',
  CANCELED: 'canceled',
} satisfies Strings<typeof pb.IngestOutcome>;

const DELETIONS = {
  REMOVED: 'removed',
  ABSENT: 'absent',
  OTHER: 'other',
  FAILED: 'failed',
} satisfies Strings<typeof pb.Deletion>;

const USED_SOURCES = { CGROUP: 'cgroup', RUSAGE: 'rusage', ENGINE: 'engine' } satisfies Strings<
  typeof pb.UsedSource
>;

const PATH_VERDICTS = {
  RESERVED: 'reserved',
  KEPT: 'kept',
  REPLACE: 'replace',
  TAKEN: 'taken',
  OVER: 'over',
} satisfies Strings<typeof pb.PathVerdict>;

const ENUM_NAMES = new Map([
  [pb.PhaseSchema.typeName, byNumber(pb.Phase, PHASES)],
  [pb.OutcomeSchema.typeName, byNumber(pb.Outcome, OUTCOMES)],
  [pb.ArrivalSchema.typeName, byNumber(pb.Arrival, ARRIVALS)],
  [pb.IngestOutcomeSchema.typeName, byNumber(pb.IngestOutcome, INGEST_OUTCOMES)],
  [pb.DeletionSchema.typeName, byNumber(pb.Deletion, DELETIONS)],
  [pb.UsedSourceSchema.typeName, byNumber(pb.UsedSource, USED_SOURCES)],
  [pb.PathVerdictSchema.typeName, byNumber(pb.PathVerdict, PATH_VERDICTS)],
]);

/** In plain values a `Resources` is just its amounts. */
const WRAPPERS = new Set([pb.ResourcesSchema.typeName]);

function byNumber(
  values: Readonly<Record<string, number>>,
  strings: Readonly<Record<string, string>>,
): Map<number, string> {
  return new Map(Object.entries(strings).map(([key, text]) => [values[key] as number, text]));
}

// limit: fields and items of one message from an agent. A report of 100,000 products has 1.3 million.
export const AGENT_MESSAGE_PARTS_MAX = 1_500_000;
// limit: fields of any other message that a coordinator reads. The largest has seven.
const PARTS_MAX = 100;

const NEEDS_WORKSPACE: ReadonlySet<string> = new Set([
  'monitor',
  'sendFile',
  'receiveFile',
  'listFiles',
  'deleteFiles',
  'findFiles',
  'lookAtWorkspace',
]);

const anyCoordinatorMessage: PlainCodec<CoordinatorMessage> = plainCodec(
  pb.CoordinatorMessageSchema,
  ENUM_NAMES,
  WRAPPERS,
);

export const agentMessageCodec: PlainCodec<AgentMessage> = plainCodec(
  pb.AgentMessageSchema,
  ENUM_NAMES,
  WRAPPERS,
  AGENT_MESSAGE_PARTS_MAX,
);
export const logChunkCodec: PlainCodec<LogChunk> = plainCodec(
  pb.LogChunkSchema,
  ENUM_NAMES,
  WRAPPERS,
  PARTS_MAX,
);
export const logAckCodec: PlainCodec<LogAck> = plainCodec(pb.LogAckSchema, ENUM_NAMES, WRAPPERS);
export const contentChunkCodec: PlainCodec<ContentChunk> = plainCodec(
  pb.ContentChunkSchema,
  ENUM_NAMES,
  WRAPPERS,
  PARTS_MAX,
);
export const contentDoneCodec: PlainCodec<object> = plainCodec(pb.ContentDoneSchema, ENUM_NAMES, WRAPPERS);
export const uploadReportCodec: PlainCodec<UploadReport> = plainCodec(
  pb.UploadReportSchema,
  ENUM_NAMES,
  WRAPPERS,
  PARTS_MAX,
);
export const uploadPieceCodec: PlainCodec<UploadPiece> = plainCodec(
  pb.UploadPieceSchema,
  ENUM_NAMES,
  WRAPPERS,
);
export const pathRequestCodec: PlainCodec<PathRequest> = plainCodec(
  pb.PathRequestSchema,
  ENUM_NAMES,
  WRAPPERS,
  PARTS_MAX,
);
export const pathReservationCodec: PlainCodec<PathReservation> = plainCodec(
  pb.PathReservationSchema,
  ENUM_NAMES,
  WRAPPERS,
);
export const introduceRequestCodec: PlainCodec<IntroduceRequest> = plainCodec(
  pb.IntroduceRequestSchema,
  ENUM_NAMES,
  WRAPPERS,
  PARTS_MAX,
);
export const introductionCodec: PlainCodec<Introduction> = plainCodec(
  pb.IntroductionSchema,
  ENUM_NAMES,
  WRAPPERS,
);
export const enrolRequestCodec: PlainCodec<EnrolRequest> = plainCodec(
  pb.EnrolRequestSchema,
  ENUM_NAMES,
  WRAPPERS,
  PARTS_MAX,
);
export const enrolmentCodec: PlainCodec<Enrolment> = plainCodec(pb.EnrolmentSchema, ENUM_NAMES, WRAPPERS);

export const coordinatorMessageCodec: PlainCodec<CoordinatorMessage> = {
  encode: anyCoordinatorMessage.encode,
  decode: (bytes) => {
    const message = anyCoordinatorMessage.decode(bytes);
    // proto3 has no required fields, but these messages are invalid without their workspace.
    if (NEEDS_WORKSPACE.has(message.type) && 'workspace' in message && message.workspace === undefined) {
      throw new AppError('INVALID_REQUEST', `a ${message.type} without a workspace`);
    }
    if (message.type === 'launches' && !message.items.every(isLaunch)) {
      throw new AppError('INVALID_REQUEST', 'an item without its launch');
    }
    return message;
  },
};

function isLaunch({ launch }: { readonly launch?: Launches['items'][number]['launch'] }): boolean {
  return launch !== undefined;
}
