/** What a person can do about a failed call. The command line and the console show it below what has happened. */
import type { RefusedError } from './errors.ts';

const LATER = 'try again in some seconds';
const SOON_MS = 5_000;
const CORRECT = 'correct what is named, then send it again';
const OTHER_VERSION = 'the service may be of another version than this program: compare both versions';

/** By the service's codes; without a capital letter and a full stop, as the service's own texts. */
export const NEXT_STEPS: Readonly<Record<string, string>> = {
  NOT_FOUND: 'look for it in its list: it may have been deleted meanwhile',
  ROUTE_NOT_FOUND: OTHER_VERSION,
  METHOD_NOT_ALLOWED: OTHER_VERSION,
  FILE_NOT_FOUND: 'look into its workspace: the file may have been deleted, moved or replaced there',
  INVALID_REQUEST: CORRECT,
  INVALID_JSON: CORRECT,
  INVALID_PARAMETER: CORRECT,
  INVALID_CONFIGURATION: CORRECT,
  INVALID_DEFINITION: CORRECT,
  INVALID_SETTINGS: 'correct the setting that is named, then start the program again',
  UNKNOWN_REFERENCE: 'create what is named first, or name something that exists',
  PATH_NOT_ALLOWED: 'name a regular file inside the workspace',
  LOGIN_PENDING: 'approve the login in a browser, then ask again',
  LOGIN_SLOW_DOWN: 'wait longer before you ask again',
  LOGIN_DENIED: 'begin the login again',
  LOGIN_EXPIRED: 'begin the login again',
  UNAUTHENTICATED: 'log in again',
  FORBIDDEN: 'ask an administrator for the permission, or log in with an account that has it',
  HOST_NOT_ALLOWED: 'use another address of the service, or name this one in MILLRACE_ALLOWED_HOSTS',
  TOO_MANY_REQUESTS: LATER,
  CONFLICT: 'look at its present state, which may have changed meanwhile, before you try again',
  STATE_CONFLICT: 'look at its present state, which may have changed meanwhile, before you try again',
  NAME_TAKEN: 'choose another name',
  IDEMPOTENCY_KEY_IN_USE: 'wait until the first request with this key has ended',
  IDEMPOTENCY_KEY_REUSED: 'send the request under another key',
  SECRET_UNREADABLE: 'set the secret again, or give the service the key with which it was encrypted',
  CHANGES_GONE: 'read the lists again, and follow the changes from there',
  TOO_LARGE: 'send less at once',
  UNSUPPORTED_MEDIA_TYPE: 'send it with the media type that is named',
  PROTOCOL_VERSION: 'use a version of tus that the service names in Tus-Version',
  NO_ROOM: 'free some room on the disk that is named, or choose another workspace',
  INTERNAL: 'this is a defect of Millrace: report it with what its log says about this request',
  MAILBOX_FULL: LATER,
  OVERLOADED: LATER,
  QUERY_TOO_SLOW: 'ask for less: a shorter time, or more filters',
  STORE_UNAVAILABLE: LATER,
  BUS_UNAVAILABLE: LATER,
  OWNER_UNAVAILABLE: LATER,
  SHUTTING_DOWN: LATER,
  DEADLINE_EXCEEDED: LATER,
  EARLIER_REQUESTS: 'try again when the earlier requests are done',
  AGENT_UNAVAILABLE: 'see that an agent runs on a host that reaches the workspace, then try again',
  WORKSPACE_UNAVAILABLE:
    'see that its hosts reach the directory or the bucket of the workspace, then try again',
  FILESYSTEM_IO: 'see to the disk or the directory that is named, then try again',
};

/** For answers of others, such as a proxy, and for codes that a newer service has. */
function byStatus(status: number): string {
  switch (status) {
    case 401:
      return 'log in again';
    case 403:
      return 'ask whoever runs the service or the proxy before it for the permission';
    case 404:
      return 'see whether this is the address of the service';
    case 413:
      return 'send less at once, or raise the limit of the proxy before the service';
    case 429:
      return LATER;
    default:
      return status < 500
        ? 'see whether this is the address of the service'
        : 'try again in some seconds; if it lasts, see whether the service runs behind its proxy';
  }
}

/** Codes after which a change may have been made, or may still be made. */
const MAYBE_DONE: ReadonlySet<string> = new Set([
  ...['STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'SHUTTING_DOWN', 'MAILBOX_FULL'],
]);

/** What to do about a refusal. */
export function nextStep({ call, code, status, retryAfterMs }: RefusedError): string {
  const isChange = call.method !== 'GET' && !call.path.includes('dry_run=true');
  if (isChange && MAYBE_DONE.has(code)) return `see whether it has been done; if not, ${LATER}`;
  // A code may be any text: what answers need not be the service.
  const step = (Object.hasOwn(NEXT_STEPS, code) ? NEXT_STEPS[code] : undefined) ?? byStatus(status);
  // A limit of requests may last for minutes.
  if (step !== LATER || retryAfterMs === undefined || retryAfterMs <= SOON_MS) return step;
  return `try again in ${Math.ceil(retryAfterMs / 1_000)} seconds`;
}
