/**
 * `millrace certificates`: creates the cluster's authority, and certificates for hosts that should not request theirs
 * from a coordinator. Existing files are never overwritten.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createAuthority,
  DAYS_MAX,
  issueIdentity,
  openAuthority,
  writeNew,
} from '../certificates/authority.ts';
import { AppError } from '../domain/errors.ts';

export const CERTIFICATES_USAGE = `Usage: millrace certificates <what> [--dir <folder>] [--out <folder>] [--days <n>]

  authority          makes ca.pem and ca.key in --dir (10 years)
  coordinator        makes coordinator.pem and coordinator.key in --out, beside a copy of ca.pem (90 days)
  agent <node name>  makes agent.pem and agent.key in --out, beside a copy of ca.pem (90 days)

--dir is where the authority is, ./tls without it. Coordinators that have ca.key need no certificate made for them, and
agents that know the join token ask for their own.
`;

export interface CertificatesCall {
  /** After the command. */
  readonly args: readonly string[];
  readonly nowMs: number;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** The exit code: 0 created, 1 failed, 2 wrong usage. */
export async function runCertificates(call: CertificatesCall): Promise<number> {
  const read = readArgs(call.args);
  if (typeof read === 'string') {
    call.stderr(`millrace: ${read}\n${CERTIFICATES_USAGE}`);
    return 2;
  }
  try {
    for (const path of await make(read, call.nowMs)) call.stdout(`${path}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    call.stderr(`millrace: ${error.message}\n`);
    return 1;
  }
}

interface Wanted {
  readonly what: 'authority' | 'coordinator' | 'agent';
  readonly name: string;
  readonly dir: string;
  readonly out: string;
  readonly days: number | undefined;
}

/** A text as result says what is wrong. */
function readArgs(args: readonly string[]): Wanted | string {
  const options = { dir: { type: 'string' }, out: { type: 'string' }, days: { type: 'string' } } as const;
  let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const [what = '', name = '', ...rest] = parsed.positionals;
  const { dir = 'tls', out = '.', days } = parsed.values;
  if (what !== 'authority' && what !== 'coordinator' && what !== 'agent') return 'which certificates?';
  if (what === 'agent' && !/^[A-Za-z0-9][\w.-]{0,199}$/.test(name)) return 'agent needs the name of its node';
  if (rest.length > 0 || (what !== 'agent' && name !== '')) return 'too many arguments';
  const isNumber = days === undefined || (/^[1-9]\d{0,4}$/.test(days) && Number(days) <= DAYS_MAX);
  if (!isNumber) return `--days must be a whole number from 1 to ${DAYS_MAX}`;
  const daysOrNone = days === undefined ? undefined : Number(days);
  return { what, name, dir: resolve(dir), out: resolve(out), days: daysOrNone };
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
