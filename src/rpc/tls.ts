/**
 * TLS of the gateway: which certificates it shows and asks for, and who a caller is by its certificate. A caller
 * without one gets as far as enrolment. What this coordinator shows may be replaced while it listens.
 */
import type { KeyObject } from 'node:crypto';
import { experimental, type ServerCredentials } from '@grpc/grpc-js';
import { nodeNameOf } from '../certificates/certificate.ts';

/** PEM. */
export interface Shown {
  readonly certificate: string;
  readonly key: string;
}

export interface GatewayTls {
  /** PEM of the authorities whose certificates are trusted; the first signs. */
  readonly authority: string;
  readonly shown: ShownCertificate;
  /** Signs a certificate for a node; absent where this coordinator lacks the authority's key. */
  readonly issue?: (nodeName: string, publicKey: KeyObject) => string;
  /** The names, among these nodes' names, that are let in no more. */
  readonly revoked: (nodeNames: readonly string[]) => Promise<readonly string[]>;
}

type Listener<T> = (update: T | null) => void;
type IdentityUpdate = { readonly certificate: Buffer; readonly privateKey: Buffer };
type AuthorityUpdate = { readonly caCertificate: Buffer };

/** What gRPC's server asks its certificates of. */
export class ShownCertificate {
  readonly #listeners = new Set<Listener<IdentityUpdate>>();
  readonly #authority: AuthorityUpdate;
  #current: IdentityUpdate;

  constructor(authority: string, shown: Shown) {
    this.#authority = { caCertificate: Buffer.from(authority) };
    this.#current = toUpdate(shown);
  }

  /** Connections from now on see this one. */
  replace(shown: Shown): void {
    this.#current = toUpdate(shown);
    for (const listener of this.#listeners) listener(this.#current);
  }

  addIdentityCertificateListener(listener: Listener<IdentityUpdate>): void {
    this.#listeners.add(listener);
    // Not at once: gRPC listens before it has noted who is to hear of it.
    queueMicrotask(() => listener(this.#current));
  }

  removeIdentityCertificateListener(listener: Listener<IdentityUpdate>): void {
    this.#listeners.delete(listener);
  }

  addCaCertificateListener(listener: Listener<AuthorityUpdate>): void {
    queueMicrotask(() => listener(this.#authority));
  }

  removeCaCertificateListener(_listener: Listener<AuthorityUpdate>): void {
    // the authority does not change while it listens: nobody is told, so nobody has to be forgotten
  }
}

function toUpdate({ certificate, key }: Shown): IdentityUpdate {
  return { certificate: Buffer.from(certificate), privateKey: Buffer.from(key) };
}

/** Callers are asked for a certificate; one that the authority did not sign counts as none. */
export function tlsCredentials({ shown }: GatewayTls): ServerCredentials {
  // Declared the other way round than it is: the code takes the own identity first.
  return experimental.createCertificateProviderServerCredentials(shown, shown, false);
}

interface Call {
  getAuthContext(): { readonly sslPeerCertificate?: { readonly raw: Buffer } };
}

/** The node whose certificate the caller has shown, checked against the authority; undefined without one. */
export function callerNode(call: unknown): string | undefined {
  const certificate = (call as Call).getAuthContext().sslPeerCertificate;
  return certificate === undefined ? undefined : nodeNameOf(certificate.raw);
}
