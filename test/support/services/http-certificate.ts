/** A certificate for HTTP that no authority has signed. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';

/** Options of a test that needs one. */
export function needsCertificates(): { readonly skip?: string } {
  return findProgram('openssl') === undefined ? { skip: 'no openssl' } : {};
}

/** Makes one for 127.0.0.1 in the folder. `env`: the settings of a service with it. */
export function selfSigned(folder: string) {
  const [certificate, key] = [join(folder, 'http.pem'), join(folder, 'http.key')];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...args, ...names, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { certificate, key, env: { MILLRACE_HTTP_CERTIFICATE: certificate, MILLRACE_HTTP_KEY: key } };
}
