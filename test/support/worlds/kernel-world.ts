/**
 * A cluster of the real kernel on virtual time: account actors on a fake store, coordinators that can be cut
 * off.
 */
import {
  type ActorDef,
  type Address,
  type Addresses,
  type AnsweredWith,
  type AnyActorDef,
  address,
  askerOf,
  type Ctx,
  createSystem,
  defineActor,
  type IdPort,
  type KernelLimits,
  type Outcome,
  reply,
  restartWithin,
  type System,
  type SystemOptions,
  save,
  stay,
} from '../../../src/kernel/mod.ts';
import { MemoryNetwork, memoryTransport } from '../../../src/transport/memory-transport.ts';
import { type Account, type AccountChange, AccountStore } from '../fakes/account-store.ts';
import { MemoryCluster } from '../fakes/memory-leases.ts';
import { VirtualClock } from '../virtual-clock.ts';

export type AccountMessage =
  /** Saves, and answers with the new balance. */
  | (AnsweredWith<number> & { readonly type: 'add'; readonly n: number })
  /** Answers with the balance, without a change. */
  | (AnsweredWith<number | null> & { readonly type: 'get' })
  | (AnsweredWith<number> & { readonly type: 'boom' });

export interface AccountPorts {
  readonly store: AccountStore;
}

export type AccountDef = ActorDef<Account, AccountMessage, AccountPorts, AccountChange>;

/** The handler of `add`. */
export function add(account: Account | undefined, n: number, ctx: Ctx): Outcome<Account, AccountChange> {
  const from = account?.version ?? 0;
  const balance = (account?.balance ?? 0) + n;
  const asker = askerOf<Extract<AccountMessage, { type: 'add' }>>({ type: 'add', n }, ctx);
  const answers = asker === undefined ? [] : [reply(asker, balance)];
  return stay({ balance, version: from + 1 }, save({ key: ctx.self.key, from, balance }), ...answers);
}

export function accountActor(over: Partial<AccountDef> = {}): AccountDef {
  return defineActor({
    kind: 'account',
    mailboxMax: 1_000,
    idleMs: 60_000,
    turnMax: 16,
    supervise: restartWithin({ timesMax: 3, windowMs: 60_000, backoffMs: 100, backoffMaxMs: 10_000 }),
    load: (keys, ports) => ports.store.load(keys),
    receive(account, message, ctx) {
      switch (message.type) {
        case 'add':
          return add(account, message.n, ctx);
        case 'get': {
          const asker = askerOf(message, ctx);
          return stay(account, ...(asker ? [reply(asker, account?.balance ?? null)] : []));
        }
        default:
          throw new Error(`cannot ${message.type}`);
      }
    },
    ...over,
  });
}

export interface LogLine {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const ADDRESSES: Addresses = { httpAddress: 'http://a', grpcAddress: 'a:1', version: '0' };

export class World {
  readonly clock = new VirtualClock();
  readonly cluster = new MemoryCluster(() => this.clock.monotonicMs());
  readonly store = new AccountStore((shard) => this.cluster.epochOf(shard));
  readonly network = new MemoryNetwork((deliver) => this.clock.soon(deliver));
  readonly log: LogLine[] = [];
  nextId = 1;
  /** The source of identifiers. Tests replace it to simulate failures. */
  ids: IdPort = {
    reserve: async (_, n) => Array.from({ length: n }, () => this.nextId++),
  };

  /** Starts a coordinator. */
  async system(
    options: {
      self?: string;
      actors?: readonly AnyActorDef[];
      ports?: Readonly<Record<string, unknown>>;
      limits?: Partial<KernelLimits>;
      apply?: SystemOptions['apply'];
    } = {},
  ): Promise<System> {
    const system = createSystem({
      self: options.self ?? 'c1',
      addresses: ADDRESSES,
      actors: options.actors ?? [accountActor()],
      ports: { account: { store: this.store }, ...options.ports },
      apply: options.apply ?? this.store,
      ids: { reserve: (kind, n) => this.ids.reserve(kind, n) },
      leases: this.cluster.port(),
      transport: memoryTransport(this.network),
      clock: this.clock,
      rng: () => 0.5,
      log: {
        info: (event, fields = {}) => void this.log.push({ event, fields }),
        warn: (event, fields = {}) => void this.log.push({ event, fields }),
        error: (event, fields = {}) => void this.log.push({ event, fields }),
      },
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    });
    const started = system.start();
    await this.clock.settle();
    await started;
    return system;
  }

  logged(event: string): LogLine[] {
    return this.log.filter((line) => line.event === event);
  }
}

export function account(key: string | number): Address<AccountMessage> {
  return address('account', String(key));
}

/** The state of a promise, without waiting for it. */
export interface Watched {
  state: 'pending' | 'resolved' | 'rejected';
  value?: unknown;
  code?: string;
}

export function watch(promise: Promise<unknown>): Watched {
  const watched: Watched = { state: 'pending' };
  promise.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (error: { code?: string }) =>
      Object.assign(watched, { state: 'rejected', code: error.code ?? String(error) }),
  );
  return watched;
}

/** A promise that waits until the test opens it. */
export class Latch {
  readonly opened: Promise<void>;
  open!: () => void;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
