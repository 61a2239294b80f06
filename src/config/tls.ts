/** Settings of certificates: between coordinators and agents, and of HTTP. */
import { join, resolve } from 'node:path';
import type { IssueList } from '../domain/validation.ts';
import type { SettingName } from './settings.ts';

/** Between coordinators and agents. */
export interface TlsConfig {
  readonly isOn: boolean;
  /** Absolute. */
  readonly folder: string;
  /** Validity of the certificates that a coordinator issues, days. */
  readonly certificateDays: number;
}

const CERTIFICATE_S = { min: 10, usual: 7_776_000, max: 315_360_000 } as const;
const DAY_S = 86_400;

/** Absolute paths of PEM files. */
export interface HttpTls {
  readonly certificateFile: string;
  readonly keyFile: string;
}

interface Reader {
  readonly issues: IssueList;
  text(name: SettingName): string | undefined;
  flag(name: SettingName): boolean | undefined;
  whole(name: SettingName, max: number, min?: number): number | undefined;
}

export function readTls(read: Reader, dataDir: string): TlsConfig {
  const { min, usual, max } = CERTIFICATE_S;
  return {
    certificateDays: (read.whole('MILLRACE_TLS_CERTIFICATE_S', max, min) ?? usual) / DAY_S,
    isOn: read.flag('MILLRACE_TLS') ?? false,
    folder: resolve(read.text('MILLRACE_TLS_DIR') ?? join(dataDir, 'tls')),
  };
}

/** A certificate and its key are set together. */
export function readHttpTls(read: Reader): HttpTls | undefined {
  const certificate = read.text('MILLRACE_HTTP_CERTIFICATE');
  const key = read.text('MILLRACE_HTTP_KEY');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    const missing = key === undefined ? 'MILLRACE_HTTP_KEY' : 'MILLRACE_HTTP_CERTIFICATE';
    read.issues.error('VALUE_MISSING', missing, 'certificate and key go together');
    return undefined;
  }
  return { certificateFile: resolve(certificate), keyFile: resolve(key) };
}
