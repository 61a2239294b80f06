import type { Test } from 'tap';
import t from 'tap';
import { LOGIN_PATH, nextOf, TOKEN_PATHS } from '../../../src/api/compat/login-routes.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import type { Answer } from '../../support/http.ts';
import { type AccessWorld, accessWorldOf, PASSWORD } from '../../support/worlds/access-world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const RIGHT = { username: 'admin', password: PASSWORD };
const PROFILE = '/api/v6/accounts/profile/';

async function world(t: Test): Promise<AccessWorld> {
  const made = await accessWorldOf(t, {}, serviceRoutes('1.0.0'), (access) => {
    const deps = { logins: access.logins };
    // What is called here needs no more.
    return { ...deps, openId: { isSetUp: false }, version: '1.0.0' } as never;
  });
  await made.account('admin', { isStaff: true });
  return made;
}

/** The bytes of a form, and its content type. */
async function multipart(fields: Readonly<Record<string, string | Blob>>): Promise<[Uint8Array, string]> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = new Response(form);
  return [new Uint8Array(await response.arrayBuffer()), response.headers.get('content-type') ?? ''];
}

const postForm = (made: AccessWorld, target: string, fields: Readonly<Record<string, string>>) =>
  made.call('POST', target, new URLSearchParams(fields).toString(), FORM);

/** Name and value of the cookies that an answer sets. */
function cookiesOf(answer: Answer): string {
  return (answer.cookies ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
}

t.test('clients: a name and a password get a token, in any form of the body', async (t) => {
  const made = await world(t);
  const [first = '', ...others] = TOKEN_PATHS;
  const [bytes, type] = await multipart(RIGHT);
  const answers: [string, Answer][] = [
    ['multipart', await made.call('POST', first, bytes, { 'content-type': type })],
    ['a form', await postForm(made, first, RIGHT)],
    ['JSON', await made.post(first, RIGHT)],
  ];
  for (const other of others) answers.push([other, await made.post(other, RIGHT)]);
  for (const [what, { status, json, text }] of answers) {
    t.equal(status, 200, `${what}: ${text}`);
    const profile = await made.get(PROFILE, { authorization: `Token ${json.token}` });
    t.match(profile.json, { username: 'admin', first_name: 'First', last_name: 'Last', is_staff: true });
  }
});

t.test('clients: wrong credentials get no token', async (t) => {
  const made = await world(t);
  const [target = ''] = TOKEN_PATHS;
  const [withFile, fileType] = await multipart({ username: 'admin', password: new Blob([PASSWORD]) });
  const broken = { 'content-type': 'multipart/form-data; boundary=none' };
  const cases: readonly (readonly [string, number, Promise<Answer>])[] = [
    ['a wrong password', 401, made.post(target, { ...RIGHT, password: 'wrong' })],
    ['a wrong password in a form', 401, postForm(made, target, { username: 'admin', password: 'wrong' })],
    ['no such account', 401, made.post(target, { username: 'nobody', password: PASSWORD })],
    ['no password', 400, made.post(target, { username: 'admin' })],
    ['no password in a form', 400, postForm(made, target, { username: 'admin' })],
    ['an empty name', 400, postForm(made, target, { username: '', password: PASSWORD })],
    ['a number', 400, made.post(target, { username: 7, password: PASSWORD })],
    ['a NUL', 400, postForm(made, target, { username: 'admin\0', password: PASSWORD })],
    ['a file', 400, made.call('POST', target, withFile, { 'content-type': fileType })],
    ['a broken form', 400, made.call('POST', target, 'username=admin', broken)],
    ['no boundary', 400, made.call('POST', target, 'x', { 'content-type': 'multipart/form-data' })],
    ['nothing', 400, made.call('POST', target)],
    ['broken JSON', 400, made.call('POST', target, '{')],
    ['a list', 400, made.post(target, [])],
    ['text', 415, made.call('POST', target, 'admin', { 'content-type': 'text/plain' })],
    ['too much', 413, postForm(made, target, { ...RIGHT, more: 'x'.repeat(70_000) })],
    ['GET', 405, made.get(target)],
  ];
  for (const [what, status, answer] of cases) t.equal((await answer).status, status, what);
});

t.test('clients: a UI logs in with JSON, and its writes repeat the token of the cookie', async (t) => {
  const made = await world(t);
  const page = await made.get(LOGIN_PATH);
  t.equal(page.status, 200);
  t.match(page.headers.get('content-type'), /^text\/html/);
  t.match(cookiesOf(page), /^csrftoken=[\w-]{20,}$/);
  t.equal((await made.get(PROFILE)).status, 401, 'nobody is logged in');
  const wrong = await made.post(LOGIN_PATH, { ...RIGHT, password: 'wrong' });
  t.equal(wrong.status, 401);
  t.equal(cookiesOf(wrong), '');
  const login = await made.post(LOGIN_PATH, RIGHT);
  t.equal(login.status, 200, login.text);
  const cookie = cookiesOf(login);
  const csrf = /csrftoken=([\w-]+)/.exec(cookie)?.[1] ?? '';
  t.match((await made.get(PROFILE, { cookie })).json, { username: 'admin', is_staff: true });
  t.equal(cookiesOf(await made.get(LOGIN_PATH, { cookie })), '', 'the token of a session stays');
  const target = '/api/v6/scheduler/';
  const refused = await made.call('PATCH', target, { is_paused: 1 }, { cookie });
  t.equal(refused.status, 403, 'without the header');
  const taken = await made.call('PATCH', target, { is_paused: 1 }, { cookie, 'x-csrftoken': csrf });
  t.equal(taken.status, 400, 'with it: what is wrong is the body');
});

t.test('clients: a page logs in with a form and leads back to where the browser came from', async (t) => {
  const made = await world(t);
  const target = `${LOGIN_PATH}?next=http://localhost:8080/jobs?a=1`;
  const { text } = await made.get(target);
  t.match(text, /<form method="post">/);
  t.notMatch(text, /<a /, 'no provider is set up');
  const login = await postForm(made, target, RIGHT);
  t.equal(login.status, 302, login.text);
  t.equal(login.headers.get('location'), 'http://localhost:8080/jobs?a=1');
  t.match((await made.get(PROFILE, { cookie: cookiesOf(login) })).json, { username: 'admin' });
  const wrong = await postForm(made, target, { username: 'admin', password: '<b>wrong</b>' });
  t.equal(wrong.status, 401);
  t.match(wrong.text, /Unable to log in/);
  t.notMatch(wrong.text, /<b>/);
  const foreign = { ...FORM, origin: 'http://evil.example' };
  const sent = await made.call('POST', target, new URLSearchParams(RIGHT).toString(), foreign);
  t.equal(sent.status, 403, 'from a page of somebody else');
});

t.test('clients: a login leads to addresses of the service only', async (t) => {
  const base = 'http://localhost:8080';
  for (const [wanted, led] of [
    ['http://localhost:8080/a?b=c#d', 'http://localhost:8080/a?b=c#d'],
    ['https://localhost:8080/a', 'https://localhost:8080/a'],
    ['/a', 'http://localhost:8080/a'],
    [undefined, '/'],
    ['http://evil.example/', '/'],
    ['http://localhost:8081/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['\\\\evil.example', '/'],
    ['http:\\\\evil.example', '/'],
    ['http://localhost:8080@evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    ['data:text/html,x', '/'],
    ['http://', '/'],
  ] as const) {
    t.equal(nextOf(wanted, base), led, String(wanted));
  }
});
