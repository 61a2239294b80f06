/**
 * Messages from this coordinator to one other, kept until they are confirmed. They are numbered and sent in order.
 * After a change of ways, sending starts again with the first unconfirmed message, and the receiver drops those that it
 * has already. A change of ways therefore neither loses, repeats nor reorders messages.
 *
 * Messages go over the bus while it delivers. They go directly while the bus is down, and once it has confirmed nothing
 * for `silentMs`; a probe that comes back over the bus returns them to it.
 */
import type { Clock } from '../kernel/mod.ts';
import { encodeNotes, withoutPrevious } from '../wire/codecs/bus.ts';
import { BUS_LIMITS } from './bus-limits.ts';
import type { Bus, Direct, DirectPeer, DirectStream } from './ways.ts';

export interface LinkParts {
  readonly self: string;
  readonly to: string;
  readonly bus: Bus | undefined;
  readonly direct: Direct | undefined;
  readonly clock: Pick<Clock, 'monotonicMs' | 'timer'>;
  /** How to call the coordinator directly; `legacy` if its version confirms nothing; undefined while it is unknown. */
  readonly peer: () => DirectPeer | 'legacy' | undefined;
  /** Unconfirmed bytes of all links. */
  readonly unreceived: { bytes: number };
  readonly onMessage: (bytes: Uint8Array) => void;
  /** Called when the bus stops delivering to a coordinator that is alive, and when it delivers again. */
  readonly onSilence: (isSilent: boolean) => void;
  readonly onUnreachable: (reason: string) => void;
  readonly onDropped: (reason: string) => void;
  /** Called when the coordinator is no longer known and the link is unused; the link can be closed. */
  readonly onGone: () => void;
}

type Way = 'bus' | 'direct';

interface Entry {
  readonly number: number;
  bytes: Uint8Array;
  /** The bytes that it counts for. */
  readonly size: number;
  readonly sinceMs: number;
  /** When it was last sent. */
  writtenMs: number;
}

