/** The context of a handler, for tests that call it without a kernel. */
import { address, type Ctx, shardOf } from '../../../src/kernel/mod.ts';

export function handlerCtx<Message>(
  kind: string,
  key: string,
  over: Partial<Ctx<Message>> = {},
): Ctx<Message> {
  return {
    self: address<Message>(kind, key),
    shard: shardOf(kind, key),
    epoch: 1,
    nowMs: 0,
    newId: () => 0,
    count: () => undefined,
    ...over,
  };
}
