/**
 * An OpenID provider: where browsers are sent to log in, and what their return proves. Authorization code with
 * PKCE, state and nonce; the ID token's signature is checked with the provider's keys. The only file that knows
 * openid-client.
 */
import * as client from 'openid-client';
import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../lib/secret.ts';

export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: Secret;
  readonly scopes: string;
}

/** What must be known again when the browser returns; nobody else may know it. */
export interface LoginAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

const TIMEOUT_S = 10;
/** Its addresses and keys are asked for again after so long. */
const KEEP_MS = 3_600_000;

export class OpenIdProvider {
  readonly #options: ProviderOptions;
  #known: { readonly found: Promise<client.Configuration>; readonly atMs: number } | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** Where to send a browser. Throws AppError DEADLINE_EXCEEDED when the provider does not answer. */
  async begin(
    redirectUri: string,
    nowMs: number,
  ): Promise<{ readonly url: string; readonly attempt: LoginAttempt }> {
    const config = await this.#configuration(nowMs);
    const attempt = {
      ...{ state: client.randomState(), nonce: client.randomNonce() },
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: redirectUri, scope: this.#options.scopes },
      ...{ state: attempt.state, nonce: attempt.nonce },
      code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, attempt };
  }

  /**
   * The claims of the ID token. `returned` is the address that the browser came back to, with its query. Throws
   * AppError UNAUTHENTICATED when it proves nothing, DEADLINE_EXCEEDED when the provider does not answer.
   */
  async finish(
    returned: URL,
    { state, nonce, verifier }: LoginAttempt,
    nowMs: number,
  ): Promise<Readonly<Record<string, unknown>>> {
    const config = await this.#configuration(nowMs);
    try {
      const tokens = await client.authorizationCodeGrant(config, returned, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      });
      return tokens.claims() ?? {};
    } catch (cause) {
      if (isUnreachable(cause)) throw unreachable(cause);
      // What it says goes to nobody: it may quote what was sent.
      throw new AppError('UNAUTHENTICATED', 'the login at the provider did not succeed', {}, { cause });
    }
  }

  #configuration(nowMs: number): Promise<client.Configuration> {
    if (this.#known !== undefined && nowMs - this.#known.atMs < KEEP_MS) return this.#known.found;
    const found = this.#discover();
    const known = { found, atMs: nowMs };
    this.#known = known;
    // What failed is tried again by whoever comes next.
    found.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return found;
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const secret = clientSecret?.reveal();
    const url = new URL(issuer);
    try {
      const config = await client.discovery(
        url,
        clientId,
        undefined,
        secret === undefined ? client.None() : client.ClientSecretBasic(secret),
        {
          timeout: TIMEOUT_S,
          // Settings allow it on loopback alone.
          execute: url.protocol === 'http:' ? [client.allowInsecureRequests] : [],
        },
      );
      // Not only that it came from the provider's address: that the provider signed it.
      client.enableNonRepudiationChecks(config);
      return config;
    } catch (cause) {
      throw unreachable(cause);
    }
  }
}

/** Whether the network or the time limit failed the request, so that nothing was answered. */
function isUnreachable(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return error instanceof TypeError || code === 'OAUTH_TIMEOUT';
}

function unreachable(cause: unknown): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'the OpenID provider does not answer as it should', {}, { cause });
}
