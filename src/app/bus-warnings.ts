/** What operators are told while messages between coordinators do not go over NATS. */
import type { BusTrouble } from '../transport/linked-transport.ts';

export interface BusWarning {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly startedMs: number;
}

export function busWarnings(trouble: BusTrouble | undefined): readonly BusWarning[] {
  if (trouble === undefined) return [];
  const description =
    `${trouble.reason}: coordinators speak gRPC with each other until it does its work again. ` +
    'Queues of object stores in NATS are not read; their workspaces are listed.';
  return [{ name: 'NATS_UNAVAILABLE', title: 'NATS Unavailable', description, startedMs: trouble.sinceMs }];
}
