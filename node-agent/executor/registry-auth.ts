/**
 * Credentials of private registries, from a file as `docker login` writes it (`auths`). Read at each pull, so that a
 * change applies at once; never kept, never logged. Credential helpers are not run.
 */
import { readFile } from 'node:fs/promises';

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly identityToken?: string;
}

interface Entry {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
}

const FILE_BYTES_MAX = 1024 * 1024;
/** Docker's own registry is stored under its old address. */
const DOCKER_NAMES = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];

/**
 * The credentials for a registry; undefined if the file has none. Throws an Error whose message quotes nothing of the
 * file.
 */
export async function loginOf(file: string, registry: string): Promise<RegistryLogin | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`the file of registry credentials cannot be read: ${(error as { code?: string }).code}`);
  }
  if (text.length > FILE_BYTES_MAX) throw new Error('the file of registry credentials is too large');
  const entries = entriesOf(text);
  const names = DOCKER_NAMES.includes(registry) ? DOCKER_NAMES : [registry];
  const found = entries.find(([name]) => names.includes(hostOf(name)))?.[1];
  return found === undefined ? undefined : readEntry(found);
}

function entriesOf(text: string): [string, Entry][] {
  let auths: unknown;
  try {
    auths = (JSON.parse(text) as { auths?: unknown } | null)?.auths ?? {};
  } catch {
    throw new Error('the file of registry credentials is not JSON');
  }
  if (typeof auths !== 'object') throw new Error('`auths` of the registry credentials is not an object');
  return Object.entries(auths as Record<string, Entry | null>).map(([name, entry]) => [name, entry ?? {}]);
}

/** `https://index.docker.io/v1/` and `registry.example.com:5000` alike. */
function hostOf(name: string): string {
  return name.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}

function readEntry({ auth, username, password, identitytoken }: Entry): RegistryLogin | undefined {
  const token = identitytoken === undefined ? {} : { identityToken: identitytoken };
  if (typeof auth === 'string' && auth !== '') {
    const pair = Buffer.from(auth, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    if (colon < 0) throw new Error('an `auth` of the registry credentials is not a name and a password');
    return { username: pair.slice(0, colon), password: pair.slice(colon + 1), ...token };
  }
  if (username === undefined && identitytoken === undefined) return undefined;
  return { username: username ?? '', password: password ?? '', ...token };
}
