/**
 * The loop. Takes cells that have mail, in slices; loads them in sets; decides their turns; hands changes to
 * the committer; lets outputs leave only after their own commit; and says what becomes of a cell when
 * something fails.
 */
import type { AnyAddress } from './address.ts';
import type { Activation, ShardLease } from './activation.ts';
import { type CommitEnds, Committer, type PendingTurn } from './committer.ts';
import type { Counters } from './counters.ts';
import { Fifo } from './fifo.ts';
import { type IdPools, OutOfIds } from './id-pools.ts';
import { isUnavailable, kernelFailure, lastingReason } from './kernel-error.ts';
import type { ActorType } from './actor-type.ts';
import type { KernelLimits } from './limits.ts';
import { AskMail, type Mail, messageOf } from './mail.ts';
import { type Outbox, Outputs } from './outputs.ts';
import type { ApplyPort, Clock, KernelLog } from './ports.ts';
import type { Registry } from './registry.ts';
import { decide } from './supervisor.ts';
import type { Timers } from './timers.ts';
import { type Decision, TurnRunner } from './turn.ts';
import { UncertainCommits } from './uncertain-commits.ts';

interface CellTurn extends PendingTurn, Pick<Decision, 'wanted' | 'outputs' | 'isStop'> {
  readonly cell: Activation;
}

export interface DispatcherParts {
  readonly registry: Registry;
  readonly outbox: Outbox;
  readonly apply: ApplyPort<unknown>;
  readonly ids: IdPools;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: KernelLimits;
  readonly counters: Counters;
  readonly log: KernelLog;
  /** False while our leases may have lapsed: nothing runs. `wakeUp` when that is over. */
  mayRun(): boolean;
  /** The store says that a lease is not ours any more. */
  onFenced(hold: ShardLease): void;
}

/** A turn that runs so often out of identifiers of which no larger blocks are to be had wants more than those hold. */
const DRY_RUNS_MAX = 10;
/** Reading the clock costs more than a small handler. */
const MESSAGES_PER_CLOCK = 64;

