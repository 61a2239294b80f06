/**
 * The page at `/login/`: exchanges a name and a password for a session, and then goes to `next` if that is an address
 * of this service. If an OpenID provider is configured, the page links to its login. It also ends sessions.
 */
import { PATH } from '../login/openid-routes.ts';
import { makePage, type Page } from './frame.ts';

/** The style of pages with a login form. */
export const LOGIN_STYLE = `
main { max-width: 24rem; }
form { display: grid; gap: .75rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; }
label { display: grid; gap: .25rem; }
input, button { font: inherit; padding: .4rem .6rem; color: inherit; background: var(--ground);
  border: 1px solid var(--line); border-radius: .35rem; }
button { cursor: pointer; } .bad { color: var(--bad); }
`;

const bodyOf = (links: string) => `
<header><h1>Millrace</h1><a href="/">Console</a></header>
<main>
  <form id="form" method="post">
    <label>Account<input id="username" autocomplete="username" autocapitalize="none" required maxlength="150"
      autofocus></label>
    <label>Password<input id="password" type="password" autocomplete="current-password" required
      maxlength="1000"></label>
    <button id="enter">Log in</button>
    <p id="said" role="status" class="soft"></p>
  </form>
  ${links}<p id="known" class="soft"></p>
  <button id="leave" type="button" hidden>Log out</button>
</main>`;

const OPENID = `<p><a id="openid" href="${PATH}">Log in by the OpenID provider</a></p>
  `;

const SCRIPT = `
'use strict';
const at = (id) => document.getElementById(id);
function say(text, isBad) { at('said').className = isBad ? 'bad' : 'soft'; at('said').textContent = text; }
async function post(path, body) {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}
// Only our own addresses: a link to this page must not lead anywhere else.
function next() {
  const wanted = new URLSearchParams(location.search).get('next') ?? '/';
  try {
    const url = new URL(wanted, location.origin);
    return url.origin === location.origin && /^https?:$/.test(url.protocol) ? url.href : '/';
  } catch { return '/'; }
}
if (at('openid')) {
  const { pathname, search, hash } = new URL(next(), location.origin);
  at('openid').search = new URLSearchParams({ next: pathname + search + hash });
}
at('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  at('enter').disabled = true;
  say('…', false);
  try {
    const response = await post('/v6/login/', { username: at('username').value, password: at('password').value });
    if (response.ok) { location.assign(next()); return; }
    const found = await response.json();
    const wait = response.headers.get('retry-after');
    say((found.detail ?? 'status ' + response.status) + (wait ? ' (in ' + wait + ' s)' : ''), true);
  } catch (error) { say('not available: ' + error.message, true); }
  at('enter').disabled = false;
});
at('leave').addEventListener('click', async () => {
  await post('/v6/logout/', {});
  location.reload();
});
async function known() {
  const response = await fetch('/v6/accounts/profile/', { headers: { accept: 'application/json' } });
  if (!response.ok) return;
  at('known').textContent = 'Logged in as ' + (await response.json()).username + '.';
  at('leave').hidden = false;
}
known().catch(() => {});
`;

const pageOf = (links: string): Page =>
  makePage({ title: 'Millrace: log in', body: bodyOf(links), style: LOGIN_STYLE, script: SCRIPT });

const passwordOnly = pageOf('');
const withOpenId = pageOf(OPENID);

/** `hasOpenId`: a provider is configured. */
export function loginPage(hasOpenId: boolean): Page {
  return hasOpenId ? withOpenId : passwordOnly;
}
