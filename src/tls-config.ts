/** Settings of certificates: between coordinators and agents, and of HTTP. */
import { join, resolve } from 'node:path';
import type { IssueList } from './domain/validation.ts';
import type { SettingName } from './settings.ts';

/** Between coordinators and agents. */
export interface TlsConfig {
  readonly isOn: boolean;
  /** Absolute. */
  readonly folder: string;
}

/** Absolute paths of PEM files. */
export interface HttpTls {
  readonly certificateFile: string;
  readonly keyFile: string;
}

interface Reader {
  readonly issues: IssueList;
  text(name: SettingName): string | undefined;
  flag(name: SettingName): boolean | undefined;
}

export function readTls(read: Reader, dataDir: string): TlsConfig {
  return {
    isOn: read.flag('MILLRACE_TLS') ?? false,
    folder: resolve(read.text('MILLRACE_TLS_DIR') ?? join(dataDir, 'tls')),
  };
}

/** Certificate and key go together. */
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
