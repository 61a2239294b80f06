/** A real OpenID provider on a port of loopback, and a browser that logs in at it, form by form. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The claims of each person. */
export type People = Record<string, Record<string, unknown>>;

export interface ProviderDouble {
  readonly issuer: string;
  readonly people: People;
  /**
   * Logs in at the address to which the browser is redirected; resolves with the address to which it is redirected
   * back.
   */
  logIn(url: string, login: string): Promise<string>;
  /** Forgets all sessions. */
  forget(): void;
  stop(): Promise<void>;
}

export const CLIENT = { id: 'millrace', secret: 'canary-openid-secret' };
export const CALLBACK = 'http://localhost:8080/v6/login/openid/callback/';
/** For clients of the public system. */
const CLIENTS_CALLBACK = 'http://localhost:8080/api/v6/login/openid/callback/';

interface Provider {
  callback(): RequestListener;
  proxy: boolean;
}

/** `callbacks`: the allowed redirect addresses. */
export async function startProvider(
  t: { teardown(call: () => Promise<void>): void },
  callbacks: readonly string[] = [CALLBACK, CLIENTS_CALLBACK],
): Promise<ProviderDouble> {
  // The package has no types of its own.
  const { Provider: ProviderOf } = (await import('oidc-provider' as string)) as {
    Provider: new (issuer: string, settings: object) => Provider;
  };
  const people: People = {};
  const listener: { handle: RequestListener } = { handle: () => undefined };
  const server: Server = createServer((request, response) => listener.handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  listener.handle = new ProviderOf(issuer, settingsOf(people, callbacks)).callback();
  let jar = new Map<string, string>();
  const double: ProviderDouble = {
    ...{ issuer, people },
    logIn: (url, login) => browse(url, login, issuer, jar),
    forget: () => {
      jar = new Map();
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  t.teardown(() => double.stop());
  return double;
}

function settingsOf(people: People, callbacks: readonly string[]): object {
  return {
    clients: [
      {
        ...{ client_id: CLIENT.id, client_secret: CLIENT.secret },
        redirect_uris: callbacks,
        ...{ grant_types: ['authorization_code'], response_types: ['code'] },
      },
    ],
    claims: {
      openid: ['sub'],
      profile: ['preferred_username', 'given_name', 'family_name', 'groups'],
      email: ['email'],
    },
    // Claims are in the ID token, and not only in the userinfo endpoint.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people[sub] }),
    }),
  };
}

/** Follows redirects and submits the provider's forms, until it is redirected to another server. */
async function browse(
  start: string,
  login: string,
  issuer: string,
  jar: Map<string, string>,
): Promise<string> {
  let url = start;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(url, {
      ...{ method: form === undefined ? 'GET' : 'POST', redirect: 'manual' },
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      form = undefined;
      if (!url.startsWith(issuer)) return url;
      continue;
    }
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(text)?.[1];
    if (action === undefined || prompt === undefined)
      throw new Error(`${response.status} ${text.slice(0, 500)}`);
    url = new URL(action, url).href;
    form = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login, password: 'x' } : {}) });
  }
  throw new Error('the provider sends the browser around in circles');
}
