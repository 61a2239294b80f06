/**
 * What connects the processes of a world: who can hear whom. A bus for envelopes that loses, repeats, delays and
 * reorders them; streams that keep their order until they break.
 */
import type { Envelope, Transport } from '../../src/kernel/mod.ts';
import { CALM, type FaultRates } from './fault-schedule.ts';
import type { Seeded } from './seeded.ts';
import type { SimProcess } from './sim-process.ts';
import type { SimTime } from './sim-time.ts';

/** After so long without a sign of the other side a stream is given up. */
const KEEPALIVE_MS = 15_000;
/** How late mail is that dawdles: most of those who asked have given up and asked again. */
const DAWDLED_MS = { least: 11_000, most: 30_000 };

export type CommitPoint = 'before' | 'saved' | 'sent';

interface Seat {
  readonly process: SimProcess;
  readonly deliver: (envelope: Envelope) => void;
}

export class Cables {
  readonly time: SimTime;
  readonly random: Seeded;
  faultRates: FaultRates = CALM;
  readonly #seats = new Map<string, Seat>();
  readonly #cuts = new Set<string>();
  readonly #holds = new Map<string, number>();
  readonly #dooms = new Map<string, { readonly at: CommitPoint; readonly die: () => void }>();
  readonly #muffled = new Set<string>();
  readonly #dawdled = new Set<string>();
  readonly #deaf = new Set<string>();
  readonly #lastMs = new Map<string, number>();
  readonly #lateCommits = new Map<string, number>();
  #lateCount = 0;
  readonly #streams = new Set<Stream>();

  constructor(time: SimTime, random: Seeded) {
    this.time = time;
    this.random = random;
  }

  /** Nothing passes between the two until they are joined again. */
  cut(one: string, other: string): void {
    this.#cuts.add(pairOf(one, other));
  }

  join(one: string, other: string): void {
    this.#cuts.delete(pairOf(one, other));
  }

  joinAll(): void {
    this.#cuts.clear();
    this.#deaf.clear();
  }

  /** Half of what the database does for the process is done with its answer lost. */
  deafen(process: string): void {
    this.#deaf.add(process);
  }

  undeafen(process: string): void {
    this.#deaf.delete(process);
  }

  isDeaf(process: string): boolean {
    return this.#deaf.has(process);
  }

  isAnswerLost(process: string): boolean {
    return (
      this.random.chance(this.faultRates.failsAfter) || (this.isDeaf(process) && this.random.chance(0.5))
    );
  }

  /** Commits that a process sends while it is held arrive only after so long. */
  hold(process: string, forMs: number): void {
    this.#holds.set(process, this.time.nowMs + forMs);
  }

  release(process: string): void {
    this.#holds.delete(process);
  }

  /** The process dies at its next commit: before it is made, when it is made, or once what it says has left. */
  doom(process: string, at: CommitPoint, die: () => void): void {
    this.#dooms.set(process, { at, die });
  }

  /** What is said to actors of a kind gets lost between coordinators. */
  muffle(kind: string): void {
    this.#muffled.add(kind);
  }

  unmuffle(kind: string): void {
    this.#muffled.delete(kind);
  }

  unmuffleAll(): void {
    this.#muffled.clear();
    this.#dawdled.clear();
  }

  /** What is said to actors of a kind comes late, each by as much as it likes. */
  dawdle(kind: string): void {
    this.#dawdled.add(kind);
  }

  undawdle(kind: string): void {
    this.#dawdled.delete(kind);
  }

  /** Called at each point of each commit. */
  reach(process: string, at: CommitPoint): void {
    const doom = this.#dooms.get(process);
    if (doom?.at !== at) return;
    this.#dooms.delete(process);
    doom.die();
  }

  pardonAll(): void {
    this.#dooms.clear();
  }

