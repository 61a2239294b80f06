/** `/v6/login/codes/`: logins that a person approves in a browser, for programs on terminals (RFC 8628). */
import { Type } from '@sinclair/typebox';
import {
  beginLoginCode,
  CODE_LIFETIME_S,
  decideOnLoginCode,
  POLL_INTERVAL_S,
  readLoginCode,
  takeCodeToken,
} from '../../auth/login-codes.ts';
import { SCOPES } from '../../domain/access.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { instant, integer, NO_BODY, named, oneOf } from '../../http/schema.ts';
import { findTokenRecord } from '../../store/account/list.ts';
import { LOGIN_CODE_PAGE } from '../pages/login-code.ts';
import type { Parts } from '../parts.ts';
import { existing } from '../shared/existing.ts';
import { NewToken } from '../tokens/routes.ts';

const PATH = '/v6/login/codes/';
const TOKEN_PATH = '/v6/login/codes/token/';

const SCOPE = oneOf(SCOPES, 'What the token may be used for; never more than its account may.');
const DAYS = { minimum: 1, maximum: 3_650 };
const USER_CODE = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'Eight letters; case, blanks and hyphens do not matter.',
});

const LoginCodeCreate = named(
  'LoginCodeCreate',
  Type.Object({
    scope: Type.Optional({ ...SCOPE, default: 'write' }),
    days: Type.Optional(integer({ ...DAYS, description: 'How long the token is valid. Default: 30.' })),
  }),
);

const NewLoginCode = named(
  'NewLoginCode',
  Type.Object({
    device_code: Type.String({ description: 'The secret of the program, for its polls.' }),
    user_code: Type.String({ description: 'What the person types.' }),
    verification_uri: Type.String({ description: 'The page on which it is typed.' }),
    expires_in: integer({ description: 'Seconds until both end.' }),
    interval: integer({ description: 'Seconds to wait between two polls.' }),
  }),
);

const begin = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Begin a login by a code',
  repeats: { reason: 'another code; the first expires' },
  description:
    'For a program that a person uses: it shows `user_code` and `verification_uri`, and polls `POST ' +
    '/v6/login/codes/token/` until the person has approved the login there. At most 5 codes of one address, and ' +
    '1,000 of all, are valid at a time (429).',
  access: 'open',
  body: LoginCodeCreate,
  replies: { 200: NewLoginCode },
  async handle({ body, request }, { logins }: Parts<'logins'>) {
    const { scope = 'write', days = 30 } = body;
    const { deviceCode, userCode } = await beginLoginCode(logins, { scope, days }, request);
    return reply(200, {
      ...{ device_code: deviceCode, user_code: userCode },
      verification_uri: `${request.base}${LOGIN_CODE_PAGE}`,
      ...{ expires_in: CODE_LIFETIME_S, interval: POLL_INTERVAL_S },
    });
  },
});

const take = defineRoute({
  method: 'POST',
  path: TOKEN_PATH,
  summary: 'Take the token of an approved login',
  repeats: { reason: 'the token is given once; a repeat finds LOGIN_EXPIRED' },
  description:
    'Polled by the program that began the login. 400 while there is no token: `LOGIN_PENDING`, `LOGIN_SLOW_DOWN` ' +
    '(from then on, wait 5 s longer between two polls), `LOGIN_DENIED`, `LOGIN_EXPIRED`.',
  access: 'open',
  body: named('LoginCodePoll', Type.Object({ device_code: Type.String({ minLength: 1, maxLength: 200 }) })),
  replies: { 200: NewToken },
  async handle({ body, request }, { logins }: Parts<'logins'>) {
    const { id: requestId, address, nowMs } = request;
    const from = { address, requestId, nowMs, method: 'POST', route: TOKEN_PATH };
    const { id, token } = await takeCodeToken(logins, body.device_code, from);
    const record = existing(await findTokenRecord(logins.sql, id), 'token', id);
    return reply(200, { ...record, token }, { 'cache-control': 'no-store' });
  },
});

const lookUp = defineRoute({
  method: 'POST',
  path: '/v6/login/codes/lookup/',
  summary: 'Read what a code asks for',
  repeats: { reason: 'it changes only the count of wrong codes' },
  description:
    'For the person who decides, with a session. It is a POST, so that no address contains the code. After five ' +
    'wrong codes of an account, or fifty of an address, each further try has to wait longer (429).',
  access: 'own',
  body: named('LoginCodeLookup', Type.Object({ user_code: USER_CODE })),
  replies: {
    200: named(
      'LoginCodeRequest',
      Type.Object({
        address: Type.String({ description: 'From where the login was begun.' }),
        scope: SCOPE,
        days: integer(DAYS),
        created: instant(),
        expires: instant('Of the code.'),
      }),
    ),
  },
  async handle({ body, request }, { logins }: Parts<'logins'>) {
    const { createdMs, expiresMs, ...asked } = await readLoginCode(logins, body.user_code, request);
    const at = (ms: number) => new Date(ms).toISOString();
    return reply(200, { ...asked, created: at(createdMs), expires: at(expiresMs) });
  },
});

const decide = defineRoute({
  method: 'POST',
  path: '/v6/login/codes/decision/',
  summary: 'Approve or deny a login',
  repeats: { reason: 'the first decision counts; a repeat is 404' },
  description: 'With a session of a browser only. The token will belong to the account of the session.',
  access: 'own',
  body: named('LoginCodeDecision', Type.Object({ user_code: USER_CODE, is_approved: Type.Boolean() })),
  replies: { 204: NO_BODY },
  async handle({ body, request }, { logins }: Parts<'logins'>) {
    const { user_code: typed, is_approved: isApproved } = body;
    await decideOnLoginCode(logins, { typed, isApproved }, request);
    return reply(204);
  },
});

export const loginCodeRoutes = [begin, take, lookUp, decide];
