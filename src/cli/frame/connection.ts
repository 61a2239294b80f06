/** The service that a command calls, and the token that it sends. */
import type { Client } from '../../client/client.ts';
import { ClientError } from '../../client/errors.ts';
import { createNodeClient } from '../../client/node.ts';
import { nearestOf } from '../../domain/near-names.ts';
import { UsageError } from './exit-codes.ts';
import { isToken, type Profile, profilesPath, readProfiles, readTokenFile } from './profiles.ts';

export const DEFAULT_SERVER = 'http://127.0.0.1:8080';
/** Long enough for a restart of the service; short, because a person waits to hear that the service is away. */
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
  /** The option or the variable that the token comes from; undefined if it comes from a profile. */
  readonly tokenFrom: string | undefined;
  /** The profile that names the server. */
  readonly profile: string | undefined;
}

const TOKEN_VARIABLE = 'MILLRACE_TOKEN';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The server: `--server`, `MILLRACE_SERVER`, the profile, this machine. The token: `--token-file`, `MILLRACE_TOKEN`,
 * the profile. A profile's token is sent only to the profile's server, not to another that an option names.
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
  const server = withoutInterface(named ?? DEFAULT_SERVER);
  const given = await givenToken(options, env);
  const isOfProfile = profile !== undefined && isSame(profile, server);
  return {
    server,
    isNamed: named !== undefined,
    token: given?.token ?? (isOfProfile ? profile.token : undefined),
    tokenFrom: given?.from,
    profile: isOfProfile ? name : undefined,
  };
}

async function givenToken(
  { tokenFile }: ConnectionOptions,
  { [TOKEN_VARIABLE]: variable }: Env,
): Promise<{ readonly token: string; readonly from: string } | undefined> {
  if (tokenFile !== undefined)
    return { token: await readTokenFile(tokenFile), from: `--token-file ${tokenFile}` };
  if (variable === undefined || variable === '') return undefined;
  if (!isToken(variable))
    throw new UsageError(`${TOKEN_VARIABLE} has no token: correct or unset this variable`);
  return { token: variable, from: TOKEN_VARIABLE };
}

/** The address of a service where a person has given that of its interface, such as `http://host:8080/v6/`. */
function withoutInterface(server: string): string {
  return server.replace(/^(https?:\/\/[^?#]+?)\/+v6(?:\/[^?#]*)?$/, '$1');
}

function isSame(profile: Profile, server: string): boolean {
  return withoutInterface(profile.server).replace(/\/+$/, '') === server.replace(/\/+$/, '');
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
      requiresRequestId: true,
      onRetry: note,
      ...settings,
    });
  } catch (error) {
    // A password that is typed in an address is not repeated.
    const shown = server.replace(/\/\/[^/@]*@/, '//...@');
    if (error instanceof TypeError) throw new UsageError(`--server ${shown}: ${error.message}`);
    throw error;
  }
}
