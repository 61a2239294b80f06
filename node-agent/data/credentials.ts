/**
 * The agent's credentials, and its check of coordinators. With TLS: manually created certificates, or those that a
 * coordinator issues for the join token, which are kept in the agent's folder and renewed in the last third of their
 * validity. A coordinator is identified by a server certificate of the cluster's authority, whatever its address.
 */
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { type Identity, keyPem, newKey, readIdentity, readPem } from '../../src/certificates/authority.ts';
import { nextLookMs, renewalDueMs } from '../../src/certificates/certificate.ts';
import { isAuthorityProven, makeKeyRequest, NONCE_BYTES_MIN } from '../../src/certificates/request.ts';
import type { EnrolRequest } from '../../src/domain/node/agent-messages.ts';
import type { Logger } from '../../src/observe/log.ts';
import { AGENT_SERVICE } from '../../src/wire/agent-service.ts';

export interface Credentials {
  /** Credentials for a connection to this address. Rejects with the reason if the agent has none. */
  connecting(address: string): Promise<grpc.ChannelCredentials>;
  /**
   * Renews the certificate with this coordinator when it is time; never rejects. Resolves with the milliseconds until
   * the next call.
   */
  renew(address: string): Promise<number>;
}

const LOOK_MS_MAX = 3_600_000;

export const PLAIN: Credentials = {
  connecting: async () => grpc.credentials.createInsecure(),
  renew: async () => LOOK_MS_MAX,
};

export interface TlsOptions {
  /** The folder of manually created certificates. */
  readonly given: string;
  /** The folder for certificates from coordinators. */
  readonly kept: string;
  readonly nodeName: string;
  readonly joinToken: string;
  readonly nowMs: () => number;
  readonly log: Logger;
}

const CALL_MS_MAX = 10_000;

export class TlsCredentials implements Credentials {
  readonly #options: TlsOptions;

  constructor(options: TlsOptions) {
    this.#options = options;
  }

  async connecting(address: string): Promise<grpc.ChannelCredentials> {
    const { given } = this.#options;
    const authority = await this.#authority(address);
    const brought = await readIdentity(given, 'agent');
    if (brought !== undefined) return secured(authority, brought);
    const kept = await this.#kept(authority);
    if (kept !== undefined && !this.#isDue(kept)) return secured(authority, kept);
    try {
      return secured(authority, await this.#enrol(address, authority, kept));
    } catch (error) {
      if (kept === undefined || this.#isOver(kept)) throw error;
      this.#options.log.warn('certificate_not_renewed', { address, error });
      return secured(authority, kept);
    }
  }

  async renew(address: string): Promise<number> {
    const { given, kept, nowMs, log } = this.#options;
    await this.connecting(address).catch((error: unknown) => {
      log.warn('certificate_not_renewed', { address, error });
    });
    const brought = await readIdentity(given, 'agent').catch(() => undefined); // `connecting` has reported this
    const own = brought === undefined ? await readIdentity(kept, 'agent').catch(() => undefined) : undefined;
    return own === undefined ? LOOK_MS_MAX : nextLookMs(own.certificate, nowMs());
  }

  /** PEM of the authority: as provided, as kept, or from a coordinator that proves that it knows the join token. */
  async #authority(address: string): Promise<string> {
    const { given, kept, joinToken, log } = this.#options;
    const known = (await readPem(given, 'ca.pem')) ?? (await readPem(kept, 'ca.pem'));
    if (known !== undefined) return known;
    const nonce = randomBytes(2 * NONCE_BYTES_MIN);
    const unverified = grpc.credentials.createSsl(null, null, null, { rejectUnauthorized: false });
    const found = await this.#ask(address, unverified, AGENT_SERVICE.introduce, { nonce });
    if (!isAuthorityProven(joinToken, nonce, found)) {
      throw new Error('refused: the coordinator does not know this join token');
    }
    await this.#keep('ca.pem', found.certificate, 0o644);
    const { fingerprint256 } = new X509Certificate(found.certificate);
    log.info('cluster_authority_kept', { address, fingerprint: fingerprint256 });
    return found.certificate;
  }

  /** The certificate of an earlier enrolment, if this authority has signed it for this node. */
  async #kept(authority: string): Promise<Identity | undefined> {
    const kept = await readIdentity(this.#options.kept, 'agent');
    if (kept === undefined) return undefined;
    const own = new X509Certificate(kept.certificate);
    const isOurs = own.subject === `CN=${this.#options.nodeName.slice(0, 64)}`;
    const isSigned = authoritiesOf(authority).some((one) => own.verify(one.publicKey));
    const isWhole = own.checkPrivateKey(createPrivateKey(kept.key));
    return isOurs && isSigned && isWhole && !this.#isOver(kept) ? kept : undefined;
  }

  #isDue({ certificate }: Identity): boolean {
    return this.#options.nowMs() >= renewalDueMs(certificate);
  }

  #isOver({ certificate }: Identity): boolean {
    return this.#options.nowMs() >= Date.parse(new X509Certificate(certificate).validTo);
  }

  async #enrol(address: string, authority: string, shown: Identity | undefined): Promise<Identity> {
    const { nodeName, joinToken, log } = this.#options;
    const key = newKey();
    const request: EnrolRequest = { ...makeKeyRequest(nodeName, key), joinToken };
    const channel = secured(authority, shown);
    const { certificate } = await this.#ask(address, channel, AGENT_SERVICE.enrol, request);
    const identity = { certificate, key: keyPem(key) };
    await this.#keep('agent.key', identity.key, 0o600);
    await this.#keep('agent.pem', certificate, 0o644);
    log.info('certificate_received', { address, validTo: new X509Certificate(certificate).validTo });
    return identity;
  }

  /** Makes one call over a separate connection. */
  async #ask<Request, Reply>(
    address: string,
    credentials: grpc.ChannelCredentials,
    { path, requestSerialize, responseDeserialize }: grpc.MethodDefinition<Request, Reply>,
    request: Request,
  ): Promise<Reply> {
    const client = new grpc.Client(address, credentials, {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
    });
    const options = { deadline: this.#options.nowMs() + CALL_MS_MAX };
    try {
      return await new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          request,
          options,
          (error, reply) => {
            if (error === null) resolve(reply as Reply);
            else reject(new Error(error.details || error.message));
          },
        );
      });
    } finally {
      client.close();
    }
  }

  /**
   * Writes a file completely or not at all. A kill between the two files leaves a key and a certificate that do not
   * match: then a new certificate is requested.
   */
  async #keep(name: string, text: string, mode: number): Promise<void> {
    const { kept } = this.#options;
    await mkdir(kept, { recursive: true, mode: 0o700 });
    const temporary = join(kept, `${name}.new`);
    await rm(temporary, { force: true });
    await writeFile(temporary, text, { mode, flag: 'wx', flush: true });
    await rename(temporary, join(kept, name));
  }
}

function authoritiesOf(pem: string): X509Certificate[] {
  const each = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return each.map((one) => new X509Certificate(one));
}

function secured(authority: string, shown: Identity | undefined): grpc.ChannelCredentials {
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
  // The authority signs only coordinators of this cluster, whatever their addresses.
  const verify = { checkServerIdentity: () => undefined };
  return grpc.credentials.createSsl(Buffer.from(authority), pem(shown?.key), pem(shown?.certificate), verify);
}