export class Link {
  readonly #parts: LinkParts;
  /** Unconfirmed messages, in order. */
  #entries: Entry[] = [];
  /** Index of the first message that has not been sent on the current way. */
  #next = 0;
  #bytes = 0;
  #lastNumber = 0;
  #way: Way;
  #stream: DirectStream | undefined;
  #isWritable = true;
  #reopenMs = BUS_LIMITS.reopenMs.first as number;
  #reopenAtMs = 0;
  #probe = 0;
  #probeAtMs = 0;
  #cancelTick: (() => void) | undefined;
  #usedMs: number;
  #isSilent = false;
  #isClosed = false;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#way = parts.bus?.isUp === true ? 'bus' : 'direct';
    this.#usedMs = parts.clock.monotonicMs();
  }

  /** The bus is up, but does not deliver to a coordinator that is alive. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Milliseconds since it was last used. */
  get idleMs(): number {
    return this.#entries.length > 0 ? 0 : this.#nowMs() - this.#usedMs;
  }

  /** The number of the message before the next one; 0 when that would not be sent again. */
  get previous(): number {
    return this.#isTracked() ? this.#lastNumber : 0;
  }

  /** limit: unconfirmed bytes. */
  hasRoom(bytes: number): boolean {
    const { unreceivedBytesMax, unreceivedBytesMaxOfAll } = BUS_LIMITS;
    return (
      this.#bytes + bytes <= unreceivedBytesMax &&
      this.#parts.unreceived.bytes + bytes <= unreceivedBytesMaxOfAll
    );
  }

  /** `number` increases from call to call. False: the message is not sent, and never will be. */
  send(number: number, bytes: Uint8Array): boolean {
    if (!this.#isTracked()) return this.#parts.bus?.publish(this.#parts.to, bytes) === 'published';
    if (!this.hasRoom(bytes.length)) return false;
    const nowMs = this.#nowMs();
    this.#usedMs = nowMs;
    this.#lastNumber = number;
    this.#entries.push({ number, bytes, size: bytes.length, sinceMs: nowMs, writtenMs: nowMs });
    this.#count(bytes.length);
    this.#pump();
    this.#tickLater();
    return true;
  }

  /** The receiver has all messages up to this number; its receipt came on this way. */
  received(number: number, way: Way): void {
    let count = 0;
    while (count < this.#entries.length && (this.#entries[count] as Entry).number <= number) count += 1;
    this.#drop(count);
    if (way === 'bus') {
      this.#take('bus');
      return;
    }
    this.#reopenMs = BUS_LIMITS.reopenMs.first;
    if (this.#way === 'direct' && this.#parts.bus?.isUp === true) this.#setSilent(true);
  }

  /** The bus has delivered the answer to a probe. */
  probed(probe: number): void {
    if (probe === this.#probe) this.#take('bus');
  }

  /** Called when the bus goes up or down. */
  busChanged(): void {
    const { bus } = this.#parts;
    if (bus?.isUp === false) this.#take('direct');
    else this.#probeAtMs = 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTick?.();
    this.#closeStream();
    this.#drop(this.#entries.length);
  }

  /**
   * Whether messages are kept until confirmed. They are not if the receiver confirms nothing or there is no other way.
   */
  #isTracked(): boolean {
    return this.#parts.direct !== undefined && this.#parts.peer() !== 'legacy';
  }

  #take(way: Way): void {
    if (this.#way === way || this.#isClosed) return;
    if (way === 'bus' && this.#parts.bus?.isUp !== true) return;
    this.#way = way;
    this.#next = 0;
    this.#probeAtMs = this.#nowMs() + BUS_LIMITS.probeMs;
    if (way === 'bus') this.#closeStream();
    this.#setSilent(false);
    this.#pump();
    this.#tickLater();
  }

  #setSilent(isSilent: boolean): void {
    if (this.#isSilent === isSilent) return;
    this.#isSilent = isSilent;
    this.#parts.onSilence(isSilent);
  }

  #pump(): void {
    if (this.#isClosed) return;
    if (this.#way === 'bus') this.#pumpBus();
    else this.#pumpDirect();
  }

  #pumpBus(): void {
    const { bus, to } = this.#parts;
    const nowMs = this.#nowMs();
    while (this.#next < this.#entries.length) {
      const entry = this.#entries[this.#next] as Entry;
      const done = bus?.publish(to, entry.bytes) ?? 'down';
      if (done === 'down') {
        this.#take('direct');
        return;
      }
      if (done === 'too-large') this.#parts.onDropped('larger than NATS accepts');
      entry.writtenMs = nowMs;
      this.#next += 1;
    }
  }

  #pumpDirect(): void {
    if (this.#next >= this.#entries.length) return;
    const stream = this.#stream ?? this.#open();
    while (stream !== undefined && this.#isWritable && this.#next < this.#entries.length) {
      this.#isWritable = stream.write((this.#entries[this.#next] as Entry).bytes);
      this.#next += 1;
    }
  }

  #open(): DirectStream | undefined {
    const { direct, peer, onMessage, onUnreachable } = this.#parts;
    const known = peer();
    const nowMs = this.#nowMs();
    if (known === undefined || known === 'legacy' || known.address === '' || nowMs < this.#reopenAtMs)
      return undefined;
    this.#reopenAtMs = nowMs + this.#reopenMs;
    this.#reopenMs = Math.min(2 * this.#reopenMs, BUS_LIMITS.reopenMs.max);
    this.#isWritable = true;
    this.#next = 0;
    const stream = direct?.open(known, {
      onMessage,
      onDrain: () => {
        if (this.#stream !== stream) return;
        this.#isWritable = true;
        this.#pump();
      },
      onClosed: (reason) => {
        if (this.#stream !== stream) return;
        this.#stream = undefined;
        this.#next = 0;
        onUnreachable(reason);
        this.#tickLater();
      },
    });
    this.#stream = stream;
    return stream;
  }

  #closeStream(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.close();
  }

  #tickLater(): void {
    if (this.#cancelTick !== undefined || this.#isClosed) return;
    const mayReturn = this.#way === 'direct' && this.#parts.bus !== undefined;
    if (this.#entries.length === 0 && !mayReturn) return;
    this.#cancelTick = this.#parts.clock.timer(BUS_LIMITS.tickMs, () => {
      this.#cancelTick = undefined;
      this.#tick();
      this.#tickLater();
    });
  }

  #tick(): void {
    const { bus, to, self, peer } = this.#parts;
    const nowMs = this.#nowMs();
    this.#dropOld(nowMs);
    if (peer() === undefined && this.idleMs > BUS_LIMITS.keptMs) {
      this.#parts.onGone();
      return;
    }
    if (peer() === 'legacy') {
      // It has received what was published, but sends no confirmations.
      this.#drop(this.#entries.length);
      this.#take('bus');
      return;
    }
    if (this.#way === 'bus') {
      const [first] = this.#entries;
      if (first !== undefined && first.writtenMs + BUS_LIMITS.silentMs <= nowMs) {
        this.#take('direct');
      }
      return;
    }
    if (bus?.isUp === true && this.#probeAtMs <= nowMs) {
      this.#probeAtMs = nowMs + BUS_LIMITS.probeMs;
      this.#probe += 1;
      bus.publish(to, encodeNotes(self, { probe: this.#probe }));
    }
    this.#pump();
  }

  /** limit: keptMs. Neither way has delivered these messages. */
  #dropOld(nowMs: number): void {
    let count = 0;
    while (
      count < this.#entries.length &&
      (this.#entries[count] as Entry).sinceMs + BUS_LIMITS.keptMs <= nowMs
    )
      count += 1;
    if (count === 0) return;
    this.#drop(count);
    const [first] = this.#entries;
    if (first === undefined) this.#lastNumber = 0;
    else first.bytes = withoutPrevious(first.bytes);
    this.#parts.onDropped('delivered neither by NATS nor directly within the time limit');
  }

  #drop(count: number): void {
    if (count === 0) return;
    for (const { size } of this.#entries.splice(0, count)) this.#count(-size);
    this.#next = Math.max(0, this.#next - count);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#parts.unreceived.bytes += bytes;
  }

  #nowMs(): number {
    return this.#parts.clock.monotonicMs();
  }
}
