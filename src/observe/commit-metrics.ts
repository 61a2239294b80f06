/** Metrics of successful commits: how large they are, how long they take, what they changed. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AnyResult, Change } from '../domain/changes.ts';
import type { ApplyPort, Turn } from '../kernel/mod.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TURNS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Measures the commit port of one coordinator. */
export class CommitMetrics {
  readonly #seconds: Histogram;
  readonly #turns: Histogram;
  readonly #failures: Counter;
  readonly #arrivals: Counter<'source'>;
  readonly #ingests: Counter<'status'>;
  readonly #placements: Counter;
  readonly #jobs: Counter<'status'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#seconds = new Histogram({
      name: 'millrace_commit_duration_seconds',
      help: 'How long a commit of turns took, from the first statement to the answer of the last.',
      buckets: SECONDS,
      registers,
    });
    this.#turns = new Histogram({
      name: 'millrace_commit_turns',
      help: 'How many turns of actors a commit saved at once.',
      buckets: TURNS,
      registers,
    });
    this.#failures = new Counter({
      name: 'millrace_commit_failures_total',
      help: 'Commits that were refused, or whose outcome is unknown; their turns are decided again.',
      registers,
    });
    this.#arrivals = new Counter({
      name: 'millrace_arrivals_total',
      help: 'New files that strikes and scans have recorded.',
      labelNames: ['source'],
      registers,
    });
    this.#ingests = new Counter({
      name: 'millrace_ingests_ended_total',
      help: 'Ingests that ended, by their status.',
      labelNames: ['status'],
      registers,
    });
    this.#placements = new Counter({
      name: 'millrace_placements_total',
      help: 'Executions that the scheduler has placed on nodes.',
      registers,
    });
    this.#jobs = new Counter({
      name: 'millrace_jobs_ended_total',
      help: 'Jobs that ended, by their status. A job that is queued again and ends again counts twice.',
      labelNames: ['status'],
      registers,
    });
    // Counters start at zero, because otherwise a rate would not include the first event of a kind.
    for (const source of ['strike', 'scan']) this.#arrivals.inc({ source }, 0);
    for (const status of ['INGESTED', 'DUPLICATE', 'ERRORED']) this.#ingests.inc({ status }, 0);
    for (const status of ['COMPLETED', 'FAILED', 'CANCELED']) this.#jobs.inc({ status }, 0);
  }

  /** The port with measurements added. */
  measured(port: ApplyPort<Change, AnyResult>): ApplyPort<Change, AnyResult> {
    return {
      ...port,
      apply: async (turns) => {
        const stopTimer = this.#seconds.startTimer();
        try {
          const results = await port.apply(turns);
          stopTimer();
          this.#count(turns, results);
          return results;
        } catch (error) {
          this.#failures.inc();
          throw error;
        }
      },
    };
  }

  #count(turns: readonly Turn<Change>[], results: readonly (readonly AnyResult[])[]): void {
    this.#turns.observe(turns.length);
    for (const [at, { changes }] of turns.entries()) {
      for (const [index, change] of changes.entries()) this.#countChange(change, results[at]?.[index]);
    }
  }

  #countChange(change: Change, result: AnyResult): void {
    switch (change.type) {
      case 'recordArrivals':
        if (result !== undefined && 'accepted' in result)
          this.#arrivals.inc({ source: change.owner.kind }, result.accepted.length);
        return;
      case 'placeJobs':
        if (result !== undefined && 'placedExecutionIds' in result)
          this.#placements.inc(result.placedExecutionIds.length);
        return;
      case 'endIngests':
        for (const { status } of change.ingests) {
          if (status !== 'TRANSFERRED') this.#ingests.inc({ status });
        }
        return;
      case 'moveJobs':
        for (const move of change.moves) {
          if (move.kind === 'end' || (move.kind === 'status' && move.to === 'CANCELED')) {
            this.#jobs.inc({ status: move.to });
          }
        }
    }
  }
}
