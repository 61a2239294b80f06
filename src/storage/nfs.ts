/**
 * The broker of an NFS export: a directory like a host's, mounted by the agent itself or, at a given path, by the
 * host's administrator. The mount is checked before anything is read or written, so that files never end up in the
 * empty directory below it.
 */
import type { Broker } from './broker.ts';
import { createHostBroker, type HostBrokerOptions } from './host.ts';
import type { NfsMount } from './nfs-mount.ts';

export type NfsBrokerOptions = Omit<HostBrokerOptions, 'root' | 'ready' | 'kind'> &
  ({ readonly mount: NfsMount } | { readonly declaredPath: string });

export function createNfsBroker(options: NfsBrokerOptions): Broker {
  const { workspaceUuid, agentId, isDeclared = false } = options;
  const shared = { workspaceUuid, agentId, isDeclared, kind: 'nfs' } as const;
  if ('declaredPath' in options) return createHostBroker({ ...shared, root: options.declaredPath });
  const { mount } = options;
  return createHostBroker({ ...shared, root: mount.place, ready: () => mount.ensure() });
}
