/** The text of a failed call on the command line: the cause first, what to do last. */
import { type ClientError, RefusedError, type UnreachableError } from '../../client/errors.ts';
import type { Fault } from '../../client/faults.ts';
import { nextStep } from '../../client/next-steps.ts';
import { withCommands } from './advice.ts';
import { escapeControls } from './escape.ts';

/** The service that a command calls, and its token. */
export interface CalledService {
  readonly server: string;
  readonly token: string | undefined;
  readonly profile: string | undefined;
  /** The option or variable that the token comes from; undefined if it comes from a profile. */
  readonly tokenFrom: string | undefined;
}

/** How to get a valid token. An option or variable wins over a profile, so it must be removed before a login helps. */
export function loginHelp({ server, profile, tokenFrom }: CalledService): string {
  const login =
    profile === undefined ? `millrace login --server ${server}` : `millrace login --profile ${profile}`;
  if (tokenFrom === undefined) return `log in with \`${login}\`, or set MILLRACE_TOKEN`;
  const away = tokenFrom.startsWith('--') ? 'leave it out' : 'unset it';
  return `the token comes from ${tokenFrom}: correct it, or ${away} and log in with \`${login}\``;
}

/** The cause in one line. It does not name the HTTP call, because the person has typed a command. */
export function causeText(error: ClientError, service: CalledService): string {
  if (error instanceof RefusedError) return escapeControls(linesOf(error, service)[0]);
  const { method, path } = error.call;
  const cause = error.message.replace(`${method} ${path}: `, '');
  return escapeControls(cause.includes(new URL(service.server).host) ? cause : `${service.server}: ${cause}`);
}

/** Error codes of a service that cannot work at the moment: it is starting or stopping, or its database is away. */
const NOT_READY: ReadonlySet<string> = new Set([
  ...['OWNER_UNAVAILABLE', 'STORE_UNAVAILABLE', 'BUS_UNAVAILABLE', 'SHUTTING_DOWN', 'DEADLINE_EXCEEDED'],
  ...['MAILBOX_FULL', 'OVERLOADED'],
]);

/** Whether the service answers but cannot work at the moment, so that the same command may succeed soon. */
export function isNotReady({ status, code }: RefusedError): boolean {
  return status === 503 && NOT_READY.has(code);
}

/** The answer does not come from a Millrace service, but for example from a proxy. */
export function isForeign({ code }: RefusedError): boolean {
  return code.startsWith('HTTP_');
}

export function refusalText(error: RefusedError, service: CalledService): string {
  const { status, problems, requestId } = error;
  const [cause, ...advice] = linesOf(error, service);
  const lines = [cause];
  if (problems.length > 1) {
    for (const { path, description } of problems) {
      const text = withCommands(description);
      lines.push(`  ${path === '' ? text : `${path}: ${text}`}`);
    }
  }
  lines.push(...advice.map((text) => `  ${text}`));
  if (status >= 500 && status !== 503 && requestId !== undefined)
    lines.push(`  the log has more, under request ${requestId}`);
  return lines.map(escapeControls).join('\n');
}

type Lines = readonly [cause: string, ...advice: string[]];

function linesOf(error: RefusedError, service: CalledService): Lines {
  return isForeign(error) ? foreign(error, service) : refused(error, service);
}

function refused(error: RefusedError, service: CalledService): Lines {
  const { status, code, detail, call } = error;
  const { server, token } = service;
  if (status === 401) {
    if (call.path === '/v6/login/') return [`the username or the password is wrong at ${server}`];
    return token === undefined
      ? [`you are not logged in at ${server}`, loginHelp(service)]
      : [
          `${server} does not accept your token: it has expired, was revoked, or is another service's`,
          loginHelp(service),
        ];
  }
  if (code === 'HOST_NOT_ALLOWED') return [`${server} does not answer under this name: ${detail}`];
  if (status === 403) {
    return [
      `${server} does not permit this: ${withCommands(detail)}`,
      '`millrace whoami` shows your account and what its token may do' +
        (call.method === 'GET' ? '' : '; changes need a staff account, and `millrace login --scope write`'),
    ];
  }
  const { pathname, origin } = new URL(server);
  if (code === 'ROUTE_NOT_FOUND' && pathname !== '/') {
    return [`no Millrace service is at ${server}: ${withCommands(detail)}`, `its address may be ${origin}`];
  }
  if (status === 404) return [withCommands(detail)];
  if (isNotReady(error)) {
    return [`${server} is not ready: ${withCommands(detail)} (${code})`, nextStep(error)];
  }
  const cause = `${withCommands(detail)} (${code})`;
  // The detail of a wrong request says what is to be corrected.
  return status === 400 ? [cause] : [cause, nextStep(error)];
}

function foreign({ status }: RefusedError, { server }: CalledService): Lines {
  const cause = `${server} answered with the status ${status}, and not as a Millrace service does`;
  const help = PROXY_HELP[status];
  if (help !== undefined) return [cause, help];
  return status >= 500
    ? [cause, 'a proxy may stand before a service that is away; or --server or MILLRACE_SERVER names another']
    : [cause, addressHelp(server)];
}

/** What to change in a proxy, by the status that it, or the service's HTTP parser behind it, answers. */
const PROXY_HELP: Readonly<Record<number, string>> = {
  413: 'a proxy in front of it takes smaller bodies only: nginx needs `client_max_body_size 0`',
  505: 'a proxy in front of it speaks HTTP/1.0: nginx needs `proxy_http_version 1.1`',
};

/** Some servers with TLS answer a call without it, and say so in words of their own. */
function addressHelp(server: string): string {
  const scheme = server.startsWith('http://') ? ', or one that begins with https://' : '';
  return `is this its address? --server or MILLRACE_SERVER names another${scheme}`;
}

/** What to do about an address or a certificate that is wrong. */
const FAULT_HELP: Readonly<Record<Fault, string>> = {
  'untrusted-certificate':
    'its certificate is not trusted here: set NODE_EXTRA_CA_CERTS to a PEM file with it, or with the authority ' +
    'that has signed it',
  'certificate-of-another-name': 'its certificate is for another name: call it by that, with --server',
  'expired-certificate': 'its certificate has expired: give the service a new one',
  'certificate-not-valid-yet':
    'its certificate is not valid yet: compare the clock of this machine with that of the service',
  'speaks-no-tls': 'a service without TLS has an address that begins with http://',
  'speaks-tls': 'a service with TLS has an address that begins with https://',
  'speaks-no-http': 'another program listens there: --server or MILLRACE_SERVER names another address',
  'unknown-host': 'is it spelt right? --server or MILLRACE_SERVER names another',
  'reserved-port': 'give the service another port: MILLRACE_HTTP',
};

/** What to do where no answer came. */
export function unreachableHelp({ fault }: UnreachableError): string {
  return fault === undefined ? 'is it running? --server or MILLRACE_SERVER names another' : FAULT_HELP[fault];
}
