/**
 * The two ways between simulated coordinators: NATS, which comes and goes, and a stream from each to each other one.
 * The links over them are the real ones.
 */
import { peerOf } from '../../../src/coordinator/transport.ts';
import type { CoordinatorInfo, Envelope, Transport } from '../../../src/kernel/mod.ts';
import { linkedTransport } from '../../../src/transport/linked-transport.ts';
import type { Bus, Direct, DirectPeer, DirectStream, StreamEvents } from '../../../src/transport/ways.ts';
import { silentLog } from '../../support/silent-log.ts';
import { BusDouble } from '../../transport/bus-doubles.ts';
import type { Cables } from '../cables.ts';
import type { Seeded } from '../seeded.ts';
import type { SimProcess } from '../sim-process.ts';

/** A call that nobody answers is given up after so long. */
const SILENT_CALL_MS = 10_000;
/** On their way at once; then the stream takes no more for a while. */
const ON_WAY_MAX = 4;
/** So many worlds never have the NATS that their coordinators are told of. */
const ABSENT = 0.3;

type Receive = (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void;

/** Where a coordinator is called. */
interface Door {
  readonly process: SimProcess;
  readonly key: string;
  receive: Receive | undefined;
}

/** Where seeded bugs may stand. */
export interface WaySeams {
  /** The second way between coordinators. */
  direct?(direct: Direct): Direct;
  /** The links over both ways. */
  linked?(transport: Transport, isBusUp: () => boolean, process: SimProcess): Transport;
}

export interface WayParts {
  readonly process: SimProcess;
  /** Where others call it, and what they show. */
  readonly address: string;
  readonly key: string;
  readonly coordinators: () => readonly CoordinatorInfo[];
}

export class Ways {
  readonly random: Seeded;
  readonly nats: BusDouble;
  /** NATS never comes. */
  readonly isAbsent: boolean;
  /** Called with each envelope that a link takes, and with each that it delivers. */
  onSent: (from: string, to: string, envelope: Envelope) => void = () => undefined;
  onTaken: (by: string, envelope: Envelope) => void = () => undefined;
  readonly #cables: Cables;
  readonly #seams: WaySeams;
  readonly #doors = new Map<string, Door>();

  constructor(cables: Cables, random: Seeded, seams: WaySeams) {
    this.#cables = cables;
    this.random = random;
    this.#seams = seams;
    const { time } = cables;
    const clock = {
      monotonicMs: () => time.nowMs,
      timer: (afterMs: number, run: () => void) => time.after(afterMs, run),
    };
    this.nats = new BusDouble(clock, random.fork());
    this.isAbsent = random.chance(ABSENT);
    if (this.isAbsent) this.nats.kill();
  }

  /** NATS works again, where there is one. */
  heal(): void {
    this.nats.thaw();
    if (!this.isAbsent) this.nats.begin();
  }

  /** The transport of one coordinator. */
  transport({ process, address, key, coordinators }: WayParts): Transport {
    let self = '';
    const bus = this.#bus(process, () => self);
    const own = this.direct(process, { address, key });
    const direct = this.#seams.direct?.(own) ?? own;
    const peer = (id: string) => peerOf(coordinators(), id);
    const linked = linkedTransport({ bus, direct, peer, log: silentLog, clock: process });
    const transport = this.#seams.linked?.(linked, () => bus.isUp, process) ?? linked;
    const send = (to: string, envelope: Envelope): 'sent' | 'refused' => {
      const done = process.isDead ? 'refused' : transport.send(to, envelope);
      if (done === 'sent') this.onSent(self, to, envelope);
      return done;
    };
    return {
      start: (given, deliver) => {
        self = given;
        return transport.start(given, (envelope) => {
          this.onTaken(given, envelope);
          deliver(envelope);
        });
      },
      send: (to, envelope) => {
        const lateMs = this.#cables.heardLateMs(envelope);
        if (lateMs === 0) return send(to, envelope);
        if (lateMs !== undefined) process.timer(lateMs, () => send(to, envelope));
        return 'sent';
      },
      stop: () => transport.stop(),
    };
  }

  /** What NATS says finds the process when it runs. */
  #bus(process: SimProcess, self: () => string): Bus {
    const inner = this.nats.client(self);
    return {
      start: (given, events) =>
        inner.start(given, {
          onMessage: (bytes) => process.soon(() => events.onMessage(bytes)),
          onChange: () => process.soon(() => events.onChange()),
        }),
      get isUp() {
        return inner.isUp;
      },
      problem: undefined,
      payloadBytesMax: inner.payloadBytesMax,
      publish: (to, bytes) => (process.isDead ? 'down' : inner.publish(to, bytes)),
      stop: () => inner.stop(),
    };
  }

  /** The streams of a process that is called like this. */
  direct(process: SimProcess, { address, key }: DirectPeer): Direct {
    const door: Door = { process, key, receive: undefined };
    return {
      serve: (receive) => {
        door.receive = receive;
        if (receive !== undefined) this.#doors.set(address, door);
      },
      open: (peer, events) => this.#open(process, peer, events),
    };
  }

  #open(process: SimProcess, peer: DirectPeer, events: StreamEvents): DirectStream {
    const cables = this.#cables;
    const door = this.#doors.get(peer.address);
    const state = { isClosed: false, onWayCount: 0 };
    const end = (reason: string): void => {
      if (state.isClosed) return;
      state.isClosed = true;
      events.onClosed(reason);
    };
    const refuse = (reason: string, afterMs: number): DirectStream => {
      process.timer(afterMs, () => end(reason));
      const close = (): void => {
        state.isClosed = true;
      };
      return { write: () => true, close };
    };
    if (door === undefined || door.process.isDead) return refuse('nobody listens', cables.latencyMs());
    const stream = cables.connect<Uint8Array, Uint8Array>(process, door.process);
    if (stream === undefined) return refuse('nobody answers', SILENT_CALL_MS);
    if (door.key !== peer.key || door.receive === undefined) {
      stream.end();
      return refuse('this is not the key of this coordinator', cables.latencyMs());
    }
    stream.onCall(
      (bytes) => {
        state.onWayCount -= 1;
        door.receive?.(bytes, (answer) => stream.answer(answer));
        if (state.onWayCount === 0)
          process.soon(() => {
            if (!state.isClosed) events.onDrain();
          });
      },
      () => undefined,
    );
    const hear = (bytes: Uint8Array): void => {
      if (!state.isClosed) events.onMessage(bytes);
    };
    stream.onAnswer(hear, () => end('the stream broke'));
    return {
      write: (bytes) => {
        state.onWayCount += 1;
        stream.call(bytes);
        return state.onWayCount < ON_WAY_MAX;
      },
      close: () => {
        state.isClosed = true;
        stream.hangUp();
      },
    };
  }
}
