/** How likely small troubles are, drawn from the seed: each seed has faults of its own. */
import type { Seeded } from './seeded.ts';

export interface FaultRates {
  /** These four say how envelopes between coordinators fare. */
  readonly lost: number;
  readonly repeated: number;
  readonly reordered: number;
  readonly delayMsMax: number;
  /** These three are of statements: refused before they did anything, done with the answer lost, or slow. */
  readonly failsBefore: number;
  readonly failsAfter: number;
  readonly slow: number;
  /** The share of commits whose sender loses the way to them before they are done, and that are done all the same. */
  readonly commitsLate: number;
  /** The shares of tasks and ingests that fail. */
  readonly taskFails: number;
  readonly ingestFails: number;
  /** The share of owners that die at their next commit after somebody asked them for something. */
  readonly askedDie: number;
  /** The share of coordinators that are told of a bucket's objects and die at their next commit. */
  readonly notifiedDie: number;
  /** The share of requests because of which the owners' messages to others are lost for a while. */
  readonly unheard: number;
  /** These three say how events of a bucket fare; those that come late come out of order. */
  readonly eventsLost: number;
  readonly eventsRepeated: number;
  readonly eventDelayMsMax: number;
  /** Milliseconds between two larger faults, on average. */
  readonly faultEveryMs: number;
  /** Milliseconds between two steps of the database's clock, on average. */
  readonly clockEveryMs: number;
  /** Milliseconds between two starts without the database, on average. */
  readonly startEveryMs: number;
  /** Milliseconds between two faults of the ways between coordinators, on average. */
  readonly wayEveryMs: number;
  /** Milliseconds between two hosts that lose power, on average. */
  readonly powerEveryMs: number;
  /** Milliseconds between two requests with a key, on average. */
  readonly keyEveryMs: number;
  /** Milliseconds between two changes of a job type's limits or of a node's pause, on average. */
  readonly limitEveryMs: number;
  /** Milliseconds between two things that people and senders do, on average. */
  readonly eventEveryMs: number;
}

export const CALM: FaultRates = {
  lost: 0,
  repeated: 0,
  reordered: 0,
  delayMsMax: 3,
  failsBefore: 0,
  failsAfter: 0,
  slow: 0,
  commitsLate: 0,
  taskFails: 0,
  ingestFails: 0,
  askedDie: 0,
  notifiedDie: 0,
  unheard: 0,
  eventsLost: 0,
  eventsRepeated: 0,
  eventDelayMsMax: 10,
  faultEveryMs: Number.POSITIVE_INFINITY,
  clockEveryMs: Number.POSITIVE_INFINITY,
  startEveryMs: Number.POSITIVE_INFINITY,
  wayEveryMs: Number.POSITIVE_INFINITY,
  powerEveryMs: Number.POSITIVE_INFINITY,
  keyEveryMs: Number.POSITIVE_INFINITY,
  limitEveryMs: Number.POSITIVE_INFINITY,
  eventEveryMs: Number.POSITIVE_INFINITY,
};

/** What draws the faults. All but the first draw what comes on top of the rest: they move no draw of it. */
interface WeatherDraws {
  readonly random: Seeded;
  readonly clocks: Seeded;
  readonly starts: Seeded;
  readonly ofLimits: Seeded;
  readonly boots: Seeded;
  readonly ways: { readonly random: Seeded } | undefined;
}

export function drawFaultRates({ random, clocks, starts, ofLimits, boots, ways }: WeatherDraws): FaultRates {
  const some = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  return {
    lost: some(0.2),
    repeated: some(0.1),
    reordered: some(0.2),
    delayMsMax: random.pick([2, 20, 200, 2_000]) ?? 2,
    failsBefore: some(0.05),
    failsAfter: some(0.05),
    slow: some(0.08),
    commitsLate: some(0.08),
    taskFails: some(0.3),
    ingestFails: some(0.3),
    askedDie: some(0.25),
    notifiedDie: starts.chance(0.5) ? 0.5 : 0,
    unheard: some(0.5),
    eventsLost: some(0.5),
    eventsRepeated: some(0.5),
    eventDelayMsMax: random.pick([10, 1_000, 30_000]) ?? 10,
    faultEveryMs: random.int(1_500, 8_000),
    clockEveryMs: clocks.chance(0.5) ? clocks.int(5_000, 30_000) : Number.POSITIVE_INFINITY,
    startEveryMs: starts.chance(0.3) ? starts.int(5_000, 30_000) : Number.POSITIVE_INFINITY,
    keyEveryMs: starts.chance(0.3) ? starts.int(1_000, 6_000) : Number.POSITIVE_INFINITY,
    limitEveryMs: ofLimits.chance(0.4) ? ofLimits.int(800, 3_000) : Number.POSITIVE_INFINITY,
    powerEveryMs: boots.chance(0.7) ? boots.int(2_000, 8_000) : Number.POSITIVE_INFINITY,
    wayEveryMs: ways?.random.int(2_000, 15_000) ?? Number.POSITIVE_INFINITY,
    eventEveryMs: random.int(800, 4_000),
  };
}
