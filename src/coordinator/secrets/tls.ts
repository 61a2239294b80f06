/**
 * The certificates of a coordinator, from the folder that the settings name. The coordinator issues its own with the
 * key of the authority, or reads it from files. It is renewed or read again before it expires, without a restart.
 */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Authority,
  createAuthority,
  type Identity,
  issueIdentity,
  openAuthority,
  readIdentity,
  readPem,
} from '../../certificates/authority.ts';
import { nextLookMs, renewalDueMs } from '../../certificates/certificate.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../domain/errors.ts';
import { whenDiskHasRoom } from '../../lib/disk-space.ts';
import type { Logger } from '../../lib/logger.ts';
import { type GatewayTls, ShownCertificate } from '../../rpc/tls.ts';
import { inactiveNodes } from '../../store/node/enrolment.ts';
import type { Sql } from '../../store/sql/sql.ts';

export interface TlsParts {
  readonly config: Pick<Config, 'tls' | 'command'>;
  readonly sql: Sql;
  readonly nowMs: () => number;
  readonly log: Logger;
}

export interface CoordinatorTls {
  readonly gateway: GatewayTls;
  close(): void;
}

/** Undefined if TLS is off. Throws AppError INVALID_SETTINGS if a file is missing in the folder. */
export async function openTls(parts: TlsParts): Promise<CoordinatorTls | undefined> {
  const { config, sql, nowMs, log } = parts;
  if (!config.tls.isOn) return undefined;
  const { folder } = config.tls;
  // A single coordinator may create its own authority; several must share one.
  if (config.command === 'up' && (await readPem(folder, 'ca.pem')) === undefined) {
    const room = { what: 'the authority of certificates', folder, log };
    await whenDiskHasRoom(room, () => createAuthority(folder, nowMs()));
  }
  const certificate = await readPem(folder, 'ca.pem');
  if (certificate === undefined) {
    const remedy = 'make one with `millrace certificates authority`, and give all coordinators a copy';
    throw new AppError('INVALID_SETTINGS', `there is no ca.pem in ${folder}: ${remedy}`);
  }
  const authority = await openAuthority(folder);
  const days = config.tls.certificateDays;
  const identity = () => identityOf(folder, authority, { nowMs: nowMs(), days });
  let current = await identity();
  const shown = new ShownCertificate(certificate, current);
  const renewIfDue = async (): Promise<void> => {
    if (nowMs() < renewalDueMs(current.certificate)) return;
    current = await identity();
    shown.replace(current);
    log.info('certificate_replaced', { validTo: new X509Certificate(current.certificate).validTo });
  };
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const lookAgain = (): void => {
    if (isClosed) return;
    timer = setTimeout(
      () => {
        renewIfDue()
          .catch((error: unknown) => log.warn('certificate_not_renewed', { error }))
          .finally(lookAgain);
      },
      nextLookMs(current.certificate, nowMs()),
    );
  };
  lookAgain();
  const issue = (nodeName: string, publicKey: KeyObject): string =>
    (authority as Authority).issue({ role: 'agent', name: nodeName, publicKey, nowMs: nowMs(), days });
  const revoked = (names: readonly string[]) => inactiveNodes(sql, names);
  const gateway = {
    ...{ authority: certificate, shown, revoked },
    ...(authority === undefined ? {} : { issue }),
  };
  const close = (): void => {
    isClosed = true;
    clearTimeout(timer);
  };
  return { gateway, close };
}

async function identityOf(
  folder: string,
  authority: Authority | undefined,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): Promise<Identity> {
  const given = await readIdentity(folder, 'coordinator');
  if (given !== undefined) return given;
  if (authority !== undefined) {
    return issueIdentity(authority, { role: 'coordinator', name: hostname(), nowMs, days });
  }
  const reason = `${folder} needs ca.key, or coordinator.pem with coordinator.key`;
  throw new AppError('INVALID_SETTINGS', reason);
}
