/**
 * TLS of the gateway: the certificates that it presents and requires, and how it identifies a caller by certificate. A
 * caller without one may only enrol. The presented certificate may be replaced while the gateway listens.
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
  /** PEM of the trusted authorities; the first one signs. */
  readonly authority: string;
  readonly shown: ShownCertificate;
  /** Signs a certificate for a node; absent if this coordinator does not have the authority's key. */
  readonly issue?: (nodeName: string, publicKey: KeyObject) => string;
  /** The revoked names among these nodes' names. */
  readonly revoked: (nodeNames: readonly string[]) => Promise<readonly string[]>;
}

type Listener<T> = (update: T | null) => void;
type IdentityUpdate = { readonly certificate: Buffer; readonly privateKey: Buffer };
type AuthorityUpdate = { readonly caCertificate: Buffer };

/** Provides certificates to gRPC's server. */
export class ShownCertificate {
  readonly #listeners = new Set<Listener<IdentityUpdate>>();
  readonly #authority: AuthorityUpdate;
  #current: IdentityUpdate;

  constructor(authority: string, shown: Shown) {
    this.#authority = { caCertificate: Buffer.from(authority) };
    this.#current = toUpdate(shown);
  }

  /** New connections use this certificate. */
  replace(shown: Shown): void {
    this.#current = toUpdate(shown);
    for (const listener of this.#listeners) listener(this.#current);
  }

  addIdentityCertificateListener(listener: Listener<IdentityUpdate>): void {
    this.#listeners.add(listener);
    // Not synchronously: gRPC calls this before it has stored the listener that it notifies.
    queueMicrotask(() => listener(this.#current));
  }

  removeIdentityCertificateListener(listener: Listener<IdentityUpdate>): void {
    this.#listeners.delete(listener);
  }

  addCaCertificateListener(listener: Listener<AuthorityUpdate>): void {
    queueMicrotask(() => listener(this.#authority));
  }

  removeCaCertificateListener(_listener: Listener<AuthorityUpdate>): void {
    // the authority does not change while the gateway listens, so listeners are neither kept nor notified
  }
}

function toUpdate({ certificate, key }: Shown): IdentityUpdate {
  return { certificate: Buffer.from(certificate), privateKey: Buffer.from(key) };
}

/** Callers are requested to present a certificate; one that the authority did not sign counts as none. */
export function tlsCredentials({ shown }: GatewayTls): ServerCredentials {
  // The types declare the arguments in the wrong order: the code takes the own identity first.
  return experimental.createCertificateProviderServerCredentials(shown, shown, false);
}

interface Call {
  getAuthContext(): { readonly sslPeerCertificate?: { readonly raw: Buffer } };
}

/** The node whose certificate the caller has shown, verified against the authority; undefined without one. */
export function callerNode(call: unknown): string | undefined {
  const certificate = (call as Call).getAuthContext().sslPeerCertificate;
  return certificate === undefined ? undefined : nodeNameOf(certificate.raw);
}
