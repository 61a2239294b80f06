/** Builds the transport between this coordinator and the others. */
import type { Config } from '../config/config.ts';
import type { CoordinatorInfo, System, Transport } from '../kernel/mod.ts';
import type { Logger } from '../lib/logger.ts';
import type { CoordinatorBus } from '../rpc/coordinator-bus.ts';
import { type BusState, linkedTransport } from '../transport/linked-transport.ts';
import { MemoryNetwork, memoryTransport } from '../transport/memory-transport.ts';
import type { DirectPeer } from '../transport/ways.ts';

export interface TransportParts {
  readonly config: Pick<Config, 'command' | 'natsUrl'>;
  readonly direct: CoordinatorBus;
  readonly system: () => Pick<System, 'coordinators'> | undefined;
  readonly log: Logger;
}

export interface CoordinatorTransport extends BusState {
  readonly transport: Transport;
}

const CLUSTER = 'default';

/** `up` without NATS_URL has no other coordinators. Any other coordinator without it reaches the others over gRPC. */
export async function openTransport(parts: TransportParts): Promise<CoordinatorTransport> {
  const { config, direct, system, log } = parts;
  const { natsUrl } = config;
  if (natsUrl === undefined && config.command === 'up') {
    const transport = memoryTransport(new MemoryNetwork());
    return { transport, type: 'memory', trouble: () => undefined };
  }
  const peer = (id: string) => peerOf(system()?.coordinators() ?? [], id);
  const bus = natsUrl === undefined ? {} : { bus: await natsOf(natsUrl.reveal(), log) };
  const transport = linkedTransport({ ...bus, direct, peer, log });
  const type = natsUrl === undefined ? 'grpc' : 'nats';
  return { transport, type, trouble: () => transport.trouble() };
}

/** The gRPC address of the coordinator; `legacy` if its version does not serve this; undefined if it is unknown. */
export function peerOf(known: readonly CoordinatorInfo[], id: string): DirectPeer | 'legacy' | undefined {
  const one = known.find((other) => other.id === id);
  if (one === undefined) return undefined;
  return one.busKey === undefined ? 'legacy' : { address: one.grpcAddress, key: one.busKey.reveal() };
}

async function natsOf(url: string, log: Logger) {
  const { natsBus } = await import('../transport/nats-bus.ts');
  return natsBus({ url, cluster: CLUSTER, log });
}
