/** The metrics of one coordinator: its actors, mailboxes and commits, its connections, and its process. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { SystemStats } from '../kernel/mod.ts';
import { CommitMetrics } from './commit-metrics.ts';

export interface PoolFigures {
  readonly name: string;
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

export interface CoordinatorSources {
  readonly version: string;
  readonly stats: () => SystemStats;
  readonly pools: () => readonly PoolFigures[];
  /** Open connections, and the requests on them that are not answered yet. */
  readonly http: () => { readonly connections: number; readonly requests: number };
  /** Open streams, by what they carry. */
  readonly streams: () => Readonly<Record<string, number>>;
  /** Whether NATS delivers; undefined without NATS. */
  readonly isNatsUp: () => boolean | undefined;
  /** Whether this coordinator reports the whole cluster. */
  readonly reportsCluster: () => boolean;
}

const TOTALS: Readonly<Record<keyof SystemStats['totals'], readonly [name: string, help: string]>> = {
  turns: ['turns', 'Turns of actors that were run.'],
  messages: ['messages_handled', 'Messages that actors have handled.'],
  commits: ['commits', 'Commits that succeeded.'],
  committedTurns: ['turns_committed', 'Turns that were saved.'],
  refused: ['turns_refused', 'Turns whose guards failed; they were decided again.'],
  fenced: ['turns_fenced', 'Turns that were not saved because another coordinator holds the shard.'],
  unavailable: ['turns_uncertain', 'Turns whose commit has an unknown outcome; their actors load again.'],
  failures: ['handler_failures', 'Handlers that threw.'],
  dropped: ['messages_dropped', 'Messages dropped because a mailbox was full or a coordinator unreachable.'],
  deadLetters: ['messages_unwanted', 'Answers that nobody waited for any more, and mail for unknown actors.'],
  loads: ['actor_loads', 'Reads of actors from the database; each may load many.'],
  loadedActivations: ['actors_loaded', 'Actors that were loaded from the database.'],
  passivated: ['actors_passivated', 'Actors that were dropped from memory because nothing happened.'],
  sent: ['messages_sent', 'Messages to other coordinators.'],
  received: ['messages_received', 'Messages from other coordinators.'],
  bounced: ['messages_bounced', 'Messages that came to a coordinator which does not own the actor.'],
};

/** Default metrics of prom-client that are named like counters but are gauges. */
const MISNAMED = ['nodejs_active_handles', 'nodejs_active_requests', 'nodejs_active_resources'];

export class CoordinatorMetrics {
  readonly commits: CommitMetrics;
  readonly #registry = new Registry();
  readonly #sources: CoordinatorSources;

  constructor(sources: CoordinatorSources) {
    this.#sources = sources;
    this.commits = new CommitMetrics(this.#registry);
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) {
      this.#registry.removeSingleMetric(name);
      this.#registry.removeSingleMetric(`${name}_total`);
    }
    this.#describeSystem();
    this.#describeActors();
    this.#describeConnections();
  }

  /** The metrics as Prometheus reads them. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #describeSystem(): void {
    const { version, stats, reportsCluster } = this.#sources;
    this.#gauge(
      'build_info',
      'The version that is running; always 1.',
      (gauge) => gauge.set({ version }, 1),
      ['version'],
    );
    this.#gauge(
      'leases_valid',
      '1 while the leases of this coordinator are known to hold; without them its actors stop.',
      (gauge) => gauge.set(Number(stats().isRunning)),
    );
    this.#gauge(
      'shards_held',
      'Shards whose actors live here; the sum over all coordinators is 64.',
      (gauge) => gauge.set(stats().shardsHeld),
    );
    this.#gauge('asks_pending', 'Questions to actors that are not answered yet.', (gauge) =>
      gauge.set(stats().asksPending),
    );
    this.#gauge('messages_parked', 'Messages that wait until their actor has an owner.', (gauge) =>
      gauge.set(stats().mailParked),
    );
    this.#gauge(
      'cluster_figures_told',
      '1 if this coordinator reports the figures of the whole cluster.',
      (gauge) => gauge.set(Number(reportsCluster())),
    );
    for (const [total, [name, help]] of Object.entries(TOTALS)) {
      this.#counter(name, help, (counter) =>
        counter.inc(stats().totals[total as keyof SystemStats['totals']]),
      );
    }
  }

  #describeActors(): void {
    const { stats } = this.#sources;
    const byActor = (name: string, help: string, figure: 'live' | 'mail' | 'suspended'): void => {
      const collect = (gauge: Gauge): void => {
        for (const [actor, figures] of Object.entries(stats().kinds)) gauge.set({ actor }, figures[figure]);
      };
      this.#gauge(name, help, collect, ['actor']);
    };
    byActor('actors', 'Actors that are in memory.', 'live');
    byActor('actors_suspended', 'Actors that wait for a call to end before they handle more.', 'suspended');
    byActor('mailbox_messages', 'Messages that wait in mailboxes.', 'mail');
    const collect = (counter: Counter): void => {
      for (const [name, count] of Object.entries(stats().counters)) {
        const [actor = '', event = ''] = name.split('.');
        counter.inc({ actor, event }, count);
      }
    };
    this.#counter('actor_events', 'Events that the actors themselves count.', collect, ['actor', 'event']);
  }

  #describeConnections(): void {
    const { pools, http, streams, isNatsUp } = this.#sources;
    const byPool = (name: string, help: string, figure: 'max' | 'open' | 'idle' | 'waiting'): void => {
      const collect = (gauge: Gauge): void => {
        for (const pool of pools()) gauge.set({ pool: pool.name }, pool[figure]);
      };
      this.#gauge(`database_pool_${name}`, help, collect, ['pool']);
    };
    byPool('open', 'Connections of this coordinator to the database.', 'open');
    byPool('idle', 'Open connections that are not in use.', 'idle');
    byPool('limit', 'The most connections that may be open.', 'max');
    byPool('waiting', 'Statements and transactions that wait for a connection.', 'waiting');
    this.#gauge('http_connections', 'Connections of callers.', (gauge) => gauge.set(http().connections));
    this.#gauge('http_requests_running', 'Requests that are not answered yet, including this one.', (gauge) =>
      gauge.set(http().requests),
    );
    const collectStreams = (gauge: Gauge): void => {
      for (const [kind, count] of Object.entries(streams())) gauge.set({ kind }, count);
    };
    this.#gauge('streams', 'Open streams, by what they carry.', collectStreams, ['kind']);
    if (isNatsUp() === undefined) return;
    this.#gauge(
      'nats_up',
      '1 while NATS delivers; otherwise coordinators call each other over gRPC.',
      (gauge) => gauge.set(Number(isNatsUp())),
    );
  }

  #gauge(name: string, help: string, collect: (gauge: Gauge) => void, labelNames: string[] = []): void {
    const registers = [this.#registry];
    const gauge: Gauge = new Gauge({
      ...{ name: `millrace_${name}`, help, labelNames, registers },
      collect: () => {
        gauge.reset();
        collect(gauge);
      },
    });
  }

  /** A counter whose source holds the sum since the start. */
  #counter(name: string, help: string, collect: (counter: Counter) => void, labelNames: string[] = []): void {
    const registers = [this.#registry];
    const counter: Counter = new Counter({
      ...{ name: `millrace_${name}_total`, help, labelNames, registers },
      collect: () => {
        counter.reset();
        collect(counter);
      },
    });
  }
}
