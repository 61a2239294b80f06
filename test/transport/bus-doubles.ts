/** Doubles of the two ways between coordinators, on virtual time, that fail as the real ones do. */
import type { Clock } from '../../src/kernel/mod.ts';
import type {
  Bus,
  BusEvents,
  Direct,
  DirectPeer,
  DirectStream,
  StreamEvents,
} from '../../src/transport/ways.ts';
import type { Seeded } from '../sim/seeded.ts';

type Time = Pick<Clock, 'monotonicMs' | 'timer'>;

interface Seat {
  readonly events: BusEvents;
  isUp: boolean;
}

/** A server: keeps the order of each pair; what nobody hears is lost. */
export class BusDouble {
  readonly #clock: Time;
  readonly #random: Seeded;
  readonly #seats = new Map<string, Seat>();
  readonly #lastMs = new Map<string, number>();
  #held: (() => void)[] | undefined;
  #isAway = false;
  /** Each restart makes what is on its way worthless. */
  #life = 0;

  constructor(clock: Time, random: Seeded) {
    this.#clock = clock;
    this.#random = random;
  }

  /** It takes messages, and delivers none until it thaws. */
  freeze(): void {
    this.#held ??= [];
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  /** One connection breaks: what others publish to it meanwhile is lost, and they are not told. */
  drop(name: string, forMs: number): void {
    const seat = this.#seats.get(name);
    if (seat === undefined) return;
    this.#set(seat, false);
    this.#clock.timer(forMs, () => this.#set(seat, !this.#isAway));
  }

  kill(): void {
    this.#life += 1;
    this.#isAway = true;
    this.#held = undefined;
    for (const seat of this.#seats.values()) this.#set(seat, false);
  }

  /** Its clients come back one after another. */
  begin(): void {
    this.#isAway = false;
    for (const seat of this.#seats.values()) {
      this.#clock.timer(this.#random.int(0, 800), () => this.#set(seat, !this.#isAway));
    }
  }

  client(name: () => string): Bus {
    let seat: Seat | undefined;
    return {
      start: async (self, events) => {
        seat = { events, isUp: !this.#isAway };
        this.#seats.set(self, seat);
      },
      get isUp() {
        return seat?.isUp === true;
      },
      problem: undefined,
      payloadBytesMax: Number.POSITIVE_INFINITY,
      publish: (to, bytes) => {
        if (seat?.isUp !== true) return 'down';
        this.#post(name(), to, bytes);
        return 'published';
      },
      stop: async () => void this.#seats.delete(name()),
    };
  }

  #set(seat: Seat, isUp: boolean): void {
    if (seat.isUp === isUp) return;
    seat.isUp = isUp;
    seat.events.onChange();
  }

  #post(from: string, to: string, bytes: Uint8Array): void {
    const life = this.#life;
    const deliver = (): void => {
      const seat = this.#seats.get(to);
      if (seat?.isUp === true && life === this.#life) seat.events.onMessage(bytes);
    };
    const pair = `${from} ${to}`;
    const nowMs = this.#clock.monotonicMs();
    const atMs = Math.max(nowMs + this.#random.int(1, 20), this.#lastMs.get(pair) ?? 0);
    this.#lastMs.set(pair, atMs);
    this.#clock.timer(atMs - nowMs, () => {
      if (this.#held === undefined) deliver();
      else this.#held.push(deliver);
    });
  }
}

type Receive = (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void;

/** Streams by address; a pair may be cut, which breaks what goes between the two. */
export class WireDouble {
  readonly #clock: Time;
  readonly #random: Seeded;
  readonly #servers = new Map<string, Receive>();
  readonly #cuts = new Set<string>();
  readonly #broken = new Set<() => void>();
  opened = 0;

  constructor(clock: Time, random: Seeded) {
    this.#clock = clock;
    this.#random = random;
  }

  cut(one: string, other: string): void {
    this.#cuts.add(pairOf(one, other));
    for (const look of [...this.#broken]) look();
  }

  joinAll(): void {
    this.#cuts.clear();
  }

  end(name: string): Direct {
    return {
      serve: (receive) => {
        if (receive === undefined) this.#servers.delete(name);
        else this.#servers.set(name, receive);
      },
      open: (peer, events) => this.#open(name, peer, events),
    };
  }

  #open(from: string, { address: to }: DirectPeer, events: StreamEvents): DirectStream {
    this.opened += 1;
    const isCut = (): boolean => this.#cuts.has(pairOf(from, to));
    const state = { isClosed: false, onWayCount: 0, lastMs: 0 };
    const look = (): void => {
      if (isCut()) later(() => end('cut'));
    };
    const end = (reason: string): void => {
      if (state.isClosed) return;
      state.isClosed = true;
      this.#broken.delete(look);
      events.onClosed(reason);
    };
    const later = (run: () => void): void => {
      const nowMs = this.#clock.monotonicMs();
      state.lastMs = Math.max(nowMs + this.#random.int(1, 20), state.lastMs);
      this.#clock.timer(state.lastMs - nowMs, run);
    };
    this.#broken.add(look);
    look();
    const arrive = (bytes: Uint8Array): void => {
      state.onWayCount -= 1;
      if (state.isClosed || isCut()) return;
      this.#servers.get(to)?.(bytes, (answer) =>
        later(() => {
          if (!state.isClosed && !isCut()) events.onMessage(answer);
        }),
      );
      if (state.onWayCount === 0) events.onDrain();
    };
    return {
      write: (bytes) => {
        state.onWayCount += 1;
        later(() => arrive(bytes));
        return state.onWayCount < 4;
      },
      close: () => {
        state.isClosed = true;
        this.#broken.delete(look);
      },
    };
  }
}

function pairOf(one: string, other: string): string {
  return [one, other].sort().join(' ');
}