  /** How long a commit of the process takes on top of the usual. */
  heldMs(process: string): number {
    return Math.max(0, (this.#holds.get(process) ?? 0) - this.time.nowMs);
  }

  /** A commit that nobody waits for any more: until it ends it holds its rows, and other commits wait. */
  endLate(afterMs: number, commit: () => void): void {
    this.#lateCount += 1;
    const mark = String(this.#lateCount);
    this.#lateCommits.set(mark, this.time.nowMs + afterMs);
    this.time.after(afterMs, () => {
      this.#lateCommits.delete(mark);
      commit();
    });
  }

  /** Late commits that have not ended. */
  get lateCommits(): readonly string[] {
    return [...this.#lateCommits.keys()];
  }

  /** How long commits must wait for rows. */
  get rowsLockedMs(): number {
    return Math.max(0, ...[...this.#lateCommits.values()].map((untilMs) => untilMs - this.time.nowMs));
  }

  isCut(one: string, other: string): boolean {
    return this.#cuts.size > 0 && this.#cuts.has(pairOf(one, other));
  }

  latencyMs(): number {
    return 1 + this.random.next() * this.faultRates.delayMsMax;
  }

  /** The bus as one coordinator sees it. */
  transport(process: SimProcess): Transport {
    let self: string | undefined;
    return {
      start: async (given, deliver) => {
        self = given;
        this.#seats.set(given, { process, deliver });
      },
      send: (to, envelope) => {
        if (self === undefined || process.isDead) return 'refused';
        const lateMs = this.heardLateMs(envelope);
        if (lateMs !== undefined) this.#post(self, to, JSON.stringify(envelope), lateMs);
        return 'sent';
      },
      stop: async () => {
        if (self !== undefined) this.#seats.delete(self);
        self = undefined;
      },
    };
  }

  /** By how much an envelope comes late because of what its addressee does not hear; undefined: it is lost. */
  heardLateMs(envelope: Envelope): number | undefined {
    const kind = envelope.type === 'mail' ? envelope.to.kind : '';
    if (this.#muffled.has(kind)) return undefined;
    return this.#dawdled.has(kind) ? this.random.int(DAWDLED_MS.least, DAWDLED_MS.most) : 0;
  }

  #post(from: string, to: string, text: string, lateMs: number): void {
    const { random, faultRates } = this;
    if (random.chance(faultRates.lost)) return;
    const copies = random.chance(faultRates.repeated) ? 2 : 1;
    const way = `${from}>${to}`;
    for (let copy = 0; copy < copies; copy++) {
      let atMs = this.time.nowMs + this.latencyMs();
      if (lateMs > 0) atMs += lateMs;
      else if (!random.chance(faultRates.reordered)) {
        atMs = Math.max(atMs, this.#lastMs.get(way) ?? 0);
        this.#lastMs.set(way, atMs);
      }
      this.time.after(atMs - this.time.nowMs, () => {
        const seat = this.#seats.get(to);
        if (seat === undefined || this.isCut(from, to)) return;
        seat.process.soon(() => seat.deliver(JSON.parse(text) as Envelope));
      });
    }
  }

  /** A stream between two processes that run and hear each other; undefined when they don't. */
  connect<A, B>(from: SimProcess, to: SimProcess): Stream<A, B> | undefined {
    if (to.isDead || to.isStopped || this.isCut(from.name, to.name)) return undefined;
    const stream = new Stream<A, B>(this, from, to);
    this.#streams.add(stream as Stream);
    return stream;
  }

  drop(stream: Stream): void {
    this.#streams.delete(stream);
  }

  /** A process is gone: those who can hear it learn that at once, the others by its silence. */
  died(process: SimProcess): void {
    for (const stream of this.#streams) if (stream.touches(process)) stream.lostOne(process);
  }
}

function pairOf(one: string, other: string): string {
  return one < other ? `${one}|${other}` : `${other}|${one}`;
}

/** One end of a stream. */
interface End {
  readonly process: SimProcess;
  onMessage: (message: never) => void;
  onClosed: () => void;
  isClosed: boolean;
  lastMs: number;
}

/** A: what the caller says; B: what is answered. Messages keep their order; after one that is lost none comes. */
export class Stream<A = unknown, B = unknown> {
  readonly #cables: Cables;
  readonly #caller: End;
  readonly #callee: End;
  #isBroken = false;

  constructor(cables: Cables, caller: SimProcess, callee: SimProcess) {
    this.#cables = cables;
    this.#caller = endOf(caller);
    this.#callee = endOf(callee);
  }

  call(message: A): void {
    this.#send(this.#caller, this.#callee, message);
  }

  answer(message: B): void {
    this.#send(this.#callee, this.#caller, message);
  }

  onCall(run: (message: A) => void, closed: () => void): void {
    this.#callee.onMessage = run as (message: never) => void;
    this.#callee.onClosed = closed;
  }

  onAnswer(run: (message: B) => void, closed: () => void): void {
    this.#caller.onMessage = run as (message: never) => void;
    this.#caller.onClosed = closed;
  }

  touches(process: SimProcess): boolean {
    return this.#caller.process === process || this.#callee.process === process;
  }

  /** The caller hangs up: what is on its way still comes. */
  hangUp(): void {
    this.#close(this.#caller, this.#callee);
  }

  /** The callee hangs up. */
  end(): void {
    this.#close(this.#callee, this.#caller);
  }

  lostOne(process: SimProcess): void {
    const other = this.#caller.process === process ? this.#callee : this.#caller;
    const isHeard = !this.#cables.isCut(this.#caller.process.name, this.#callee.process.name);
    this.#closeLater(other, isHeard ? this.#cables.latencyMs() : KEEPALIVE_MS);
  }

  #close(own: End, other: End): void {
    if (own.isClosed) return;
    own.isClosed = true;
    const afterMs = Math.max(other.lastMs - this.#cables.time.nowMs, 0) + 1;
    const isHeard = !this.#isBroken && !this.#cables.isCut(own.process.name, other.process.name);
    this.#closeLater(other, isHeard ? afterMs : KEEPALIVE_MS);
  }

  #closeLater(end: End, afterMs: number): void {
    end.process.timer(afterMs, () => {
      if (end.isClosed) return;
      end.isClosed = true;
      end.onClosed();
      if (this.#caller.isClosed && this.#callee.isClosed) this.#cables.drop(this as Stream);
    });
  }

  #send(from: End, to: End, message: unknown): void {
    if (from.isClosed || from.process.isDead) return;
    const { time } = this.#cables;
    to.lastMs = Math.max(time.nowMs + this.#cables.latencyMs(), to.lastMs);
    time.after(to.lastMs - time.nowMs, () => {
      if (this.#isBroken) return;
      if (this.#cables.isCut(from.process.name, to.process.name)) {
        this.#break();
        return;
      }
      to.process.soon(() => {
        if (!to.isClosed) to.onMessage(message as never);
      });
    });
  }

  /** Neither hears the other any more; both find out by its silence. */
  #break(): void {
    this.#isBroken = true;
    this.#closeLater(this.#caller, KEEPALIVE_MS);
    this.#closeLater(this.#callee, KEEPALIVE_MS);
  }
}

function endOf(process: SimProcess): End {
  return { process, onMessage: () => {}, onClosed: () => {}, isClosed: false, lastMs: 0 };
}
