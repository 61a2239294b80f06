/**
 * The loop. It takes activations with mail, in slices; loads them in sets; runs their turns; passes changes to the
 * committer; lets effects leave only after their own commit; and decides what happens to an activation after a failure.
 */

import { TurnRefused } from '../../lib/commit-errors.ts';
import { Fifo } from '../../lib/fifo.ts';
import type { AnyAddress, AnyMessage } from '../actor/address.ts';
import type { Saved } from '../actor/effect.ts';
import { isUnavailable, kernelFailure } from '../actor/kernel-error.ts';
import type { ApplyPort } from '../actor/ports.ts';
import { decide } from '../actor/supervisor.ts';
import { type CommitEnds, Committer, type PendingTurn } from '../commit/committer.ts';
import { type IdPools, OutOfIds } from '../commit/id-pools.ts';
import { UncertainCommits } from '../commit/uncertain-commits.ts';
import type { Runtime } from '../runtime.ts';
import { absorbs } from './absorb.ts';
import { type Activation, hasFallback, nameOf, type ShardLease } from './activation.ts';
import type { ActorType } from './actor-type.ts';
import { AskMail, type Mail, messageOf } from './mail.ts';
import { type Outbox, Outputs } from './outputs.ts';
import type { Registry } from './registry.ts';
import { type Decision, TurnRunner } from './turn.ts';

interface ActivationTurn extends PendingTurn, Decision {
  readonly activation: Activation;
}

export interface DispatcherParts extends Runtime {
  readonly registry: Registry;
  readonly outbox: Outbox;
  readonly apply: ApplyPort<unknown>;
  readonly ids: IdPools;
  /** False while our leases may have expired: nothing runs then. `wakeUp` is called when that is over. */
  mayRun(): boolean;
  /** Called when the store reports that a lease is no longer ours. */
  onFenced(lease: ShardLease): void;
}

/** limit: turns in a row without enough ids although the blocks cannot grow: one turn needs more than a block has. */
const DRY_RUNS_MAX = 10;
/** Reading the clock costs more than a small handler, so it is read once for this many messages. */
const MESSAGES_PER_CLOCK = 64;

