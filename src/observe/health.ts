/**
 * Whether this process can do its work: named checks, asked together, each with a deadline. Answers for
 * probes (`live`: restart me otherwise; `ready`: send me requests) and for people. Never throws, never hangs.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface CheckResult {
  readonly name: string;
  readonly isOk: boolean;
  /** Why not, without secrets: the message of what was thrown. */
  readonly message?: string;
  readonly tookMs: number;
}

export interface HealthReport {
  readonly isOk: boolean;
  readonly checks: readonly CheckResult[];
}

/** Throws, or rejects, when its part does not work. */
export type Check = (signal: AbortSignal) => void | Promise<void>;

export interface Health {
  /** `isVital`: without it nothing can be answered, so a failure makes the whole not ready. Default true. */
  add(name: string, check: Check, options?: { readonly isVital?: boolean }): void;
  report(): Promise<HealthReport>;
}

export interface HealthOptions {
  readonly nowMs: () => number;
  /** How long one check may take. Default 2 s. */
  readonly timeoutMs?: number;
}

interface Named {
  readonly name: string;
  readonly check: Check;
  readonly isVital: boolean;
}

export function createHealth(options: HealthOptions): Health {
  const checks: Named[] = [];
  let running: Promise<HealthReport> | undefined;
  return {
    add(name, check, { isVital = true } = {}) {
      checks.push({ name, check, isVital });
    },
    /**
     * Probes that come while one is being answered share its answer: they cannot pile up behind a slow part.
     */
    report() {
      running ??= ask(checks, options).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

async function ask(checks: readonly Named[], options: HealthOptions): Promise<HealthReport> {
  const results = await Promise.all(checks.map((named) => askOne(named, options)));
  const isOk = results.every((result, index) => result.isOk || checks[index]?.isVital === false);
  return { isOk, checks: results };
}

async function askOne(
  { name, check }: Named,
  { nowMs, timeoutMs = 2_000 }: HealthOptions,
): Promise<CheckResult> {
  const beganMs = nowMs();
  const aborter = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: aborter.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${timeoutMs} ms`);
  });
  try {
    await Promise.race([Promise.resolve().then(() => check(aborter.signal)), late]);
    return { name, isOk: true, tookMs: nowMs() - beganMs };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, isOk: false, message, tookMs: nowMs() - beganMs };
  } finally {
    late.catch(() => undefined); // aborted below: nobody waits for it any more
    aborter.abort();
  }
}
