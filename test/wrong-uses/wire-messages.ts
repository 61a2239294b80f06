/**
 * Codecs of messages whose plain types are not those of the contract must not compile. `npm run types` reads this file:
 * where one of them compiles after all, its `@ts-expect-error` is an error. Nothing here runs.
 */
import type { AgentMessage, Heartbeat, LogChunk, Offer } from '../../src/domain/node/agent-messages.ts';
import { type PlainCodec, plainCodec } from '../../src/wire/codecs/plain.ts';
import * as pb from '../../src/wire/generated/node/v1/agent_pb.ts';

const names = new Map();
const wrappers = new Set<string>();

export const right: PlainCodec<LogChunk> = plainCodec(pb.LogChunkSchema, names, wrappers);

type WithMore = LogChunk & { readonly isLast: boolean };
// @ts-expect-error the contract has no isLast
export const more: PlainCodec<WithMore> = plainCodec(pb.LogChunkSchema, names, wrappers);

// @ts-expect-error nobody would read the offset
export const fewer: PlainCodec<Omit<LogChunk, 'offset'>> = plainCodec(pb.LogChunkSchema, names, wrappers);

type OtherOffset = Omit<LogChunk, 'offset'> & { readonly offset: string };
// @ts-expect-error the offset is a number
export const kind: PlainCodec<OtherOffset> = plainCodec(pb.LogChunkSchema, names, wrappers);

// @ts-expect-error another message
export const other: PlainCodec<LogChunk> = plainCodec(pb.LogAckSchema, names, wrappers);

type Fewer = Exclude<AgentMessage, Offer>;
// @ts-expect-error a message of the contract that nobody knows
export const cases: PlainCodec<Fewer> = plainCodec(pb.AgentMessageSchema, names, wrappers);

type More = AgentMessage | (Omit<Heartbeat, 'type'> & { readonly type: 'pulse' });
// @ts-expect-error the contract has no pulse
export const moreCases: PlainCodec<More> = plainCodec(pb.AgentMessageSchema, names, wrappers);

type Condition = { readonly name: string; readonly title: string };
type Changed =
  | Exclude<AgentMessage, Offer>
  | (Omit<Offer, 'errors'> & { readonly errors: readonly Condition[] });
// @ts-expect-error a nested message without its description
export const nested: PlainCodec<Changed> = plainCodec(pb.AgentMessageSchema, names, wrappers);
