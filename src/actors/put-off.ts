/** Messages that an actor puts off until it has loaded again, and answers to asks that may have been put off. */
import { type Ctx, type Effect, type ReplyTo, reply, stop, tell } from '../kernel/mod.ts';

/** Has the actor load again and then work on the message. Lost in a crash, as any message may be. */
export function later(message: object, ctx: Ctx): Effect<never>[] {
  const asked = ctx.replyTo === undefined ? {} : { replyTo: ctx.replyTo };
  return [tell(ctx.self, { ...message, ...asked }), stop()];
}

/** Answers whoever asked, now or before the message was put off; nobody when it was a tell. */
export function answer(message: { readonly replyTo?: ReplyTo }, ctx: Ctx, value: unknown): Effect<never>[] {
  const to = ctx.replyTo ?? message.replyTo;
  return to === undefined ? [] : [reply(to, value)];
}
