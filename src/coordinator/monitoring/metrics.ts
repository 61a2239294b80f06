/** Builds the metrics of a coordinator from its parts. */
import { reportsCluster } from '../../api/prometheus/service.ts';
import type { OpenStreams } from '../../auth/open-streams.ts';
import type { HttpServer } from '../../http/native/server.ts';
import type { System } from '../../kernel/mod.ts';
import { clusterText } from '../../observe/cluster-metrics.ts';
import { CoordinatorMetrics } from '../../observe/coordinator-metrics.ts';
import type { AgentGateway } from '../../rpc/agent-gateway.ts';
import type { Database } from '../../store/database.ts';
import type { BusState } from '../../transport/linked-transport.ts';

/** The parts of a coordinator that have metrics. `systemOf` and `late` give parts that are opened later. */
export interface MetricParts {
  readonly version: string;
  readonly self: string;
  readonly database: Pick<Database, 'pools'>;
  readonly bus: BusState;
  readonly streams: Pick<OpenStreams, 'counts'>;
  readonly systemOf: () => System;
  readonly late: {
    readonly gateway?: Pick<AgentGateway, 'sessionCount'>;
    readonly server?: Pick<HttpServer, 'figures'>;
  };
}

export function openMetrics(parts: MetricParts) {
  const { version, self, database, bus, streams, systemOf, late } = parts;
  const coordinator = new CoordinatorMetrics({
    version,
    stats: () => systemOf().stats(),
    pools: () => database.pools(),
    http: () => late.server?.figures() ?? { connections: 0, requests: 0 },
    streams: () => ({ agents: late.gateway?.sessionCount ?? 0, ...streams.counts() }),
    isNatsUp: () => (bus.type === 'nats' ? bus.trouble() === undefined : undefined),
    reportsCluster: () => reportsCluster(systemOf(), self),
  });
  return { commits: coordinator.commits, coordinatorText: () => coordinator.text(), clusterText };
}
