/** Which service a command speaks to, and with which token. */
import type { Client } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { createNodeClient } from '../../client/node.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { UsageError } from './exit-codes.ts';
import { type Profile, profilesPath, readProfiles, readTokenFile } from './profiles.ts';

export const DEFAULT_SERVER = 'http://127.0.0.1:8080';
/** A person waits: a restart is bridged, a service that is away is reported soon. */
const RETRY_FOR_MS = 3_000;

export interface ConnectionOptions {
  readonly server?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly profile?: string | undefined;
}

export interface Connection {
  readonly server: string;
  /** Whether an option, a variable or a profile has named the server. */
  readonly isNamed: boolean;
  readonly token: string | undefined;
  /** The profile that it comes from. */
  readonly profile: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The server: `--server`, `MILLRACE_SERVER`, the profile, this machine. The token: `--token-file`, `MILLRACE_TOKEN`,
 * the profile. A profile's token is for the profile's server alone: it is not sent to another that is named beside it.
 */
export async function resolveConnection(options: ConnectionOptions, env: Env): Promise<Connection> {
  const { byName, current } = await readProfiles(profilesPath(env));
  const wanted = options.profile ?? (env.MILLRACE_PROFILE || undefined);
  if (wanted !== undefined && !byName.has(wanted)) {
    throw new UsageError(`there is no profile '${wanted}'${nearestOf(wanted, byName.keys())}`);
  }
  const name = wanted ?? current;
  const profile = name === undefined ? undefined : byName.get(name);
  const named = options.server ?? (env.MILLRACE_SERVER || profile?.server);
  const server = named ?? DEFAULT_SERVER;
  const own =
    options.tokenFile === undefined
      ? env.MILLRACE_TOKEN || undefined
      : await readTokenFile(options.tokenFile);
  const isOfProfile = profile !== undefined && isSame(profile, server);
  return {
    server,
    isNamed: named !== undefined,
    token: own ?? (isOfProfile ? profile.token : undefined),
    profile: isOfProfile ? name : undefined,
  };
}

function isSame(profile: Profile, server: string): boolean {
  return profile.server.replace(/\/+$/, '') === server.replace(/\/+$/, '');
}

/** `onRetry`: called once, when a call has failed and is tried again. */
export function clientOf(
  { server, token }: Pick<Connection, 'server' | 'token'>,
  onRetry?: (error: ClientError) => void,
  settings: { readonly retryForMs?: number; readonly timeoutMs?: number } = {},
): Client {
  let isNoted = false;
  const note = (error: unknown): void => {
    if (!isNoted && error instanceof ClientError) onRetry?.(error);
    isNoted = true;
  };
  try {
    return createNodeClient({
      server,
      token: () => token,
      retryForMs: RETRY_FOR_MS,
      onRetry: note,
      ...settings,
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`--server ${server}: ${error.message}`);
    throw error;
  }
}
