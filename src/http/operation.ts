/** The operation id of a call in the OpenAPI document, and the error responses that it may give. */
import { accessOf, type Route } from './route.ts';
import { isPage } from './schema.ts';

/** Path segments that name an action, not a created record. */
const VERBS: Readonly<Record<string, string>> = {
  cancel: 'cancel',
  diagnostics: 'start',
  login: 'login',
  logout: 'logout',
  notifications: 'notify',
  process: 'process',
  'purge-source': 'purgeSource',
  reprocess: 'reprocess',
  requeue: 'requeue',
  test: 'test',
  validation: 'validate',
};
const METHOD_VERBS = { GET: 'get', POST: 'create', PUT: 'put', PATCH: 'edit', DELETE: 'delete' } as const;

/** Such as `listJobTypes`, `getJobExecution`, `validateStrike`. */
export function operationId({ method, path, replies }: Route<never>): string {
  const words = path.split('/').filter((word) => word !== '' && word !== 'v6');
  const verbWord = method === 'POST' ? words.find((word) => VERBS[word] !== undefined) : undefined;
  const isList = replies[200] !== undefined && isPage(replies[200]);
  const verb = verbWord === undefined ? (isList ? 'list' : METHOD_VERBS[method]) : VERBS[verbWord];
  const makesOne = verb === 'create' || verb === 'validate';
  const others = words.filter((word) => word !== verbWord);
  const nouns = others.flatMap((word, index) => {
    if (word.startsWith('{')) return [];
    const next = others[index + 1];
    return [next?.startsWith('{') === true || (makesOne && next === undefined) ? singular(word) : word];
  });
  const parameter = /^\{(\w+)\}$/.exec(words.at(-1) ?? '')?.[1];
  const addsTo = verb === 'create' && parameter !== undefined;
  if (isList && parameter !== undefined) nouns.push('by', parameter);
  if (nouns.length === 0 && verbWord === undefined) nouns.push('start');
  return `${addsTo ? 'addTo' : verb}${nouns.map(pascalCase).join('')}`;
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.endsWith('ches')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function pascalCase(word: string): string {
  return word.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_all, letter: string) => letter.toUpperCase());
}

/** The error responses of calls, all with the body `Error`, by status. */
export const REFUSALS = {
  400: ['BadRequest', 'Something in the path, the query or the body is wrong; `errors` lists all of it.'],
  401: ['Unauthorized', 'No account is known for the request.'],
  403: ['Forbidden', 'The account, the token, the host or the origin may not do this.'],
  404: ['NotFound', 'There is no such record.'],
  409: ['Conflict', 'The state of the record, its name, or a request under the same key does not allow it.'],
  410: ['Gone', 'What was asked for is no longer kept; `detail` says how to continue.'],
  413: ['TooLarge', 'The body has more bytes than `x-bytes-max`.'],
  415: ['UnsupportedMediaType', 'The body does not have the media type of the call.'],
  422: ['Unprocessable', 'The `Idempotency-Key` was used with another body.'],
  429: ['TooManyRequests', 'Too many requests; see `Retry-After`.'],
} as const;

/** The error responses of a call, besides those that every call may give while the service is overloaded or fails. */
export function refusalsOf(route: Route<never>): readonly (keyof typeof REFUSALS)[] {
  const { method, path, bodyRule, repeats, mayBeGone = false } = route;
  const changes = method !== 'GET' && bodyRule !== 'reported';
  const applies: Readonly<Record<keyof typeof REFUSALS, boolean>> = {
    400: true,
    401: accessOf(route) !== 'open' || path.endsWith('/login/'),
    403: true,
    404: path.includes('{'),
    409: changes,
    410: mayBeGone,
    413: bodyRule !== 'none',
    415: bodyRule !== 'none',
    422: repeats === 'keyed',
    429: true,
  };
  const statuses = Object.keys(applies).map(Number) as (keyof typeof REFUSALS)[];
  return statuses.filter((status) => applies[status] && route.replies[status] === undefined);
}