export class Dispatcher implements CommitEnds<CellTurn> {
  readonly committer: Committer<CellTurn>;
  readonly #parts: DispatcherParts;
  readonly #runner: TurnRunner;
  readonly #outputs: Outputs;
  readonly #ready = new Fifo<Activation>();
  readonly #uncertainCommits: UncertainCommits;
  #isScheduled = false;
  #isClosed = false;
  /** When the last slice began, on the monotonic clock: near enough for idleness. */
  #sliceMs = 0;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#runner = new TurnRunner(parts.ids, parts.limits, parts.counters);
    this.#outputs = new Outputs(parts.outbox, parts.timers, parts.log, parts.counters, (cell) =>
      this.#wake(cell),
    );
    this.committer = new Committer(parts.apply, parts.timers, parts.limits, this);
    this.#uncertainCommits = new UncertainCommits({ ...parts, resume: (cell) => this.#resume(cell) });
  }

  /**
   * Puts mail into the cell of `to`, opening it when needed. False when it is full, or too many cells live.
   */
  deliver(kind: ActorType, to: AnyAddress, hold: ShardLease, mail: Mail, isNew: boolean): boolean {
    let cell = kind.cells.get(to.key);
    if (cell === undefined) {
      cell = this.#parts.registry.open(kind, to, hold);
      if (cell === undefined) return false;
      if (isNew) cell.phase = 'loaded';
    } else if (cell.isSuspended && mail instanceof AskMail) {
      this.#parts.outbox.refuse(
        mail.replyTo,
        kernelFailure('HANDLER_FAILED', 'suspended after repeated failures'),
      );
      return true;
    }
    if (!cell.offer(mail)) return false;
    this.#wake(cell);
    return true;
  }

  /** Looks for work again, after a pause in which nothing might run. */
  wakeUp(): void {
    if (this.#ready.length > 0) this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Whether no cell of the shard has anything left to do; those that haven't are unloaded on the way. */
  isDrained(hold: ShardLease): boolean {
    let isDrained = true;
    for (const cell of this.#parts.registry.cellsOf(hold)) {
      if (cell.isQuiet) this.#parts.registry.remove(cell);
      else isDrained = false;
    }
    return isDrained;
  }

  /** The shard is another's: its cells go, their mail is sent after it. */
  loseShard(hold: ShardLease): void {
    hold.status = 'lost';
    for (const cell of this.#parts.registry.cellsOf(hold)) this.#drop(cell);
  }

  loaded(cell: Activation): void {
    cell.phase = 'loaded';
    cell.needsStart = true;
    this.#enqueue(cell);
  }

  loadFailed(cell: Activation, error: unknown): void {
    this.#parts.log.error('actor cannot be loaded', { ...nameOf(cell), error });
    this.#backOff(cell);
  }

  committed(group: readonly CellTurn[], results: readonly (readonly unknown[])[]): void {
    this.#parts.counters.commits++;
    this.#parts.counters.committedTurns += group.length;
    for (const [at, done] of group.entries()) {
      const { cell, wanted } = done;
      this.#parts.registry.actorTypeOf(cell).backoff.succeed('commit');
      if (cell.turn.length > 0) cell.refusals = cell.lasting.times = 0; // a saved start acquits no message
      cell.isAlone = false;
      for (const [index, want] of wanted.entries()) {
        if (want !== undefined) cell.offerSystem({ ...want, result: results[at]?.[index] });
      }
      this.#finish(cell, done);
    }
  }

  refused({ cell }: CellTurn, error: unknown): void {
    const { counters, limits, outbox, log } = this.#parts;
    counters.refused++;
    const reason = lastingReason(error) ?? '';
    const times = reason !== '' && reason === cell.lasting.reason ? cell.lasting.times + 1 : 1;
    cell.lasting = { reason, times };
    const isLast = ++cell.refusals >= limits.refusalsMax;
    if (isLast) log.warn('turn refused again and again', { ...nameOf(cell), error });
    if (isLast && cell.turn.length === 0) {
      this.#giveUp(cell);
      this.#backOff(cell);
      return;
    }
    if (isLast) {
      const asks = cell.turnAsks();
      if (reason !== '') this.#refuseAsks(asks);
      else
        for (const ask of asks)
          outbox.refuse(ask.replyTo, kernelFailure('CONFLICT', 'changed by someone else'));
      const [mail] = cell.turn;
      const isBlamed = cell.turn.length === 1 && reason !== '' && times >= limits.refusalsMax;
      if (mail === undefined || !isBlamed || !this.#substitute(cell, mail, error)) {
        counters.dropped += cell.turn.length - asks.length;
        cell.turn.length = 0;
      }
      cell.refusals = cell.lasting.times = 0;
    }
    this.#giveUp(cell);
    this.#enqueue(cell);
  }

  fenced({ cell }: CellTurn): void {
    this.#parts.counters.fenced++;
    cell.phase = 'loaded'; // its commit is over, so that it can be dropped
    if (cell.hold.status === 'lost') this.#drop(cell);
    else this.#parts.onFenced(cell.hold);
  }

  /** Loads again, once the rows say whether the turn was saved after all, and works the same messages again. */
  unsure(group: readonly CellTurn[], error: unknown): void {
    const isOutage = isUnavailable(error);
    this.#parts.counters.unavailable++;
    this.#parts.log.warn('commit failed', { turns: group.length, actorKind: group[0]?.cell.def.kind, error });
    for (const { cell } of group) {
      if (isOutage) {
        this.#parts.registry.actorTypeOf(cell).backoff.fail('commit');
        this.#giveUp(cell);
        this.#uncertainCommits.add(cell);
      } else {
        this.#suspect(cell, error);
      }
    }
  }

  /**
   * One of a failed group may be to blame: each tries alone; whoever fails too often so loses its messages.
   */
  #suspect(cell: Activation, error: unknown): void {
    if (cell.isAlone && cell.failuresMs.length >= cell.def.supervise.timesMax) {
      this.#parts.log.error('messages dropped: they cannot be saved', { ...nameOf(cell), error });
      this.#refuseAsks(cell.turn);
      this.#parts.counters.dropped += cell.turn.length;
      cell.turn.length = 0;
    }
    cell.isAlone = true;
    this.#giveUp(cell);
    this.#backOff(cell);
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
    for (let cell = this.#ready.shift(); cell !== undefined; cell = this.#ready.shift()) {
      cell.isQueued = false;
      count += this.#work(cell, nowMs, startMs);
      if (count >= limits.sliceMessages) break;
      if (count < checkAt) continue;
      checkAt = count + MESSAGES_PER_CLOCK;
      if (clock.monotonicMs() - startMs >= limits.sliceMs) break;
    }
    for (const kind of registry.actorTypes()) kind.pump();
    this.committer.gathered();
    this.wakeUp();
  }

  /** Answers how many messages it took, at least one. */
  #work(cell: Activation, nowMs: number, monotonicMs: number): number {
    if (cell.phase === 'unloaded') this.#parts.registry.actorTypeOf(cell).awaitLoad(cell);
    if (cell.phase !== 'loaded') return 1;
    this.#parts.counters.turns++;
    const decision = this.#runner.decide(cell, nowMs, monotonicMs);
    const count = cell.turn.length + 1;
    if (decision.failure !== undefined) {
      this.#failed(cell, decision.failure);
    } else if (decision.changes.length > 0) {
      cell.phase = 'committing';
      const { shard, epoch } = cell.hold;
      const { changes, wanted, outputs, isStop } = decision;
      this.committer.submit({
        turn: { shard, epoch, changes },
        isAlone: cell.isAlone,
        cell,
        wanted,
        outputs,
        isStop,
      });
    } else {
      this.#finish(cell, decision);
    }
    return count;
  }

  /** The turn is safe: its outputs leave, and the cell looks for the next. */
  #finish(cell: Activation, done: Pick<Decision, 'outputs' | 'isStop'>): void {
    cell.turn.length = 0;
    cell.dryRuns = 0;
    cell.blamed = undefined;
    cell.phase = 'loaded';
    if (done.outputs.length > 0)
      this.#outputs.release(cell, this.#parts.registry.actorTypeOf(cell).ports, done.outputs);
    if (cell.hold.status === 'lost') {
      this.#drop(cell);
      return;
    }
    const isDone = done.isStop || cell.hold.status === 'releasing' || cell.state === undefined;
    const isWaiting = cell.callCount > 0 || (cell.timers !== undefined && cell.timers.size > 0);
    if (done.isStop) this.#giveUp(cell);
    if (cell.mailCount > 0) this.#enqueue(cell);
    else if (isDone && (done.isStop || !isWaiting)) this.#parts.registry.remove(cell);
    else if (!isWaiting) this.#parts.registry.actorTypeOf(cell).idle.add(cell, this.#sliceMs);
  }

  /** A handler threw, or wants identifiers that aren't there. Nothing of the turn counts. */
  #failed(cell: Activation, { error, mail }: NonNullable<Decision['failure']>): void {
    if (error instanceof OutOfIds) {
      // As long as blocks grow, each dry run brings the turn nearer to its end, however many kinds it takes of.
      const mayGrow = !this.#parts.ids.isLargest(error.idKind);
      if (mayGrow || cell.dryRuns++ < DRY_RUNS_MAX) {
        this.#replenish(cell, error.idKind);
        return;
      }
    }
    this.#parts.counters.failures++;
    const messageType = mail === undefined ? 'start' : messageOf(mail).type;
    this.#parts.log.error('handler failed', { ...nameOf(cell), messageType, error });
    if (mail !== undefined) this.#refuseAsks([mail]);
    // A message with a substitute is tried once more, on what is loaded anew, before that takes its place.
    const isKept =
      canBeSubstituted(cell, mail) && (cell.blamed !== mail || this.#substitute(cell, mail, error));
    cell.blamed = mail;
    this.#giveUp(cell, isKept ? undefined : mail);
    this.#backOff(cell);
  }

  /** A message of the turn cannot be worked off: what its actor makes of that takes its place, if anything does. */
  #substitute(cell: Activation, mail: Mail, error: unknown): boolean {
    const substitute = canBeSubstituted(cell, mail) ? cell.def.fallbackFor?.(messageOf(mail)) : undefined;
    if (substitute === undefined) return false;
    const { messages, about } = substitute;
    const messageType = messageOf(mail).type;
    this.#parts.log.error('message given up', { ...nameOf(cell), messageType, ...about, error });
    cell.replaceInTurn(mail, messages);
    return true;
  }

  #replenish(cell: Activation, idKind: string): void {
    this.#giveUp(cell);
    cell.phase = 'waiting';
    this.#parts.ids
      .replenish(idKind)
      .catch((error: unknown) => {
        this.#parts.log.warn('identifiers not refilled', { idKind, error });
        this.#parts.registry.actorTypeOf(cell).backoff.fail('load'); // paces the next try
        cell.dryRuns = 0;
      })
      .then(() => this.#resume(cell));
  }

  /** Drops the state and keeps the messages, all but `dropped`. */
  #giveUp(cell: Activation, dropped?: Mail): void {
    cell.state = undefined;
    cell.generation++;
    cell.phase = 'unloaded';
    cell.putBack(dropped);
    this.#parts.registry.cancelTimers(cell);
    if (cell.hold.status === 'lost') this.#drop(cell);
  }

  #backOff(cell: Activation): void {
    if (cell.phase === 'gone') return;
    const nowMs = this.#parts.clock.monotonicMs();
    const verdict = decide(cell.def.supervise, cell.failuresMs, nowMs);
    cell.failuresMs = verdict.failuresMs;
    cell.isSuspended = verdict.isSuspended;
    cell.phase = 'waiting';
    if (verdict.isSuspended)
      this.#parts.log.error('actor suspended', { ...nameOf(cell), waitMs: verdict.waitMs });
    this.#parts.timers.set(verdict.waitMs, () => this.#resume(cell));
  }

  /** Loads again even without mail: `start` sets the timers that the failure took away. */
  #resume(cell: Activation): void {
    if (cell.phase !== 'waiting') return;
    cell.isSuspended = false;
    cell.phase = 'unloaded';
    this.#enqueue(cell);
  }

  #refuseAsks(mails: readonly Mail[]): void {
    const failure = kernelFailure('HANDLER_FAILED', 'an internal error');
    for (const mail of mails) if (mail instanceof AskMail) this.#parts.outbox.refuse(mail.replyTo, failure);
  }

  #wake(cell: Activation): void {
    if (cell.idleSinceMs >= 0) this.#parts.registry.actorTypeOf(cell).idle.remove(cell);
    if (cell.phase === 'loaded' || cell.phase === 'unloaded') this.#enqueue(cell);
  }

  #enqueue(cell: Activation): void {
    if (cell.isQueued || cell.phase === 'gone') return;
    cell.isQueued = true;
    this.#ready.push(cell);
    this.#schedule();
  }

  /**
   * The end of a cell, with mail that goes to whoever has the shard now. One that commits ends afterwards.
   */
  #drop(cell: Activation): void {
    const isCommitting = cell.phase === 'committing';
    if (isCommitting) this.#parts.registry.forget(cell);
    else this.#parts.registry.remove(cell);
    if (isCommitting) return;
    for (const mail of cell.drainMail()) this.#parts.outbox.redirect(cell.address, mail);
  }
}

function canBeSubstituted(cell: Activation, mail: Mail | undefined): mail is Mail {
  return mail !== undefined && !(mail instanceof AskMail) && cell.def.fallbackFor !== undefined;
}

function nameOf(cell: Activation): { readonly actor: string } {
  return { actor: `${cell.address.kind}/${cell.address.key}` };
}
