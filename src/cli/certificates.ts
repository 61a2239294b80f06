/**
 * `millrace certificates`: creates the cluster's certificate authority, and certificates for hosts that should not
 * request theirs from a coordinator. Existing files are never overwritten.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  createAuthority,
  DAYS_MAX,
  issueIdentity,
  openAuthority,
  writeNew,
} from '../certificates/authority.ts';
import { AppError } from '../domain/errors.ts';
import type { Context } from './frame/context.ts';
import { UsageError } from './frame/exit-codes.ts';

export interface CertificatesOptions {
  readonly dir: string;
  readonly out?: string;
  readonly days?: string;
}

interface Wanted {
  readonly what: 'authority' | 'coordinator' | 'agent';
  readonly name: string;
  readonly dir: string;
  readonly out: string;
  readonly days: number | undefined;
}

/** `name`: of the node, for an agent. */
export async function runCertificates(
  context: Context,
  what: Wanted['what'],
  { dir, out = '.', days }: CertificatesOptions,
  name = '',
): Promise<void> {
  const isNumber = days === undefined || (/^[1-9]\d{0,4}$/.test(days) && Number(days) <= DAYS_MAX);
  const problems = [
    ...(isNumber ? [] : [`--days must be a whole number from 1 to ${DAYS_MAX}`]),
    ...(what !== 'agent' || /^[A-Za-z0-9][\w.-]{0,199}$/.test(name)
      ? []
      : [`'${name}' cannot name a node: use letters, digits and . _ -`]),
  ];
  if (problems.length > 0) throw new UsageError(...problems);
  const { cwd } = context.terminal;
  const wanted = { what, name, dir: resolve(cwd, dir), out: resolve(cwd, out) };
  const made = await make({ ...wanted, days: days === undefined ? undefined : Number(days) }, Date.now());
  for (const path of made) context.print(path);
}

/** Paths of the created files. */
async function make({ what, name, dir, out, days }: Wanted, nowMs: number): Promise<readonly string[]> {
  if (what === 'authority') {
    await createAuthority(dir, nowMs, days);
    return [join(dir, 'ca.pem'), join(dir, 'ca.key')];
  }
  const authority = await openAuthority(dir);
  if (authority === undefined) {
    throw new AppError('INVALID_SETTINGS', `${dir} has no authority: it needs ca.pem and ca.key`);
  }
  const subject = { role: what, name: what === 'agent' ? name : 'millrace coordinator', nowMs } as const;
  const made = issueIdentity(authority, { ...subject, ...(days === undefined ? {} : { days }) });
  await mkdir(out, { recursive: true, mode: 0o700 });
  const [certificate, key] = [join(out, `${what}.pem`), join(out, `${what}.key`)];
  await writeNew(key, made.key, 0o600);
  await writeNew(certificate, made.certificate, 0o644);
  if (out === dir) return [certificate, key];
  await writeNew(join(out, 'ca.pem'), authority.certificate, 0o644);
  return [certificate, key, join(out, 'ca.pem')];
}
