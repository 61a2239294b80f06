import { execFileSync } from 'node:child_process';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import {
  type Authority,
  createAuthority,
  issueIdentity,
  newKey,
  openAuthority,
} from '../../src/certificates/authority.ts';
import { nextLookMs, nodeNameOf, renewalDueMs } from '../../src/certificates/certificate.ts';
import { needsCertificates } from '../support/services/http-certificate.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2030-01-31T12:00:00Z');

const folder = mkdtempSync(join(tmpdir(), 'millrace-certificates-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

let authority: Authority;
t.before(async () => {
  authority = await createAuthority(join(folder, 'ca'), NOW_MS);
});

t.test(
  'certificates: an issued one is signed by the authority, for its purpose and its period',
  async (t) => {
    const { certificate, key } = issueIdentity(authority, { role: 'agent', name: 'host-1', nowMs: NOW_MS });
    const own = new X509Certificate(certificate);
    const ca = new X509Certificate(authority.certificate);
    t.ok(own.verify(ca.publicKey));
    t.ok(own.checkIssued(ca));
    t.ok(createPublicKey(key).equals(own.publicKey));
    t.notOk(own.ca);
    t.ok(ca.ca);
    t.strictSame(own.keyUsage, ['1.3.6.1.5.5.7.3.2'], 'good for calling only');
    t.equal(Date.parse(own.validTo), NOW_MS + 90 * DAY_MS);
    t.ok(Date.parse(own.validFrom) < NOW_MS, 'clocks may differ a little');
    t.ok(renewalDueMs(certificate) > NOW_MS + 59 * DAY_MS);
    t.ok(renewalDueMs(certificate) < NOW_MS + 61 * DAY_MS);
    const serving = issueIdentity(authority, { role: 'coordinator', name: 'c', nowMs: NOW_MS }).certificate;
    t.strictSame(new X509Certificate(serving).keyUsage, ['1.3.6.1.5.5.7.3.1'], 'good for serving only');
    t.equal(nodeNameOf(serving), undefined);
  },
);

t.test(
  'certificates: the next check is when renewal is due, and then early enough for several attempts',
  async (t) => {
    const days = 60 / 86_400;
    const { certificate } = issueIdentity(authority, { role: 'agent', name: 'a', nowMs: NOW_MS, days });
    const { validFrom, validTo } = new X509Certificate(certificate);
    t.same([Date.parse(validFrom), Date.parse(validTo)], [NOW_MS - 3_000, NOW_MS + 60_000]);
    t.equal(nextLookMs(certificate, NOW_MS), 39_000);
    t.equal(nextLookMs(certificate, NOW_MS + 39_000), 2_100);
    t.equal(nextLookMs(certificate, NOW_MS + 59_000), 1_000, 'no sooner');
    t.equal(nextLookMs(certificate, NOW_MS + 99_000), 1_000, 'not even after the end');
    const long = issueIdentity(authority, { role: 'agent', name: 'a', nowMs: NOW_MS }).certificate;
    t.equal(
      nextLookMs(long, NOW_MS),
      3_600_000,
      'at least every hour, because clocks jump and files are replaced',
    );
  },
);

t.test('certificates: the node name is read back, whatever characters it has', async (t) => {
  for (const name of ['a', 'host, URI:millrace:node/other', 'Grüße "x"', `${'long-'.repeat(49)}end`]) {
    const { certificate } = issueIdentity(authority, { role: 'agent', name, nowMs: NOW_MS });
    t.equal(nodeNameOf(certificate), name);
  }
});

t.test('certificates: none is valid longer than its authority', async (t) => {
  const short = await createAuthority(join(folder, 'short'), NOW_MS, 10);
  const { certificate } = issueIdentity(short, { role: 'agent', name: 'a', nowMs: NOW_MS });
  t.equal(Date.parse(new X509Certificate(certificate).validTo), NOW_MS + 10 * DAY_MS);
});

t.test('certificates: times after 2049 are written correctly', async (t) => {
  const late = await createAuthority(join(folder, 'late'), NOW_MS, 36_500);
  t.equal(Date.parse(new X509Certificate(late.certificate).validTo), NOW_MS + 36_500 * DAY_MS);
});

t.test('certificates: serial numbers are positive and differ', async (t) => {
  const serials = Array.from({ length: 100 }, () => {
    const { certificate } = issueIdentity(authority, { role: 'agent', name: 'a', nowMs: NOW_MS });
    return new X509Certificate(certificate).serialNumber;
  });
  t.equal(new Set(serials).size, 100);
  t.ok(serials.every((serial) => /^[4-7][0-9A-F]{31}$/.test(serial)));
});

t.test('certificates: an authority is created once, and only its owner can read its key', async (t) => {
  await t.rejects(createAuthority(join(folder, 'ca'), NOW_MS), { code: 'DATA_DIR_IN_USE' });
  t.equal(statSync(join(folder, 'ca', 'ca.key')).mode & 0o777, 0o600);
  const opened = await openAuthority(join(folder, 'ca'));
  t.equal(opened?.certificate, authority.certificate);
  t.equal(await openAuthority(join(folder, 'nowhere')), undefined);
});

t.test('certificates: an authority whose key and certificate differ is refused', async (t) => {
  const other = await createAuthority(join(folder, 'other'), NOW_MS);
  writeFileSync(join(folder, 'other', 'ca.pem'), authority.certificate);
  t.ok(other);
  await t.rejects(openAuthority(join(folder, 'other')), { code: 'INVALID_SETTINGS' });
});

t.test('certificates: an authority that openssl has created can sign', needsCertificates(), async (t) => {
  const home = join(folder, 'given');
  mkdirSync(home);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: home, encoding: 'utf8', stdio: 'pipe', timeout: 20_000 });
  openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
    ...['-subj', '/C=CH/O=Example/CN=Root', '-addext', 'keyUsage=critical,keyCertSign'],
    ...['-keyout', 'ca.key', '-out', 'ca.pem'],
  );
  const given = (await openAuthority(home)) as Authority;
  const issued = issueIdentity(given, { role: 'agent', name: 'host-1', nowMs: Date.now() }).certificate;
  writeFileSync(join(home, 'agent.pem'), issued);
  t.match(openssl('verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', 'ca.pem', 'agent.pem'), /OK/);
  t.match(new X509Certificate(issued).issuer, /O=Example\nCN=Root/);
});

t.test('certificates: openssl verifies them for their purpose only', needsCertificates(), async (t) => {
  const agent = join(folder, 'agent.pem');
  writeFileSync(
    agent,
    issueIdentity(authority, { role: 'agent', name: 'host-1', nowMs: NOW_MS }).certificate,
  );
  const verify = (purpose: string) => {
    const at = String(NOW_MS / 1_000);
    const ca = join(folder, 'ca', 'ca.pem');
    const args = ['verify', '-x509_strict', '-attime', at, '-purpose', purpose, '-CAfile', ca, agent];
    return execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe', timeout: 20_000 });
  };
  t.match(verify('sslclient'), /OK/);
  t.throws(() => verify('sslserver'), 'the certificate of an agent is not valid for a coordinator');
});

t.test('certificates: keys are on the curve P-256', async (t) => {
  t.equal(newKey().asymmetricKeyDetails?.namedCurve, 'prime256v1');
});
