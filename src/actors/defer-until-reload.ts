/** Messages that an actor defers until it has been loaded again, and answers to asks that may have been deferred. */
import {
  type AnswerTo,
  type AnyMessage,
  askerOf,
  type Ctx,
  type Effect,
  type ReplyTo,
  reply,
  stop,
  tell,
} from '../kernel/mod.ts';

/** Makes the actor load again and then handle the message. A crash loses the message, as it may lose any tell. */
export function deferUntilReload<Message extends AnyMessage>(
  message: Message & { readonly replyTo?: ReplyTo },
  ctx: Ctx<Message>,
): Effect<never>[] {
  const replyTo = ctx.replyTo ?? message.replyTo;
  return [tell(ctx.self, replyTo === undefined ? message : { ...message, replyTo }), stop()];
}

/** Replies to the asker, whether the message was deferred or not; does nothing if there is no asker. */
export function answer<Message extends AnyMessage>(
  message: Message & { readonly replyTo?: ReplyTo<AnswerTo<Message>> },
  ctx: Ctx,
  value: AnswerTo<Message>,
): Effect<never>[] {
  const to = askerOf(message, ctx) ?? message.replyTo;
  return to === undefined ? [] : [reply(to, value)];
}
