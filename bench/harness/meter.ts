/** Measures a piece of work: time by the wall, processor time of who takes part, bytes of PostgreSQL's log. */
import { processorSeconds } from './processor-time.ts';
import type { Sample } from './results/result.ts';

/** Readings that grow. */
export interface Meter {
  /** Processor seconds until now, by who used them. */
  cpu(): Readonly<Record<string, number>>;
  /** Bytes of the log ahead until now. */
  wal?(): Promise<number>;
}

/** This process, and its children that have ended. */
export const OWN_METER: Meter = {
  cpu() {
    const { own, children } = processorSeconds(process.pid);
    return children === 0 ? { own } : { own, children };
  },
};

export interface Measured {
  readonly seconds: number;
  readonly cpu: Readonly<Record<string, number>>;
  readonly walBytes?: number;
}

export async function measured(meter: Meter, work: () => unknown): Promise<Measured> {
  const walBefore = await meter.wal?.();
  const before = meter.cpu();
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = meter.cpu();
  const cpu = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  );
  if (walBefore === undefined || meter.wal === undefined) return { seconds, cpu };
  return { seconds, cpu, walBytes: (await meter.wal()) - walBefore };
}

/** Things a second. */
export async function rate(count: number, meter: Meter, work: () => unknown): Promise<Sample> {
  const { seconds, ...costs } = await measured(meter, work);
  return { value: count / seconds, count, ...costs };
}
