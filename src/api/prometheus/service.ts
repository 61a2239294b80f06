/**
 * The metrics for Prometheus. Each coordinator reports its own, and the owner of the scheduler also those of the
 * cluster, so that a sum over all coordinators counts nothing twice. Figures of the cluster are left out while they
 * cannot be read.
 */
import { SCHEDULER } from '../../actors/scheduler/scheduler.messages.ts';
import { isShown } from '../../auth/own-tokens.ts';
import { AppError } from '../../domain/errors.ts';
import type { ClusterFigures } from '../../domain/metrics/cluster-figures.ts';
import type { System } from '../../kernel/mod.ts';
import type { Logger } from '../../lib/logger.ts';
import { realClock } from '../../lib/real-clock.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { clusterFigures } from '../../store/status/cluster-figures.ts';
import { RecentReading } from '../shared/recent-reading.ts';

export interface PrometheusParts {
  readonly sql: Sql;
  readonly system: Pick<System, 'ownerOf'>;
  /** Id of this coordinator. */
  readonly self: string;
  readonly metrics: {
    /** The metrics of this coordinator, in the text format. */
    coordinatorText(): Promise<string>;
    clusterText(figures: ClusterFigures): Promise<string>;
  };
  /** The token that callers need; undefined: they need no token. */
  readonly metricsToken: Secret | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

const FRESH_MS = 5_000;
/** 0: old figures are never shown, because they would hide that the database cannot be reached. */
const STALE_MS = 0;
/** How long a scrape waits for the figures of the cluster: well within the 10 s that Prometheus waits. */
const PATIENCE_MS = 4_000;

/** Whether this coordinator reports the figures of the whole cluster. */
export function reportsCluster(system: Pick<System, 'ownerOf'>, self: string): boolean {
  return system.ownerOf(SCHEDULER)?.id === self;
}

/** The service behind `/metrics`. */
export function prometheusApp(parts: PrometheusParts) {
  const { metrics } = parts;
  const reading = new RecentReading({
    read: () => clusterFigures(parts.sql),
    nowMs: realClock.monotonicMs,
    ...{ freshMs: FRESH_MS, staleMs: STALE_MS, patienceMs: PATIENCE_MS },
    late: 'the figures of the cluster could not be read in time',
  });
  const clusterPart = async (): Promise<string> => {
    if (!reportsCluster(parts.system, parts.self)) return '';
    try {
      return await metrics.clusterText(await reading.get());
    } catch (error) {
      parts.log.warn('cluster_figures_unread', { error });
      return '';
    }
  };
  return {
    /** In the text format. `authorization` is the header. Throws AppError UNAUTHENTICATED. */
    async scrape(authorization: string | undefined): Promise<string> {
      const { metricsToken: token } = parts;
      if (token !== undefined && !isShown(token.reveal(), authorization)) {
        throw new AppError('UNAUTHENTICATED', 'the metrics need the token of MILLRACE_METRICS_TOKEN');
      }
      const [ofCluster, ofCoordinator] = await Promise.all([clusterPart(), metrics.coordinatorText()]);
      return ofCoordinator + ofCluster;
    },
  };
}
