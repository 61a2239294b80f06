/** The kernel's public interface: everything that other rooms may use. */
export { Fenced, TurnRefused, Unavailable } from '../lib/commit-errors.ts';
export {
  type ActorDef,
  type AnyActorDef,
  type Ctx,
  defineActor,
  type Fallback,
  type Poll,
  type Reconciliation,
} from './actor/actor.ts';
export type { Address, AnyAddress, AnyMessage } from './actor/address.ts';
export { address, SHARD_COUNT, shardOf } from './actor/address.ts';
export {
  type AnsweredWith,
  type AnswerTo,
  askerOf,
  type CallEffect,
  type Confirmed,
  call,
  cancelTimer,
  type Done,
  type Effect,
  type Failed,
  type HintEffect,
  hint,
  type Outcome,
  type Port,
  portsOf,
  type ReplyTo,
  refuse,
  reply,
  type Saved,
  type SaveEffect,
  save,
  saveForResult,
  stay,
  stop,
  type TellEffect,
  tell,
  timer,
} from './actor/effect.ts';
export type { Envelope, MailEnvelope } from './actor/envelope.ts';
export { KernelError, type KernelFailure } from './actor/kernel-error.ts';
export type { KernelLimits } from './actor/limits.ts';
export type {
  Addresses,
  ApplyPort,
  Clock,
  CoordinatorInfo,
  IdPort,
  KernelLog,
  LeasePort,
  LeaseView,
  Rng,
  Transport,
  Turn,
} from './actor/ports.ts';
export { restartWithin } from './actor/supervisor.ts';
export type { AskOptions } from './router.ts';
export { askBy, createSystem, type System, type SystemOptions, type SystemStats } from './system.ts';
