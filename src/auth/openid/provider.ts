/**
 * An OpenID provider: the address for logins, and the check of the code that browsers return with. Authorization code
 * with PKCE, state and nonce; the ID token's signature is checked with the provider's keys. No other file uses
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

/** The state that is needed when the browser returns; it must stay secret. */
export interface LoginAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

const TIMEOUT_S = 10;
/** Its addresses and keys are read again after this time. */
const KEEP_MS = 3_600_000;

export class OpenIdProvider {
  readonly #options: ProviderOptions;
  #known: { readonly found: Promise<client.Configuration>; readonly atMs: number } | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** The address for a browser. Throws AppError DEADLINE_EXCEEDED if the provider does not answer. */
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
   * AppError UNAUTHENTICATED if it is not valid, DEADLINE_EXCEEDED if the provider does not answer.
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
      // Its message is not shown, because it may quote what was sent.
      throw new AppError('UNAUTHENTICATED', 'the login at the provider did not succeed', {}, { cause });
    }
  }

  #configuration(nowMs: number): Promise<client.Configuration> {
    if (this.#known !== undefined && nowMs - this.#known.atMs < KEEP_MS) return this.#known.found;
    const found = this.#discover();
    const known = { found, atMs: nowMs };
    this.#known = known;
    // The next caller repeats a failed read.
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
          // The settings allow plain HTTP on loopback only.
          execute: url.protocol === 'http:' ? [client.allowInsecureRequests] : [],
        },
      );
      // The signature of the ID token is checked, in addition to its origin.
      client.enableNonRepudiationChecks(config);
      return config;
    } catch (cause) {
      throw unreachable(cause);
    }
  }
}

/** Whether the network or the time limit failed the request, so that there is no answer. */
function isUnreachable(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return error instanceof TypeError || code === 'OAUTH_TIMEOUT';
}

function unreachable(cause: unknown): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'the OpenID provider does not answer as it should', {}, { cause });
}