export class Dispatcher implements CommitEnds<ActivationTurn> {
  readonly committer: Committer<ActivationTurn>;
  readonly #parts: DispatcherParts;
  readonly #runner: TurnRunner;
  readonly #outputs: Outputs;
  readonly #ready = new Fifo<Activation>();
  readonly #uncertainCommits: UncertainCommits;
  #isScheduled = false;
  #isClosed = false;
  /** The start of the last slice on the monotonic clock: precise enough for idle times. */
  #sliceMs = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#runner = new TurnRunner(parts, parts.ids);
    this.#outputs = new Outputs(parts, parts.outbox, (activation) => this.wake(activation));
    this.committer = new Committer(parts, parts.apply, this);
    this.#uncertainCommits = new UncertainCommits(parts, parts.apply, (activation) =>
      this.#resume(activation),
    );
  }

  /** Puts mail into the activation of `to`, opening it if needed. False if its mailbox is full or too many are live. */
  deliver(kind: ActorType, to: AnyAddress, lease: ShardLease, mail: Mail, isNew: boolean): boolean {
    let activation = kind.activations.get(to.key);
    if (activation === undefined) {
      activation = this.#parts.registry.open(kind, to, lease);
      if (activation === undefined) return false;
      if (isNew) activation.phase = 'loaded';
    } else if (activation.isSuspended && mail instanceof AskMail) {
      this.#parts.outbox.refuse(
        mail.replyTo,
        kernelFailure('HANDLER_FAILED', 'suspended after repeated failures'),
      );
      return true;
    }
    if (this.#parts.mayRun() && absorbs(this.#parts, activation, mail)) return true;
    if (!activation.offer(mail)) return false;
    this.wake(activation);
    return true;
  }

  /** Looks for work again after nothing was allowed to run. */
  wakeUp(): void {
    if (this.#ready.length > 0) this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Whether no activation of the shard has work left; activations without work are unloaded. */
  isDrained(lease: ShardLease): boolean {
    let isDrained = true;
    for (const activation of this.#parts.registry.activationsOf(lease)) {
      if (activation.isQuiet) this.#parts.registry.remove(activation);
      else isDrained = false;
    }
    return isDrained;
  }

  /** The shard has another owner: its activations are dropped, and their mail is forwarded. */
  loseShard(lease: ShardLease): void {
    lease.status = 'lost';
    for (const activation of this.#parts.registry.activationsOf(lease)) this.#drop(activation);
  }

  loaded(activation: Activation): void {
    activation.phase = 'loaded';
    activation.needsStart = true;
    this.#enqueue(activation);
  }

  loadFailed(activation: Activation, error: unknown): void {
    this.#parts.log.error('actor_not_loaded', { ...nameOf(activation), error });
    this.#backOff(activation);
  }

  committed(group: readonly ActivationTurn[], results: readonly (readonly unknown[])[]): void {
    this.#parts.counters.commits++;
    this.#parts.counters.committedTurns += group.length;
    for (const [at, done] of group.entries()) {
      const { activation, wanted } = done;
      this.#parts.registry.actorTypeOf(activation).backoff.succeed('commit');
      // A saved start says nothing about messages.
      if (activation.turn.length > 0) activation.refusals = activation.lasting.times = 0;
      activation.isAlone = false;
      for (const [index, want] of wanted.entries()) {
        if (want === undefined) continue;
        const saved: Saved<string, unknown, unknown> = { ...want, result: results[at]?.[index] };
        activation.offerSystem(saved);
      }
      this.#finish(activation, done);
    }
  }

  refused({ activation }: ActivationTurn, error: unknown): void {
    const { counters, limits, outbox, log } = this.#parts;
    counters.refused++;
    const reason = error instanceof TurnRefused && error.isLasting ? error.message : '';
    const times = reason !== '' && reason === activation.lasting.reason ? activation.lasting.times + 1 : 1;
    activation.lasting = { reason, times };
    const isLast = ++activation.refusals >= limits.refusalsMax;
    if (isLast) log.warn('turn_refused_repeatedly', { ...nameOf(activation), error });
    if (isLast && activation.turn.length === 0) {
      this.#giveUp(activation);
      this.#backOff(activation);
      return;
    }
    if (isLast) {
      const asks = activation.turnAsks();
      if (reason !== '') this.#refuseAsks(asks);
      else
        for (const ask of asks)
          outbox.refuse(ask.replyTo, kernelFailure('CONFLICT', 'changed by someone else'));
      const [mail] = activation.turn;
      const isBlamed = activation.turn.length === 1 && reason !== '' && times >= limits.refusalsMax;
      if (mail === undefined || !isBlamed || !this.#substitute(activation, mail, error)) {
        counters.dropped += activation.turn.length - asks.length;
        activation.turn.length = 0;
      }
      activation.refusals = activation.lasting.times = 0;
    }
    this.#giveUp(activation);
    this.#enqueue(activation);
  }

  fenced({ activation }: ActivationTurn): void {
    this.#parts.counters.fenced++;
    activation.phase = 'loaded'; // its commit is over, so it can be dropped
    if (activation.lease.status === 'lost') this.#drop(activation);
    else this.#parts.onFenced(activation.lease);
  }

  /** Loads again once the rows show whether the turn was saved, and handles the same messages again. */
  unsure(group: readonly ActivationTurn[], error: unknown): void {
    const isOutage = isUnavailable(error);
    this.#parts.counters.unavailable++;
    this.#parts.log.warn('commit_failed', {
      turns: group.length,
      actorKind: group[0]?.activation.def.kind,
      error,
    });
    for (const { activation } of group) {
      if (isOutage) {
        this.#parts.registry.actorTypeOf(activation).backoff.fail('commit');
        this.#giveUp(activation);
        this.#uncertainCommits.add(activation);
      } else {
        this.#suspect(activation, error);
      }
    }
  }

  /** Any turn of a failed group may be to blame: each is tried alone. One that keeps failing loses its messages. */
  #suspect(activation: Activation, error: unknown): void {
    if (activation.isAlone && activation.failuresMs.length >= activation.def.supervise.timesMax) {
      this.#parts.log.error('messages_dropped', { ...nameOf(activation), error });
      this.#refuseAsks(activation.turn);
      this.#parts.counters.dropped += activation.turn.length;
      activation.turn.length = 0;
    }
    activation.isAlone = true;
    this.#giveUp(activation);
    this.#backOff(activation);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    this.#parts.clock.soon(() => this.#slice());
  }

  #slice(): void {
    this.#isScheduled = false;
    const { clock, limits, registry } = this.#parts;
    if (this.#isClosed || !this.#parts.mayRun()) return;
    const nowMs = clock.nowMs();
    const startMs = clock.monotonicMs();
    this.#sliceMs = startMs;
    let count = 0;
    let checkAt = MESSAGES_PER_CLOCK;
    for (let activation = this.#ready.shift(); activation !== undefined; activation = this.#ready.shift()) {
      activation.isQueued = false;
      count += this.#work(activation, nowMs, startMs);
      if (count >= limits.sliceMessages) break;
      if (count < checkAt) continue;
      checkAt = count + MESSAGES_PER_CLOCK;
      if (clock.monotonicMs() - startMs >= limits.sliceMs) break;
    }
    for (const kind of registry.actorTypes()) kind.pump();
    this.committer.gathered();
    this.wakeUp();
  }

  /** Handles messages of one activation. Returns their number, at least one. */
  #work(activation: Activation, nowMs: number, monotonicMs: number): number {
    if (activation.phase === 'unloaded') this.#parts.registry.actorTypeOf(activation).awaitLoad(activation);
    if (activation.phase !== 'loaded') return 1;
    this.#parts.counters.turns++;
    activation.isPolled = false;
    const decision = this.#runner.decide(activation, nowMs, monotonicMs);
    const count = activation.turn.length + 1;
    if (decision.failure !== undefined) {
      this.#failed(activation, decision.failure);
    } else if (decision.changes.length > 0) {
      activation.phase = 'committing';
      const { shard, epoch } = activation.lease;
      const turn = { shard, epoch, changes: decision.changes };
      this.committer.submit({ ...decision, turn, isAlone: activation.isAlone, activation });
      for (const { to, message } of decision.hints) this.#hint(to, message);
    } else {
      this.#finish(activation, decision);
    }
    return count;
  }

  /** One that has to be loaded first could only act after the commit that the hint is about. */
  #hint(to: AnyAddress, message: AnyMessage): void {
    const activation = this.#parts.registry.find(to.kind)?.activations.get(to.key);
    if (activation === undefined || activation.lease.status !== 'held') return;
    if (activation.phase !== 'loaded' && activation.phase !== 'committing') return;
    if (!activation.offer(message)) return;
    if (activation.phase === 'committing') this.committer.expectHinted();
    this.wake(activation);
  }

  /** The turn is saved: its effects leave, and the activation looks for its next turn. */
  #finish(activation: Activation, done: Pick<Decision, 'outputs' | 'isStop'>): void {
    activation.turn.length = 0;
    activation.dryRuns = 0;
    activation.blamed = undefined;
    activation.phase = 'loaded';
    if (done.outputs.length > 0)
      this.#outputs.release(activation, this.#parts.registry.actorTypeOf(activation).ports, done.outputs);
    if (activation.lease.status === 'lost') {
      this.#drop(activation);
      return;
    }
    const isDone = done.isStop || activation.lease.status === 'releasing' || activation.state === undefined;
    const isWaiting = activation.isWaiting;
    if (done.isStop) this.#giveUp(activation);
    if (activation.mailCount > 0) this.#enqueue(activation);
    else if (isDone && (done.isStop || !isWaiting)) this.#parts.registry.remove(activation);
    else if (!isWaiting) this.#parts.registry.actorTypeOf(activation).idle.add(activation, this.#sliceMs);
  }

  /** A handler threw, or ran out of ids. The whole turn is discarded. */
  #failed(activation: Activation, { error, mail }: NonNullable<Decision['failure']>): void {
    if (error instanceof OutOfIds) {
      // While blocks grow, each retry gets further, however many kinds of ids the turn needs.
      const mayGrow = !this.#parts.ids.isLargest(error.idKind);
      if (mayGrow || activation.dryRuns++ < DRY_RUNS_MAX) {
        this.#replenish(activation, error.idKind);
        return;
      }
    }
    this.#parts.counters.failures++;
    const messageType = mail === undefined ? 'start' : messageOf(mail).type;
    this.#parts.log.error('handler_failed', { ...nameOf(activation), messageType, error });
    if (mail !== undefined) this.#refuseAsks([mail]);
    // A message with a fallback is tried once more, on freshly loaded state, before the fallback replaces it.
    const isKept =
      hasFallback(activation, mail) &&
      (activation.blamed !== mail || this.#substitute(activation, mail, error));
    activation.blamed = mail;
    this.#giveUp(activation, isKept ? undefined : mail);
    this.#backOff(activation);
  }

  /** A message of the turn fails for good: the fallback that its actor gives, if any, replaces it. */
  #substitute(activation: Activation, mail: Mail, error: unknown): boolean {
    const substitute = hasFallback(activation, mail)
      ? activation.def.fallbackFor?.(messageOf(mail))
      : undefined;
    if (substitute === undefined) return false;
    const { messages, about } = substitute;
    const messageType = messageOf(mail).type;
    this.#parts.log.error('message_given_up', { ...nameOf(activation), messageType, ...about, error });
    activation.replaceInTurn(mail, messages);
    return true;
  }

  #replenish(activation: Activation, idKind: string): void {
    this.#giveUp(activation);
    activation.phase = 'waiting';
    this.#parts.ids
      .replenish(idKind)
      .catch((error: unknown) => {
        this.#parts.log.warn('ids_not_refilled', { idKind, error });
        this.#parts.registry.actorTypeOf(activation).backoff.fail('load'); // delays the next try
        activation.dryRuns = 0;
      })
      .then(() => this.#resume(activation));
  }

  /** Drops the state and keeps the messages, except `dropped`. */
  #giveUp(activation: Activation, dropped?: Mail): void {
    activation.state = undefined;
    activation.generation++;
    activation.phase = 'unloaded';
    activation.putBack(dropped);
    this.#parts.registry.cancelTimers(activation);
    if (activation.lease.status === 'lost') this.#drop(activation);
  }

  #backOff(activation: Activation): void {
    if (activation.phase === 'gone') return;
    const nowMs = this.#parts.clock.monotonicMs();
    const verdict = decide(activation.def.supervise, activation.failuresMs, nowMs);
    activation.failuresMs = verdict.failuresMs;
    activation.isSuspended = verdict.isSuspended;
    activation.phase = 'waiting';
    if (verdict.isSuspended)
      this.#parts.log.error('actor_suspended', { ...nameOf(activation), waitMs: verdict.waitMs });
    this.#parts.timers.set(verdict.waitMs, () => this.#resume(activation));
  }

  /** Loads again even without mail, because `start` sets the timers that were lost with the state. */
  #resume(activation: Activation): void {
    if (activation.phase !== 'waiting') return;
    activation.isSuspended = false;
    activation.phase = 'unloaded';
    this.#enqueue(activation);
  }

  #refuseAsks(mails: readonly Mail[]): void {
    const failure = kernelFailure('HANDLER_FAILED', 'an internal error');
    for (const mail of mails) if (mail instanceof AskMail) this.#parts.outbox.refuse(mail.replyTo, failure);
  }

  /** The activation has mail. */
  wake(activation: Activation): void {
    if (activation.idleSinceMs >= 0) this.#parts.registry.actorTypeOf(activation).idle.remove(activation);
    if (activation.phase === 'loaded' || activation.phase === 'unloaded') this.#enqueue(activation);
  }

  #enqueue(activation: Activation): void {
    if (activation.isQueued || activation.phase === 'gone') return;
    activation.isQueued = true;
    this.#ready.push(activation);
    this.#schedule();
  }

  /** Ends an activation and forwards its mail to the owner of the shard. One that is committing ends afterwards. */
  #drop(activation: Activation): void {
    const isCommitting = activation.phase === 'committing';
    if (isCommitting) this.#parts.registry.forget(activation);
    else this.#parts.registry.remove(activation);
    if (isCommitting) return;
    for (const mail of activation.drainMail()) this.#parts.outbox.redirect(activation.address, mail);
  }
}
