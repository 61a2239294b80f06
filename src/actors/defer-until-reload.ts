/** Messages that an actor defers until it has loaded again, and answers to asks that may have been deferred. */
import {
  type AnswerTo,
  askerOf,
  type Ctx,
  type Effect,
  type ReplyTo,
  reply,
  stop,
  tell,
} from '../kernel/mod.ts';

/** Has the actor load again and then handle the message. Lost in a crash, as any message may be. */
export function deferUntilReload<Message extends object>(
  message: Message & { readonly replyTo?: ReplyTo },
  ctx: Ctx<Message>,
): Effect<never>[] {
  const replyTo = ctx.replyTo ?? message.replyTo;
  return [tell(ctx.self, replyTo === undefined ? message : { ...message, replyTo }), stop()];
}

/** Answers whoever asked, now or before the message was deferred; nobody when it was told. */
export function answer<Message extends object>(
  message: Message & { readonly replyTo?: ReplyTo<AnswerTo<Message>> },
  ctx: Ctx,
  value: AnswerTo<Message>,
): Effect<never>[] {
  const to = askerOf(message, ctx) ?? message.replyTo;
  return to === undefined ? [] : [reply(to, value)];
}
