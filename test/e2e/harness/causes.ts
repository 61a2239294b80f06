/** What `…/why/` answers, for tests: the causes of a thing once the one that is meant is among them. */
import type { InterfaceClient } from '../../support/clients/interface-client.ts';
import { until } from './until.ts';

export interface Cause {
  readonly name: string;
  readonly reason: string;
  readonly since: string | null;
  readonly amounts: readonly {
    readonly name: string;
    readonly wanted: number;
    readonly there: number;
    readonly node: string | null;
  }[];
  readonly subjects: readonly {
    readonly kind: string;
    readonly id: number | null;
    readonly name: string | null;
  }[];
  readonly help: string | null;
  readonly action: {
    readonly title: string;
    readonly method: string;
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>> | null;
  } | null;
}

export function causesAt(client: InterfaceClient, path: string): Promise<readonly Cause[]> {
  return client.get<{ causes: Cause[] }>(path).then(({ causes }) => causes);
}

/** Resolves with the cause of that name once it is among them, wherever. */
export async function causeAmong(client: InterfaceClient, path: string, name: string): Promise<Cause> {
  let last: readonly Cause[] = [];
  const found = async () => {
    last = await causesAt(client, path);
    return last.find((one) => one.name === name);
  };
  return until(`${path} has ${name}`, found).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(last)}`);
  });
}

/** Resolves with all causes once the first is of that name. */
export async function causedBy(
  client: InterfaceClient,
  path: string,
  name: string,
): Promise<readonly [Cause, ...Cause[]]> {
  let last: readonly Cause[] = [];
  const told = async () => {
    last = await causesAt(client, path);
    const [first, ...rest] = last;
    return first?.name === name ? ([first, ...rest] as const) : undefined;
  };
  return until(`${path} begins with ${name}`, told).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(last)}`);
  });
}

/** Makes the call that the cause says helps. */
export async function follow(client: InterfaceClient, { name, action }: Cause): Promise<void> {
  if (action?.method !== 'PATCH') throw new Error(`${name} has no change: ${JSON.stringify(action)}`);
  await client.patch(action.path, action.body ?? {});
}
